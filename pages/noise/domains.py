"""The domain of every column of the noisy table: suggested from public knowledge, entered, confirmed by somebody."""

from __future__ import annotations

import csv

import numpy as np
import streamlit as st

from core import CompositionError, dp
from core.classes import weighted_count
from core.data.domain import Domain
from core.data.schema import Kind
from core.data.table import parse_numbers
from core.dp import Declared
from core.errors import ParameterError
from pages.noise import numbers as noise_runs
from pages.shared import errors, noise_grid, results
from pages.shared.text import count, percent, safe

PLACE = "noise"
HOW_WORDS = {
    "range": "A range of numbers",
    "values": "A list of values",
    "tree": "A level of the taxonomy",
    "order": "The order of the column",
    "open": "Not listed: rare values stay out",
}
MANY_OUTSIDE = 0.05
MOST_BYTES = 5_000_000


def show() -> None:
    """One button a column that opens its declaration, and what still has to be said."""
    domains, known = noise_runs.domains(), noise_grid.confirmed()
    st.markdown(
        "Domains",
        help=(
            "Noise hides how many records a cell has, not that the cell exists. So the cells have to come from public "
            "knowledge: a range, a code list, a taxonomy. Nothing is taken from your table."
        ),
    )
    with st.container(horizontal=True, gap="small"):
        for domain in domains:
            _column(domain, known.get(domain.name))
    _waiting([domain for domain in domains if domain.name not in known])
    _outside([domain for domain in domains if domain.name in known])


def _column(domain: Domain, known: Declared | None) -> None:
    suggested = noise_grid.suggestion(domain)
    if known is not None:
        mark, words = ":material/check:", dp.words_of(known)
    elif suggested is not None:
        mark, words = ":material/help:", f"{dp.words_of(suggested.declared)}?"
    else:
        mark, words = ":material/edit:", "to be declared"
    with st.popover(f"{safe(domain.name, 30)}: {words}", icon=mark):
        _edit(domain, known, suggested)


def _waiting(missing: list[Domain]) -> None:
    """What is not declared yet, and how to confirm all suggestions at once."""
    if not missing:
        return
    offered = {
        domain.name: suggestion for domain in missing if (suggestion := noise_grid.suggestion(domain)) is not None
    }
    names = ", ".join(safe(domain.name, 30) for domain in missing)
    st.caption(
        f":material/info: You can read the charts already. A table can be drawn once you have declared {names}. Until "
        f"then charts use what is suggested, or the values of your table; nothing of those is published."
    )
    made = [safe(domain.name, 30) for domain in missing if domain.name in offered and _all_occur(domain)]
    if made:
        st.caption(
            f":material/warning: Every value that the taxonomy or order of {', '.join(made)} lists occurs in your "
            f"table. If it was made from the table, it is not public. Declare another."
        )

    if offered:
        st.button(
            "Confirm: the suggested domains are public, not taken from my table",
            key=f"{PLACE}:confirm",
            on_click=_confirm,
            icon=":material/check:",
        )


def _confirm() -> None:
    """Declare what is suggested for every column that has no domain yet."""
    known = noise_grid.confirmed()
    for domain in noise_runs.domains():
        suggestion = noise_grid.suggestion(domain)
        if domain.name not in known and suggestion is not None:
            noise_grid.confirm(domain.name, suggestion.declared)


def _all_occur(domain: Domain) -> bool:
    """Whether every value of a taxonomy or an order occurs, as it does where it was made from the table."""
    if domain.taxonomy is None and domain.kind is not Kind.ORDINAL:
        return False
    return bool((_records(domain)[: domain.size - (domain.missing >= 0)] > 0).all())


def _records(domain: Domain) -> np.ndarray:
    """(codes,) records of each value."""
    encoded = results.encoded()
    if domain.name == encoded.sensitive.name:
        return encoded.overall
    place = [qid.name for qid in encoded.qids].index(domain.name)
    return weighted_count(encoded.codes[place], encoded.weight, domain.size)


def _outside(known: list[Domain]) -> None:
    """Many records outside a declaration mean other spelling; how many there are is not told to the last one."""
    for domain in known:
        axis = noise_grid.axis(domain)
        if not axis.declared.closed:
            continue
        some = _records(domain).astype(np.float64)
        if domain.missing >= 0:
            some[domain.missing] = 0
        rest = axis.size - 1 if axis.declared.rest else -1
        share = float(some[(axis.bin_of == rest) | (axis.bin_of < 0)].sum() / max(1.0, some.sum()))
        if share > MANY_OUTSIDE:
            what = "are counted as other" if axis.declared.rest else "are left out of the table"
            st.caption(
                f":material/warning: Over {percent(MANY_OUTSIDE)} of the records have a value of "
                f"{safe(domain.name, 30)} that is not declared and {what}. Are the values written as in the table?"
            )


# ---- one declaration -------------------------------------------------------------------------


def _kinds(domain: Domain) -> list[str]:
    if domain.taxonomy is not None:
        return ["tree", "values", "open"]
    if domain.kind is Kind.ORDINAL:
        return ["order", "values", "open"]
    if domain.kind is Kind.NUMERIC:
        return ["range", "values", "open"]
    return ["values", "range", "open"]


