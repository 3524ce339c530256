"""Save and open the scenario file: an unreadable file changes nothing, and mismatches are reported."""

from __future__ import annotations

import json

import streamlit as st

from core import CompositionError, Scenario
from core.base import wording
from core.data.encoding.encoded import encode
from core.decision.scenario.questions import DecisionWords
from pages.review import assumed, decision
from pages.shared.compute import assessment, attack_results, cache
from pages.shared.state import column_draft, session, uploads, widget_data
from pages.shared.state.choices import CHOICES
from pages.shared.state.deferred import once
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, listed, safe, sentence

_FILE, _SAID = "review:file:open", "review:file:said"
MEGABYTES = 20


def show() -> None:
    """Save on one side, open on the other."""
    left, right = widgets.pair()
    with left:
        _save()
    with right:
        _open()


# ---- out -----------------------------------------------------------------------------------


def _save() -> None:
    st.header("Save the setting", anchor=False)
    scenario = session.scenario().with_(decision=decision.words())
    widgets.download("Download the scenario (JSON)", scenario.to_json(), "scenario.json", "review:file:save")
    st.caption(
        "It holds every choice of Release and If others publish, the limits, the privacy loss of Differential "
        "privacy, what you wrote about the decision, and a digest of the table. **No record is in it.** Names of "
        "columns are, and so are the values that a taxonomy, an order or a correspondence names. Opened on the same "
        f"table, it gives the same numbers. Digest of this table: `{scenario.data_id[:12]}`."
    )


# ---- in ------------------------------------------------------------------------------------


def _open() -> None:
    st.header("Open a setting", anchor=False)
    messages = once(_SAID)
    if messages:
        st.success(messages[0], icon=":material/check:")
        for message in messages[1:]:
            st.warning(message, icon=":material/warning:")
    file = uploads.uploader("Open a scenario file", _FILE, type=["json"], max_upload_size=MEGABYTES)
    if file is not None:
        with errors.refusing():
            try:
                wanted = Scenario.from_json(file.getvalue())
            except CompositionError as error:
                errors.refuse(error)
                st.caption("Nothing was changed. The present setting stays as it is.")
                return
            _ask(wanted, file.file_id)


def _ask(wanted: Scenario, file: str) -> None:
    """Describe the scenario of a file and offer possible actions."""
    workspace = session.workspace()
    st.markdown(
        f"**{assumed.my_release(wanted)}**; {count(wanted.overlap)} shared people; "
        f"{wording.at_confidence(wanted.confidence)}."
    )
    if assessment.same_data(wanted):
        st.markdown(":material/check: It was saved with the table in use.")
    else:
        st.warning(_other_data(wanted, workspace), icon=":material/warning:")
    trouble = unfit(wanted)
    if trouble:
        st.warning(
            f"Its columns do not fit this table: {trouble} The present roles of columns are kept.",
            icon=":material/view_column:",
        )
    elif wanted.schema != workspace.schema:
        st.markdown(
            ":material/view_column: Roles or kinds of columns differ from the present ones. Those of the file will "
            "be used."
        )
    for message in lacking(wanted):
        st.markdown(f":material/draft: {message}")
    label = "Open it" if assessment.same_data(wanted) and not trouble else "Apply its settings to this table"
    with st.container(horizontal=True):
        st.button(
            label,
            type="primary",
            icon=":material/check:",
            key="review:file:use",
            on_click=_use,
            args=widget_data.leave("review:file:use", wanted, not trouble, file),
        )
        st.button(
            "Keep the present setting",
            icon=":material/close:",
            key="review:file:keep",
            on_click=uploads.let_go,
            args=(_FILE, file),
        )


def _other_data(wanted: Scenario, workspace: session.Workspace) -> str:
    """Report that a scenario belongs to another table, and offer possible actions."""
    theirs = safe(wanted.data_name, 60) or "a table without a name"
    digests = f"digest {safe(wanted.data_id[:12]) or 'unknown'}, here {safe(workspace.content_id[:12])}"
    also = "also " * (wanted.data_name == workspace.name)
    return (
        f"It was saved with **other data**, {also}named {theirs} ({digests}): load that table on *Data* to get the "
        "same numbers, or apply the settings to the table in use, which gives other numbers."
    )


def unfit(wanted: Scenario) -> str:
    """Why the columns of a scenario cannot be those of the present table; empty if they can."""
    workspace = session.workspace()
    names = [name for name, _ in wanted.schema.roles() if name not in workspace.table.names]
    if names:
        return f"it has no column {listed(names)}."
    try:
        answered = wanted.schema.with_(rows_are_people=True)  # else *Data* asks
        as_text = json.dumps(answered.to_json(), sort_keys=True)
        cache.cached(("fits", workspace.content_id, as_text), lambda: bool(encode(workspace.data, answered)))
    except CompositionError as error:
        return sentence(error.message, 300)
    return ""


def lacking(wanted: Scenario) -> list[str]:
    """Files of others that a scenario names and this session does not have, one sentence each."""
    missing = [
        f"The file of another hospital, **{safe(upload.name, 60) or 'without a name'}**, is not loaded. There are "
        f"no numbers until it is; load it on *If others publish*."
        for upload in wanted.uploads
        if upload.content_id not in session.files()
    ]
    if wanted.forecast.statistics == "file":
        missing.append("Pages no longer read a file of population statistics. Shares are counted in the table.")
    return missing


def _use(name: str) -> None:
    wanted, with_schema, file = widget_data.left(name)
    workspace, exact = session.workspace(), assessment.same_data(wanted) and with_schema
    if with_schema and wanted.schema != workspace.schema:
        session.change_schema(wanted.schema)
        column_draft.start_over()
    if with_schema:
        session.decide_roles()  # the file says which columns are left out
    session.adopt(wanted)
    if wanted.decision != DecisionWords():
        decision.take(wanted.decision)
    if not exact:
        session.fit()
        attack_results.fit_overlap()
    uploads.let_go(_FILE, file)
    message = "Opened." if exact else "Its settings are applied to the table in use."
    st.session_state[_SAID] = [message, *changed(wanted)]


def changed(wanted: Scenario) -> list[str]:
    """Differences from the scenario, and settings that the pages cannot show, one sentence each."""
    got = session.scenario()
    changes = []
    if assumed.my_release(got) != assumed.my_release(wanted) or got.mine.policy != wanted.mine.policy:
        changes.append(f"My release is not as in the file, but {assumed.my_release(got)}.")
    mine, theirs = assumed.assumptions(got), assumed.assumptions(wanted)
    changes += [f"{name} is not as in the file, but {mine[name]}." for name in mine if mine[name] != theirs[name]]
    names = [
        choice.label
        for name, choice in CHOICES.items()
        if choice.low is not None
        and choice.high is not None
        and (value := session.get(name)) is not None
        and not choice.low <= value <= choice.high
    ]
    if names:
        changes.append(
            f"The pages do not offer these values and change them to the nearest ones they do: {', '.join(names)}."
        )
    return changes
