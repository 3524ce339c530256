"""Bayes-optimal privacy: what an adversary believes of one person before a release, and after it.

A belief is a conclusion from assumed knowledge, not a fact about anybody. The models are
those of [Allard 2023], Eq. 1 to 3; what is ours is called so.
"""

from core.beliefs.background import Background
from core.beliefs.bayes import Beliefs, beliefs, posterior
from core.beliefs.members import MOST_CELLS, known_members
from core.beliefs.negation import largest_l_after, left_after, share_after, smallest_c_after

__all__ = [
    "MOST_CELLS",
    "Background",
    "Beliefs",
    "beliefs",
    "known_members",
    "largest_l_after",
    "left_after",
    "posterior",
    "share_after",
    "smallest_c_after",
]