def _edit(domain: Domain, known: Declared | None, suggested: dp.Suggestion | None) -> None:
    start = known if known is not None else suggested.declared if suggested is not None else None
    kinds = _kinds(domain)
    # A key of what it shows: once it is declared, the fields begin anew from there.
    key = f"{PLACE}:domain:{domain.name}:{hash(start)}"
    if known is None and suggested is not None:
        st.caption(f"Suggested: {suggested.why}. It counts once you confirm that it is public.")
    how = st.selectbox(
        "Where do the possible values come from?",
        kinds,
        format_func=HOW_WORDS.__getitem__,
        key=f"{key}:how",
        index=kinds.index(start.kind) if start is not None and start.kind in kinds else 0,
    )
    first = start if start is not None and start.kind == how else None
    with st.form(f"{key}:{how}", border=False):
        given = _fields(domain, how, first, f"{key}:{how}")
        rest = True
        if how != "open":
            rest = st.checkbox(
                "Count anything else, and missing values, in a bin of their own",
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
                noise_grid.confirm(domain.name, made)
            except CompositionError as error:
                errors.refuse(error)
            else:
                st.rerun()
    if known is not None and st.button("Take back", key=f"{key}:back", icon=":material/undo:"):
        noise_grid.confirm(domain.name, None)
        st.rerun()


Given = dict[str, object]


def _fields(domain: Domain, how: str, first: Declared | None, key: str) -> Given:
    """Ask what this way of declaring needs."""
    if how == "range":
        st.caption("Numbers outside are counted in the first or the last bin.")
        entered: Given = {}
        for place, name, words, empty in zip(
            st.columns(3), ("low", "high", "width"), ("From", "To", "In bins of"), ("0", "120", "10"), strict=True
        ):
            value = float(getattr(first, name)) if first else None
            entered[name] = place.number_input(words, value=value, key=f"{key}:{name}", placeholder=empty, format="%g")
        return entered
    if how == "values":
        text = st.text_area(
            "Values, one a line, as they are written in the table",
            "\n".join(first.values) if first else "",
            key=f"{key}:values",
        )
        file = st.file_uploader(
            "or a file of codes",
            ["csv", "txt"],
            key=f"{key}:file",
            max_upload_size=MOST_BYTES // 1_000_000,
            help="One code a line. What follows a semicolon or a tab is taken for its meaning.",
        )
        return {"text": text, "file": file.getvalue() if file is not None else None}
    if how == "tree":
        height = domain.taxonomy.height if domain.taxonomy is not None else 1
        most = max(1, height)
        level = min(first.level, most) if first else 1
        st.caption(f"Level 1 is below the root, level {most} has the values themselves.")
        return {"level": st.number_input("Level", 1, most, level, step=1, key=f"{key}:level", disabled=most == 1)}
    if how == "order":
        size = domain.size - (domain.missing >= 0)
        groups = (first.groups or size) if first else size
        return {
            "groups": st.number_input(
                "Groups of it", 1, size, min(groups, size), step=1, key=f"{key}:groups", disabled=size == 1
            )
        }
    st.caption(
        "A count is told only where its noisy value reaches a threshold. Cells with fewer records stay out. That "
        "takes Laplace noise and costs a small δ."
    )
    if domain.kind is not Kind.NUMERIC:
        return {}
    start = float(first.width) if first else 0.0
    words = "In bins of (0: each number by itself)"
    return {"width": st.number_input(words, 0.0, value=start, key=f"{key}:width", format="%g")}


def _made(domain: Domain, how: str, given: Given, rest: bool, source: str) -> Declared:
    """What was entered, as a declaration; raises ParameterError with what to do."""
    if how == "values":
        return Declared("values", values=_listed(domain, given), rest=rest, source=source)
    if how in ("tree", "order"):
        parts = {name: int(str(value)) for name, value in given.items()}
        level, groups = parts.get("level", Declared.level), parts.get("groups", Declared.groups)
        return Declared(how, level=level, groups=groups, digest=dp.digest_of(domain), rest=rest, source=source)
    numbers = {name: float(str(value)) for name, value in given.items() if value is not None}
    if how == "range" and len(numbers) < 3:
        raise ParameterError("A range needs its first number, its last one and the width of a bin.", parameter="range")
    low, high, width = (numbers.get(name, 0.0) for name in ("low", "high", "width"))
    return Declared(how, low, high, width, rest=rest, source=source)


def _listed(domain: Domain, given: Given) -> tuple[str, ...]:
    """Values from the field and the file, each once."""
    lines = str(given["text"]).splitlines()
    file = given["file"]
    if isinstance(file, bytes):
        if len(file) > MOST_BYTES:
            raise ParameterError(f"A file of codes has at most {MOST_BYTES // 1_000_000} MB.", parameter="values")
        lines += codes_in(file)
    texts = tuple(dict.fromkeys(text for line in lines if (text := line.strip())))
    if domain.kind is Kind.NUMERIC and texts and np.isnan(parse_numbers(texts)).any():
        bad = int(np.isnan(parse_numbers(texts)).sum())
        raise ParameterError(
            f"{count(bad)} of the listed values are no numbers, but the column holds numbers.", parameter="values"
        )
    return texts


def codes_in(file: bytes) -> list[str]:
    """Codes of a file, one a line; their meanings after a semicolon or a tab are left out."""
    try:
        text = file.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = file.decode("latin-1")
    delimiter = "\t" if "\t" in text else ";"
    try:
        return [row[0] for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    except csv.Error:
        raise ParameterError("The file of codes cannot be read; write one code a line.", parameter="values") from None
