"""Hierarchies of places: countries under the regions of the United Nations, postal codes under their parts.

Countries are ISO 3166 codes of two or three letters, or English names; the regions are those of the standard M49 of
the United Nations Statistics Division (assets/data/countries.csv). Postal codes are recognised by the form that a
country uses, and their parts are the areas by which mail is sorted.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from core.data.schemas.taxonomy import ROOT, Taxonomy

ENOUGH, FEWEST = 0.95, 3
"""Share of the values that must be countries, and their smallest number."""
OTHERS = "Other values"
REGIONS = {
    "Africa": ("Eastern Africa", "Middle Africa", "Northern Africa", "Southern Africa", "Western Africa"),
    "Americas": ("Caribbean", "Central America", "Northern America", "South America"),
    "Antarctica": ("Antarctica",),
    "Asia": ("Central Asia", "Eastern Asia", "South-eastern Asia", "Southern Asia", "Western Asia"),
    "Europe": ("Eastern Europe", "Northern Europe", "Southern Europe", "Western Europe"),
    "Oceania": ("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
}
_REGION_OF = {subregion: region for region, subregions in REGIONS.items() for subregion in subregions}


@cache
def _subregions() -> dict[str, str]:
    """Subregion of each code and name of a country, in small letters."""
    path = Path(__file__).parents[3] / "assets" / "data" / "countries.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {row[key].casefold(): row["subregion"] for key in ("name", "alpha3", "alpha2") for row in rows}


_OF_COUNTRIES = re.compile(r"(?<!bundes)(?:countr|nation|citizen|pays|land|herkunft|staatsang|geburt|birth|origin)")
"""Headers under which two letters are a country, and not a state such as CA."""


def country_taxonomy(name: str, values: Sequence[str]) -> Taxonomy | None:
    """Countries under subregions and regions; ``None`` if fewer than 95 of 100 values are countries; O(values).

    Values that are not countries are separate from the regions. Codes of two letters need a header, ``name``, that
    names countries.
    """
    if all(len(value.strip()) == 2 for value in values) and not _OF_COUNTRIES.search(name.casefold()):
        return None
    of = {value: _subregions().get(value.strip().casefold()) for value in values}
    places = {value: place for value, place in of.items() if place is not None}
    if len(places) < max(FEWEST, ENOUGH * len(values)) or len(set(places.values())) < 2:
        return None
    order = {subregion: at for at, subregion in enumerate(_REGION_OF)}
    deep = sorted(places, key=lambda value: (order[places[value]], value))
    rows = [(value, places[value], _REGION_OF[places[value]], ROOT) for value in deep]
    return Taxonomy.from_levels([*rows, *((value, OTHERS, OTHERS, ROOT) for value in values if value not in places)])


_UNITED_KINGDOM = re.compile(r"(([A-Z]{1,2})\d[A-Z\d]?) ?(\d)[A-Z]{2}")


def _british(code: str) -> tuple[str, ...]:
    """Sector, district and area of a postcode of the United Kingdom."""
    match = _UNITED_KINGDOM.fullmatch(code)
    return () if match is None else (f"{match[1]} {match[3]}", match[1], match[2])


def _leading(form: str, *keep: int) -> Callable[[str], tuple[str, ...]]:
    """Parts of codes of one form: their first characters; the same with a space in the code or without one."""
    pattern = re.compile(form)

    def parts(code: str) -> tuple[str, ...]:
        return tuple(code[:n] for n in keep) if pattern.fullmatch(code) else ()

    return parts


POSTAL_CODES: dict[str, Callable[[str], tuple[str, ...]]] = {
    "United Kingdom": _british,
    "Canada": _leading(r"[A-Z]\d[A-Z] ?\d[A-Z]\d", 3, 1),
    "Netherlands": _leading(r"\d{4} ?[A-Z]{2}", 4, 2, 1),
    "United States": _leading(r"\d{5}-\d{4}", 5, 3, 1),
}
"""Parts of a postal code by country; codes of five digits, as in Germany, suggest their leading characters anyway."""


def postal_taxonomy(values: Sequence[str]) -> Taxonomy | None:
    """Postal codes of one country under their parts; ``None`` if any value is written differently; O(values)."""
    for parts in POSTAL_CODES.values():
        rows = [(value, *parts(value.strip().upper())) for value in values]
        if all(len(row) > 1 for row in rows):
            return Taxonomy.from_levels([(*row, ROOT) for row in rows])
    return None
