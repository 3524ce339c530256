"""The domain of every column of the noisy table: suggested from public knowledge, entered, confirmed by the user."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from core import CompositionError, dp
from core.base.errors import ParameterError
from core.data.encoding.domain import Domain
from core.data.frequency_table import label_counts
from core.data.schemas.schema import ColumnType
from core.dp import Declared
from pages.noise import grid
from pages.noise import numbers as noise_runs
from pages.shared.compute import data_results
from pages.shared.state import session
from pages.shared.ui import errors
from pages.shared.ui.text import count, safe

PLACE = "noise"
HOW_WORDS = {
    "range": "A range of numbers",
    "values": "A list of values",
    "tree": "A level of the taxonomy",
    "order": "The order of the column",
    "open": "Unlisted: rare values are left out",
}


def show() -> None:
    """One button per column that opens its declaration, and what is still missing."""
    domains, known = noise_runs.domains(), grid.confirmed()
    st.markdown(
        "Domains",
        help=(
            "Noise hides how many records a cell has, not that the cell exists. So the cells must come from public "
            "knowledge: a range, a code list, a taxonomy. Nothing is taken from your table."
        ),
    )
    with st.container(horizontal=True, gap="small"):
        for domain in domains:
            _column(domain, known.get(domain.name))
    _waiting([domain for domain in domains if domain.name not in known])
    _outside([domain for domain in domains if domain.name in known])


def _column(domain: Domain, known: Declared | None) -> None:
    offered = dp.suggest(domain.name)
    if known is not None:
        mark, words = ":material/check:", dp.words_of(known)
    elif len(offered) == 1:
        mark, words = ":material/help:", f"{dp.words_of(offered[0].declared)}?"
    else:
        mark, words = ":material/edit:", "to be chosen" if offered else "to be declared"
    with st.popover(f"{safe(domain.name, 30)}: {words}", icon=mark):
        _edit(domain, known, offered)


def _waiting(missing: list[Domain]) -> None:
    """The columns not declared yet, and a button that confirms all suggestions."""
    if not missing:
        return
    names = ", ".join(safe(domain.name, 30) for domain in missing)
    st.caption(
        f":material/info: You can read the charts already. A table can be drawn once you have declared {names}. Until "
        f"then charts use the values of your table; nothing of those is published."
    )
    if any(len(dp.suggest(domain.name)) == 1 for domain in missing):
        st.button(
            "Confirm: the suggested domains are public, not taken from my table",
            key=f"{PLACE}:confirm",
            on_click=_confirm,
            icon=":material/check:",
        )


def _confirm() -> None:
    """Declare the suggested domain of every column without one, if there is a single suggestion."""
    known = grid.confirmed()
    for domain in noise_runs.domains():
        offered = dp.suggest(domain.name)
        if domain.name not in known and len(offered) == 1:
            grid.confirm(domain.name, offered[0].declared)


def _all_occur(domain: Domain) -> bool:
    """Whether every value of a taxonomy or an order occurs, as in one made from the table."""
    encoded = data_results.encoded()
    if domain.name == encoded.sensitive.name:
        codes = encoded.sensitive_codes
    else:
        codes = encoded.codes[[qid.name for qid in encoded.qids].index(domain.name)]
    known = domain.size - (domain.missing >= 0)
    return bool((np.bincount(codes, minlength=domain.size)[:known] > 0).all())


def _outside(known: list[Domain]) -> None:
    """Number of records with a value that a closed domain lacks: shown here, never published."""
    workspace, declared_of = session.workspace(), grid.confirmed()
    for domain in known:
        column, declared = workspace.table.column(domain.name), declared_of[domain.name]
        if not declared.closed:
            continue
        outside = dp.in_rest(column, workspace.schema, declared)
        outside &= ~np.isin(column.labels, workspace.schema.missing_tokens)
        many = int(label_counts(workspace.data, column)[outside].sum())
        if many:
            what = "counted as other" if declared.rest else "left out of the table"
            have, are = ("record has", "is") if many == 1 else ("records have", "are")
            st.caption(
                f":material/warning: {count(many)} {have} a value of {safe(domain.name, 30)} that is not declared and "
                f"{are} {what}. Are the values being read correctly? This number is only for you."
            )


# ---- one declaration -------------------------------------------------------------------------


def _forms(domain: Domain) -> list[str]:
    """Ways to declare, the most likely first."""
    schema = session.workspace().schema
    own = ["tree"] * (domain.name in schema.taxonomies) + ["order"] * (domain.name in schema.orders)
    return [*own, *(("range", "values") if domain.column_type is ColumnType.NUMERIC else ("values", "range")), "open"]


def _edit(domain: Domain, known: Declared | None, offered: tuple[dp.Suggestion, ...]) -> None:
    start = known
    if known is None and offered:
        st.caption(f"Suggested: {offered[0].why}. It takes effect once you confirm that it is public.")
        start = offered[0].declared
        if len(offered) > 1:
            start = st.selectbox(
                "As they are written in the table",
                [suggestion.declared for suggestion in offered],
                format_func=lambda declared: ", ".join(declared.values),
                key=f"{PLACE}:domain:{domain.name}:written",
            )
    forms = _forms(domain)
    # The key depends on the value shown: once it is declared, the fields restart from it.
    key = f"{PLACE}:domain:{domain.name}:{hash(start)}"
    how = st.selectbox(
        "Where do the possible values come from?",
        forms,
        format_func=HOW_WORDS.__getitem__,
        key=f"{key}:how",
        index=forms.index(start.kind) if start is not None and start.kind in forms else 0,
    )
    first = start if start is not None and start.kind == how else None
    with st.form(f"{key}:{how}", border=False):
        given = _fields(domain, how, first, f"{key}:{how}")
        rest = True
        if how != "open":
            rest = st.checkbox(
                "Count anything else, and missing values, in a separate bin",
                first.rest if first else True,
                key=f"{key}:{how}:rest",
                help="Otherwise such records are left out of the noisy table.",
            )
        source = st.text_input(
            "Source of these values",
            first.source if first else "",
            key=f"{key}:{how}:source",
            max_chars=200,
            placeholder="Code list of 2025",
            help="For the statement that goes with the table.",
        )
        if st.form_submit_button("Declare: this is public, not taken from my table", icon=":material/check:"):
            try:
                made = _made(domain, how, given, rest, " ".join(source.split()))
                grid.confirm(domain.name, made)
            except CompositionError as error:
                errors.refuse(error)
            else:
                st.rerun()
    if known is not None and st.button("Take back", key=f"{key}:back", icon=":material/undo:"):
        grid.confirm(domain.name, None)
        st.rerun()


Given = dict[str, object]


def _fields(domain: Domain, how: str, first: Declared | None, key: str) -> Given:
    """Ask for the details of this way of declaring."""
    if how == "range":
        st.caption("Numbers outside the range are counted in the first or the last bin.")
        entered: Given = {}
        for place, name, words, empty in zip(
            st.columns(3), ("low", "high", "width"), ("From", "To", "In bins of"), ("0", "120", "10"), strict=True
        ):
            value = float(getattr(first, name)) if first else None
            entered[name] = place.number_input(words, value=value, key=f"{key}:{name}", placeholder=empty, format="%g")
        return entered
    if how == "values":
        text = st.text_area(
            "Values, one per line, as they are written in the table",
            "\n".join(first.values) if first else "",
            key=f"{key}:values",
        )
        return {"text": text}
    if how in ("tree", "order") and _all_occur(domain):
        st.caption(
            ":material/warning: Every value that it lists occurs in your table. If it was made from the table, it is "
            "not public."
        )
    if how == "tree":
        schema = session.workspace().schema
        most = max(1, schema.taxonomies[domain.name].height)
        level = min(first.level, most) if first else most if domain.name == schema.sensitive else 1
        st.caption(f"Level 1 is just below the root; level {most} has the values themselves.")
        return {"level": st.number_input("Level", 1, most, level, step=1, key=f"{key}:level", disabled=most == 1)}
    if how == "order":
        size = len(session.workspace().schema.orders[domain.name])
        groups = (first.groups or size) if first else size
        return {
            "groups": st.number_input(
                "Groups of it", 1, size, min(groups, size), step=1, key=f"{key}:groups", disabled=size == 1
            )
        }
    st.caption(
        "A count is published only if its noisy value reaches a threshold. Cells with fewer records are left out. "
        "This requires Laplace noise and costs a small δ."
    )
    start = float(first.width) if first else 0.0
    words = "Width of number bins (0: each number separately)"
    return {"width": st.number_input(words, 0.0, value=start, key=f"{key}:width", format="%g")}


def _made(domain: Domain, how: str, given: Given, rest: bool, source: str) -> Declared:
    """The entry as a declaration; raises ParameterError with what to do."""
    if how in ("tree", "order"):
        parts: dict[str, Any] = {name: int(str(value)) for name, value in given.items()}
        digest = dp.digest_of(session.workspace().schema, domain.name)
        return Declared(how, digest=digest, rest=rest, source=source, **parts)
    # Numbers are read as in the table; a range has numbers, whatever the type of the column.
    numbers = how == "range" or domain.column_type is ColumnType.NUMERIC
    decimal = session.workspace().table.decimal if numbers else "."
    if how == "values":
        lines = (line.strip() for line in str(given["text"]).splitlines())
        listed = tuple(dict.fromkeys(line for line in lines if line))
        return Declared(how, values=listed, numbers=numbers, decimal=decimal, rest=rest, source=source)
    entered = {name: float(str(given[name])) for name in ("low", "high", "width") if given.get(name) is not None}
    if how == "range" and len(entered) < 3:
        raise ParameterError("A range needs its first number, its last one and the width of a bin.", parameter="range")
    low, high, width = (entered.get(name, 0.0) for name in ("low", "high", "width"))
    if not numbers and width:
        raise ParameterError("Bins with a width need numbers; read the cells as numbers.", parameter="width")
    apart = how == "open" and numbers
    return Declared(how, low, high, width, numbers=apart, decimal=decimal, rest=rest, source=source)
