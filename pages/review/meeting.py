"""The file of a meeting: what a board sees, moves and signs without the program."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.attack.number import exposures
from core.base.arrays import Progress, part, step
from core.decision.review import Assessment
from core.report import answers, exposure_of, meeting_file
from pages.review import assumed, report
from pages.shared import assessment, pins, results, session, settings_tried, widgets, work_queue


def show() -> None:
    """What the file is, and its button."""
    st.header("File for the meeting", anchor=False)
    st.markdown(
        "One HTML file that opens without this program and without a network: verdict, settings that were tried, three "
        "assumptions as sliders, a sheet to print and sign. Like the external report it has aggregates only, and no "
        "name of a column or value; but what you type is in it word for word."
    )
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
    typed = (report.field("question") or "", report.limits_by())
    tried = assessment.known_doubts() is not None
    return ("meeting file", session.scenario().to_json(), named, *typed, tried)


def _written(progress: Progress | None = None) -> str:
    scenario = session.scenario()

    def make() -> str:
        case, present = assessment.case(scenario), assessment.assessed(scenario, part(progress, 0.0, 0.2))
        judged = assessment.verdict(present)
        known = answers(case, present, judged, lambda tasks: work_queue.in_workers(tasks, part(progress, 0.2, 0.8)))
        return meeting_file(
            case,
            present,
            known,
            _points(present, exposure_of(judged), part(progress, 0.8)),
            report.field("question") or "",
            report.limits_by(),
            assessment.known_doubts(),
        )

    return results.remembered(_key(), make)


def _points(present: Assessment, metric: str, progress: Progress | None) -> list[dict[str, Any]]:
    """The present setting, pins by their settings since their names were typed, and what *What helps* tries."""
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
    number, lines = exposures()[metric], list(settings_tried.lines().values())
    for place, line in enumerate(lines):
        tell = step(progress, place, len(lines))
        frame = settings_tried.worked_out(line, scenario.repeats, tell, number.level(scenario.confidence))
        is_mine = line.hospitals == scenario.hospitals
        points += [
            {"label": row["setting"], "loss": row["loss"], "exposure": row[number.column], "mine": False}
            for row in _worth_telling(frame, number.column).to_dict("records")
            if not (is_mine and row["k"] == scenario.mine.policy.k)
        ]
    return points


def _worth_telling(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The settings of a line up to the first that exposes nobody: beyond it only loss grows."""
    return frame.head(int((frame[column] > 0).sum()) + 1) if len(frame) else frame
