"""The table in use, and its replacement: another is shown first and used on request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import FrequencyTable, Table, examples
from core.base.errors import InputError
from core.data.encoding.encoded import encode
from core.data.frequency_table import records_of, rows_of
from core.data.reading import MOST_ROWS
from core.data.reading.frequency_file import mark_of, possible_counts
from core.data.tables.input_limits import InputLimits
from pages.data import strays
from pages.data.text import ROLE_WORDS, headers, how_read, preview, size
from pages.shared import server
from pages.shared.compute import cache, data_results
from pages.shared.state import links, session, uploads, widget_data
from pages.shared.state.workspace import FILE, OFFER, OWN, Offer, close, origin_of, title_of, use
from pages.shared.ui import errors, reading
from pages.shared.ui.text import count, plain, safe

_TOKENS, _COUNTS, _FORGOTTEN = "data:offer:tokens", "data:offer:counts", "data:forgotten"
ONE_EACH = ""
"""Stands for no column of counts; no column has an empty name."""
IF_NONE = (
    "A frequency table counts equal records, so all numbers are about its records. Functions that need individual "
    "records say so. If a row of this file is one record, say so under *Read the file differently*."
)
MEGABYTES = 200
SHEET_NAME = 100
"""Largest number of characters of a sheet name; Excel allows 31."""
CITIES = (100, 1_000_000)
KEPT = (
    "It is in the memory of this session only: nothing is written to disk, nothing leaves this computer. A reload also "
    "loses the roles of its columns, files of others, the register and what you wrote down. Settings stay in the "
    "address, which the browser's history keeps; no name or value of the table is in it. The data is deleted for "
    "good when you ask for it, or about a minute after the tab is closed."
)
NOT_WIPED = (
    " Freed memory keeps its content until something else is written there. Only a server started by "
    "`composition` or `make run`, on Linux with GNU's C library, overwrites it at once."
)

DELIMITERS = {None: "as found", ",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
ENCODINGS = {
    None: "as found",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (Western Europe)",
    "iso-8859-1": "Latin-1",
    "iso-8859-15": "Latin-9",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp850": "DOS (cp850)",
    "gb18030": "GBK, GB 18030 (Chinese)",
    "shift-jis": "Shift JIS (Japanese)",
    "utf-16-le": "UTF-16 LE",
    "utf-16": "UTF-16",
    "mac-roman": "Mac Roman",
}
DECIMALS = {None: "as found", ".": "point", ",": "comma"}


# ---- the present table ----------------------------------------------------------------


def present() -> None:
    """The table in use, where it is kept, and possible replacements."""
    workspace = session.workspace()
    st.markdown(
        f":material/table: **{safe(workspace.name)}** is in use: {size(workspace.data)}. {_about(workspace)} "
        "**A reload of this page loses it.**",
        help=KEPT if server.wipes_memory() else KEPT + NOT_WIPED,
    )
    with st.container(horizontal=True):
        _cities()
        _worked()
        if st.button("Forget this data", icon=":material/delete_forever:", key="data:forget"):
            _ask_to_forget()


def _about(workspace: session.Workspace) -> str:
    if workspace.example:
        return "Everyone in the city is invented."
    how = how_read(workspace.table)
    return f"Read as {how}." if how else ""


def first_rows() -> None:
    """Preview of the table in use."""
    st.dataframe(preview(session.workspace().data), hide_index=True, alt="First rows of the table in use, as text")


@st.dialog("Forget this data?")
def _ask_to_forget() -> None:
    if st.session_state.pop(_FORGOTTEN, False):
        st.rerun()
    st.markdown(
        "The table, the roles of its columns, every result and every choice of this session are deleted from memory. "
        "The synthetic city takes their place. This cannot be undone."
    )
    st.button(
        "Forget it all",
        type="primary",
        icon=":material/delete_forever:",
        key="data:forget:yes",
        on_click=forget_everything,
    )


def forget_everything() -> None:
    """Delete data, files, results and choices of the session, and start over with the city."""
    turn = st.session_state.get(f"{FILE}:turn", 0)
    session.forget()
    links.forget()
    uploads.drop(None)
    server.tidy_soon()
    st.session_state[f"{FILE}:turn"] = turn + 1  # the browser keeps the file of an uploader by its key
    st.session_state[_FORGOTTEN] = True


# ---- another one -----------------------------------------------------------------------


def choose() -> Offer | None:
    """Ways to load another table; return the one that waits for a decision."""
    limits = InputLimits()
    file = uploads.uploader(
        "Load your own table",
        FILE,
        max_upload_size=MEGABYTES,
        help=(
            "CSV, TSV or other delimited text (also as .gz), Parquet, Excel (.xlsx), Stata, SAS or SPSS. You see what "
            f"is in the file before anything is replaced. At most {MEGABYTES} MB, {count(limits.rows)} rows and "
            f"{limits.columns} columns; of more, you choose the columns to read. Every file is read in a "
            f"separate process, with {reading.BOUNDS}."
        ),
    )
    if file is None:
        return st.session_state.get(OFFER)
    answer = reading.asked(file)
    unfolded = answer is not None or any(st.session_state.get(f"data:{name}") for name in ANSWERS)
    # A new key makes a new expander, so that folded ones stay folded.
    key = f"data:how:{unfolded}"
    differently = st.expander("Read the file differently", unfolded, icon=":material/tune:", key=key)
    with differently:
        how = _overrides(reading.choices(file))
    with errors.refusing():
        table = _read(file, how)
        with differently:
            data = _as_frequency_table(table)
        return _offer_of(data, file)
    if reading.asked(file) not in (None, answer):
        st.rerun()  # with the choice in sight
    return None


ANSWERS = ("encoding", "header_row", "columns")
"""Choices that a file may need; those of the page are kept under these names."""


def _overrides(columns: Sequence[str]) -> dict[str, Any]:
    """Choices about a file; ``columns`` are those to choose from, if all cannot be read."""
    chosen = None
    if columns:
        with st.form("data:columns:form", border=False):  # read once, when all are chosen
            chosen = st.multiselect(
                "Columns to read",
                columns,
                format_func=lambda name: plain(name, 60),
                key="data:columns",
                help="Type to search. The other columns are not kept: they can be neither published nor linked.",
            )
            st.form_submit_button("Read these columns")
    left, right = st.columns(2)
    delimiter = left.selectbox(
        "Fields are separated by", list(DELIMITERS), format_func=DELIMITERS.__getitem__, key="data:delimiter"
    )
    encoding = right.selectbox("Encoding", list(ENCODINGS), format_func=ENCODINGS.__getitem__, key="data:encoding")
    decimal = left.selectbox("Decimal mark", list(DECIMALS), format_func=DECIMALS.__getitem__, key="data:decimal")
    sheet = right.text_input(
        "Sheet of a workbook, by name or number", key="data:sheet", placeholder="first table", max_chars=SHEET_NAME
    )
    header_row = left.number_input(
        "Line that names the columns",
        1,
        MOST_ROWS,
        None,
        key="data:header_row",
        placeholder="detected",
        help="Lines above it are left out. In a workbook, the row.",
    )
    number = sheet.strip().isdecimal() and len(sheet.strip()) < 6
    return {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": None if not sheet.strip() else int(sheet) if number else sheet,
        "header_row": header_row,
        "columns": tuple(chosen) if chosen else None,
    }


def _read(file: Any, how: dict[str, Any]) -> Table:
    return cache.cached(
        ("file", file.file_id, *how.values()),
        lambda: reading.table(file, partial(uploads.let_go, FILE, file.file_id), frequencies=True, **how),
    )


def _as_frequency_table(table: Table) -> Table | FrequencyTable:
    """Treat a table as a frequency table if it is marked as one or looks like one, unless chosen otherwise."""
    names = possible_counts(table)
    try:
        mark = mark_of(table)
        refused = None
    except InputError as error:
        mark, refused = None, error
    proposed = ONE_EACH if mark is None else mark.count
    options = list(dict.fromkeys([ONE_EACH, *names, proposed]))
    key = f"{_COUNTS}:{table.content_id[:16]}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = proposed
    if len(options) > 1:
        chosen = st.selectbox(
            "A row stands for",
            options,
            format_func=lambda name: "one record" if name == ONE_EACH else f"as many records as {plain(name, 40)} says",
            key=key,
            help="In a frequency table each row stands for all equal records, and one column says how many there are.",
        )
    else:
        chosen = ONE_EACH
    if refused is not None and chosen == ONE_EACH:
        raise refused
    if chosen == ONE_EACH:
        return table
    return cache.cached(("frequency_table", table.content_id, chosen), lambda: FrequencyTable.from_table(table, chosen))


def _offer_of(data: Table | FrequencyTable, file: Any) -> Offer:
    """Propose a schema for a file that was read; refuse a table that this program cannot work with."""
    with st.spinner("Looking at the columns"):
        if records_of(data) < 2:
            raise InputError("The table has only one record; load a table with at least two people.")
        kept, tokens = strays.settled(data, _chosen_tokens(data))
        schema = data_results.proposal(kept, tokens).schema
        # Encoded only for its refusals, once per table.
        answered = schema.with_(rows_are_people=True)
        cache.cached(("fits", kept.content_id, schema.missing_tokens), lambda: bool(encode(kept, answered)))
    return Offer(kept, schema, plain(file.name, 80), upload=file.file_id, read=data)


def _chosen_tokens(data: Table | FrequencyTable) -> tuple[str, ...]:
    """Tokens ticked for this table; the likely ones until something is ticked."""
    key = f"{_TOKENS}:{data.content_id[:16]}"
    likely = tuple(token.token for token in data_results.proposal(data).tokens if token.likely)
    return tuple(st.session_state.get(key, likely))


def _cities() -> None:
    with st.popover("Synthetic city", icon=":material/location_city:", key=f"cities:{uploads.key_of(FILE)}"):
        low, high = CITIES
        residents = st.number_input("Residents", low, high, 30_000, step=1_000, key="data:residents")
        seed = st.number_input("Seed", 0, 1_000_000, 2008, key="data:seed", help="Same seed, same city.")
        st.button("Use this city", key="data:city", type="primary", on_click=_offer_city, args=(residents, seed))
        st.button("Back to the first city", key="data:firstcity", on_click=_offer_city, args=(30_000, 2008))


def _offer_city(residents: int, seed: int) -> None:
    first = (residents, seed) == (30_000, 2008)
    name = "The synthetic city" if first else f"Synthetic city of {count(residents)}, seed {seed}"
    origin = "city" if first else ""
    _offer(Offer(examples.city(residents, seed), examples.city_schema(), name, city=True, origin=origin))


def _worked() -> None:
    with st.popover("Worked example", icon=":material/menu_book:", key=f"examples:{uploads.key_of(FILE)}"):
        for example in examples.worked_examples():
            for number, table in enumerate(example.tables):
                st.button(
                    f"{title_of(example, number)} ({len(table)} records)",
                    on_click=_offer_worked,
                    args=(example.name, number),
                    key=f"data:worked:{example.name}:{number}",
                )
        st.caption("Tables this small show the mechanism, not a risk.")


def _offer_worked(name: str, number: int) -> None:
    example = next(example for example in examples.worked_examples() if example.name == name)
    _offer(Offer(example.tables[number], example.schema, title_of(example, number), origin=origin_of(name, number)))


def _offer(offer: Offer) -> None:
    """Load at once if nothing of the user's own is replaced; else ask first."""
    if st.session_state.get(OWN, False):
        st.session_state[OFFER] = offer
    else:
        use(offer)


