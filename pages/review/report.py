"""The written decision, and the report for the meeting."""

from __future__ import annotations

import datetime
import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from core import CompositionError
from core.base.arrays import Progress, part
from core.decision.review import Assessment, judge
from core.report import MIN_SALT, Assumption, Decision, Known, Meeting, assumptions, build, evidence
from pages.review import baseline
from pages.shared.compute import assessment, attack_results, cache
from pages.shared.state import noise_downloads, session
from pages.shared.ui import errors, pins, widgets
from pages.shared.ui.text import count, plain, safe

STRENGTH_WORDS = {
    "internal": "Internal: everything, for those who may see the table",
    "external": "External: aggregates only, for anyone",
}
OUTCOMES = ("Publish", "Publish after changes", "Do not publish", "Decide later")
YEAR = 365
OURS = "this tool, its defaults"
"""Author of the limits that this page starts with."""
_FIELDS = "decision"
_WRITTEN = "review:report:written"


def show() -> None:
    """Fields on the left, assumptions on the right, the files below."""
    st.markdown(
        "What you write here leaves this session only in the files you download; a reload of the page "
        "loses it. The report states it next to the present setting, the limits and the verdict."
    )
    _fields()
    _accept()
    try:
        _record()
    except CompositionError as error:
        errors.refuse(error)
    _write()


# ---- what people write down ----------------------------------------------------------------------


def field(name: str) -> Any:
    """One field of the decision, as far as it was filled in."""
    return session.get(_FIELDS).get(name)


def put(name: str, value: Any) -> None:
    """Fill in a field of the decision."""
    session.put(_FIELDS, {**session.get(_FIELDS), name: value})


def _ask(name: str, ask: Callable[..., Any], label: str, start: Any = None, **more: Any) -> None:
    """Ask for a field by a widget, which begins with what was filled in."""
    base, value = f"widget:review:{name}", field(name) or start
    widgets.showing(ask, label, base, value, lambda given: put(name, given), **more)


def limits_by() -> str:
    """Author of the limits: as typed, or this tool if they are its defaults."""
    if field("limits_by"):
        return str(field("limits_by"))
    return OURS if session.get("requirements") == baseline.defaults(assessment.assessed()) else ""


def _fields() -> None:
    left, right = st.columns(2, gap="large")
    text = partial(_ask, ask=left.text_input, max_chars=300)
    text("question", label="Question", placeholder="Can this table be published although others publish theirs?")
    _ask(
        "what",
        left.selectbox,
        "Decision",
        options=OUTCOMES,
        accept_new_options=True,
        index=None,
        placeholder="Choose, or type your own",
    )
    text("who", label="Decided by", placeholder="Names or roles")
    text("limits_by", label="Whose limits", placeholder="The board, the law, ...")
    date = partial(_ask, ask=partial(right.date_input, value=None, format="YYYY-MM-DD"))
    date("when", label="On", help="The report never looks at the clock. It has the date that you type, or none.")
    date(
        "until",
        label="Holds until",
        help="What others publish changes over time, and so does what a release reveals. If empty, it is valid for "
        "one year.",
    )
    _ask("why", right.text_area, "Because", max_chars=5000, height=122, placeholder="What decided")
    _ask(
        "ends",
        right.text_input,
        "Ends before that if",
        max_chars=300,
        placeholder="Another hospital of the region publishes, ...",
    )


def assumed() -> tuple[Assumption, ...]:
    """Assumptions of the present setting."""
    scenario = session.scenario()
    return assumptions(scenario, attack_results.files(scenario))


def accepted() -> tuple[str, ...]:
    """Keys of the accepted assumptions in their present wording: a changed sentence is not accepted."""
    ticked = set(field("accepted") or ())
    return tuple(assumption.key for assumption in assumed() if (assumption.key, assumption.sentence) in ticked)


def _record_now() -> None:
    put("recorded", _of_what())


