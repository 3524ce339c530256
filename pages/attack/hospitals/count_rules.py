"""A table of counts of another publisher: its column of counts, and what its publisher says about them."""

from __future__ import annotations

from typing import get_args

import streamlit as st
from msgspec import structs

from core import Table
from core.release.published.count_table import CountRules, Mark, Rounding, count_columns, rules_of
from core.study.uploads import Upload
from pages.shared.compute import attack_results
from pages.shared.ui import widgets
from pages.shared.ui.text import count, safe

QUESTIONS = {
    "absent": "What does it mean that {} of a group and a value are not in their table?",
    "blank": "What do {} mean?",
    "mark": "What do marks such as * mean in {}?",
}
THINGS = {
    "absent": ("combination", "combinations"),
    "blank": ("empty count", "empty counts"),
    "mark": ("count", "counts"),
}
MARKS = {
    "zero": "no one is counted there",
    "masked": "one person or more; the number is hidden",
    "either": "either; or it is not known",
}
TOTALS = {
    "several": "in several, or it is not known",
    "most": "in one at most (some values or groups are not shown)",
    "one": "in exactly one",
}
ROUNDINGS = {"nearest": "to the nearest", "up": "up", "down": "down", "random": "up or down at random"}


def column(number: int, table: Table, used: list[str], known: Upload | None) -> str | None:
    """Their column of counts, asked for if several may be; ``None`` until it is answered."""
    able = count_columns(table, used)
    if len(able) == 1:
        return able[0]
    if not able:
        st.info(
            "None of their columns holds only counts and marks, so the file is no table of counts. Switch that off "
            "above, or change the file.",
            icon=":material/touch_app:",
        )
        return None
    before = known.count if known else None
    return widgets.question(
        "Which of their columns holds the counts?",
        able,
        lambda header: safe(header, 40),
        before,
        _key(number, "column", table.content_id),
    )


def ask(number: int, upload: Upload, table: Table, known: Upload | None) -> str | None:
    """Ask what the file leaves open; return the rules as text, ``None`` until all is answered."""
    open_questions = structs.replace(upload, counts="absent=either, blank=either, mark=either")
    possible = attack_results.foreign(open_questions, table).possible
    before = rules_of(known.counts) if known else CountRules()
    rules: dict[str, object] = {}
    for name, words in QUESTIONS.items():
        many = getattr(possible, name)
        if many:
            single, more = THINGS[name]
            question = words.format(f"{count(many)} {single if many == 1 else more}")
            key = _key(number, name, table.content_id)
            rules[name] = widgets.question(question, get_args(Mark), MARKS.__getitem__, getattr(before, name), key)
    rules |= _further(number, table, before)
    return None if None in rules.values() else ", ".join(f"{name}={value}" for name, value in rules.items())


def _further(number: int, table: Table, before: CountRules) -> dict[str, object]:
    """What may be said in addition: as long as it is not, less is ruled out."""
    with st.expander("Threshold, rounding and totals", icon=":material/tune:"):
        below = st.number_input(
            "Every masked count is below (0 if larger ones are masked, too, or it is not known)",
            0,
            1_000_000,
            before.below,
            key=_key(number, "below", table.content_id),
        )
        rounded = st.number_input(
            "Counts are rounded to a multiple of",
            1,
            1_000_000,
            before.rounded,
            key=_key(number, "rounded", table.content_id),
        )
        rounding, zeros = before.rounding, before.zeros
        if rounded > 1:
            exact = st.toggle(
                "A 0 is no one: small counts were masked before rounding",
                before.zeros == "exact",
                key=_key(number, "zeros", table.content_id),
            )
            zeros = "exact" if exact else "rounded"
            rounding = st.selectbox(
                "They are rounded",
                get_args(Rounding),
                get_args(Rounding).index(before.rounding),
                format_func=ROUNDINGS.__getitem__,
                key=_key(number, "rounding", table.content_id),
            )
        totals = st.radio(
            "In how many of the counts shown does a person of a total appear?",
            list(TOTALS),
            list(TOTALS).index(before.totals),
            format_func=TOTALS.__getitem__,
            key=_key(number, "totals", table.content_id),
        )
    further = {"below": below, "rounded": rounded, "rounding": rounding, "zeros": zeros}
    unsaid = CountRules()
    return {name: value for name, value in further.items() if value != getattr(unsaid, name)} | {"totals": totals}


def _key(number: int, field: str, content_id: str) -> str:
    return f"hospitals:{number}:upload:counts:{field}:{content_id[:12]}"
