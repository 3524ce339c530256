"""Asked beside measured, and where every record went."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core import Guarantee, Policy, Release
from core.models import known_distinct, smallest_c
from core.policy import TOLERANCE
from pages._ui import runs, state
from pages._ui.runs import MyRelease
from pages._ui.text import count, safe

MET, NOT_MET = ":material/check_circle:\u00a0met", ":material/cancel:\u00a0**not\u00a0met**"
NOT_ASKED = "not asked"
DISTANCES = {"equal": "total variation", "ordered": "ordered", "hierarchical": "hierarchical"}


@dataclass(frozen=True)
class Found:
    """What a published table, or one class of it, has.

    Parameters
    ----------
    k, distinct_l, entropy_l, t
        As in :class:`core.Guarantee`.
    c
        Infimum of c for the l of :func:`recursive_level`.
    m
        Most providers that may collude, -1 for not even an outsider; ``None`` where that was not looked at.
    """

    k: int
    distinct_l: int
    entropy_l: float
    c: float
    t: float
    m: int | None = None


def of_table(guarantee: Guarantee, policy: Policy, m: int | None = None) -> Found:
    """Return what the published table has: its weakest class, model by model."""
    c = guarantee.recursive_c(recursive_level(policy))
    return Found(guarantee.k, guarantee.distinct_l, guarantee.entropy_l, c, guarantee.t, m)


def of_class(release: Release, rows: pd.DataFrame, number: int) -> Found:
    """Return what one class has."""
    row = rows.iloc[number]
    c = smallest_c(release.histogram, recursive_level(release.policy))[number]
    distinct = known_distinct(release.histogram)[number]
    return Found(int(row["size"]), int(distinct), float(row["entropy_l"]), float(c), float(row["distance"]))


def recursive_level(policy: Policy) -> int:
    """The l for which recursive diversity is shown: the one asked, whole and at least 2; else 2."""
    return 2 if policy.l is None else max(2, math.floor(policy.l))


@dataclass(frozen=True)
class Check:
    """One line: a model, what was asked, what was found, and whether that is enough (``None``: not asked)."""

    model: str
    asked: str
    found: str
    met: bool | None


def checks(policy: Policy, found: Found, distance: str) -> list[Check]:
    """Compare policy and findings, model by model; nothing is rounded before it is compared."""
    kind = policy.diversity if policy.l is not None else ""
    l = policy.l or 0.0  # noqa: E741 - the field's own name
    level = recursive_level(policy)
    ln_l = math.log(found.entropy_l) if found.entropy_l > 0 else -math.inf
    entropy_met = kind == "entropy" and ln_l >= math.log(l) - TOLERANCE
    lines = [
        Check("People per class (k)", f"at least {count(policy.k)}", count(found.k), found.k >= policy.k),
        Check("Distinct values (distinct l)", f"at least {l:g}" if kind == "distinct" else "",
              count(found.distinct_l), found.distinct_l >= l if kind == "distinct" else None),
        Check("Evenly spread values (entropy l)", f"at least {l:g}" if kind == "entropy" else "",
              rounded_down(found.entropy_l), entropy_met if kind == "entropy" else None),
        Check(f"No value dominates (recursive, l\u00a0=\u00a0{level})",
              f"c = {policy.c:g}" if kind == "recursive" else "",
              any_c(found.c), found.c < (policy.c or 0) if kind == "recursive" else None),
        Check(f"Distance to the table (t, {DISTANCES[distance]})",
              "" if policy.t is None else f"at most {policy.t:g}", rounded_up(found.t),
              None if policy.t is None else found.t <= policy.t + TOLERANCE),
    ]  # fmt: skip
    if policy.m is not None and found.m is not None:
        lines.append(Check("Providers that may collude (m)", f"at least {policy.m}",
                           count(found.m) if found.m >= 0 else "no m", found.m >= policy.m))  # fmt: skip
    return lines


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
    return f"{value:,.3f}".replace(",", " ").rstrip("0").rstrip(".")


def verdict(check: Check) -> str:
    """Icon and word; a dash for what was not asked."""
    return "–" if check.met is None else MET if check.met else NOT_MET


def show_checks(rows: list[Check], where: str, alt: str) -> None:
    """The lines as a table. Its texts are ours, never the user's."""
    frame = pd.DataFrame({
        "Model": [row.model for row in rows],
        "Asked": [(row.asked or NOT_ASKED).replace(" ", "\u00a0") for row in rows],
        where: [row.found for row in rows],
        "Verdict": [verdict(row) for row in rows],
    })  # fmt: skip
    st.table(frame, border="horizontal", hide_index=True, alt=alt)


