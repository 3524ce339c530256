"""The numbers of an attack, one file per adversary; the line that declares them is the only other place."""

from core.attack.metrics import anonymity_sets, correctly_named, reidentification, value_sets_left, weighted_values
from core.base.metrics import declare

declare(
    *value_sets_left.EXPOSED,
    *weighted_values.EXPOSED,
    *anonymity_sets.ANONYMITY_SETS,
    *reidentification.RISKS,
    *correctly_named.NAMED,
    value_sets_left.HIT,
    weighted_values.HIT,
)
