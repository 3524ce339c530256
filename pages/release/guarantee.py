"""Asked beside measured, and where every record went."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from core import Policy, Release
from core.base.arrays import Bools
from core.base.words import THIN
from core.measurement import Guarantee
from core.privacy.declared.l_diversity import level
from core.privacy.model import MODELS
from pages.shared import results, session
from pages.shared.results import MyRelease
from pages.shared.text import count, safe

MET, NOT_MET = ":material/check_circle:\u00a0met", ":material/cancel:\u00a0**not\u00a0met**"
NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Measured:
    """What a published table, or one class of it, has.

    Parameters
    ----------
    k, distinct_l, entropy_l, t
        As in :class:`core.measurement.Guarantee`.
    c
        Infimum of c for the l of :func:`core.privacy.declared.l_diversity.level`.
    m
        Most providers that may collude, -1 for not even an outsider; ``None`` where that was not looked at.
    more
        Numbers of further models, by their names.
    """

    k: int
    distinct_l: int
    entropy_l: float
    c: float
    t: float
    m: int | None = None
    more: Mapping[str, float] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, float]:
        """Every number by its name."""
        own = {"k": self.k, "distinct_l": self.distinct_l, "entropy_l": self.entropy_l, "c": self.c, "t": self.t}
        return own | ({} if self.m is None else {"m": self.m}) | dict(self.more)


def of_table(guarantee: Guarantee, policy: Policy, m: int | None = None) -> Measured:
    """Return what the published table has: its weakest class, model by model."""
    c = guarantee.recursive_c(level(policy.values))
    return Measured(guarantee.k, guarantee.distinct_l, guarantee.entropy_l, c, guarantee.t, m, guarantee.more)


def of_class(release: Release, number: int) -> Measured:
    """Return what one class has."""
    parameters, reached = release.policy.values, dict[str, float]()
    for model in MODELS.values():
        reached_by = model.reached(parameters, release.histogram, release.encoded.sensitive)
        reached |= {name: float(values[number]) for name, values in reached_by.items()}
    own = {name: reached.pop(name) for name in ("k", "distinct_l", "entropy_l", "c", "t")}
    return Measured(int(own["k"]), int(own["distinct_l"]), own["entropy_l"], own["c"], own["t"], None, reached)


@dataclass(frozen=True)
class GuaranteeLine:
    """One line: a model, what was asked, what was found, and whether that is enough (``None``: not asked)."""

    model: str
    asked: str
    measured: str
    met: bool | None


def checks(policy: Policy, measured: Measured, distance: str) -> list[GuaranteeLine]:
    """Compare policy and findings, model by model; nothing is rounded before it is compared."""
    parameters, numbers = {**policy.values, "distance": distance}, measured.numbers
    return [
        GuaranteeLine(line.words, line.asked, SHOWN[line.shown](numbers[line.number]), line.met if line.asked else None)
        for model in MODELS.values()
        for line in model.lines(parameters, numbers)
    ]


def any_c(least: float) -> str:
    """The c for which recursive diversity holds: every one above the infimum."""
    return "no c: too few values" if math.isinf(least) else f"any c > {rounded_up(least)}"


def rounded_down(value: float, decimals: int = 3) -> str:
    """A number of which more is safer, never shown as better than it is."""
    return _trimmed(math.floor(value * 10**decimals + 1e-6) / 10**decimals)


def rounded_up(value: float, decimals: int = 3) -> str:
    """A number of which less is safer, never shown as better than it is."""
    return _trimmed(math.ceil(value * 10**decimals - 1e-6) / 10**decimals)


def _trimmed(value: float) -> str:
    return f"{value:,.3f}".replace(",", THIN).rstrip("0").rstrip(".")


def _colluding(value: float) -> str:
    return count(value) if value >= 0 else "no m"


SHOWN: dict[str, Callable[[float], str]] = {
    "count": count,
    "down": rounded_down,
    "up": rounded_up,
    "any c": any_c,
    "m": _colluding,
}
"""How a measured number is written, by what a model says of its line."""


def verdict(check: GuaranteeLine) -> str:
    """Icon and word; a dash for what was not asked."""
    return "–" if check.met is None else MET if check.met else NOT_MET


def show_checks(rows: list[GuaranteeLine], where: str, alt: str) -> None:
    """The lines as a table. Its texts are ours, never the user's."""
    frame = pd.DataFrame(
        {
            "Model": [row.model for row in rows],
            "Asked": [(row.asked or NOT_ASKED).replace(" ", "\u00a0") for row in rows],
            where: [row.measured for row in rows],
            "Verdict": [verdict(row) for row in rows],
        }
    )
    st.table(frame, border="horizontal", hide_index=True, alt=alt)


