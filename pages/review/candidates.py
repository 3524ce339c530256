"""Candidates side by side: the present setting and the pins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import Scenario
from core.attack.number import at_chosen
from core.base import wording
from core.base.metrics import METRICS
from core.decision.review import BEST, Assessment, marks, worth_showing
from pages.review import assumed
from pages.shared.compute import assessment
from pages.shared.ui import pins
from pages.shared.ui.text import safe

PRESENT = "Present setting"
NOTES = {"dp_ceiling": "; a confidence, with noisy tables in place of releases"}


def show() -> None:
    """The table, and the possible actions for each pin."""
    candidates = compared()
    if not pins.everything():
        st.caption(
            ":material/push_pin: Nothing is pinned yet. On every page, a field in the sidebar saves the present "
            "setting under a name. Then change the setting, and both appear here side by side."
        )
    _cautions([candidate.scenario for candidate in candidates.values()])
    st.table(table(candidates), border="horizontal", alt="Candidates side by side, one row per number", hide_index=True)
    if len(candidates) > 1:
        st.caption(
            "Best and worst compare the numbers only. “Intervals overlap” means that the difference may be chance."
        )
    pinned()


def compared() -> dict[str, Assessment]:
    """The present setting and the pins, by name."""
    present = assessment.assessed()
    candidates = {}
    for pin in pins.everything():
        if pin.assessment is not None:
            is_present = pin.scenario == present.scenario
            candidates[f"{pin.name} (present)" if is_present else pin.name] = pin.assessment
    if any(candidate.scenario == present.scenario for candidate in candidates.values()):
        return candidates
    return {PRESENT: present, **candidates}


def _cautions(scenarios: Sequence[Scenario]) -> None:
    """Warn about differences that prevent a fair comparison of these candidates."""
    if not _same_columns(scenarios):
        st.warning(
            "Some candidates have **other columns**. A difference between them may come from the columns, and not from "
            "the setting. No best or worst is marked.",
            icon=":material/warning:",
        )
    differ = assumed.differing(scenarios)
    if differ:
        st.warning(
            f"These candidates do not make the same assumptions. They differ in **{', '.join(differ).lower()}**. A "
            f"difference between two of them may come from these assumptions, not from my release.",
            icon=":material/rule:",
        )
    in_common = {name: text for name, text in assumed.assumptions(scenarios[0]).items() if name not in differ}
    st.caption("All assume: " + "; ".join(f"{name.lower()} {text}" for name, text in in_common.items()) + ".")


def _same_columns(scenarios: Sequence[Scenario]) -> bool:
    """Whether the columns have the same roles and types in all scenarios."""
    return all(scenario.schema == scenarios[0].schema for scenario in scenarios)


# ---- the table ---------------------------------------------------------------------------


def table(candidates: Mapping[str, Assessment]) -> pd.DataFrame:
    """One row per number, one column per candidate; cells and headers are Markdown."""
    scenarios = {name: candidate.scenario for name, candidate in candidates.items()}
    confidences = {scenario.confidence for scenario in scenarios.values()}
    confidence = confidences.pop() if len(confidences) == 1 else None
    rows = [["**My release**", *map(assumed.my_release, scenarios.values())]]
    rows += [
        [f"Assumed: {what.lower()}", *(assumed.assumptions(scenario)[what] for scenario in scenarios.values())]
        for what in assumed.differing(list(scenarios.values()))
    ]
    limited = [name for scenario in scenarios.values() for name in scenario.requirements.asked]
    shown = worth_showing([candidate.numbers for candidate in candidates.values()], limited)
    same_columns = _same_columns(list(scenarios.values()))
    for metric in METRICS:
        if metric not in shown or not any(metric in candidate.numbers for candidate in candidates.values()):
            continue
        comparable = same_columns and not (confidence is None and at_chosen(metric))
        label = f"**{wording.metric_name(metric, confidence if at_chosen(metric) else None)}**"
        better = METRICS[metric].better
        label += f"  \n:small[{wording.BETTER[better]} is better{NOTES.get(metric, '')}]" if better else ""
        cells = [
            _cell(metric, candidate, confidence, _mark(metric, candidates, name) if comparable else "")
            for name, candidate in candidates.items()
        ]
        rows.append([label, *cells])
    return pd.DataFrame(rows, columns=["**Number**", *(safe(name) for name in candidates)])


def _cell(metric: str, assessed: Assessment, confidence: float | None, mark: str) -> str:
    number = assessed.numbers.get(metric)
    if number is None:
        return f":small[not assessed: {safe(assessed.not_assessed[metric], 160)}]"
    value = f"**{wording.metric_value(metric, number.value)}**"
    if at_chosen(metric) and confidence is None:
        value += f" at {wording.at_confidence(assessed.scenario.confidence)}"
    basis = ""
    if number.low is not None or number.of not in ("records", "classes"):
        basis = f"  \n:small[{assumed.basis(metric, number)}]"
    return f"{value} {mark}".strip() + basis


def _mark(metric: str, candidates: Mapping[str, Assessment], name: str) -> str:
    """Best or worst in words, and whether that may be chance."""
    marked = marks(metric, candidates)
    numbers = {who: each.numbers[metric] for who, each in candidates.items() if metric in each.numbers}
    if name not in marked or len({wording.metric_value(metric, number.value) for number in numbers.values()}) < 2:
        return ""  # equal texts are neither best nor worst
    ends = {
        who: (number.low, number.high)
        for who, number in numbers.items()
        if number.low is not None and number.high is not None
    }
    others = [ends[who] for who, mark in marked.items() if mark != marked[name] and who in ends]
    overlap = name in ends and any(low <= ends[name][1] and high >= ends[name][0] for low, high in others)
    luck = ", intervals overlap" if overlap else ""
    return f":green-badge[▲ best{luck}]" if marked[name] == BEST else f":orange-badge[▽ worst{luck}]"


# ---- what can be done with a pin -------------------------------------------------------------


def pinned() -> None:
    """Every pin, with its possible actions."""
    for pin in pins.everything():
        with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
            trouble = f"  \n:material/block: {safe(pin.refused, 300)}" if pin.refused else ""
            st.markdown(
                f"**{safe(pin.name)}**  \n:small[{assumed.my_release(pin.scenario)}; shared people "
                f"{assumed.assumptions(pin.scenario)['Shared people']}]{trouble}",
                width="stretch",
            )
            st.button(
                "Set again",
                key=f"review:pin:{pin.number}:set",
                icon=":material/restore:",
                on_click=pins.set_again,
                args=(pin.number,),
                help="Sets every choice as it was pinned.",
            )
            st.button(
                "Remove",
                key=f"review:pin:{pin.number}:remove",
                icon=":material/close:",
                on_click=pins.remove,
                args=(pin.number,),
            )