# ---- the decision ----------------------------------------------------------------------


def decide(offer: Offer) -> None:
    """Show the loaded table and ask whether it may replace the present one."""
    data, table = offer.data, rows_of(offer.data)
    with st.container(border=True):
        st.markdown(f"## Found in {safe(offer.name, 80)}: {size(data)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Use this table",
                type="primary",
                icon=":material/check:",
                key="data:use",
                on_click=_use_left,
                args=widget_data.leave("data:use", offer),
            )
            st.button(
                "Keep the present one", icon=":material/close:", key="data:keep", on_click=close, args=(offer.upload,)
            )
            st.caption(
                f"You can change every role afterwards. Using this table forgets {safe(session.workspace().name)}. "
                f"Settings stay as they are: k is {count(session.get('my_k'))}.",
                width="stretch",
            )
        how = how_read(table)
        if how:
            st.caption(f"Read as {how}.")
        if table.read_info.get("note"):
            st.caption(f":material/info: {safe(table.read_info['note'], 1000)}")
        if isinstance(data, FrequencyTable):
            st.caption(IF_NONE)
        if offer.read is not None:
            _ask_tokens(offer.read)
            strays.ask(offer.read, _chosen_tokens(offer.read))
        st.markdown("**Proposed roles**")
        st.dataframe(_proposed(offer), hide_index=True, alt="Proposed role and type of every column")
        st.markdown("**First rows**")
        st.dataframe(preview(data), hide_index=True, alt="First rows of the file, as text")


