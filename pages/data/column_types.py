"""How columns are generalised: the type of each, its order or its taxonomy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from core import Schema, Taxonomy
from core.base.errors import ParameterError
from core.base.wording import several
from core.data.reading import read_hierarchy
from core.data.schemas.hierarchies import why_lacking
from core.data.schemas.schema import ColumnType, DateFormat
from core.data.tables.csv_export import harmless
from core.data.tables.dates import UNITS, in_form, run_text, text_of, units_for
from pages.data import columns
from pages.data.text import headers
from pages.shared.compute import data_results
from pages.shared.state import column_draft, session, uploads
from pages.shared.ui import errors, reading, widgets
from pages.shared.ui.text import count, plain, safe

MOST_LINES = 300
WORDS = {
    ColumnType.NUMERIC: "numbers: ranges",
    ColumnType.DATE: "dates: days to years",
    ColumnType.ORDINAL: "ordinal: ranges within an order that you give",
    ColumnType.CATEGORICAL: "categories: sets of values",
    ColumnType.TAXONOMY: "taxonomy: groups of a tree",
}
UNIT_WORDS = {"day": "Days", "week": "Weeks", "month": "Months", "quarter": "Quarters", "year": "Years"}
FORM_WORDS = {"%d": "day", "%m": "month", "%Y": "year", "%y": "year in two digits"}
FORM_WORDS |= {"%b": "name of the month", "%q": "quarter", "%G": "year", "%V": "week"}
MADE = date(2024, 3, 9), date(2025, 2, 12)
"""Dates for examples."""
WAYS = {"prefix": "Leading characters", "file": "Hierarchy file", "flat": "All in one group"}


def show() -> None:
    """Show and change one column at a time."""
    schema, names = session.workspace().schema, session.workspace().table.names
    described = columns.coarser()
    if not described:
        return
    short = dict(zip(described, headers(described), strict=True))
    left, right = st.columns(2)
    name = left.selectbox("Column", described, format_func=short.__getitem__, key="data:tree:column")
    column_type = column_draft.column_type_of(names.index(name))
    with right:
        _column_type(names.index(name), column_type)
    if column_type is ColumnType.DATE:
        _dates(name)
    else:
        _at_hand(name, column_type)
    if column_type is ColumnType.TAXONOMY and name in schema.taxonomies:
        _taxonomy(name, schema)
    elif column_type is ColumnType.ORDINAL and name in schema.orders:
        _order(name, schema)


def _column_type(place: int, column_type: ColumnType) -> None:
    widgets.showing(
        st.selectbox,
        "Generalised as",
        f"data:kind:{columns.editor_key()}:{place}",
        column_type,
        lambda chosen: columns.set_column_type(place, ColumnType(chosen)),
        options=list(WORDS),
        format_func=WORDS.__getitem__,
    )


def _accept(name: str, accepted: tuple[str, ...] | Taxonomy, schema: Schema) -> None:
    """Apply an order or a taxonomy, or raise the reason why it cannot be applied."""
    if isinstance(accepted, Taxonomy):
        wanted = schema.with_(taxonomies={**schema.taxonomies, name: accepted})
    else:
        wanted = schema.with_(orders={**schema.orders, name: accepted})
    columns.settle(wanted)
    column_draft.kept()[name] = accepted


# ---- dates -----------------------------------------------------------------------------


def form_words(form: str) -> str:
    """A format as a reader writes it: day.month.year."""
    for mark, word in FORM_WORDS.items():
        form = form.replace(mark, word)
    return form


def _dates(name: str) -> None:
    """Format of a column's dates, asked if ambiguous, and the published unit."""
    fitting, own = data_results.date_formats(name), _dates_of(name)
    if len(fitting) > 1:
        first = {form: "Day" if form.startswith("%d") else "Month" for form in fitting}
        _choose("Which comes first?", first, name, "form")
    form = _form_of(name, own)
    units = tuple(UNITS) if form is None else units_for(form)
    _choose("Published as", {unit: UNIT_WORDS[unit] for unit in units}, name, "unit")
    example, later = (text_of(day.toordinal(), own.unit) for day in MADE)
    such = "" if form is None else in_form(MADE[0].toordinal(), form)
    read = "" if form is None else f"Read as {form_words(form)}, such as {such}; a time is left out. "
    st.caption(f"{read}Published as {example}, or from one to another: {plain(run_text(example, later))}.")


