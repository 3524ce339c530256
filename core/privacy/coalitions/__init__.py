"""m-privacy: what colluding providers of pooled records learn about the records of others.

[Goryczka 2011] with the decisions of definitions §6. A coalition knows its own records; a release is m-private if every
class still meets the policy after any coalition of m of its contributors has removed its own records.
"""

from core.privacy.coalitions.by_counting import breach, private_classes
from core.privacy.coalitions.colluding import Colluding, check_sources, with_providers
from core.privacy.coalitions.contribution_tables import Contributions
from core.privacy.coalitions.contributions import Constraint, Group, score
from core.privacy.coalitions.m_private import Learned, Verdict, coalition_table, contributions, learned, m_private

__all__ = [
    "Colluding",
    "Constraint",
    "Contributions",
    "Group",
    "Learned",
    "Verdict",
    "breach",
    "check_sources",
    "coalition_table",
    "contributions",
    "learned",
    "m_private",
    "private_classes",
    "score",
    "with_providers",
]
