"""Map values of another publisher's file that are spelled differently to mine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import Table
from core.data.encoding.domain import Domain
from core.data.tables.column import Column
from core.release.published.correspondence import in_my_case
from core.release.published.matching import guess_meanings, strange_values
from core.study.uploads import Foreign, Upload
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session
from pages.shared.ui import widgets
from pages.shared.ui.text import count, percent, plain, safe

MAX_VALUES = 400
"""Number of their values that the map shows."""

Triples = tuple[tuple[str, str, str], ...]
"""My column, their value, mine."""


def ask(
    number: int, table: Table, columns: Sequence[tuple[str, str]], known: Upload | None = None
) -> tuple[tuple[tuple[str, str], ...], Triples]:
    """Ask for the meaning of values, guessed or as in ``known``: of the sensitive column and of the others.

    Parameters
    ----------
    number, table
        Index of the hospital, and its table.
    columns
        My columns with their headers, without identifiers.
    known
        How the file was matched before.
    """
    sensitive, domains = session.workspace().schema.sensitive, _domains()
    coded = [(mine, theirs) for mine, theirs in columns if mine in domains]  # published columns count as written
    strange = {mine: _strange(table.column(theirs), domains[mine]) for mine, theirs in coded}
    rows = [(mine, value) for mine, values in strange.items() for value in values]
    if not rows:
        return (), ()
    key = f"hospitals:{number}:upload:values:{table.content_id[:12]}:{hash(tuple(columns))}"
    meant = _edited(key, rows, strange, {**_guesses(strange, domains), **_before(known, columns)})
    _alone(table, strange, meant)
    triples = [(column, value, mine) for (column, value), several in meant.items() for mine in several]
    return (
        tuple((value, mine) for column, value, mine in triples if column == sensitive),
        tuple(triple for triple in triples if triple[0] != sensitive),
    )


def can_be_there(upload: Upload, foreign: Foreign) -> str:
    """Number of my records that the file covers, and the consequence for the others."""
    share = attack_results.in_reach(upload, foreign)
    text = f"With this map **{percent(share)}** of my records can be in their file."
    if share == 1:
        return text
    return (
        f"{text} The attack learns nothing from the other {percent(1 - share)}, so it looks weaker if they are there."
    )


Meanings = Mapping[tuple[str, str], tuple[str, ...]]
"""My values by my column and their value: one, or every value below one of their coarser codes."""


def _domains() -> dict[str, Domain]:
    encoded = data_results.encoded()
    return {domain.name: domain for domain in (*encoded.qids, *encoded.sensitive.columns)}


def _strange(column: Column, mine: Domain) -> dict[str, int]:
    """Values that are not mine; quasi-identifiers that differ only in case are read as mine anyway."""
    schema = session.workspace().schema
    if mine.name in schema.sensitive_columns:  # no release publishes sets of these
        return strange_values(column, mine, schema.missing_tokens, sets=False)
    values = strange_values(column, mine, schema.missing_tokens)
    same = in_my_case(values, mine.labels)
    return {value: records for value, records in values.items() if value not in same}


def _guesses(strange: Mapping[str, Mapping[str, int]], domains: Mapping[str, Domain]) -> Meanings:
    meanings: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, values in strange.items():
        for value, mine in guess_meanings(values, domains[name]):
            meanings[name, value] = (*meanings.get((name, value), ()), mine)
    return meanings


def _before(known: Upload | None, columns: Sequence[tuple[str, str]]) -> Meanings:
    """Earlier answers for columns whose match has not changed."""
    if known is None:
        return {}
    sensitive = session.workspace().schema.sensitive
    return {
        (column, value): mine
        for column, meanings in known.meanings(sensitive).items()
        for value, mine in meanings.items()
        if (column, known.theirs(column)) in columns
    }


def _edited(
    key: str, rows: Sequence[tuple[str, str]], strange: Mapping[str, Mapping[str, int]], start: Meanings
) -> Meanings:
    """The map side by side, as it is and as it is changed."""
    shown, domains = rows[:MAX_VALUES], _domains()
    single = [(label,) for name in dict.fromkeys(name for name, _ in shown) for label in domains[name].labels]
    options = {_text_of(mine): mine for mine in (*single, *start.values())}
    guessed = sum(row in start for row in rows)
    words = f"{count(len(rows))} of their values are not spelled like mine; {count(guessed)} are mapped already"
    with st.expander(words, icon=":material/translate:", expanded=len(rows) <= 30):
        frame = pd.DataFrame(
            {
                "column": [plain(name, 40) for name, _ in shown],
                "theirs": [plain(value, 80) for _, value in shown],
                "records": [strange[name][value] for name, value in shown],
                "mine": [_text_of(start[row]) if row in start else None for row in shown],
            }
        )
        edited = st.data_editor(
            widgets.written(frame, ["records"]),
            hide_index=True,
            num_rows="fixed",
            disabled=["column", "theirs", "records"],
            key=key,
            alt="Their values and mine",
            column_config={
                "column": "My column",
                "theirs": "Their value",
                "records": "Records",
                "mine": st.column_config.SelectboxColumn("Means my value", options=list(options)),
            },
        )
        if len(rows) > MAX_VALUES:
            st.caption(f"The first {count(MAX_VALUES)} are shown. The others stay separate values.")
    chosen = {row: options.get(text, ()) for row, text in zip(shown, edited["mine"], strict=True)}
    return {row: mine for row, mine in chosen.items() if mine and set(mine) <= set(domains[row[0]].labels)}


def _text_of(mine: tuple[str, ...]) -> str:
    """Meaning of one of their values in the map."""
    return mine[0] if len(mine) == 1 else f"any of {', '.join(mine)}"


def _alone(table: Table, strange: Mapping[str, Mapping[str, int]], meant: Meanings) -> None:
    """Count the values without a meaning, because they make the attack look weaker."""
    parts = []
    for name, values in strange.items():
        alone = [records for value, records in values.items() if (name, value) not in meant]
        if alone:
            share = percent(min(1.0, sum(alone) / len(table)))
            parts.append(f"{count(len(alone))} of **{safe(name, 40)}** ({share} of their records)")
    if parts:
        st.caption(
            f":material/warning: Values not mapped to any of mine yet: {'; '.join(parts)}. Match those that are "
            f"other names for my values, or the attack looks weaker than it is."
        )