# ---- where the records went --------------------------------------------------------------


@dataclass(frozen=True)
class Account:
    """Every record of the table, and those among the published that lack a value."""

    handed_in: int
    published: int
    left_out: int
    suppressed: int
    without_qid: dict[str, int]
    without_sensitive: int


def account(release: Release, handed_in: int) -> Account:
    """Count the records of a release apart: published, left out, suppressed, with missing values."""
    encoded = release.encoded
    kept = release.classes.labels >= 0
    missing = {
        domain.name: int(np.count_nonzero((codes == domain.missing) & kept))
        for domain, codes in zip(encoded.qids, encoded.codes, strict=True)
        if domain.missing >= 0
    }
    absent = encoded.sensitive.missing
    return Account(
        handed_in, int(kept.sum()), encoded.dropped, release.classes.suppressed,
        {name: number for name, number in missing.items() if number},
        int(np.count_nonzero((encoded.secret == absent) & kept)) if absent >= 0 else 0,
    )  # fmt: skip


def account_words(found: Account) -> str:
    """One line of Markdown that adds up."""
    line = (
        f"**{count(found.handed_in)}** records in the table: **{count(found.published)}** published, "
        f"**{count(found.left_out)}** left out for missing values, **{count(found.suppressed)}** suppressed."
    )
    gaps = [f"{safe(name, 30)} {count(number)}" for name, number in found.without_qid.items()]
    line += f" Published with a missing quasi-identifier, kept as a value of its own: {', '.join(gaps) or 'none'};"
    return (
        line
        + f" with a missing sensitive value: {count(found.without_sensitive) if found.without_sensitive else 'none'}."
    )


def conclusion(rows: list[Check], guarantee: Guarantee, classes: int | None = None) -> str:
    """One sentence on the whole, from the lines of the table; ``classes`` are those that were formed."""
    if any(row.met is False for row in rows):
        return ":material/cancel: The published table does **not** meet what was asked. Do not publish it."
    if guarantee.classes == 1:
        return (
            ":material/warning: Only the whole table as one class meets this policy: every quasi-identifier is "
            "blurred to nothing. Ask for less to keep some detail."
        )
    words = (
        ":material/check_circle: The published table meets what was asked: measured again from its rows alone, in "
        f"{count(guarantee.classes)} classes, by other code than the one that made them."
    )
    if classes is not None and classes > guarantee.classes:
        words += (
            f" {count(classes)} classes were formed; those that are published with the same cells are one class to a "
            "reader, and are measured as one."
        )
    return words


def show(mine: MyRelease) -> None:
    """Asked beside measured, what it comes to, and where the records went."""
    release, guarantee = mine.release, mine.guarantee
    found = of_table(guarantee, release.policy, runs.most_colluding())
    rows = checks(release.policy, found, guarantee.distance)
    show_checks(rows, "Measured", "What was asked beside what was measured")
    st.caption(conclusion(rows, guarantee, len(release.sizes)))
    if found.m is not None:
        st.caption(
            "Collusion is checked with the providers at hand, which are not published: the largest m for which every "
            "class still meets k and l when any m of its providers take their own records out."
        )
    st.caption(account_words(account(release, len(state.workspace().table))))
