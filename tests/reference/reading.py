"""Delimited text, character by character, after RFC 4180 and the rules of ``core.data.reading``."""

from __future__ import annotations


def split_slowly(text: str, delimiter: str, spaced: bool = False) -> list[list[str]]:
    """Rows of fields, blank lines left out; ValueError if a quote is misplaced."""
    rows: list[list[str]] = []
    row: list[str] = []
    field, state = "", "line"
    previous = ""
    for character in text:
        second_half = previous == "\r" and character == "\n" and state == "line"
        previous = character
        if second_half:
            continue
        if state != "quoted" and character in "\r\n":
            if state != "line":
                rows.append([*row, field])
            row, field, state = [], "", "line"
        elif state != "quoted" and character == delimiter:
            row, field, state = [*row, field], "", "field"
        else:
            field, state = _next(field, state, character, spaced)
    if state == "quoted":
        raise ValueError("a quote is not closed")
    if state != "line":
        rows.append([*row, field])
    return rows


def _next(field: str, state: str, character: str, spaced: bool) -> tuple[str, str]:
    """Field and state after a character that ends neither field nor line.

    States: at the beginning of a ``line`` or a ``field``, in a ``plain`` or a ``quoted``
    one, after a ``quote`` in a quoted one.
    """
    if state == "quoted":
        return (field, "quote") if character == '"' else (field + character, "quoted")
    if state == "quote":
        if character != '"':
            raise ValueError("text after a closing quote")
        return field + '"', "quoted"
    if state == "plain":
        return field + character, "plain"
    if character == '"':
        return field, "quoted"
    return (field, "field") if spaced and character == " " else (character, "plain")


SHORT = "the header is a cell short"


def read_slowly(text: str, delimiter: str, spaced: bool = False) -> tuple[list[str], list[list[str]]]:
    """Header and rows; ValueError if there is no table."""
    rows = split_slowly(text, delimiter, spaced)
    while rows and len(rows[0]) == 1 and not rows[0][0].strip():
        del rows[0]
    if len(rows) < 2:
        raise ValueError("no rows")
    header, *body = rows
    if len(header) > 1:
        body = [row for row in body if len(row) > 1 or row[0].strip()]
    if body and {len(row) for row in body} == {len(header) + 1}:
        raise ValueError(SHORT)
    if not body or any(len(row) != len(header) for row in body):
        raise ValueError("no rows, or ragged")
    return header, body
