"""The decision: what people write, what they accept, and whether it is recorded."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from core import CompositionError
from core.base.wording import several
from core.decision.scenario.questions import DecisionWords
from core.report import Assumption, Decision, assumptions
from pages.review import baseline
from pages.shared.compute import assessment, attack_results
from pages.shared.state import session
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import safe

SECTION = "Decision and report"
OUTCOMES = ("Publish", "Publish after changes", "Do not publish", "Decide later")
YEAR = 365
OURS = "this tool, its defaults"
"""Source of the limits that this page starts with."""
_FIELDS = "decision"


def show() -> None:
    """Fields, the assumptions to accept, and the button that records."""
    st.markdown(
        "What you write here leaves this session in the files you download, and in no other way; a reload of the page "
        "loses it. The documents state it next to the present setting, the limits and the verdict, and the scenario "
        "file carries it."
    )
    _fields()
    _accept()
    try:
        _record()
    except CompositionError as error:
        errors.refuse(error)


# ---- what people write down ----------------------------------------------------------------------


def field(name: str) -> Any:
    """One field of the decision, as far as it was filled in."""
    return session.get(_FIELDS).get(name)


def put(name: str, value: Any) -> None:
    """Fill in a field of the decision."""
    session.put(_FIELDS, {**session.get(_FIELDS), name: value})


def ask(name: str, ask: Callable[..., Any], label: str, start: Any = None, **more: Any) -> None:
    """Ask for a field with a widget that starts with the present entry."""
    base, value = f"widget:review:{name}", field(name) or start
    widgets.showing(ask, label, base, value, lambda given: put(name, given), **more)


def limits_by() -> str:
    """Source of the limits behind the verdict: as typed, else this tool if they are its defaults."""
    if field("limits_by"):
        return str(field("limits_by"))
    return OURS if session.get("requirements") == baseline.defaults(assessment.assessed()) else ""


def _fields() -> None:
    left, right = st.columns(2, gap="large")
    text = partial(ask, ask=left.text_input, max_chars=300)
    text("question", label="Question", placeholder="Can this table be published although others publish theirs?")
    ask(
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
    date = partial(ask, ask=partial(right.date_input, value=None, format="YYYY-MM-DD"))
    date("when", label="On", help="The report never looks at the clock. It has the date that you type, or none.")
    date(
        "until",
        label="Holds until",
        help="What others publish changes, and so does what a release gives away. If empty, it is valid for one year.",
    )
    ask("why", right.text_area, "Because", max_chars=5000, height=122, placeholder="What decided")
    ask(
        "ends",
        right.text_input,
        "Ends before that if",
        max_chars=300,
        placeholder="Another hospital of the region publishes, ...",
    )


def assumed() -> tuple[Assumption, ...]:
    """The assumptions of the present setting."""
    scenario = session.scenario()
    return assumptions(scenario, attack_results.files(scenario))


def accepted() -> tuple[str, ...]:
    """Keys of the assumptions that were accepted, as they are worded now: a changed sentence is not accepted."""
    ticked = set(field("accepted") or ())
    return tuple(assumption.key for assumption in assumed() if (assumption.key, assumption.sentence) in ticked)


def _record_now() -> None:
    put("recorded", _of_what())


def _accept() -> None:
    """One checkbox for all assumptions of the verdict, which are listed above it."""
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


WORDS = ("question", "limits_by", "what", "who", "why", "ends")
"""Fields that are text."""


def words() -> DecisionWords:
    """The entries, in the form of a scenario file."""
    texts = {name: str(field(name) or "") for name in WORDS}
    dates = {name: field(name).isoformat() if field(name) else "" for name in ("when", "until")}
    recorded = False
    with suppress(CompositionError):
        recorded = is_recorded()
    return DecisionWords(**texts, **dates, accepted=tuple(field("accepted") or ()), recorded=recorded)


def take(written: DecisionWords) -> None:
    """Set the fields from a scenario file; a recorded decision stays recorded if nothing differs."""
    fields: dict[str, Any] = {name: getattr(written, name) for name in WORDS if getattr(written, name)}
    for name in ("when", "until"):
        with suppress(ValueError):  # such as the 31st of June
            fields[name] = datetime.date.fromisoformat(getattr(written, name))
    session.put(_FIELDS, fields | {"accepted": written.accepted})
    with suppress(CompositionError):
        if written.recorded and not lacking():
            put("recorded", _of_what())


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
    undecided = len(session.workspace().undecided)
    if undecided:
        missing.append(f"an answer on *Data*: whether {several(undecided, 'column')} will be published")
    return missing


def _of_what() -> str:
    """The setting and words that a decision was recorded for: any change makes another decision."""
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
        st.success("The decision is recorded. The documents state it.", icon=":material/check_circle:")
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
