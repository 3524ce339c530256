"""The zip codes of the synthetic city and the countries its residents were born in.

The zip codes are made up and belong to no place. The countries are real, the shares invented.
"""

from __future__ import annotations

NEIGHBOURHOODS: dict[str, tuple[str, float]] = {
    "0010": ("123456", 9.0),
    "0011": ("1245", 6.0),
    "0012": ("137", 3.0),
    "0014": ("02", 1.0),
    "0020": ("12345", 8.0),
    "0021": ("1356", 5.0),
    "0023": ("12478", 4.0),
    "0025": ("159", 1.5),
    "0030": ("1234", 5.0),
    "0031": ("0246", 3.0),
    "0032": ("135", 2.0),
    "0036": ("12", 0.6),
    "0040": ("12345", 4.0),
    "0042": ("1378", 2.5),
    "0045": ("26", 1.0),
    "0047": ("1589", 0.7),
}
"""By first four digits: the last digits in use, and the relative population.

The first three digits are the district: 001 centre, 002 suburbs, 003 harbour, 004 hills.
"""

ZIP_CODES: tuple[str, ...] = tuple(start + last for start, (lasts, _) in NEIGHBOURHOODS.items() for last in lasts)

ZIP_WEIGHTS: tuple[float, ...] = tuple(
    weight / (1 + rank) for lasts, weight in NEIGHBOURHOODS.values() for rank in range(len(lasts))
)
"""Relative population of every zip code: inside a neighbourhood it falls as 1, 1/2, 1/3, ..."""

DISTRICT_AGES: dict[str, dict[int, float]] = {
    "001": {0: 0.7, 15: 0.8, 20: 1.9, 32: 1.6, 45: 0.9, 100: 0.8},
    "002": {0: 1.5, 14: 1.4, 20: 0.7, 35: 1.3, 50: 1.2, 70: 0.9, 100: 0.7},
    "003": {0: 1.1, 25: 1.2, 60: 0.8, 100: 0.7},
    "004": {0: 0.6, 25: 0.5, 50: 1.1, 65: 1.6, 80: 2.0, 100: 2.2},
}
"""Relative frequency of ages by district: students in the centre, older people on the hills."""

COUNTRIES: dict[str, dict[str, dict[str, float]]] = {
    "Americas": {
        "North America": {"United States": 300.0, "Canada": 2.2},
        "Central America and Caribbean": {
            "Mexico": 24.0,
            "Guatemala": 4.0,
            "El Salvador": 5.5,
            "Honduras": 3.0,
            "Cuba": 4.5,
            "Dominican Republic": 5.0,
            "Haiti": 3.2,
            "Jamaica": 3.4,
        },
        "South America": {"Brazil": 3.0, "Colombia": 4.2, "Ecuador": 2.4, "Peru": 2.2, "Venezuela": 2.6},
    },
    "Europe": {
        "Western Europe": {"France": 0.9, "Germany": 2.6, "Ireland": 0.8, "United Kingdom": 2.9},
        "Southern Europe": {"Greece": 0.7, "Italy": 1.9, "Portugal": 1.3},
        "Eastern Europe": {"Poland": 2.3, "Romania": 0.9, "Russia": 2.0, "Ukraine": 2.4},
    },
    "Asia": {
        "East Asia": {"China": 10.0, "Japan": 1.6, "South Korea": 4.6},
        "South-East Asia": {"Philippines": 8.2, "Thailand": 1.1, "Vietnam": 6.4},
        "South Asia": {"Bangladesh": 1.4, "India": 11.0, "Nepal": 0.6, "Pakistan": 2.1},
        "West Asia": {"Iran": 1.7, "Iraq": 1.2, "Syria": 0.6},
    },
    "Africa": {
        "North Africa": {"Egypt": 1.0, "Morocco": 0.5},
        "West Africa": {"Ghana": 0.9, "Nigeria": 1.9},
        "East Africa": {"Ethiopia": 1.5, "Kenya": 0.7, "Somalia": 0.5},
    },
}
"""Continent, region, country and its relative weight among adults."""

HOME = "United States"

ABROAD_BY_AGE: dict[int, float] = {0: 0.12, 10: 0.25, 18: 0.55, 30: 1.1, 45: 1.25, 65: 0.85, 100: 0.6}
"""Factor on the weight of every country but the home country, by age."""

ABROAD_BY_DISTRICT: dict[str, dict[str, float]] = {
    "001": {"Americas": 0.9, "Europe": 1.5, "Asia": 1.5, "Africa": 0.8},
    "002": {"Americas": 0.6, "Europe": 0.9, "Asia": 1.2, "Africa": 0.5},
    "003": {"Americas": 2.2, "Europe": 0.7, "Asia": 0.7, "Africa": 2.4},
    "004": {"Americas": 0.3, "Europe": 1.3, "Asia": 0.5, "Africa": 0.2},
}
"""Factor on the same weights, by district and continent."""

HOSPITALS: dict[str, dict[str, float]] = {
    "Central": {"001": 5.0, "002": 1.5, "003": 1.5, "004": 1.0},
    "Garden": {"001": 0.5, "002": 5.0, "003": 0.5, "004": 1.0},
    "Harbour": {"001": 1.0, "002": 0.5, "003": 4.0, "004": 0.2},
    "Hilltop": {"001": 0.3, "002": 0.8, "003": 0.2, "004": 4.0},
    "University": {"001": 2.0, "002": 1.2, "003": 0.8, "004": 0.8},
}
"""Hospitals that publish one table together, and how often people from a district go there."""