def _form_of(name: str, own: DateFormat) -> str | None:
    """Format of a column: as chosen, else the only one that fits."""
    fitting = data_results.date_formats(name)
    return own.form or (fitting[0] if len(fitting) == 1 else None)


def _dates_of(name: str) -> DateFormat:
    """Format of a column's dates, and their published unit, which is never finer than the cells."""
    own = column_draft.kept().get(name)
    own = own if isinstance(own, DateFormat) else DateFormat()
    form = _form_of(name, own)
    return own if form is None or own.unit in units_for(form) else replace(own, unit=units_for(form)[0])


def _tree_of(name: str) -> Taxonomy:
    return session.workspace().schema.taxonomies[name]


def _choose(label: str, words: Mapping[str, str], name: str, field: str) -> None:
    options = {"options": list(words), "format_func": words.__getitem__, "required": True}
    _ask_field(st.segmented_control, label, name, _dates_of, field, **options)


def _ask_field(
    draw: Callable[..., object], label: str, name: str, own_of: Callable[[str], Any], field: str, **more: Any
) -> None:
    """Ask for one field of the dates or the taxonomy that a column has."""
    place = session.workspace().table.names.index(name)

    def take(value: object) -> None:
        column_draft.kept()[name] = replace(own_of(name), **{field: value})

    base = f"data:{field}:{columns.editor_key()}:{place}"
    widgets.showing(draw, label, base, getattr(own_of(name), field), take, **more)


# ---- hierarchies at hand ---------------------------------------------------------------


def _at_hand(name: str, column_type: ColumnType) -> None:
    """Offer the hierarchy that a column suggests, with an example value, if it is not applied yet."""
    proposed, own = data_results.hierarchy(name), column_draft.kept().get(name)
    if proposed is None:
        return
    if column_type is ColumnType.TAXONOMY and isinstance(own, Taxonomy) and _same_tree(own, proposed.tree):
        return
    steps = " → ".join(safe(step, 20) for step in proposed.steps)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Use {proposed.by}",
            key=f"data:hand:{session.workspace().table.names.index(name)}",
            icon=":material/account_tree:",
            on_click=_use_at_hand,
            args=(name, proposed.tree),
        )
        st.caption(steps)


def _use_at_hand(name: str, tree: Taxonomy) -> None:
    column_draft.kept()[name] = tree
    columns.set_column_type(session.workspace().table.names.index(name), ColumnType.TAXONOMY)


# ---- orders ----------------------------------------------------------------------------


def read_order(text: str, values: Sequence[str]) -> tuple[str, ...]:
    """Read one value per line; spaces around a line count only if a value has them."""
    known = set(values)
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return tuple(line if line in known else line.strip() for line in lines if line.strip())


def _order(name: str, schema: Schema) -> None:
    """Show the values of a column in their order as lines that can be moved, and the button to use them."""
    workspace = session.workspace()
    values = column_draft.values_of(workspace.table, name, schema.missing_tokens)
    order = schema.orders[name]
    if any("\n" in value for value in values):
        st.caption(
            "Some values hold line breaks, so their order cannot be written as lines; choose another column type."
        )
        return
    key = f"data:order:{columns.editor_key()}:{workspace.table.names.index(name)}"
    if key not in st.session_state:
        st.session_state[key] = "\n".join(order)
    text = st.text_area("Values from lowest to highest, one per line", key=key, height=240)
    wanted = read_order(text, values)
    if wanted == order:
        st.caption(f"In use: {count(len(order))} values in this order.")
    elif st.button("Use this order", key="data:order:use", type="primary", icon=":material/check:"):
        with errors.refusing():
            _accept(name, wanted, schema)
            st.rerun()
    else:
        st.caption("The order has changed but is not applied yet.")


# ---- taxonomies ------------------------------------------------------------------------


def outline(tree: Taxonomy, most: int = MOST_LINES) -> str:
    """Write the tree as indented lines; for a large one only the upper levels, with the values of each last node."""
    deepest = int(np.searchsorted(np.cumsum(np.bincount(tree.depth)), most, side="right")) - 1
    lines = []
    for node in np.flatnonzero(tree.depth <= max(deepest, 0)).tolist():
        many = int(tree.high[node] - tree.low[node]) + 1
        below = f" ({several(many, 'value')})" if many > 1 and tree.depth[node] == deepest else ""
        lines.append("    " * int(tree.depth[node]) + plain(tree.labels[node]) + below)
    return "\n".join(lines)


def levels(tree: Taxonomy) -> str:
    """How many nodes each level has, from the root down: "1, 4, 60"."""
    return ", ".join(count(number) for number in np.bincount(tree.depth))


