"""My own earlier releases: a publisher whose people I can identify.

They are loaded in the same place as files of others, because to the attack they are one more release; publishers see
this place before they look at the attack.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from core import Table
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.tables.csv_export import harmless
from core.register import record_for
from core.release.published.correspondence import propose_columns
from core.release.record import ReleaseRecord
from core.study.draw import MAX_RELEASES
from core.study.uploads import Upload
from pages.attack.hospitals import upload, value_map
from pages.shared.compute import attack_results, cache
from pages.shared.state import session, uploads, widget_data
from pages.shared.ui import errors, reading
from pages.shared.ui.text import count, plain, safe

PLACE = "earlier"
_FILE, _NOTE = f"hospitals:{PLACE}:file", f"hospitals:{PLACE}:record"


def show() -> None:
    """Load an earlier release; once in use, it is one of the hospitals."""
    st.caption(
        "Last year's version, or other columns for another recipient, is one more release of the same people. All of "
        "them are then attacked together: which values are left, and among how many people each person still hides."
    )
    with errors.refusing():
        _load()


def _load() -> None:
    schema = session.workspace().schema
    keys = upload.keys_of(schema)
    if not keys:
        st.markdown(
            "Without a column that identifies people in both tables, their rows cannot be linked. Give one column of "
            "the table "
            "the role *identifier* on the page Data. Without one, load the file below as another hospital's release."
        )
        return
    left, right = st.columns(2, gap="medium")
    words = "The release, with the column that identifies people"
    file = uploads.uploader(words, _FILE, left, max_upload_size=200)
    note = uploads.uploader("Its release record, or the register", _NOTE, right, type=["json"], max_upload_size=5)
    st.caption(
        "The page Release gives both: *Private copy with identifiers*, and the *release record*. The *publication "
        "register* has all records in one file. Both stay in the memory of this session."
    )
    if file is None:
        return
    table = cache.cached(
        (session.FILE_READ, file.file_id), lambda: reading.table(file, partial(uploads.let_go, _FILE, file.file_id))
    )
    record = None if note is None else record_for(note.getvalue(), table)
    if record is not None:
        check(record, table, keys)
    _match(table, record, plain(file.name, 80), (file.file_id, None if note is None else note.file_id))


def check(record: ReleaseRecord, table: Table, keys: tuple[str, ...]) -> None:
    """Refuse a file that does not match its record, or whose person column my table lacks."""
    record.check(table)
    if record.key and record.key not in keys:
        raise InputError(
            f"The earlier release identifies people by the column {shown(record.key)}, and this table by "
            f"{', '.join(shown(name) for name in keys)}; give the table the same column as an identifier.",
            parameter=record.key,
        )


def _match(table: Table, record: ReleaseRecord | None, name: str, files: tuple[str, str | None]) -> None:
    """Match columns; published columns without a match still distinguish classes."""
    schema = session.workspace().schema
    if record is not None:
        whom = f" to {safe(record.recipient, 60)}" if record.recipient else ""
        st.markdown(
            f":material/check: The file is that of its record: released on {record.released}{whom}, "
            f"{count(record.records)} records."
        )
    keys, headers = upload.keys_of(schema), {} if record is None else record.headers(table)
    proposed = {**propose_columns(table.names, schema), **headers}
    for key in keys:
        same = next((header for header in (harmless(key), key) if header in table.names), None)
        if same is not None and not any(mine in keys for mine in proposed):
            proposed[key] = same
    columns = upload.matched(PLACE, table, (*schema.released, *keys), proposed, keys)
    matched = {theirs for _, theirs in columns}
    known = table.names if record is None else [headers[column] for column in record.quasi_identifiers]
    further = tuple(header for header in known if header not in matched)
    if upload.lacking(columns, further):
        return
    if not any(mine in keys for mine, _ in columns):
        st.info("Which of its columns identifies the person in each row? Choose it above.", icon=":material/touch_app:")
        return
    same_values, cells = value_map.ask(PLACE, table, [pair for pair in columns if pair[0] not in keys], published=True)
    means = record.centroids if record is not None else False
    used = Upload(
        table.content_id, True, tuple(columns), same_values, means, name, own=True, further=further, cells=cells
    )
    foreign = attack_results.foreign(used, table)
    st.markdown(f"**Read:** {upload.summary(foreign)}.")
    if further:
        st.caption(
            f"Published then but not now, so it only distinguishes classes of the earlier release: "
            f"{', '.join(safe(header) for header in further)}."
        )
    upload.doubt(foreign)
    upload.out_of_reach(used, foreign)
    if slot() >= MAX_RELEASES:
        st.caption(f"At most {MAX_RELEASES} releases are attacked together. Remove one first.")
        return
    st.button(
        "Compare my release with it",
        type="primary",
        icon=":material/check:",
        key=f"hospitals:{PLACE}:use",
        on_click=_use,
        args=widget_data.leave(f"hospitals:{PLACE}:use", used, table, files),
    )


def slot() -> int:
    """Choose the hospital that it replaces: the first simulated one, else one is added."""
    others = session.others()
    return next((number for number, other in enumerate(others, 1) if other.is_drawn), len(others) + 1)


def _use(name: str) -> None:
    used, table, (file, note) = widget_data.left(name)
    number = slot()
    session.put("releases", max(int(session.get("releases")), number + 1))
    upload.put_in_use(number, used, table)
    st.session_state.pop(f"hospitals:{number}:source", None)
    uploads.let_go(_FILE, file)
    uploads.let_go(_NOTE, note)
    if not attack_results.nobody_knows():
        session.put("overlap", attack_results.shared_bound())  # who is in all of them is known: everyone counts
        attack_results.fit_overlap()
