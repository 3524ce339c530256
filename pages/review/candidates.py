"""Candidates side by side: the present setting and what was pinned, and the trade-off between them."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core import Scenario
from core.attack.number import at_chosen, exposures
from core.base import words
from core.base.metrics import METRICS
from core.decision.review import Assessment, efficient, side_by_side, worth_showing
from core.figures import written as figures
from pages.review import assumed
from pages.shared import assessment, charts, column_draft, pins, session, widgets
from pages.shared.pins import Pin
from pages.shared.text import plain, safe

PRESENT = "Present setting"
PLACE = "review"
NOTES = {"dp_ceiling": "; a confidence, with noisy tables in place of releases"}


def show() -> None:
    """Table, chart, and what can be done with each pin."""
    candidates = compared()
    if not pins.everything():
        st.caption(
            ":material/push_pin: Nothing is pinned yet. On every page, a field in the sidebar puts the present "
            "setting aside under a name. Change the setting then, and both stand here side by side."
        )
    reference = _reference(candidates) if len(candidates) > 1 else None
    frame = side_by_side(candidates)
    scenarios = {name: candidate.scenario for name, candidate in candidates.items()}
    _cautions(scenarios)
    st.table(
        table(candidates, frame, reference),
        border="horizontal",
        alt="Candidates side by side, one row a number",
        hide_index=True,
    )
    _absent(candidates)
    if len(candidates) > 1:
        st.caption(
            "Best and worst go by the number alone. “Redraws overlap” means that the difference may be the luck of "
            "the draw."
        )
        widgets.download_csv(_for_file(frame), "Candidates", "review:candidates", "Download the candidates as CSV")
        if len(_grounds(candidates)) == 1:
            _trade_off(candidates)
        else:
            st.caption("Candidates of different data or columns have no common trade-off, so none is drawn.")
    if pins.everything():
        st.header("Pinned", anchor=False)
        pinned()


def compared() -> dict[str, Assessment]:
    """The present setting and the pins that are compared, by name."""
    present = assessment.assessed()
    every = st.session_state.get(_ELSEWHERE, False)
    candidates = {}
    for pin in pins.everything():
        if pin.assessment is not None and (every or assessment.same_ground(pin.scenario)):
            is_present = pin.scenario == present.scenario
            candidates[f"{pin.name} (present)" if is_present else pin.name] = pin.assessment
    if any(candidate.scenario == present.scenario for candidate in candidates.values()):
        return candidates
    return {PRESENT: present, **candidates}


def _absent(candidates: Mapping[str, Assessment]) -> None:
    """Say what no candidate has a number for."""
    everyone = [
        name
        for name, metric in METRICS.items()
        if not metric.whole and all(name in candidate.not_assessed for candidate in candidates.values())
    ]
    whys = {name: next(iter(candidates.values())).not_assessed[name] for name in everyone}
    if whys:
        of: dict[str, list[str]] = {}
        for name, why in whys.items():
            of.setdefault(why, []).append(words.metric_name(name))
        reasons = " ".join(f"{'; '.join(names)}: {safe(why, 300)}" for why, names in of.items())
        st.caption(f"Not assessed. {reasons}")


_ELSEWHERE = "review:elsewhere"


def _reference(candidates: Mapping[str, Assessment]) -> str | None:
    names, present = list(candidates), session.scenario()
    position = next(place for place, candidate in enumerate(candidates.values(), 1) if candidate.scenario == present)
    return st.selectbox(
        "Difference to",
        [None, *names],
        index=position,
        key=f"review:reference:{hash(tuple(names))}",
        format_func=lambda name: "no reference" if name is None else plain(name),
    )


def _cautions(scenarios: Mapping[str, Scenario]) -> None:
    """Say what keeps these candidates from being compared as they stand."""
    other = [pin for pin in pins.everything() if not assessment.same_ground(pin.scenario)]
    if other:
        names = ", ".join(safe(pin.name) for pin in other)
        st.toggle(
            f"Also show pins of other data or other columns: {names}",
            key=_ELSEWHERE,
            help="They describe other people, or give up detail in other columns.",
        )
    shown = list(scenarios.values())
    workspace = session.workspace()
    if any(scenario.data_id != workspace.content_id or scenario.schema != workspace.schema for scenario in shown):
        st.warning(
            "Some candidates are of **other data or other columns**. A difference between them may come from the "
            "people or the columns, and not from the setting. No best or worst is marked.",
            icon=":material/warning:",
        )
    differ = assumed.differing(shown)
    if differ:
        st.warning(
            f"These candidates do not assume the same. They differ in **{', '.join(differ).lower()}**. A difference "
            f"between two of them may come from that, and not from my release.",
            icon=":material/rule:",
        )
    alike = {name: text for name, text in assumed.assumptions(shown[0]).items() if name not in differ}
    st.caption("All assume: " + "; ".join(f"{name.lower()} {text}" for name, text in alike.items()) + ".")


# ---- the table ---------------------------------------------------------------------------


def table(candidates: Mapping[str, Assessment], frame: pd.DataFrame, reference: str | None) -> pd.DataFrame:
    """One row a number, one column a candidate; cells and headers are Markdown.

    Parameters
    ----------
    candidates
        Assessments by name.
    frame
        Output of :func:`core.decision.review.side_by_side`.
    reference
        Candidate that the others are set against, if any.
    """
    confidences = {candidate.scenario.confidence for candidate in candidates.values()}
    confidence = confidences.pop() if len(confidences) == 1 else None
    rows = [
        _row("**My release**", {name: assumed.my_release(candidate.scenario) for name, candidate in candidates.items()})
    ]
    rows += [
        _row(
            f"Assumed: {what.lower()}",
            {name: assumed.assumptions(candidate.scenario)[what] for name, candidate in candidates.items()},
        )
        for what in assumed.differing([scenario.scenario for scenario in candidates.values()])
    ]
    ground = _grounds(candidates)
    limited = [name for candidate in candidates.values() for name in candidate.scenario.requirements.asked]
    shown = worth_showing([candidate.numbers for candidate in candidates.values()], limited)
    for metric, part in _by_metric(frame):
        if metric not in shown:
            continue
        if not any(metric in candidate.numbers for candidate in candidates.values()):
            continue
        comparable = len(ground) == 1 and not (confidence is None and at_chosen(metric))
        label = f"**{words.metric_name(metric, confidence if at_chosen(metric) else None)}**"
        better = METRICS[metric].better
        label += f"  \n:small[{words.BETTER[better]} is better{NOTES.get(metric, '')}]" if better else ""
        at = part.set_index("candidate")
        cells = {
            name: _cell(metric, at, name, reference if comparable else None, comparable, candidate, confidence)
            for name, candidate in candidates.items()
        }
        rows.append(_row(label, cells))
    return pd.DataFrame(rows, columns=["", *(safe(name) for name in candidates)])


def _grounds(candidates: Mapping[str, Assessment]) -> set[tuple[object, ...]]:
    """The tables, and the columns of them, that these candidates are of."""
    return {
        (candidate.scenario.data_id, candidate.scenario.schema.quasi_identifiers, candidate.scenario.schema.sensitive)
        for candidate in candidates.values()
    }


def _by_metric(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(name, frame[frame["metric"] == name]) for name in METRICS]


def _row(label: str, cells: Mapping[str, str]) -> list[str]:
    return [label, *cells.values()]


def _cell(
    metric: str,
    at: pd.DataFrame,
    name: str,
    reference: str | None,
    comparable: bool,
    assessed: Assessment,
    confidence: float | None,
) -> str:
    row, number = at.loc[name], assessed.numbers.get(metric)
    if number is None:
        return f":small[not assessed: {safe(row['why'], 160)}]"
    value = f"**{words.metric_value(metric, number.value)}**"
    if at_chosen(metric) and confidence is None:
        value += f" at {words.at_confidence(assessed.scenario.confidence)}"
    mark = _mark(metric, at, name) if comparable else ""
    lines = [f"{value} {mark}".strip()]
    if number.low is not None or number.of not in ("records", "classes"):
        lines.append(f":small[{assumed.basis(metric, number)}]")
    if reference is not None and reference != name:
        before = at["value"].loc[reference]
        if pd.notna(before):
            lines.append(f":small[{words.change(metric, number.value, float(before))}]")
    return "  \n".join(lines)


def _mark(metric: str, at: pd.DataFrame, name: str) -> str:
    """Best or worst in words, and whether that may be the luck of the draw."""
    row = at.loc[name]
    if not (row["best"] or row["worst"]):
        return ""
    if len({words.metric_value(metric, value) for value in at["value"].dropna()}) < 2:
        return ""  # what reads the same is neither best nor worst
    others = at[at["worst"]] if row["best"] else at[at["best"]]
    overlap = bool(((others["low"] <= row["high"]) & (others["high"] >= row["low"])).any())
    luck = ", redraws overlap" if overlap else ""
    return f":green-badge[▲ best{luck}]" if row["best"] else f":orange-badge[▽ worst{luck}]"


def _for_file(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        metric=[METRICS[name].words for name in frame["metric"]], unit=[METRICS[name].kind for name in frame["metric"]]
    )


# ---- the trade-off -------------------------------------------------------------------------


def _trade_off(candidates: Mapping[str, Assessment]) -> None:
    st.header("What exposure costs", anchor=False)
    shown = worth_showing([candidate.numbers for candidate in candidates.values()])
    offered = [
        name
        for name in exposures()
        if name in shown and any(name in candidate.numbers for candidate in candidates.values())
    ]
    metric = st.selectbox("Exposure", offered, offered.index("breach"), words.metric_name, key="review:charted")
    frame = trade_off(candidates, metric)
    kept = [safe(name) for name in frame[frame["efficient"]]["name"]]
    charts.show(
        figures.frontier(frame.assign(name=[plain(name) for name in frame["name"]])),
        alt=f"{words.metric_name(metric)} against information loss, a point a candidate.",
    )
    st.markdown(
        f"No candidate beats **{' and '.join(kept)}** in both. Every other candidate loses at least as much detail "
        f"and exposes at least as many people as one of these."
        if len(kept) < len(frame)
        else "No candidate beats another in both: less exposure costs detail each time."
    )
    widgets.numbers_below(
        frame.assign(name=[plain(name) for name in frame["name"]]), "Exposure against loss", f"review:frontier:{metric}"
    )


def trade_off(candidates: Mapping[str, Assessment], metric: str) -> pd.DataFrame:
    """Loss and exposure of each candidate, and whether it is on the efficient frontier."""
    rows = []
    for name, candidate in candidates.items():
        number, loss = candidate.numbers.get(metric), candidate.numbers["loss"]
        if number is not None:
            rows.append((name, loss.value, number.value, number.low, number.high))
    frame = pd.DataFrame(rows, columns=["name", "loss", "breach", "low", "high"])
    frame = frame.astype({"low": float, "high": float})
    return frame.assign(efficient=efficient(list(frame["loss"]), list(frame["breach"])))


# ---- what can be done with a pin -------------------------------------------------------------


def pinned() -> None:
    """Every pin, and what can be done with it."""
    if not pins.everything():
        st.caption(":material/push_pin: Nothing is pinned.")
    for pin in pins.everything():
        with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(_words_of(pin), width="stretch")
            _buttons(pin)


def _words_of(pin: Pin) -> str:
    scenario = pin.scenario
    where = ""
    if not assessment.same_data(scenario):
        where = f"  \n:orange-badge[other data] {safe(scenario.data_name, 40)}; load that table to set this again"
    elif not assessment.same_ground(scenario):
        where = "  \n:orange-badge[other columns] other roles or kinds of columns"
    trouble = f"  \n:material/block: {safe(pin.refused, 300)}" if pin.refused else ""
    return (
        f"**{safe(pin.name)}**  \n:small[{assumed.my_release(scenario)}; shared people "
        f"{assumed.assumptions(scenario)['Shared people']}; {words.at_confidence(scenario.confidence)}]{where}{trouble}"
    )


def _buttons(pin: Pin) -> None:
    st.button(
        "Set again",
        key=f"review:pin:{pin.number}:set",
        icon=":material/restore:",
        on_click=_set_again,
        args=(pin.number,),
        disabled=not assessment.same_data(pin.scenario),
        help="Sets every choice as it was pinned.",
    )
    with st.popover("Rename", icon=":material/edit:"):
        key = f"review:pin:{pin.number}:name:{hash(pin.name)}"
        st.text_input(
            "New name", value=pin.name, key=key, max_chars=pins.NAME_LENGTH, on_change=_rename, args=(pin.number, key)
        )
    st.button(
        "Remove",
        key=f"review:pin:{pin.number}:remove",
        icon=":material/close:",
        on_click=pins.remove,
        args=(pin.number,),
    )


def _rename(number: int, key: str) -> None:
    pins.rename(number, st.session_state[key])


def _set_again(number: int) -> None:
    before = session.workspace().schema
    pins.set_again(number)
    if session.workspace().schema != before:
        column_draft.start_over()
