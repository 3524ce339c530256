"""The documents of a decision: for insiders, for outsiders, and for other programs; made together."""

from __future__ import annotations

import datetime
import re
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError
from core.attack.number import exposures
from core.base.arrays import Progress, part
from core.decision.review import Assessment, Number, judge
from core.register import Register
from core.report import MIN_SALT, STRENGTHS, Known, Meeting, TriedSetting, build, curve_over_k, evidence
from pages.review import assumed, decision
from pages.shared.compute import assessment, attack_results, cache, release_results, settings_tried, work_queue
from pages.shared.state import noise_downloads, publications, session
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, plain

_WRITTEN = "review:documents:written"
WRITING = "Writing the documents: the curve of k, the settings that were tried, then each document"


@dataclass(frozen=True)
class Documents:
    """What is downloaded. Those for insiders are exact."""

    internal: str
    internal_numbers: str
    external: str
    external_numbers: str
    evidence: str


def show() -> None:
    """One button for all of them, then a download each."""
    st.header("Documents", anchor=False)
    st.markdown(
        "**For outsiders**: one file that a board opens without this program and without a network: the verdict with "
        "its condition, a slider for each doubt, a sheet to sign. It holds aggregates only, no name of a column or "
        "value and no count of people below 10; but what you write above is in it word for word.  \n"
        "**For insiders**: names of columns and values, and how small the smallest groups are. Share it only with "
        "people who may see the table."
    )
    _salt()
    try:
        wanted = _asked_for()
        key = _key(wanted)
    except CompositionError as error:
        errors.refuse(error)
        return
    if not cache.is_cached(key):
        if st.session_state.get(_WRITTEN):
            st.caption(":material/info: Something has changed since the documents were written. Write them again.")
        if not st.button(
            "Write the documents", key="review:documents:write", type="primary", icon=":material/description:"
        ):
            return
        with widgets.working(WRITING) as progress:
            write(wanted, progress)
        st.session_state[_WRITTEN] = True
        st.rerun()
    _downloads(write(wanted))


def _asked_for() -> dict[str, Any]:
    """Every argument of the documents except those that are already known."""
    salt = (decision.field("salt") or "").strip()
    return {
        "decision": decision.decision(),
        "noisy": noise_downloads.downloads(),
        "question": decision.field("question") or "",
        "limits_by": decision.limits_by(),
        "salt": salt,
        "versions": release_results.compared_versions(),
        "register": publications.for_documents(),
    }


def _key(given: dict[str, Any]) -> tuple[Any, ...]:
    return ("documents", session.scenario().to_json(), tuple(given.items()))


def write(given: dict[str, Any], progress: Progress | None = None) -> Documents:
    """Write all documents of the present setting, with the results that the pages have already computed."""
    scenario = session.scenario()

    def make() -> Documents:
        register = Register.from_json(given["register"]) if given["register"] else None
        present = assessment.assessed(scenario, part(progress, 0.0, 0.1))
        tried = assessment.doubts(part(progress, 0.1, 0.4))
        case = assessment.case(scenario)
        settings = _settings(present, part(progress, 0.4, 0.55))
        (curve,) = work_queue.in_workers([partial(curve_over_k, case)], part(progress, 0.55, 0.7))
        update, kept = given["versions"]
        meeting = Meeting(
            given["question"],
            given["decision"],
            noisy=given["noisy"],
            limits_by=given["limits_by"],
            settings=settings,
            update=update,
            kept=kept,
            register=register,
        )
        known = Known(present, tried, curve, attack_results.outcome())
        texts = []
        for number, strength in enumerate(STRENGTHS):
            done = 0.7 + 0.15 * number
            salt = given["salt"] if strength == "external" else ""
            report = build(
                case, meeting, strength=strength, salt=salt, known=known, progress=part(progress, done, done + 0.15)
            )
            texts += [report.to_html(), report.to_json()]
        inside, inside_numbers, outside, outside_numbers = texts
        sealed = evidence(case, present, judge(present, tried), given["decision"], register)
        return Documents(inside, inside_numbers, outside, outside_numbers, sealed)

    return cache.cached(_key(given), make)


