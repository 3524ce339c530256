"""Which columns and values of another publisher's table correspond to mine."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from core.data.csv_export import harmless
from core.data.schema import Schema
from core.errors import InputError
from core.errors import shown_name as shown


def headers_of(names: Sequence[str], schema: Schema, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return their header of each of my columns that they publish.

    Without a correspondence it is the column of the same name; with one, what it leaves out
    is not published (but the sensitive column may keep its name).

    Raises
    ------
    InputError
        If the correspondence names a column that is not there or one column twice, or leaves
        no quasi-identifier or no sensitive attribute.
    """
    needed = (*schema.quasi_identifiers, schema.sensitive)
    if columns is None:
        headers = {mine: theirs for mine in needed for theirs in (harmless(mine), mine) if theirs in names}
    else:
        headers = dict(columns)
        if schema.sensitive not in headers and schema.sensitive in names:
            headers[schema.sensitive] = schema.sensitive
    used: dict[str, str] = {}
    for mine, theirs in headers.items():
        if mine not in needed:
            raise InputError(
                f"{shown(mine)} is neither a quasi-identifier nor the sensitive attribute of my schema; take it out of "
                "the correspondence of columns.",
                parameter=mine,
            )
        if theirs not in names:
            raise InputError(
                f"The published table has no column {shown(theirs)} among its {len(names):,} columns; check the name, "
                "and that the first row of the file holds the names of the columns.",
                parameter=theirs,
            )
        if theirs in used:
            raise InputError(
                f"The published column {shown(theirs)} corresponds to both {shown(used[theirs])} and {shown(mine)}; "
                "give each of my columns one of its own.",
                parameter=theirs,
            )
        used[theirs] = mine
    if schema.sensitive not in headers:
        raise InputError(
            f"The published table has no column for the sensitive attribute {shown(schema.sensitive)}; say which of "
            f"its {len(names):,} columns corresponds to it. A table with another sensitive attribute cannot be "
            "intersected with mine.",
            parameter=schema.sensitive,
        )
    if len(headers) == 1:
        raise InputError(
            f"The published table has none of the quasi-identifiers {_listed(schema.quasi_identifiers)}; say which of "
            f"its {len(names):,} columns correspond to them, at least one.",
            parameter="columns",
        )
    return headers


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name) for name in names[:12]) + (" ..." if len(names) > 12 else "")


# ---- proposals ----------------------------------------------------------------------------


def _key(text: str) -> str:
    """What two spellings of a name have in common: letters and digits, without case and accents."""
    return "".join(ch for ch in unicodedata.normalize("NFKD", text).casefold() if ch.isalnum())


def propose_columns(names: Iterable[str], schema: Schema) -> dict[str, str]:
    """Propose which published column corresponds to each of mine.

    Parameters
    ----------
    names
        Headers of the published table.
    schema
        Mine.

    Returns
    -------
    dict of str to str
        My column to their header, for the quasi-identifiers and the sensitive attribute, where
        a header is the same but for case, accents, blanks and marks. Ambiguous ones are left out.
    """
    mine = (*schema.quasi_identifiers, schema.sensitive)
    return {ours: theirs for theirs, ours in _matched(names, mine, once=True).items()}


def propose_values(theirs: Iterable[str], mine: Iterable[str]) -> dict[str, str]:
    """Propose which of my values each of theirs stands for, by the same rule; several may be one of mine."""
    return _matched(theirs, mine, once=False)


def _matched(theirs: Iterable[str], mine: Iterable[str], once: bool) -> dict[str, str]:
    wanted = dict.fromkeys(mine)
    by_key: dict[str, list[str]] = {}
    for text in wanted:
        by_key.setdefault(_key(text), []).append(text)
    matches: dict[str, str] = {}
    alike: dict[str, str] = {}
    for text in dict.fromkeys(theirs):
        same = by_key.get(_key(text), []) if _key(text) else []
        if text in wanted:
            matches[text] = text
        elif len(same) == 1:
            alike[text] = same[0]
    taken = list(alike.values())
    for text, ours in alike.items():
        if not once or (ours not in matches.values() and taken.count(ours) == 1):
            matches[text] = ours
    return matches