def _accept() -> None:
    """One tick for all that the verdict rests on, which is read above it."""
    every = assumed()
    st.markdown("**The verdict holds only if these hold**")
    st.markdown("\n".join(f"- :small[{safe(assumption.sentence, 600)}]" for assumption in every))
    words, all_of_them = f"We accept these {len(every)} assumptions", len(accepted()) == len(every)
    widgets.showing(st.checkbox, words, "widget:review:accepted", all_of_them, _take_accepted)


def _take_accepted(ticked: bool) -> None:
    pairs = tuple(sorted((assumption.key, assumption.sentence) for assumption in assumed()))
    put("accepted", pairs if ticked else ())


def decision() -> Decision:
    """The decision, once it is recorded, else an empty one; raises ParameterError."""
    return _written_down() if is_recorded() else Decision()


def _written_down() -> Decision:
    when = field("when")
    return Decision(
        what=field("what") or "",
        who=field("who") or "",
        when=when.isoformat() if isinstance(when, datetime.date) else "",
        why=field("why") or "",
        until=_until(when),
        ends=field("ends") or "",
        accepted=accepted(),
    )


def _until(when: datetime.date | None) -> str:
    """The last day of a decision: as it was chosen, else a year after it was made."""
    last: datetime.date | None = field("until")
    if last is None and when is not None:
        last = when + datetime.timedelta(days=YEAR)
    return "" if last is None else last.isoformat()


def lacking() -> list[str]:
    """What a decision still needs before it can be recorded."""
    left = len(assumed()) - len(accepted())
    missing = [
        words
        for name, words in (("what", "what was decided"), ("who", "who decided"), ("when", "the date"))
        if not field(name)
    ]
    if field("when") and field("until") and field("until") < field("when"):
        missing.append("an expiry date on or after the decision date")
    if left:
        missing.append("acceptance of the assumptions")
    return missing


def _of_what() -> str:
    """Key of a recorded decision: another setting or wording is another decision."""
    made = _written_down()
    fields = (made.what, made.who, made.when, made.why, made.until, made.ends)
    content = (session.scenario().to_json(), *fields, *made.accepted)
    return hashlib.sha256("\n".join(content).encode()).hexdigest()


def is_recorded() -> bool:
    """Whether the decision, as it stands, was recorded for the present setting."""
    return not lacking() and field("recorded") == _of_what()


def _record() -> None:
    missing = lacking()
    if is_recorded():
        st.success("The decision is recorded. The report states it.", icon=":material/check_circle:")
        return
    if field("recorded"):
        st.caption(":material/info: Something has changed since the decision was recorded. Record it again.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Record the decision",
            key="review:record",
            type="primary",
            icon=":material/gavel:",
            disabled=bool(missing),
            on_click=_record_now,
        )
        if missing:
            st.caption(f"The decision cannot be recorded yet. Missing: {'; '.join(missing)}.", width="stretch")


# ---- the report ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReportFiles:
    """The files of a report; the evidence is exact, so it is only part of the internal strength."""

    html: str
    json: str
    evidence: str


def _asked_for() -> dict[str, Any]:
    """Arguments of the report, except known results."""
    strength = field("strength") or "internal"
    return {
        "decision": decision(),
        "noisy": noise_downloads.downloads(),
        "question": field("question") or "",
        "limits_by": limits_by(),
        "strength": strength,
        "salt": (field("salt") or "").strip() if strength == "external" else "",
    }


def candidates() -> dict[str, Assessment]:
    """Pins of the present table and columns, by name."""
    return {
        pin.name: pin.assessment
        for pin in pins.everything()
        if pin.assessment is not None and pin.scenario.schema == session.workspace().schema
    }


def _key(given: dict[str, Any]) -> tuple[Any, ...]:
    named = tuple((pin.number, pin.name) for pin in pins.everything() if pin.name in candidates())
    return ("report", session.scenario().to_json(), named, tuple(given.items()))