# ---- where the records went --------------------------------------------------------------


@dataclass(frozen=True)
class Account:
    """Every record of the table, and those among the published that lack a value."""

    handed_in: int
    published: int
    left_out: int
    set_aside: int
    suppressed: int
    without_qid: dict[str, int]
    without_sensitive: int


def account(release: Release, handed_in: int) -> Account:
    """Count the records of a release apart: published, left out, suppressed, with missing values."""
    encoded = release.encoded
    kept = release.classes.labels >= 0

    def records(rows: Bools) -> int:
        return int(rows.sum() if encoded.weight is None else encoded.weight[rows].sum())

    missing = {
        domain.name: records((codes == domain.missing) & kept)
        for domain, codes in zip(encoded.qids, encoded.codes, strict=True)
        if domain.missing >= 0
    }
    absent = encoded.sensitive.missing
    return Account(
        handed_in,
        records(kept),
        encoded.dropped,
        encoded.set_aside,
        release.classes.suppressed,
        {name: number for name, number in missing.items() if number},
        records((encoded.secret == absent) & kept) if absent >= 0 else 0,
    )


def account_words(account: Account) -> str:
    """One line of Markdown that adds up; nothing is said of what there is none of."""
    parts = [f"**{count(account.published)}** published"]
    for number, words in (
        (account.left_out, "left out for missing values"),
        (account.suppressed, "suppressed"),
        (account.set_aside, "left out because one record of each person is released"),
    ):
        parts += [f"**{count(number)}** {words}"] if number else []
    line = f"**{count(account.handed_in)}** records in the table: {', '.join(parts)}."
    gaps = [f"{safe(name, 30)} {count(number)}" for name, number in account.without_qid.items()]
    gaps += [f"sensitive value {count(account.without_sensitive)}"] if account.without_sensitive else []
    return f"{line} Published with a missing value, kept as one of its own: {', '.join(gaps)}." if gaps else line


def conclusion(rows: list[GuaranteeLine], guarantee: Guarantee, classes: int | None = None) -> str:
    """One sentence on the whole, from the lines of the table; ``classes`` are those that were formed."""
    if any(row.met is False for row in rows):
        return ":material/cancel: The published table does **not** meet what was asked. Do not publish it."
    if guarantee.classes == 1:
        return (
            ":material/warning: Only the whole table as one class meets this policy, so no quasi-identifier says "
            "anything any more. Ask for less to keep some detail."
        )
    source = "rows and the person column, which stays here" if guarantee.by_person else "rows alone"
    words = (
        f":material/check_circle: The published table meets what was asked. It was measured again from its {source}, "
        f"in {count(guarantee.classes)} classes, by code that shares nothing with the algorithm."
    )
    if classes is not None and classes > guarantee.classes:
        words += (
            f" {count(classes)} classes were formed. Those with the same published cells are one class to a reader, "
            f"and are measured as one."
        )
    return words


def show(mine: MyRelease) -> None:
    """What it comes to, and asked beside measured."""
    release, guarantee = mine.release, mine.guarantee
    measured = of_table(guarantee, release.policy, results.most_colluding())
    rows = checks(release.policy, measured, guarantee.distance)
    st.markdown(conclusion(rows, guarantee, len(release.sizes)))
    show_checks(rows, "Measured", "What was asked beside what was measured")


def details(mine: MyRelease) -> None:
    """What the verdict counts, and where the records went."""
    release, guarantee = mine.release, mine.guarantee
    measured = of_table(guarantee, release.policy, results.most_colluding())
    if measured.m is not None:
        st.caption(
            "Collusion is checked with the providers at hand; they are not published. It is the largest m for which "
            "every class still meets k and l when any m of its providers take out their own records."
        )
    if guarantee.by_person:
        st.caption(
            f"Persons are counted: {count(guarantee.rows)} records of {count(guarantee.people)} persons are "
            f"published. Whoever has the published file alone can count records only; its smallest class has "
            f"{count(release.classes.sizes.min())} of them."
        )
    for repeat in release.encoded.repeats:
        st.warning(safe(repeat.text(release.policy.k), 500), icon=":material/group:")
    st.caption(account_words(account(release, session.workspace().records)))
