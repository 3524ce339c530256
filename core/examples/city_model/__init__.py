"""The synthetic city: any number of invented residents, from a seed.

Every attribute is drawn from a table of relative frequencies given what was drawn before,
by inverting its cumulative sums for all residents at once. The frequencies are curves over
age, written as a few anchors with straight lines between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes
from core.base.limits import LIMITS
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.examples.city_model.diagnoses import AGE_CURVES, CHAPTERS, DIAGNOSES
from core.examples.city_model.places import (
    ABROAD_BY_AGE,
    ABROAD_BY_DISTRICT,
    COUNTRIES,
    DISTRICT_AGES,
    HOME,
    HOSPITALS,
    ZIP_CODES,
    ZIP_WEIGHTS,
)
from core.examples.city_model.residents import EDUCATION, MARITAL, PYRAMID, SEXES, WORK, WORK_BY_EDUCATION, Curve

Weights = NDArray[np.float64]

AGES = np.arange(101)

QUASI_IDENTIFIERS = ("age", "sex", "zip code", "marital status", "education", "work class", "country of birth")

CITY_NOTES = """\
The city and everyone in it are invented. No record of a real person went into it, and no
statistic of a real place: the frequencies were written down by hand so that they look plausible.
Do not quote them as facts about health or populations.

How a resident is made, one attribute after the other:

- Age, 0 to 100, from one age pyramid.
- Sex, given age: women outlive men; a small share of those of 14 and over is "other".
- Zip code, given age: about 60 made-up codes in four districts (their first three digits); a few
  hold most people. Students crowd the centre (001), families the suburbs (002), the old the hills
  (004).
- Marital status, given age and sex.
- Education, given age: the highest level completed.
- Work class, given age and education.
- Country of birth, given age and district: about 40 real countries with invented shares, most
  residents born in the home country.
- Diagnosis, given age and sex: the main diagnosis of the resident's last visit to a hospital, one
  of about 200 ICD-10 categories. A few are frequent and most are rare. Which category stands for
  which illness is fact; how often it occurs is invented. Only women of 15 to 49 are pregnant, only
  men have a prostate; infections belong to childhood, broken hands to young men, dementia to the
  old.

- Hospital, given the district of the zip code: which of five invented hospitals that visit was to. It
  is drawn from a separate random stream, so every other column is what it was without it.