def coverage(tree: Taxonomy, values: Sequence[str]) -> int:
    """How many of the values are leaves of the tree."""
    return len(set(values) & set(tree.leaf_labels))


def read_lengths(text: str) -> tuple[int, ...]:
    """Read numbers of characters such as "3, 1"."""
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and 1 <= float(part) <= 100 for part in parts):
        raise ParameterError(
            "Give the numbers of leading characters to keep, from 1 to 100 and separated by commas, such as 3, 1.",
            parameter="keep",
        )
    return tuple(int(part) for part in parts)


def _taxonomy(name: str, schema: Schema) -> None:
    table = session.workspace().table
    values = column_draft.values_of(table, name, schema.missing_tokens)
    tree = schema.taxonomies[name]
    place = table.names.index(name)
    with st.grid(2, min_column_width=340, gap=("small", "large")) as grid:
        with grid.cell():
            st.markdown("**In use**")
            _one_group(name)
            _picture(tree, values)
            _download(tree, place)
        with grid.cell():
            st.markdown("**Make another**")
            way = st.segmented_control(
                "Make another",
                list(WAYS),
                format_func=WAYS.__getitem__,
                key=f"data:way:{place}",
                label_visibility="collapsed",
            )
            with errors.refusing():
                wanted = _made(way, name, values, place)
                if wanted is not None and not _same_tree(wanted, tree):
                    _propose(name, wanted, values, schema)
                elif wanted is not None:
                    st.caption("Current taxonomy")


def _same_tree(first: Taxonomy, second: Taxonomy) -> bool:
    """Whether two taxonomies have the same groups, whatever is published from them."""
    return first == replace(second, one_node=first.one_node)


def _one_group(name: str) -> None:
    """Ask whether a class is one group of the tree, or a list if that loses less."""
    about = (
        "A class is published as one group of the tree, such as 011\\*\\*. Otherwise least loss lists values and "
        "groups, which takes longer to read but loses less."
    )
    _ask_field(st.toggle, "One group per class", name, _tree_of, "one_node", help=about)


def _download(tree: Taxonomy, place: int) -> None:
    widgets.download("Download as an ARX hierarchy", tree.to_arx, f"hierarchy_{place + 1}.csv", f"data:arx:{place}")
    if any(harmless(label) != label for label in tree.labels):
        st.caption("In the file, values that a spreadsheet would run as formulas start with an apostrophe.")


def _made(way: str | None, name: str, values: Sequence[str], place: int) -> Taxonomy | None:
    if way == "file":
        key = f"data:hierarchy:{place}"
        file = uploads.uploader("Hierarchy: value;level 1;…;* on each line, or child;parent", key, max_upload_size=20)
        if file is None:
            return None
        with widgets.working(reading.WORDS, stop=partial(uploads.let_go, key, file.file_id)) as progress:
            return read_hierarchy(file.getvalue(), column=name, progress=progress)
    if way == "prefix":
        text = st.text_input("Leading characters to keep at each level", "3, 1", key=f"data:prefix:{place}")
        return replace(Taxonomy.from_prefixes(values, keep=read_lengths(text)), one_node=True)
    if way == "flat":
        return Taxonomy.flat(values)
    return None


def _propose(name: str, wanted: Taxonomy, values: Sequence[str], schema: Schema) -> None:
    _picture(wanted, values)
    for note in wanted.notes:
        st.caption(note)
    lacking = len(values) - coverage(wanted, values)
    if st.button(
        "Use this taxonomy", key="data:tree:use", type="primary", disabled=lacking > 0, icon=":material/check:"
    ):
        _accept(name, wanted, schema)
        st.rerun()
    if lacking:
        why = why_lacking(wanted, values) if lacking == len(values) else ""
        st.caption(
            f"It lacks {count(lacking)} of the {several(len(values), 'value')} of {safe(name, 40)}, and a taxonomy "
            f"must contain all of them. {why or 'Add a line for each to the file'}, and load it again."
        )
    else:
        st.caption(f"Not applied yet to {safe(name, 40)}.")


def _picture(tree: Taxonomy, values: Sequence[str]) -> None:
    covered = coverage(tree, values)
    st.caption(
        f"Covers {'all' if covered == len(values) else count(covered) + ' of'} {count(len(values))} values. Nodes "
        f"per level, from the root: {levels(tree)}."
    )
    st.code(outline(tree), language=None, height=260)
