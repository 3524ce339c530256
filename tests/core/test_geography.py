"""Hierarchies of places: countries under regions, postal codes under the areas of their post."""

from __future__ import annotations

import pytest

from core.data.schemas.geography import OTHERS, REGIONS, _subregions, country_taxonomy, postal_taxonomy
from core.data.schemas.hierarchies import COUNTRIES, POSTAL, PREFIXES, proposed_hierarchy


def levels(values: list[str], name: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    found = proposed_hierarchy(name, values)
    assert found is not None
    assert found.tree.one_node
    return found.by, {row[0]: tuple(dict.fromkeys(row[1:])) for row in found.tree.levels()}


def test_every_country_lies_in_a_region_by_its_codes_and_its_name() -> None:
    known = {subregion for subregions in REGIONS.values() for subregion in subregions}
    assert set(_subregions().values()) == known
    by_length = [sum(len(key) == length and key.isascii() for key in _subregions()) for length in (2, 3)]
    assert by_length[0] == 250, "of two letters: those of ISO 3166, and Kosovo"
    assert by_length[1] >= 250


@pytest.mark.parametrize(
    "values", [["DE", "FR", "US", "JP"], ["DEU", "FRA", "USA", "JPN"], ["Germany", "france", "United States", "Japan"]]
)
def test_countries_stand_under_their_regions(values: list[str]) -> None:
    by, rows = levels(values, "country of residence")
    assert by == COUNTRIES
    assert rows[values[0]] == rows[values[1]] == ("Western Europe", "Europe", "*")
    assert rows[values[2]] == ("Northern America", "Americas", "*")
    assert rows[values[3]] == ("Eastern Asia", "Asia", "*")


def test_a_few_values_that_are_no_country_stand_apart_and_states_are_no_countries() -> None:
    values = [
        "AT",
        "BE",
        "BG",
        "CZ",
        "DE",
        "DK",
        "EE",
        "ES",
        "FI",
        "FR",
        "GB",
        "GR",
        "HR",
        "HU",
        "IE",
        "IT",
        "LT",
        "NL",
        "PL",
        "x",
    ]
    assert levels(values, "nationality")[1]["x"][-2:] == (OTHERS, "*")
    assert country_taxonomy("country", [*values, "y"]) is None
    assert country_taxonomy("country", ["AL", "CA", "CO", "DE", "IL", "NY", "TX", "WA"]) is None
    assert country_taxonomy("country", ["DE", "FR", "NL"]) is None, "one region says nothing"
    assert proposed_hierarchy("ward", ["DE", "FR", "US"]) is None
    assert proposed_hierarchy("state", ["GA", "CA", "AL", "MD", "PA"]) is None
    assert proposed_hierarchy("Bundesland", ["BY", "BE", "BB", "SN", "ST"]) is None


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["SW1A 1AA", "SW1A 2AB", "M1 1AE", "EC1A1BB"], ("SW1A 1", "SW1A", "SW", "*")),
        (["K1A 0B1", "M5V3L9", "k1a 9z9"], ("K1A", "K", "*")),
        (["1012 AB", "1012CD", "9711 AA"], ("1012", "10", "1", "*")),
        (["01012-1234", "90210-0001"], ("01012", "010", "0", "*")),
    ],
)
def test_postal_codes_stand_under_the_areas_of_their_post(values: list[str], first: tuple[str, ...]) -> None:
    by, rows = levels(values, "postcode")
    assert (by, rows[values[0]]) == (POSTAL, first)
    assert proposed_hierarchy("ward", values) is None
    assert postal_taxonomy([*values, "unknown"]) is None


def test_codes_of_five_digits_stand_under_their_leading_digits() -> None:
    assert levels(["10115", "80331"], "plz") == (
        PREFIXES,
        {"10115": ("1011*", "101**", "10***", "*"), "80331": ("8033*", "803**", "80***", "*")},
    )
