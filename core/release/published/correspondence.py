"""Which columns and values of another publisher's table correspond to mine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from core.base.errors import InputError, nearest
from core.base.errors import shown_name as shown
from core.data.schemas.schema import Schema
from core.data.tables.csv_export import harmless


def headers_of(names: Sequence[str], schema: Schema, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return their header of each of my columns that they publish.

    Without a correspondence it is the column of the same name. With one, columns that it leaves out are not published
    (but the sensitive column may keep its name).

    Raises
    ------
    InputError
        If the correspondence names a missing column, or one column twice, or leaves
        no quasi-identifier or no sensitive attribute.
    """
    known = schema.released
    if columns is None:
        headers = {mine: theirs for mine in known for theirs in (harmless(mine), mine) if theirs in names}
    else:
        headers = dict(columns)
        headers = {name: name for name in schema.sensitive_columns if name in names} | headers
    used: dict[str, str] = {}
    for mine, theirs in headers.items():
        if mine not in known:
            raise InputError(
                f"{shown(mine)} is not a column of my release; take it out of the correspondence of columns.",
                parameter=mine,
            )
        if theirs not in names:
            raise InputError(
                f"The published table has no column {shown(theirs)} among its {len(names):,} columns"
                f"{nearest(theirs, names)}; check the name, and that the first row of the file holds the names of the "
                "columns.",
                parameter=theirs,
            )
        if is_end(theirs) and not is_end(mine):
            raise InputError(
                f"The published column {shown(theirs)} is one end of a range, and the file has no column for the other "
                f"end; leave {shown(mine)} without a column, or add the other end to the file.",
                parameter=theirs,
            )
        if theirs in used:
            raise InputError(
                f"The published column {shown(theirs)} corresponds to both {shown(used[theirs])} and {shown(mine)}; "
                "give each of my columns a separate one.",
                parameter=theirs,
            )
        used[theirs] = mine
    lacking = next((name for name in schema.sensitive_columns if name not in headers), None)
    if lacking is not None:
        raise InputError(
            f"The published table has no column for the sensitive attribute {shown(lacking)}; say which of "
            f"its {len(names):,} columns corresponds to it. A table with another sensitive attribute cannot be "
            "intersected with mine.",
            parameter=lacking,
        )
    if not set(headers) & set(schema.quasi_identifiers):
        raise InputError(
            f"The published table has none of the quasi-identifiers {_listed(schema.quasi_identifiers)}; say which of "
            f"its {len(names):,} columns correspond to them, at least one.",
            parameter="columns",
        )
    return headers


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name) for name in names[:12]) + (" ..." if len(names) > 12 else "")


# ---- proposals ----------------------------------------------------------------------------


_LOWER, _UPPER = "min|from|low|lower|lb|start", "max|to|high|upper|ub|end"
_END = f"(?P<end>{_LOWER}|{_UPPER})"
_ENDS = (
    re.compile(rf"(?P<stem>.*[^\s_.-])[\s_.-]+[(\[]?{_END}[)\]]?", re.IGNORECASE),
    re.compile(rf"{_END}[\s_.-]+(?P<stem>[^\s_.-].*)", re.IGNORECASE),
    re.compile(r"(?P<stem>.*[a-z0-9])(?P<end>Min|Max|From|To|Low|High|Lower|Upper|Start|End)"),
)
"""Headers of one end of a range: ``age_min``, ``Age (min)``, ``min_age``, ``AgeMin``."""


def end_of(header: str) -> tuple[str, str] | None:
    """Stem and end, in lower case, of a header that names one end of a range, so that its cells are not values."""
    match = next((match for form in _ENDS if (match := form.fullmatch(header))), None)
    return None if match is None else (match["stem"], match["end"].casefold())


def is_end(header: str) -> bool:
    """Whether a header names one end of a range."""
    return end_of(header) is not None


def folded(text: str) -> str:
    """Normal form of a name: letters and digits, without case and accents."""
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
        My column to their header, for the columns of a release: first if the header is the same apart from case,
        accents, blanks and marks, then if it is another usual name of the same thing (:data:`SYNONYMS`). Ambiguous
        headers are left out.
    """
    mine = schema.released
    headers = tuple(header for header in dict.fromkeys(names) if header in mine or not is_end(header))
    proposed = {ours: theirs for theirs, ours in _matched(headers, mine, once=True).items()}
    of_mine, of_theirs = _meant(mine), _meant(headers)
    for thing, ours in of_mine.items():
        theirs = of_theirs.get(thing, [])
        if len(ours) == len(theirs) == 1 and ours[0] not in proposed and theirs[0] not in proposed.values():
            proposed[ours[0]] = theirs[0]
    return proposed


SYNONYMS = (
    ("sex", "gender"),
    ("age", "ageyears", "ageinyears", "ageyrs", "patientage"),
    ("zip", "zipcode", "postalcode", "postcode", "plz"),
    ("diagnosis", "diagnosiscode", "diag"),
    ("education", "educationlevel"),
    ("occupation", "job", "profession"),
    ("maritalstatus", "civilstatus"),
    ("nativecountry", "countryofbirth", "birthcountry"),
)
"""Common synonyms, as :func:`folded` writes them. They are only proposed: the user who loads a file sees them."""


def _meant(names: Iterable[str]) -> dict[str, list[str]]:
    """Names of each thing of :data:`SYNONYMS`, by its first name."""
    thing = {synonym: group[0] for group in SYNONYMS for synonym in group}
    by_thing: dict[str, list[str]] = {}
    for name in names:
        if folded(name) in thing:
            by_thing.setdefault(thing[folded(name)], []).append(name)
    return by_thing


def in_my_case(theirs: Iterable[str], mine: Iterable[str]) -> dict[str, str]:
    """Map their labels to those of mine that differ only in letter case.

    If either side writes it in more than one way, it is ambiguous and left out.
    """
    of_mine, of_theirs = _by_case(mine), _by_case(theirs)
    pairs = ((texts, of_mine.get(folded, [])) for folded, texts in of_theirs.items())
    return {theirs[0]: ours[0] for theirs, ours in pairs if len(theirs) == len(ours) == 1 and theirs != ours}


def _by_case(texts: Iterable[str]) -> dict[str, list[str]]:
    spellings: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        spellings.setdefault(text.casefold(), []).append(text)
    return spellings


def propose_values(theirs: Iterable[str], mine: Iterable[str]) -> dict[str, str]:
    """Propose the value of mine for each of theirs, by the same rule; several may map to one of mine."""
    return _matched(theirs, mine, once=False)


def _matched(theirs: Iterable[str], mine: Iterable[str], once: bool) -> dict[str, str]:
    wanted = dict.fromkeys(mine)
    by_key: dict[str, list[str]] = {}
    for text in wanted:
        by_key.setdefault(folded(text), []).append(text)
    matches: dict[str, str] = {}
    matched: dict[str, str] = {}
    for text in dict.fromkeys(theirs):
        same = by_key.get(folded(text), []) if folded(text) else []
        if text in wanted:
            matches[text] = text
        elif len(same) == 1:
            matched[text] = same[0]
    taken = list(matched.values())
    for text, ours in matched.items():
        if not once or (ours not in matches.values() and taken.count(ours) == 1):
            matches[text] = ours
    return matches
