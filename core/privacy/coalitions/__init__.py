"""m-privacy: what providers who pool their records learn of each other's by colluding.

[Goryczka 2011] with the decisions of definitions §6. A coalition knows its own records; a
release is m-private when every class still meets the policy after any coalition of m of its
contributors has taken its own records out.
"""

from core.privacy.coalitions.colluding import Colluding, check_sources, with_providers
from core.privacy.coalitions.contribution_tables import Contributions
from core.privacy.coalitions.exact_shortcut import private_classes, shortcut
from core.privacy.coalitions.group import Constraint, Group, score
from core.privacy.coalitions.shares import MOST_ASSIGNED, SHARES, assign_providers, expected_shares
from core.privacy.coalitions.states import STATES, lattice, levels
from core.privacy.coalitions.strategies import STRATEGIES, Search
from core.privacy.coalitions.verdict import (
    ALL_STRATEGIES,
    BY_RECORDS,
    Learned,
    Verdict,
    coalition_table,
    contributions,
    m_private,
)

__all__ = [
    "ALL_STRATEGIES",
    "BY_RECORDS",
    "MOST_ASSIGNED",
    "SHARES",
    "STATES",
    "STRATEGIES",
    "Colluding",
    "Constraint",
    "Contributions",
    "Group",
    "Learned",
    "Search",
    "Verdict",
    "assign_providers",
    "check_sources",
    "coalition_table",
    "contributions",
    "expected_shares",
    "lattice",
    "levels",
    "m_private",
    "private_classes",
    "score",
    "shortcut",
    "with_providers",
]
