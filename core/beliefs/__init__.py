"""Bayes-optimal privacy: what an adversary believes about one person before and after a release.

A belief is a conclusion from assumed knowledge, not a fact about a person. The models are
those of [Allard 2023], Eq. 1 to 3.
"""

from core.beliefs.background import Background
from core.beliefs.bayes import Beliefs, beliefs, posterior

__all__ = ["Background", "Beliefs", "beliefs", "posterior"]
