"""The file of a meeting: what a board sees, moves and signs without the program."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import CompositionError, Scenario
from core.attack.number import exposures
from core.base.arrays import Progress, part
from core.decision.review import Assessment, judge
from core.release.utility import gcp
from core.report import answers, exposure_of, meeting_file
from pages.review import assumed, report
from pages.shared import assessment, pins, results, session, turns, widgets


def show() -> None:
    """What the file is, whose limits it names, and its button."""
    st.header("File for the meeting", anchor=False)
    st.markdown(
        "One HTML file that opens without this program and without a network: verdict, settings that were tried, three "
        "assumptions as sliders, a sheet to print and sign. Like the external report it has aggregates only, and no "
        "name of a column or value; but what you type is in it word for word."
    )
    if session.scenario().requirements.asked:
        key, store = report.asked("limits_by")
        st.text_input("Whose limits", key=key, on_change=store, max_chars=100, placeholder="The board, the law, ...")
    wanted = _key()
    if not results.is_remembered(wanted):
        if not st.button("Write the file", key="review:meeting:write", icon=":material/co_present:"):
            return
        with widgets.working("Working out the answers that the sliders look up") as progress:
            _written(progress)
        st.rerun()
    st.download_button(
        "Download the file (HTML)",
        data=_written(),
        file_name="meeting.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/download:",
        key="review:meeting:html",
    )


def _key() -> tuple[Any, ...]:
    named = tuple(pin.number for pin in pins.everything() if pin.name in report.candidates())
    typed = (report.field("question") or "", report.field("limits_by") or "")
    return ("meeting file", session.scenario().to_json(), named, *typed)


def _written(progress: Progress | None = None) -> str:
    scenario = session.scenario()

    def make() -> str:
        case, present = assessment.case(scenario), assessment.assessed(scenario, part(progress, 0.0, 0.2))
        judged = judge(present)
        known = answers(case, present, judged, lambda tasks: turns.in_workers(tasks, part(progress, 0.2, 0.8)))
        return meeting_file(
            case,
            present,
            judged,
            known,
            _points(present, exposure_of(judged), part(progress, 0.8)),
            report.field("question") or "",
            report.field("limits_by") or "",
        )

    return results.remembered(_key(), make)


def _points(present: Assessment, metric: str, progress: Progress | None) -> list[dict[str, Any]]:
    """The present setting, what was pinned, and other k; named by their settings, since a pin's name was typed."""
    scenario = present.scenario
    pinned = [each for each in report.candidates().values() if each.scenario.confidence == scenario.confidence]
    points = [
        {
            "label": assumed.my_release(each.scenario),
            "loss": each.numbers["loss"].value,
            "exposure": each.numbers[metric].value,
            "mine": each.scenario == scenario,
        }
        for each in (present, *(each for each in pinned if each.scenario != scenario))
        if metric in each.numbers
    ]
    return points + _other_k(scenario, metric, progress)


def _other_k(scenario: Scenario, metric: str, progress: Progress | None) -> list[dict[str, Any]]:
    """Points of the curve over k, as on *What helps*; beyond the first that exposes nobody only loss grows."""
    number, linked = exposures()[metric], session.get("linked")
    vary = "k" if linked else "my k"
    try:
        ks = results.k_points(vary)
        frame = results.curve(vary, ks, scenario.repeats, progress, scenario)
        loss = dict(zip(ks, map(gcp, results.mine_at(scenario, vary, ks)), strict=True))
    except CompositionError:
        return []  # a k that the rest of the policy does not allow
    at = frame[(frame["confidence"] == number.level(scenario.confidence)) & (frame["value"] != scenario.mine.policy.k)]
    return [
        {
            "label": f"k = {int(row['value'])} {'at all hospitals' if linked else 'at mine alone'}",
            "loss": loss[row["value"]],
            "exposure": row[number.column],
            "mine": False,
        }
        for row in at.head(int((at[number.column] > 0).sum()) + 1).to_dict("records")
    ]
