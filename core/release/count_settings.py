"""How a publisher makes a table of counts: its groups, and what is masked, left out and rounded.

In words as on the command line: ``age/10, sex, zip code/3; below=5; zeros=shown; rounded=5; totals=shown``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, get_args

from msgspec import Struct

from core.base.errors import ParameterError
from core.base.wording import count, listed, several

Zeros = Literal["shown", "absent", "masked"]
ZEROS: tuple[Zeros, ...] = get_args(Zeros)
TOTALS = ("shown", "hidden")
MOST = 1_000_000
"""Largest threshold, base and width."""
_LEVEL = re.compile(r"(?P<name>.*?)\s*/\s*(?P<tree>level)?\s*(?P<step>\d{1,7})", re.DOTALL)
ABOUT_ZEROS = {
    "shown": "zeros are shown",
    "absent": "combinations without anyone are left out",
    "masked": "zeros are masked like small counts",
}
"""What happens to a count of 0, as part of a sentence."""


class GroupColumn(Struct, frozen=True, forbid_unknown_fields=True):
    """A quasi-identifier that groups are formed by, and how coarse it is.

    Parameters
    ----------
    name
        The quasi-identifier.
    step
        0 for its values as they are. Else the width of bands of a number, how many neighbouring values of an order are
        one, or the leading characters that are kept of any other value.
    level
        Whether ``step`` is a level of the taxonomy instead; 1 is just below the root.
    """

    name: str
    step: int = 0
    level: bool = False

    @property
    def text(self) -> str:
        """As on the command line; a name with a mark of that line is quoted."""
        level = f"/{'level' * self.level}{self.step}" if self.step or _LEVEL.fullmatch(self.name) else ""
        text = f"{self.name}{level}"
        risky = self.name != self.name.strip() or any(mark in text for mark in ',;"')
        return '"' + text.replace('"', '""') + '"' if risky else text


class CountSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a publisher makes a table of counts of its records.

    Parameters
    ----------
    groups
        Columns that groups are formed by; counts are per group and sensitive value.
    below
        Counts from 1 to one less are masked; 0 or 1 masks none.
    zeros
        Whether a count of 0 is shown, absent (its row is left out, which everyone reads as 0), or masked with the small
        counts.
    rounded
        Counts that are shown are rounded to the nearest multiple; 1 for exact counts.
    totals
        Whether the size of each group is shown, masked and rounded like a count.

    Raises
    ------
    ParameterError
        If there is no group, a column is named twice, a number is out of range, or zeros are masked and nothing else.

    Examples
    --------
    >>> from composition_dashboard.core.release.count_settings import settings_of
    >>> made = settings_of("age/10, sex; below=5; zeros=masked")
    >>> made.groups[0].step, made.below, made.text
    (10, 5, 'age/10, sex; below=5; zeros=masked')
    """

    groups: tuple[GroupColumn, ...]
    below: int = 5
    zeros: Zeros = "shown"
    rounded: int = 1
    totals: bool = True

    def __post_init__(self) -> None:
        """Validate the settings."""
        names = [column.name for column in self.groups]
        if not names or len(set(names)) < len(names):
            raise ParameterError(
                "A table of counts names at least one column of its groups, each once.", parameter="counts"
            )
        steps = [("the width of a group", column.step, 0) for column in self.groups]
        for what, number, least in (("below", self.below, 0), ("rounded", self.rounded, 1), *steps):
            if not least <= number <= MOST:
                raise ParameterError(
                    f"{what[:1].upper()}{what[1:]} of a table of counts must be from {least} to {MOST:,}.",
                    parameter="counts",
                )
        if any(column.level and not column.step for column in self.groups):
            raise ParameterError(
                "Level 0 of a taxonomy is its root, which distinguishes no one; choose level 1 or more.",
                parameter="counts",
            )
        if self.zeros == "masked" and self.below < 2:
            raise ParameterError(
                "Zeros can be masked only together with small counts; set below to 2 or more.", parameter="counts"
            )

    @property
    def text(self) -> str:
        """As on the command line, without what is left at its default."""
        more = [f"zeros={self.zeros}"] * (self.zeros != "shown") + [f"rounded={self.rounded}"] * (self.rounded > 1)
        more += ["totals=hidden"] * (not self.totals)
        return "; ".join([", ".join(column.text for column in self.groups), f"below={self.below}", *more])

    @property
    def zero_is_exact(self) -> bool:
        """Whether a 0 that is shown means no one, because no larger count that is shown is rounded to it."""
        return self.rounded == 1 or 2 * max(1, self.below) >= self.rounded

    @property
    def in_words(self) -> str:
        """What is shown, without a name of a column: "counts by 3 columns; counts below 5 are masked; ..."."""
        masked = f"counts below {count(self.below)} are masked" if self.below > 1 else "no count is masked"
        rounded = [f"counts are rounded to a multiple of {count(self.rounded)}"] * (self.rounded > 1)
        totals = f"group sizes are {'shown' if self.totals else 'not shown'}"
        by = several(len(self.groups), "column")
        return f"counts by {by}, where {listed([masked, ABOUT_ZEROS[self.zeros], *rounded, totals])}"


def settings_of(text: str) -> CountSettings:
    """Read settings as the gate takes them.

    Raises
    ------
    ParameterError
        If a part is not of this form, or a name or value is not known.
    """
    columns, *parts = [*_split(text, ";")] or [""]
    given: dict[str, Any] = {"groups": tuple(_column(part) for part in _split(columns, ","))}
    for part in parts:
        name, _, value = (word.strip() for word in part.partition("="))
        if name in given:
            raise ParameterError(
                f"The settings of a table of counts say {name} twice; say it once.", parameter="counts"
            )
        if name in ("below", "rounded") and value.isascii() and value.isdecimal() and len(value) < 8:
            given[name] = int(value)
        elif name == "zeros" and value in ZEROS:
            given[name] = value
        elif name == "totals" and value in TOTALS:
            given[name] = value == "shown"
        else:
            raise ParameterError(
                "A part of the settings of a table of counts cannot be read; they are written as "
                '"age/10, sex; below=5; zeros=shown|absent|masked; rounded=5; totals=shown|hidden".',
                parameter="counts",
            )
    return CountSettings(**given)


def _split(text: str, mark: str) -> Iterator[str]:
    """Parts of a text between marks that are not in quotes."""
    for part in re.findall(rf'(?:[^{mark}"]|"(?:[^"]|"")*"?)+', text):
        if part.strip():
            yield part.strip()


def _column(text: str) -> GroupColumn:
    plain = text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
    match = _LEVEL.fullmatch(plain)
    if match is None:
        return GroupColumn(plain)
    return GroupColumn(match["name"], int(match["step"]), bool(match["tree"]))