Residents are independent of each other: there are no families and no contagion. The diagnosis
depends on nothing but age and sex: once these are known, the zip code, the work, the origin or the
hospital adds nothing.
The same number of residents and the same seed give the same city.
"""


def city(residents: int = 30_000, seed: int | np.random.Generator = 2008) -> Table:
    """Make a synthetic city: one invented resident per row, nine columns.

    Parameters
    ----------
    residents
        Number of rows, 100 to 2,000,000.
    seed
        Whole number from 0, or a numpy Generator (which is then advanced).

    Returns
    -------
    Table
        Columns age, sex, zip code, marital status, education, work class, country of birth,
        diagnosis and hospital; no cell is empty. The same arguments give the same table.

    Raises
    ------
    ParameterError
        If ``residents`` or ``seed`` is not a whole number in range.

    Notes
    -----
    Everything is invented; :data:`CITY_NOTES` says how. Time is
    O(residents x log(table size)), about 1 s for a million residents.
    """
    LIMITS["residents"].check(residents, "residents")
    count = int(residents)
    if isinstance(seed, np.random.Generator):
        rng, source = seed, "a generator"
    else:
        LIMITS["city seed"].check(seed, "seed")
        rng, source = np.random.default_rng(int(seed)), str(seed)

    age = _draw(rng, _curve(PYRAMID)[None, :], np.zeros(count, dtype=np.int32))
    sex = _draw(rng, _by_age(SEXES), age)
    zip_code = _draw(rng, _zip_weights(), age)
    marital = _draw(rng, _marital_weights(), age * np.int32(len(SEXES)) + sex)
    education = _draw(rng, _by_age(EDUCATION), age)
    work = _draw(rng, _work_weights(), age * np.int32(len(EDUCATION)) + education)
    district = _zip_districts()[zip_code]
    country = _draw(rng, _country_weights(), age * np.int32(len(DISTRICT_AGES)) + district)
    diagnosis = _draw(rng, _diagnosis_weights(), age * np.int32(len(SEXES)) + sex)
    hospital = _draw(rng.spawn(1)[0], _hospital_weights(), district)

    columns = (
        Column.from_codes("age", [str(year) for year in AGES], age),
        Column.from_codes("sex", SEXES, sex),
        Column.from_codes("zip code", ZIP_CODES, zip_code),
        Column.from_codes("marital status", MARITAL, marital),
        Column.from_codes("education", EDUCATION, education),
        Column.from_codes("work class", WORK, work),
        Column.from_codes("country of birth", [name for _, name, _ in _countries()], country),
        Column.from_codes("diagnosis", [row.code for row in DIAGNOSES], diagnosis),
        Column.from_codes("hospital", HOSPITALS, hospital),
    )
    return Table(columns, read_info={"format": "synthetic city, invented", "seed": source})


def city_schema() -> Schema:
    """Roles, types, taxonomies and orders of the synthetic city.

    Returns
    -------
    Schema
        Seven quasi-identifiers, the diagnosis as the sensitive attribute and the hospital as
        the provider. The taxonomies cover every value that a city of any size can hold: zip code by its first four and
        three digits, country of birth by region and continent, diagnosis by chapter.
    """
    return Schema(
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive="diagnosis",
        provider="hospital",
        column_types={
            "age": "numeric",
            "sex": "categorical",
            "marital status": "categorical",
            "work class": "categorical",
        },
        taxonomies={
            "zip code": Taxonomy.from_prefixes(ZIP_CODES, keep=(4, 3)),
            "country of birth": Taxonomy.from_nested(
                {
                    continent: {name: list(region) for name, region in regions.items()}
                    for continent, regions in COUNTRIES.items()
                }
            ),
            "diagnosis": Taxonomy.from_nested(
                {chapter: [row.code for row in rows] for chapter, rows in CHAPTERS.items()}
            ),
        },
        orders={"education": tuple(EDUCATION)},
    )


def diagnosis_names() -> dict[str, str]:
    """Every diagnosis code of the city with its meaning in plain words.

    Returns
    -------
    dict of str to str
        ``{"I10": "High blood pressure", ...}``; the codes are ICD-10 categories, the words ours.
    """
    return {row.code: row.name for row in DIAGNOSES}


# ---- drawing ------------------------------------------------------------------------


def _draw(rng: np.random.Generator, weights: Weights, rows: Codes) -> Codes:
    """Draw a value from ``weights`` (groups, values) for each entry of ``rows`` (its group).

    The cumulative shares of group g are shifted to the interval (g, g + 1], so that a single
    binary search serves all groups; a value of weight 0 has an empty interval.
    """
    groups, values = weights.shape
    shares = np.cumsum(weights, axis=1)
    shares /= shares[:, -1:]
    steps = (shares + np.arange(groups)[:, None]).ravel()
    # Below 1 by enough that adding the group's number cannot round up to the next group.
    chance = rng.random(len(rows)) * (1 - 2.0**-40)
    place = np.searchsorted(steps, chance + rows, side="right")
    drawn: Codes = (place - rows * np.int64(values)).astype(np.int32)
    return drawn


def _curve(anchors: Curve) -> Weights:
    """(101,) weight at each age."""
    return np.asarray(np.interp(AGES, list(anchors), list(anchors.values())), dtype=np.float64)


def _by_age(curves: Mapping[str, Curve]) -> Weights:
    """(101, values) weight of each value at each age."""
    return np.stack([_curve(anchors) for anchors in curves.values()], axis=1)


# ---- the tables of frequencies, (groups, values) ------------------------------------


@cache
def _zip_districts() -> Codes:
    """District of each zip code, as its index in ``DISTRICT_AGES``."""
    place = {district: i for i, district in enumerate(DISTRICT_AGES)}
    return np.array([place[code[:3]] for code in ZIP_CODES], dtype=np.int32)


@cache
def _zip_weights() -> Weights:
    return np.asarray(ZIP_WEIGHTS) * _by_age(DISTRICT_AGES)[:, _zip_districts()]


@cache
def _marital_weights() -> Weights:
    """Weights with rows age x sex: women are widowed more often than men of the same age."""
    by_sex = np.ones((len(SEXES), len(MARITAL)))
    by_sex[:, list(MARITAL).index("widowed")] = [1.4, 0.7, 1.0]
    return (_by_age(MARITAL)[:, None, :] * by_sex).reshape(-1, len(MARITAL))


@cache
def _work_weights() -> Weights:
    """Rows age x education."""
    lines = [np.linspace(*WORK_BY_EDUCATION.get(work, (1.0, 1.0)), len(EDUCATION)) for work in WORK]
    return (_by_age(WORK)[:, None, :] * np.stack(lines, axis=1)).reshape(-1, len(WORK))


@cache
def _countries() -> tuple[tuple[str, str, float], ...]:
    """(continent, country, weight) of every country."""
    return tuple(
        (continent, name, weight)
        for continent, regions in COUNTRIES.items()
        for region in regions.values()
        for name, weight in region.items()
    )


@cache
def _country_weights() -> Weights:
    """Rows age x district."""
    continents, names, weights = zip(*_countries(), strict=True)
    abroad = np.array([name != HOME for name in names])
    districts = np.array([[row[continent] for continent in continents] for row in ABROAD_BY_DISTRICT.values()])
    factors: Weights = np.where(abroad, _curve(ABROAD_BY_AGE)[:, None, None] * districts, 1.0)
    return (factors * np.array(weights, dtype=np.float64)).reshape(-1, len(names))


@cache
def _hospital_weights() -> Weights:
    """Rows districts."""
    return np.array([[of[district] for of in HOSPITALS.values()] for district in DISTRICT_AGES])


@cache
def _diagnosis_weights() -> Weights:
    """Rows age x sex."""
    curves = {key: _curve(anchors) for key, anchors in AGE_CURVES.items()}
    ages = np.stack([curves[row.ages] * row.weight for row in DIAGNOSES], axis=1)
    # "other": the geometric mean, so that diagnoses that one sex cannot have do not occur.
    sexes: Weights = np.array([[row.female, row.male, (row.female * row.male) ** 0.5] for row in DIAGNOSES]).T
    return (ages[:, None, :] * sexes).reshape(-1, len(DIAGNOSES))
