"""Enter a publication, or a recipient of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any

import streamlit as st
from msgspec import structs

from core import Table
from core.base.errors import InputError
from core.data.tables.csv_export import csv_bytes
from core.register import MAX_WORDS, Publication, Register, added, publication_of
from pages.register import work
from pages.register.matrix import sentence
from pages.shared.compute import cache, release_results
from pages.shared.state import noise_downloads, publications, session, uploads
from pages.shared.ui import errors, reading, widgets
from pages.shared.ui.text import count, percent, plain

_COPY = "register:copy"
Made = tuple[Publication, Table | None, Table | None]
"""A publication that is not entered yet, its private copy, and for a table of counts what was published."""
Change = tuple[Register, Sequence[Table]]
"""The register with a change, and the files that it needs."""
MOST_CHANGES = 6
"""Recipients and pairs of which a dry run speaks."""
NO_KEY = "No private copy: not assessed"


def present() -> None:
    """The release of the present setting, with a private copy if an identifier is named."""
    schema = session.workspace().schema
    keys = [*([schema.person] if schema.person else []), *schema.identifiers]
    left, right = st.columns(2, gap="medium")
    with left:
        who, public = recipients("present")
    with right:
        day = st.date_input("Published on", key="register:present:day", value="today", format="YYYY-MM-DD")
        key = st.selectbox("Person identifier", [*keys, NO_KEY], key="register:present:key", format_func=plain)
    earlier = [own.number for own in publications.register().publications if own.kind in ("release", "version")]
    version = 0
    if earlier:
        register = publications.register()
        version = st.selectbox(
            "It is a version of",
            [0, *earlier],
            key="register:present:version",
            format_func=lambda number: register.publication(number).words if number else "nothing earlier",
        )
    entry = partial(_present_entry, day, "" if key == NO_KEY else key, int(version))
    offer("present", partial(entered, entry, who, public, is_plan=True))
    st.caption("Without a recipient it is kept as a plan: *Add a recipient* when it goes out.")
    if key != NO_KEY and release_results.is_made():
        release, column = release_results.my_release().release, session.workspace().table.column(key)
        widgets.download(
            "Private copy with identifiers",
            lambda: csv_bytes(release.publish(key=column)),
            "own_copy.csv",
            "register:present:copy",
            help="The published rows plus the column that identifies each person: the register needs it again when the "
            "next publication is entered. Never share it.",
        )


def _present_entry(day: date, key: str, version: int) -> Made:
    workspace = session.workspace()
    with widgets.working("Anonymising ...") as progress:
        release = release_results.my_release(progress).release
    entry = publication_of(release, day, plain(workspace.name, 80), key)
    if version:
        entry = structs.replace(entry, kind="version", version_of=version)
    if not key:
        return entry, None, None
    copy = Table.from_frame(release.publish(seed=0, key=workspace.table.column(key)))
    return entry.with_copy(copy, key), copy, None


def copy() -> None:
    """The private copy of a publication that is in the register without one."""
    register = publications.register()
    lacking = [own for own in register.publications if own.kind != "noisy" and not own.copy]
    number = st.selectbox(
        "Publication",
        [own.number for own in lacking],
        key="register:copy:number",
        format_func=lambda each: register.publication(each).words,
    )
    file = uploads.uploader("Its private copy with identifiers", _COPY, max_upload_size=200)
    if file is None:
        return
    with errors.refusing():
        table, proposed = read(file, _COPY), register.publication(int(number)).key
        place = table.names.index(proposed) if proposed in table.names else None
        key = st.selectbox("Person identifier", table.names, place, key="register:copy:key", format_func=plain)
        changed = partial(register.with_copy, int(number), table, key or "")
        offer("copy", lambda: (changed(), (table,)), [(_COPY, file)])


def read(file: Any, name: str) -> Table:
    """Read an upload once."""
    stop = partial(uploads.let_go, name, file.file_id)
    return cache.cached((session.FILE_READ, file.file_id), lambda: reading.table(file, stop))


def noisy() -> None:
    """The noisy tables downloaded in this session, or one with a typed epsilon."""
    who, public = recipients("noisy")
    left, middle, right = st.columns(3, gap="medium")
    day = left.date_input("Published on", key="register:noisy:day", value="today", format="YYYY-MM-DD")
    epsilon = middle.number_input("Epsilon", 0.001, 1000.0, 1.0, step=0.1, format="%.3f", key="register:noisy:epsilon")
    delta = right.number_input("Delta", 0.0, 0.1, 0.0, format="%.2e", key="register:noisy:delta")
    typed = Publication("noisy", day, public=public, epsilon=float(epsilon), delta=float(delta))
    with st.container(horizontal=True):
        if st.button("Add this noisy table", key="register:noisy:add", icon=":material/add:"):
            _enter([typed], who)
        tables = _downloaded(day)
        if tables and st.button(f"Add the {len(tables)} downloaded", key="register:noisy:downloaded"):
            _enter([structs.replace(table, public=public) for table in tables], who)


def _downloaded(day: date) -> list[Publication]:
    """Noisy tables downloaded in this session that are not in the register."""
    entered = {own.content for own in publications.register().publications}
    records = session.workspace().records
    return [
        Publication(
            "noisy",
            day,
            name="noisy_table.zip",
            content=each.digest,
            records=records,
            epsilon=each.epsilon,
            delta=each.delta,
        )
        for each in noise_downloads.downloads()
        if each.digest not in entered
    ]


def _enter(entries: Sequence[Publication], who: Sequence[str]) -> None:
    with errors.refusing():
        register = publications.register()
        for entry in entries:
            _need(who, entry.public)
            register = register.add(entry, who)
        publications.keep(work.assessed(register))
        st.rerun()


def recipient() -> None:
    """More recipients of a publication that is in the register."""
    register = publications.register()
    numbers = [own.number for own in register.publications]
    number = st.selectbox(
        "Publication", numbers, key="register:given", format_func=lambda each: register.publication(each).words
    )
    who, public = recipients("given")
    offer("given", lambda: (_given(register, int(number), who, public), ()))


def _given(register: Register, number: int, who: Sequence[str], public: bool) -> Register:
    _need(who, public)
    return register.give(number, who, public)


def recipients(place: str) -> tuple[list[str], bool]:
    """Ask who has a publication: names, and whether it is public."""
    typed = st.text_area(
        "Recipients, one per line",
        key=f"register:{place}:who",
        height=100,
        max_chars=20 * MAX_WORDS,
        placeholder="The registry",
    )
    public = st.toggle("It is public: everyone has it", key=f"register:{place}:public")
    return [line for line in typed.splitlines() if line.strip()], public


def offer(place: str, make: Callable[[], Change], files: Sequence[Any] = ()) -> None:
    """Say what a change would add, or make it; ``files`` are the uploads to let go then."""
    needed = {own.number for own in publications.register().publications if own.is_assessed}
    leave_open = False
    if needed - work.linked(publications.register()).keys():
        leave_open = st.toggle(
            "Leave open what lacks files",
            key=f"register:{place}:open",
            help="Enters it even if private copies of earlier publications are not loaded. It is not assessed then.",
        )
    with st.container(horizontal=True):
        is_tried = st.button("What would it add?", key=f"register:{place}:try", icon=":material/help:")
        is_added = st.button("Add", key=f"register:{place}:add", icon=":material/add:", type="primary")
    if not (is_tried or is_added):
        return
    with errors.refusing():
        before = publications.register()
        changed, tables = make()
        after = work.assessed(changed, tables, leave_open)
        if is_tried:
            _difference(before, after)
            return
        publications.keep(after)
        publications.keep_files({table.content_id: table for table in tables})
        for name, file in files:
            if file is not None:
                uploads.let_go(name, file.file_id)
        st.rerun()


def entered(make: Callable[[], Made], who: Sequence[str], public: bool, is_plan: bool = False) -> Change:
    """Enter one more publication, or one that is planned and that no one has yet."""
    if not is_plan:
        _need(who, public)
    entry, copy, table = make()
    register = publications.register().add(structs.replace(entry, public=public), who)
    return register, [each for each in (copy, table if entry.is_of_counts else None) if each is not None]


def _difference(before: Register, after: Register) -> None:
    """What one more publication, or recipient, would add."""
    changes = added(before.standings(), after.standings())
    st.markdown("**Not entered yet.** What it would add, the worst first:")
    for change in changes[:MOST_CHANGES]:
        earlier_share = None if change.before is None else change.before.value("one_value_left")
        start = "" if earlier_share is None else f" One value left before: {percent(earlier_share)}."
        st.markdown(f"- {sentence(change.after)}{start}")
    if len(changes) > MOST_CHANGES:
        st.caption(f"And {count(len(changes) - MOST_CHANGES)} more recipients and pairs.")


def _need(who: Sequence[str], public: bool) -> None:
    if not who and not public:
        raise InputError("Name who has the publication, one recipient per line, or say that it is public.")