def _ask_tokens(data: Table | FrequencyTable) -> None:
    """Choose the cells that mean "missing"."""
    tokens = {token.token: token for token in data_results.proposal(data).tokens}
    if not tokens:
        return
    key = f"{_TOKENS}:{data.content_id[:16]}"
    if key not in st.session_state:
        st.session_state[key] = list(_chosen_tokens(data))
    st.multiselect(
        "Cells that mean “missing”, in addition to empty ones",
        list(tokens),
        key=key,
        format_func=lambda token: f"{token}  ({count(tokens[token].cells)} cells)",
        help="Words that are not chosen here are ordinary values.",
        wrap=True,
    )


def _proposed(offer: Offer) -> pd.DataFrame:
    roles = dict(offer.schema.roles())
    reasons = data_results.proposal(offer.data, offer.schema.missing_tokens).reasons if offer.upload else {}
    names: Sequence[str] = rows_of(offer.data).names
    columns: dict[str, list[str]] = {
        "Column": headers(names),
        "Role": [ROLE_WORDS[roles[name]] for name in names],
        "Column type": [str(offer.schema.column_types.get(name, "")) for name in names],
    }
    if reasons:
        columns["Why"] = [plain(reasons[name], 120) for name in names]
    return pd.DataFrame(columns, dtype="str")


def _use_left(name: str) -> None:
    offer = widget_data.left(name)
    use(offer)
    if offer.upload is not None:
        links.take_up()
