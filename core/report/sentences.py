"""The sentences of reports without numbers, from ``assets/report/texts.md``."""

from __future__ import annotations

from core.base.assets import asset, fill, sections
from core.report.rounding import SMALL


def sentence(name: str) -> str:
    """A sentence by its heading."""
    return fill(sections(asset("report/texts.md"))[name], {"small": SMALL})


def listed(name: str) -> list[str]:
    """The items of a list by its heading."""
    return [line.removeprefix("- ") for line in sentence(name).splitlines()]
