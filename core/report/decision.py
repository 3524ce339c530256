"""Additions to a report: the decision, and the downloads that belong to it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date

from msgspec import Struct
from msgspec.structs import force_setattr

from core.base.errors import ParameterError

MOST = 5_000
"""Largest number of characters of one text."""
MOST_ACCEPTED = 50
_DIGEST = re.compile(r"[0-9a-f]{64}")


def typed(text: object, name: str, most: int = MOST) -> str:
    """Keep a text as it was typed, without characters that a document cannot hold.

    Line breaks stay; other control characters, marks that turn the direction of writing, and
    halves of characters become spaces.

    Raises
    ------
    ParameterError
        If it is not a text, or too long.
    """
    if not isinstance(text, str):
        raise ParameterError(f"{name} must be a text.", parameter=name)
    if len(text) > most:
        raise ParameterError(f"{name} can have at most {most:,} characters.", parameter=name)
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(ch if ch == "\n" or ch.isprintable() else " " for ch in lines).strip()


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """The decision, as written down by the decision makers.

    Parameters
    ----------
    what, who, why, ends
        Free text; "" if nothing is written. ``ends`` names what would end the decision early.
    when, until
        The date of the decision and the last day on which it holds, year-month-day, or "". The report never
        looks at the clock.
    accepted
        Assumptions that were accepted: keys or sentences of :func:`core.report.assumptions`,
        or free text.

    Raises
    ------
    ParameterError
        Naming the field.
    """

    what: str = ""
    who: str = ""
    when: str = ""
    why: str = ""
    accepted: tuple[str, ...] = ()
    until: str = ""
    ends: str = ""

    def __post_init__(self) -> None:
        """Refuse content that a document cannot hold."""
        for name in ("what", "who", "why", "when", "until", "ends"):
            force_setattr(self, name, typed(getattr(self, name), name))
        if len(self.accepted) > MOST_ACCEPTED:
            raise ParameterError(f"accepted must be a list of at most {MOST_ACCEPTED} texts.", parameter="accepted")
        force_setattr(self, "accepted", tuple(typed(text, "accepted") for text in self.accepted))
        if self.when and not _is_date(self.when):
            raise ParameterError("Write the date of the decision as year-month-day.", parameter="when")
        if self.until and not _is_date(self.until):
            raise ParameterError("Write the last day of the decision as year-month-day.", parameter="until")
        if self.when and self.until and self.until < self.when:
            raise ParameterError("The decision expires before it is made; choose a later last day.", parameter="until")

    @property
    def empty(self) -> bool:
        """Whether the decision is empty."""
        return self == Decision()


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@dataclass(frozen=True)
class NoisyDownload:
    """A noisy table that was downloaded; only its digest enters a report, since noise has no seed.

    Parameters
    ----------
    digest
        SHA-256 of what was downloaded, 64 hexadecimal digits.
    epsilon, delta
        Its guarantee.
    mechanism
        ``"laplace"`` or ``"gaussian"``, or their names in words.
    relation
        What neighbouring tables are; see :data:`core.dp.RELATION`.
    """

    digest: str
    epsilon: float
    delta: float
    mechanism: str
    relation: str

    def __post_init__(self) -> None:
        """Refuse an invalid digest or guarantee."""
        if not _DIGEST.fullmatch(typed(self.digest, "digest", 200)):
            raise ParameterError("digest must be a SHA-256: 64 hexadecimal digits, in lower case.", parameter="digest")
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise ParameterError("epsilon must be above 0.", parameter="epsilon")
        if not (math.isfinite(self.delta) and 0 <= self.delta < 1):
            raise ParameterError("delta must be from 0 and below 1.", parameter="delta")
        for name in ("mechanism", "relation"):
            object.__setattr__(self, name, typed(getattr(self, name), name, 200))
