"""Suggested hierarchies: the tree that the values of a column suggest, to be checked before use.

Codes of one length are grouped by their leading characters (``01135``, ``0113*``, ``011**``, ``01***``), postal codes
with letters by their postal areas, ages into bands of 5, 10 and 20 years (``90+`` is one band), codes of diseases by
chapter, countries by region. Dates need no tree: they are converted to months, quarters or years
(:mod:`core.data.tables.dates`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.data.schemas import header_topics as topics
from core.data.schemas.geography import country_taxonomy, postal_taxonomy
from core.data.schemas.icd import chapter_taxonomy
from core.data.schemas.taxonomy import ROOT, Taxonomy
from core.data.tables.numbers import NUMBER

PREFIXES, AGE_BANDS, CHAPTERS = "leading characters", "age bands", "chapters of the ICD"
COUNTRIES, POSTAL = "regions of the United Nations", "areas of postal codes"
BANDS, LAST_BAND, OLDEST = (5, 10, 20), 90, 130
MOST_VALUES = 50_000
SHORTEST, SHORTEST_POSTCODE = 4, 3
"""Smallest number of characters of codes, and of postcodes."""


@dataclass(frozen=True)
class Hierarchy:
    """A tree with its basis.

    Parameters
    ----------
    by
        One of :data:`PREFIXES`, :data:`AGE_BANDS`, :data:`CHAPTERS`, :data:`COUNTRIES` and :data:`POSTAL`.
    tree
        With all values as leaves. A class is published as one of its nodes.
    """

    by: str
    tree: Taxonomy

    @property
    def steps(self) -> tuple[str, ...]:
        """An example value from the middle of the tree, with its ancestors level by level."""
        return tuple(dict.fromkeys(self.tree.labels[node] for node in self.tree.ancestors[::-1, self.tree.leaves // 2]))


def proposed_hierarchy(name: str, values: Sequence[str]) -> Hierarchy | None:
    """Return the hierarchy that a column suggests by its header and the form of its values.

    Parameters
    ----------
    name
        Its header.
    values
        Its distinct values, missing ones left out.

    Returns
    -------
    Hierarchy or None
        ``None`` if nothing is suggested; O(values x levels).
    """
    if not 2 <= len(values) <= MOST_VALUES:
        return None
    topic = topics.topic_of(name)
    by, tree = CHAPTERS, chapter_taxonomy(values) if topic == topics.DIAGNOSIS else None
    if topic == topics.AGE:
        by, tree = AGE_BANDS, age_bands(values)
    elif topic in (topics.PLACE, topics.ORIGIN, topics.BIRTH) and (countries := country_taxonomy(name, values)):
        by, tree = COUNTRIES, countries
    elif topic == topics.ZIP and (postal := postal_taxonomy(values)):
        by, tree = POSTAL, postal
    elif tree is None and topic != topics.DIAGNOSIS:
        by, tree = PREFIXES, _prefixes(values, SHORTEST_POSTCODE if topic == topics.ZIP else SHORTEST)
    return None if tree is None else Hierarchy(by, replace(tree, one_node=True))


def age_bands(values: Sequence[str]) -> Taxonomy | None:
    """Bands of 5, 10 and 20 years over all ages up to 99, or the highest; ``None`` if a value is not a whole age."""
    ages = [int(value) for value in values if value.isdecimal() and len(value) <= len(str(OLDEST))]
    if not ages or len(ages) < len(values) or max(ages) > OLDEST or {str(age) for age in ages} != set(values):
        return None
    rows = [(str(age), *(_band(age, width) for width in BANDS), ROOT) for age in range(max(99, *ages) + 1)]
    return Taxonomy.from_levels(rows)


def _band(age: int, width: int) -> str:
    """Band of ``width`` years that contains an age; ages from 90 on (80 for 20 years) are one band."""
    low = age // width * width
    return f"{low}-{low + width - 1}" if low + width <= LAST_BAND else f"{min(low, LAST_BAND // width * width)}+"


def _prefixes(values: Sequence[str], shortest: int) -> Taxonomy | None:
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or min(lengths) < shortest or not all(value.isalnum() for value in values):
        return None
    return Taxonomy.from_prefixes(values, keep=range(min(lengths) - 1, 1, -1))


def why_lacking(tree: Taxonomy, known: Sequence[str]) -> str:
    """Explain why a tree has none of the values of a column; "" if the reason is unknown.

    Parameters
    ----------
    tree
        As it was read.
    known
        Values of the column.
    """
    leaves, values = tree.leaf_labels, set(known)
    if tree.height == 1 and all(any(mark in leaf for mark in ",:/\\ ") for leaf in leaves):
        return "Its lines were not separated; separate the levels by semicolons"
    if all(leaf.isdigit() for leaf in leaves) and values & set(tree.labels):
        return "Its first column numbers the lines; leave that column out"
    if {_number(leaf) for leaf in leaves} & {_number(value) for value in known} - {None}:
        return "It writes numbers in another form, with decimals or leading zeros; write them as the table does"
    if {leaf.casefold() for leaf in leaves} & {value.casefold() for value in known}:
        return "It writes values in another letter case; write them as the table does"
    return ""


def _number(text: str) -> float | None:
    return float(text) if NUMBER.fullmatch(text.strip()) else None
