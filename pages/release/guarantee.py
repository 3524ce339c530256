"""Required and measured values, and what happened to every record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core import Policy, Release
from core.base.wording import listed
from core.data.schemas.agreement import Agreement
from core.measurement import Guarantee
from core.privacy.model import MODELS
from core.privacy.models.l_diversity import level
from pages.shared.compute import release_results
from pages.shared.compute.release_results import MyRelease
from pages.shared.state import session
from pages.shared.ui.text import count, safe

MET, NOT_MET = ":material/check_circle:\u00a0met", ":material/cancel:\u00a0**not\u00a0met**"
NOT_ASKED = "not asked"


def of_table(guarantee: Guarantee, policy: Policy, m: int | None = None) -> dict[str, float]:
    """Measured numbers of the published table: its weakest class, model by model; m if it was checked."""
    c = guarantee.recursive_c(level(policy.values))
    return {**guarantee.numbers, "c": c} | ({} if m is None else {"m": m})


@dataclass(frozen=True)
class GuaranteeLine:
    """One line: a model, the requirement, the measured value, and whether that is enough (``None``: not required)."""

    model: str
    asked: str
    measured: str
    met: bool | None


def checks(policy: Policy, numbers: Mapping[str, float], distance: str) -> list[GuaranteeLine]:
    """Compare policy and findings, model by model; nothing is rounded before it is compared."""
    parameters = {**policy.values, "distance": distance}
    return [
        GuaranteeLine(line.words, line.asked, SHOWN[line.shown](numbers[line.number]), line.met if line.asked else None)
        for model in MODELS.values()
        for line in model.lines(parameters, numbers)
    ]


def any_c(least: float) -> str:
    """The c for which recursive diversity holds: every one above the infimum."""
    return "no c: too few values" if math.isinf(least) else f"c above {rounded_up(least)}"


def rounded_down(value: float, decimals: int = 3) -> str:
    """Format a number for which more is safer, rounded to the unsafe side."""
    return _trimmed(math.floor(value * 10**decimals + 1e-6) / 10**decimals)


def rounded_up(value: float, decimals: int = 3) -> str:
    """Format a number for which less is safer, rounded to the unsafe side."""
    return _trimmed(math.ceil(value * 10**decimals - 1e-6) / 10**decimals)


def _trimmed(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def _colluding(value: float) -> str:
    return count(value) if value >= 0 else "no m"


SHOWN: dict[str, Callable[[float], str]] = {
    "count": count,
    "down": rounded_down,
    "up": rounded_up,
    "any c": any_c,
    "m": _colluding,
}
"""Format of a measured number, by the model's unit."""


def verdict(check: GuaranteeLine) -> str:
    """Icon and word; a dash if nothing was required."""
    return "–" if check.met is None else MET if check.met else NOT_MET


def account(release: Release, handed_in: int) -> str:
    """Account for every record of the table in one line of Markdown; "" if all are published."""
    encoded, suppressed = release.encoded, release.classes.suppressed
    parts = [f"**{count(encoded.records - suppressed)}** published"]
    for number, words in (
        (encoded.dropped, "left out for missing values"),
        (suppressed, "suppressed"),
        (encoded.set_aside, "left out because one record of each person is released"),
    ):
        parts += [f"**{count(number)}** {words}"] if number else []
    return f"**{count(handed_in)}** records in the table: {', '.join(parts)}." * (len(parts) > 1)


def conclusion(rows: list[GuaranteeLine], guarantee: Guarantee, classes: int | None = None) -> str:
    """One sentence on the whole, from the lines of the table; ``classes`` are those that were formed."""
    if any(row.met is False for row in rows):
        return ":material/cancel: The published table does **not** meet what was asked. Do not publish it."
    if guarantee.classes == 1:
        return (
            ":material/warning: Only the whole table as one class meets this policy, so the quasi-identifiers "
            "carry no information any more. Ask for less to keep some detail."
        )
    source = "rows and the person column, which stays here" if guarantee.by_person else "rows alone"
    words = (
        f":material/check_circle: The published table meets what was asked. It was re-measured from its {source} "
        f"({count(guarantee.classes)} classes) by independent code."
    )
    if classes is not None and classes > guarantee.classes:
        words += (
            f" {count(classes)} classes were formed. Classes with the same published cells look like one class to a "
            f"reader, and are measured as one."
        )
    return words


def agreement_words(kept: Agreement, guarantee: Guarantee) -> str:
    """What the check of an agreement found in the published cells, and from what it was made."""
    least = int(guarantee.more.get("agreed", 0))
    check = (
        f":material/handshake: Every class lies in one region and has whole buckets, of at least **{count(least)}** "
        "values, which remain for everyone, however many publish by this agreement."
        if least
        else ":material/cancel: A class does **not** keep the agreement. Do not publish it."
    )
    return f"{check} Read from the published cells. The agreement has {kept.in_words}; digest `{kept.digest[:16]}`."


def show(mine: MyRelease) -> None:
    """The verdict, with required and measured values."""
    release, guarantee = mine.release, mine.guarantee
    rows = checks(
        release.policy, of_table(guarantee, release.policy, release_results.most_colluding()), guarantee.distance
    )
    st.markdown(conclusion(rows, guarantee, len(release.sizes)))
    frame = pd.DataFrame(
        {
            "Model": [row.model for row in rows],
            "Asked": [(row.asked or NOT_ASKED).replace(" ", "\u00a0") for row in rows],
            "Measured": [row.measured for row in rows],
            "Verdict": [verdict(row) for row in rows],
        }
    )
    st.table(frame, border="horizontal", hide_index=True, alt="What was required and what was measured")
    if parts := release.encoded.sensitive.parts:
        names = listed([safe(name, 40) for name in parts])
        st.caption(f"l and t count combinations of {names}, which promises nothing about one of them alone.")
    kept = release.encoded.sensitive.agreement if release.algorithm.agreement else None
    if kept is not None:
        st.caption(agreement_words(kept, guarantee))


def details(mine: MyRelease) -> None:
    """State what the verdict counts, and how many records are published or left out."""
    release, guarantee = mine.release, mine.guarantee
    if release_results.most_colluding() is not None:
        st.caption(
            "Collusion is checked with the provider column, which is not published. It is the largest m for which "
            "every class still meets k and l when any m of its providers remove their own records."
        )
    if guarantee.by_person:
        st.caption(
            f"Persons are counted: {count(guarantee.rows)} records of {count(guarantee.people)} persons are "
            f"published. Anyone with only the published file can count records, not people; its smallest class has "
            f"{count(release.classes.sizes.min())}."
        )
    if words := account(release, session.workspace().records):
        st.caption(words)
