"""The numbers of an attack, a file for each adversary; the line that declares them is the only other place."""

from core.attack.declared import crowds, identification, sets, weights
from core.base.metrics import declare

declare(*sets.EXPOSED, *weights.EXPOSED, *crowds.CROWDS, *identification.RISKS, sets.HIT, weights.HIT)
