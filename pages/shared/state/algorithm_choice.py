"""Algorithms available for the session's table."""

from __future__ import annotations

from core.data.encoding.encoded import Encoded
from core.release.algorithm import ALGORITHMS, DEFAULT, for_agreements, for_one_publisher
from pages.shared.state import session


def contributors(encoded: Encoded) -> int:
    """Number of providers that contributed records, 0 if the table does not name them."""
    return 0 if encoded.provider is None else encoded.provider.size - (encoded.provider.missing >= 0)


def compared(encoded: Encoded, mine: str) -> list[str]:
    """Default algorithms of a comparison: Mondrian, the fast finer ones, and mine."""
    return [
        name
        for name in offered(encoded)
        if name in (DEFAULT, mine) or (ALGORITHMS[name].quick and ALGORITHMS[name].finer)
    ]


def offered(encoded: Encoded) -> tuple[str, ...]:
    """Algorithms available for this table: some need several contributors, some individual records or an agreement."""
    names = for_one_publisher()
    if contributors(encoded) > 1:
        names = tuple(name for name in ALGORITHMS if name not in for_agreements())
    return _for_these_data(names)


def offered_to_others() -> tuple[str, ...]:
    """Algorithms that another hospital like mine can be assumed to use."""
    return _for_these_data(for_one_publisher())


def _for_these_data(names: tuple[str, ...]) -> tuple[str, ...]:
    is_frequency_table = session.workspace().frequency_table is not None
    names += for_agreements() if session.workspace().schema.agreement is not None else ()
    return tuple(name for name in names if ALGORITHMS[name].takes_frequency_tables or not is_frequency_table)
