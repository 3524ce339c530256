"""The file of a meeting, which a board views, changes and signs without the program."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.attack.number import AttackNumber, exposures
from core.base.arrays import Progress, part, step
from core.decision.review import Assessment
from core.decision.scenario.scenario import Scenario
from core.report import answers, exposure_of, meeting_file
from pages.review import assumed, report
from pages.shared.compute import assessment, cache, settings_tried, work_queue
from pages.shared.state import session
from pages.shared.ui import pins, widgets


def show() -> None:
    """What the file is, and its button."""
    st.header("File for the meeting", anchor=False)
    st.markdown(
        "One HTML file that opens without this program and without a network: verdict, settings that were tried, three "
        "assumptions as sliders, a sheet to print and sign. Like the external report it has aggregates only, and no "
        "name of a column or value; but what you type is in it word for word."
    )
    wanted = _key()
    if not cache.is_cached(wanted):
        if not st.button("Write the file", key="review:meeting:write", icon=":material/co_present:"):
            return
        with widgets.working("Computing the answers that the sliders look up") as progress:
            _written(progress)
        st.rerun()
    widgets.download("Download the file (HTML)", _written(), "meeting.html", "review:meeting:html")


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

    return cache.cached(_key(), make)


def _points(present: Assessment, metric: str, progress: Progress | None) -> list[dict[str, Any]]:
    """The settings of the picture: the present one, those pinned at its confidence, and what *What helps* tries."""
    scenario = present.scenario
    others = [pinned for pinned in report.candidates().values() if pinned.scenario != scenario]
    comparable = [pinned for pinned in others if pinned.scenario.confidence == scenario.confidence]
    points = []
    for each in (present, *comparable):
        if metric in each.numbers:
            # Named by its settings, not by the name of a pin: that was typed, and may hold anything.
            label = assumed.my_release(each.scenario)
            loss, exposure = each.numbers["loss"].value, each.numbers[metric].value
            points.append({"label": label, "loss": loss, "exposure": exposure, "mine": each is present})
    return points + _points_tried(scenario, exposures()[metric], progress)


def _points_tried(scenario: Scenario, number: AttackNumber, progress: Progress | None) -> list[dict[str, Any]]:
    """What *What helps* tries, without the present setting."""
    points = []
    lines = list(settings_tried.lines().values())
    for place, line in enumerate(lines):
        share_of_work = step(progress, place, len(lines))
        frame = settings_tried.worked_out(line, scenario.repeats, share_of_work, number.level(scenario.confidence))
        is_mine = line.hospitals == scenario.hospitals
        for row in _worth_telling(frame, number.column).to_dict("records"):
            if not (is_mine and row["k"] == scenario.mine.policy.k):
                exposure = row[number.column]
                points.append({"label": row["setting"], "loss": row["loss"], "exposure": exposure, "mine": False})
    return points


def _worth_telling(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The settings of a line up to the first that exposes no one; beyond it only loss grows."""
    return frame.head(int((frame[column] > 0).sum()) + 1) if len(frame) else frame
