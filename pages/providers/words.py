"""The verdict on a pooled release in sentences; nothing here draws."""

from __future__ import annotations

import pandas as pd

from core import Policy
from core.privacy.coalitions import Learned, Verdict
from pages.shared.ui.text import count, listed, people, percent, safe

MOST_VALUES = 6


def providers_of(m: int) -> str:
    """Format a number of colluding providers."""
    return "any one provider" if m == 1 else f"any {m} providers"


def values_left(learned: Learned, sensitive: str) -> str:
    """The sensitive values of the remaining people, most common first."""
    shown = [
        f"{safe(text, 40)} ({count(number)})" if learned.left > 1 else safe(text, 40)
        for text, number in learned.values[:MOST_VALUES]
    ]
    more = len(learned.values) - len(shown)
    if more > 0:
        shown.append(f"{count(more)} more")
    return f"{safe(sensitive, 40)}: {', '.join(shown)}"


def _others(number: int) -> str:
    """Format a number of people whose records are not the coalition's."""
    return f"{count(number)} other {'person' if number == 1 else 'people'}"


def sentence(verdict: Verdict, policy: Policy, sensitive: str) -> str:
    """The verdict as a sentence or two of Markdown."""
    if verdict.is_satisfied:
        if verdict.m == 0:
            return (
                f"**0-private.** Every class has at least {people(policy.k)} and {policy.l:g} different values, as its "
                "reader sees it. No one is assumed to collude."
            )
        return (
            f"**{verdict.m}-private.** Whatever {providers_of(verdict.m)} subtract from the release, every class "
            f"they meet still has at least {_others(policy.k)} with {policy.l:g} different values."
        )
    learned, number = verdict.learns, verdict.class_number
    assert learned is not None
    assert number is not None
    start = f"**Not {verdict.m}-private.** Class {count(number + 1)} has {people(learned.size)}"
    if not verdict.names:
        return f"{start}, which any reader of the release sees: {values_left(learned, sensitive)}."
    alone = len(verdict.names) == 1
    return (
        f"{start}, {count(learned.own)} of them contributed by {listed(verdict.names)}. "
        f"{'It takes its' if alone else 'Together they take their'} own records out, and "
        f"**{_others(learned.left)}** {'is' if learned.left == 1 else 'are'} left, with "
        f"{values_left(learned, sensitive)}."
        + (
            f" {'This person' if learned.left == 1 else 'Everyone left'} is known to have it."
            if learned.certain
            else f" The policy asks for {people(policy.k)} and {policy.l:g} values."
        )
    )


def caveat(table: pd.DataFrame, m: int) -> str:
    """Limits of a verdict: classes of one contributor, in which no one can subtract other people's records."""
    alone = int((table["contributors"] == 1).sum())
    if not alone or m == 0:
        return ""
    return (
        f"{count(alone)} of {count(len(table))} classes have a single contributor. No one can subtract other "
        f"people's records there, so these classes are checked against the outside reader only."
    )


def failing(table: pd.DataFrame) -> str:
    """How many classes fail and how many people are in them."""
    bad = table[~table["private"]]
    inside = int(bad["size"].sum())
    return f"{count(inside)} people, {percent(inside / max(1, int(table['size'].sum())))} of all"