def _settings(present: Assessment, progress: Progress | None) -> list[TriedSetting]:
    """The present setting, and the settings tried on *What helps*."""
    scenario = present.scenario
    settings = [TriedSetting(assumed.my_release(scenario), present.numbers, True)]
    everywhere = ", at every hospital" if session.get("linked") else ""
    bare = [line for line in settings_tried.lines().values() if not settings_tried.is_known(line, 1)]
    if bare:
        settings_tried.begin(bare, progress)
    for line in settings_tried.lines().values():
        frame = settings_tried.so_far(line)
        is_mine = line.hospitals == scenario.hospitals
        settings += [
            TriedSetting(f"{row['setting']}{everywhere}", _numbers(row, present))
            for row in frame.to_dict("records")
            if not (is_mine and row["k"] == scenario.mine.policy.k)
        ]
    return settings


def _numbers(row: dict[Any, Any], present: Assessment) -> dict[str, Number]:
    """The numbers of a setting that was tried, at the confidence of the page."""
    records = present.records
    numbers = {"k": Number(row["k"], records, "people"), "loss": Number(row["loss"], records, "records")}
    for name, number in exposures().items():
        if name in present.numbers and number.level(present.scenario.confidence) == present.scenario.confidence:
            low, high = (None if pd.isna(row[end]) else float(row[end]) for end in (number.low, number.high))
            share, n = float(row[number.column]), int(row["n"])
            numbers[name] = Number(share, n, "shared people", low, high, redraws=int(row["repeats"]))
    return numbers


def _salt() -> None:
    key = "review:digests"
    with st.popover("Digests for outsiders", icon=":material/key:", key=key, on_change="rerun") as opened:
        if not opened.open:
            return
        decision.ask(
            "salt",
            st.text_input,
            "Salt of the digests",
            max_chars=200,
            help=f"At least {MIN_SALT} characters. Without a salt the document for outsiders has no digests. Anyone "
            "with the salt can check that a table is the one in the document. The salt is not written into it.",
        )
        st.button("Make a salt", key="review:documents:salt", icon=":material/casino:", on_click=_make_salt)
        st.caption("Keep it yourself, apart from the document. It is stored nowhere.")


def _make_salt() -> None:
    decision.put("salt", secrets.token_hex(16))


def file_name(strength: str) -> str:
    """Name of a document: the strength, the date of the decision, and for insiders also the table."""
    table = plain(session.workspace().name, 40) if strength == "internal" else ""
    when = decision.field("when")
    parts = ["report", strength, table, when.isoformat() if isinstance(when, datetime.date) else ""]
    return re.sub(r"[^\w-]+", "_", "_".join(part for part in parts if part)).strip("_")


def _downloads(written: Documents) -> None:
    sizes = sum(len(text.encode()) for text in (written.internal, written.external))
    st.markdown(f":material/check: The documents are written, {count(sizes / 1000)} kB.")
    for strength, words in (("external", "For outsiders"), ("internal", "For insiders")):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{words}**", width=120)
            key, name = f"review:documents:{strength}", file_name(strength)
            widgets.download(
                f"Document for {words[4:]} (HTML)", getattr(written, strength), f"{name}.html", key, type="primary"
            )
            numbers = getattr(written, f"{strength}_numbers")
            widgets.download(f"Numbers for {words[4:]} (JSON)", numbers, f"{name}.json", f"{key}:json")
            if strength == "internal":
                widgets.download(
                    "Evidence (JSON)",
                    written.evidence,
                    "evidence.json",
                    "review:documents:evidence",
                    help="For other programs' gates: what was considered, exposure by one release and by all, and the "
                    "verdict with its margins; no name of a column and no value of a cell. Its numbers are exact.",
                )
    st.caption("Each is one file that needs nothing else: it opens without a network and prints on A4.")