def write(given: dict[str, Any], progress: Progress | None = None) -> ReportFiles:
    """Build the report of the present setting, reusing the page's results."""
    scenario = session.scenario()

    def make() -> ReportFiles:
        assessment_of = assessment.assessed(scenario, part(progress, 0.0, 0.3))
        tried = assessment.doubts(part(progress, 0.3, 0.5))
        report = build(
            assessment.case(scenario),
            Meeting(given["question"], given["decision"], candidates(), given["noisy"], given["limits_by"]),
            strength=given["strength"],
            salt=given["salt"],
            known=Known(assessment_of, tried, outcome=attack_results.outcome()),
            progress=part(progress, 0.5, 0.9),
        )
        exact = given["strength"] == "internal"
        evidence_text = (
            evidence(assessment.case(scenario), assessment_of, judge(assessment_of, tried), given["decision"])
            if exact
            else ""
        )
        return ReportFiles(report.to_html(), report.to_json(), evidence_text)

    return cache.cached(_key(given), make)


def _write() -> None:
    st.header("Report", anchor=False)
    with st.grid(2, min_column_width=300, gap="medium") as grid:
        with grid.cell():
            _strength()
        with grid.cell():
            if (field("strength") or "internal") == "external":
                _salt()
    try:
        wanted = _asked_for()
        key = _key(wanted)
    except CompositionError as error:
        errors.refuse(error)
        return
    if not cache.is_cached(key):
        if st.session_state.get(_WRITTEN):
            st.caption(":material/info: Something has changed since the report was written. Write it again.")
        if not st.button("Write the report", key="review:report:write", type="primary", icon=":material/description:"):
            return
        with widgets.working("Writing the report") as progress:
            write(wanted, progress)
        st.session_state[_WRITTEN] = True
        st.rerun()
    _downloads(write(wanted), wanted["strength"])


def _strength() -> None:
    _ask(
        "strength",
        st.radio,
        "Who will read it?",
        "internal",
        options=list(STRENGTH_WORDS),
        format_func=STRENGTH_WORDS.__getitem__,
    )
    if (field("strength") or "internal") == "external":
        st.caption(
            "It holds no record, no class, no name of a column or value, and no count of people below 10. It repeats "
            "what you write above word for word, so do not name people who must not be named."
        )
    else:
        st.caption(
            "It names columns and values, and it shows how small the smallest groups are. Share it only with people "
            "who may see the table."
        )


def _salt() -> None:
    _ask(
        "salt",
        st.text_input,
        "Salt of the digests",
        max_chars=200,
        help=f"At least {MIN_SALT} characters. Without a salt the report has no digests. Anyone with the salt can "
        "check that a table is the one in the report. The salt is not written into the report.",
    )
    st.button("Make a salt", key="review:report:salt", icon=":material/casino:", on_click=_make_salt)
    st.caption("Keep it yourself, apart from the report. The program does not store it.")


def _make_salt() -> None:
    put("salt", secrets.token_hex(16))


def file_name(strength: str) -> str:
    """Name of a report's files: the strength, the date of the decision, and inside the house the table, too."""
    table = plain(session.workspace().name, 40) if strength == "internal" else ""
    when = field("when")
    parts = ["report", strength, table, when.isoformat() if isinstance(when, datetime.date) else ""]
    return re.sub(r"[^\w-]+", "_", "_".join(part for part in parts if part)).strip("_")


def _downloads(written: ReportFiles, strength: str) -> None:
    st.markdown(f":material/check: The {strength} report is written, {count(len(written.html.encode()) / 1000)} kB.")
    name = file_name(strength)
    with st.container(horizontal=True):
        widgets.download(
            "Download the report (HTML)", written.html, f"{name}.html", "review:report:html", type="primary"
        )
        widgets.download("Download its numbers (JSON)", written.json, f"{name}.json", "review:report:json")
        if written.evidence:
            widgets.download(
                "Download the evidence (JSON)",
                written.evidence,
                "evidence.json",
                "review:report:evidence",
                help="For other programs' gates: what was considered, exposure by one release and by all, and the "
                "verdict with its margins; no name of a column and no value of a cell.",
            )
    st.caption("One file that needs nothing else: it opens without a network and prints on A4.")
