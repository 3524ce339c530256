"""The diagnoses of the synthetic city: ICD-10 categories with invented frequencies.

The illness and the chapter of each code are facts (ICD-10, WHO).
The wording is ours. The frequency of a diagnosis by age and sex is invented so that it looks plausible; it is not based
on statistics of any country.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class Diagnosis(NamedTuple):
    """One category of ICD-10 and its frequency in the city.

    Parameters
    ----------
    code
        ICD-10 category of three characters.
    name
        Name in plain words.
    weight
        Relative frequency where the age curve is 1.
    ages
        Key of the age curve in ``AGE_CURVES``.
    female, male
        Factors on the weight; 0 if the diagnosis does not occur.
    """

    code: str
    name: str
    weight: float
    ages: str
    female: float
    male: float


AGE_CURVES: dict[str, dict[int, float]] = {
    "any": {0: 0.8, 30: 1.0, 100: 1.0},
    "newborn": {0: 12.0, 1: 0.0},
    "infant": {0: 3.0, 2: 1.0, 5: 0.1, 9: 0.0},
    "child": {0: 2.0, 4: 2.4, 9: 1.5, 14: 0.5, 20: 0.15, 40: 0.05, 100: 0.02},
    "school": {2: 0.0, 5: 1.0, 11: 1.6, 16: 1.0, 22: 0.25, 40: 0.08, 100: 0.02},
    "teen": {8: 0.0, 12: 0.7, 16: 1.6, 22: 1.0, 32: 0.3, 60: 0.05, 100: 0.0},
    "young": {8: 0.1, 15: 0.9, 21: 1.6, 30: 1.1, 45: 0.6, 65: 0.35, 100: 0.3},
    "fertile": {14: 0.0, 17: 0.15, 22: 0.9, 29: 1.8, 35: 1.2, 40: 0.4, 45: 0.06, 49: 0.02, 50: 0.0},
    "adult": {10: 0.05, 18: 0.6, 30: 1.0, 55: 1.1, 75: 0.8, 100: 0.5},
    "middle": {12: 0.0, 25: 0.25, 40: 0.8, 55: 1.2, 70: 1.1, 85: 0.8, 100: 0.5},
    "late": {20: 0.0, 35: 0.12, 50: 0.6, 65: 1.3, 80: 1.6, 100: 1.4},
    "old": {45: 0.0, 60: 0.1, 70: 0.6, 80: 1.8, 90: 3.0, 100: 3.4},
    "extremes": {0: 2.5, 5: 1.2, 15: 0.5, 40: 0.4, 65: 0.8, 80: 1.5, 100: 2.2},
}
"""Factor on a weight by age: linear between anchors, constant outside."""


def _chapters() -> dict[str, tuple[Diagnosis, ...]]:
    chapters: dict[str, list[Diagnosis]] = {}
    with (Path(__file__).parents[3] / "assets" / "data" / "diagnoses.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            weight, female, male = (float(row[name]) for name in ("weight", "female", "male"))
            chapters.setdefault(row["chapter"], []).append(
                Diagnosis(row["code"], row["name"], weight, row["ages"], female, male)
            )
    return {chapter: tuple(rows) for chapter, rows in chapters.items()}


CHAPTERS = _chapters()
"""Chapters of ICD-10 in plain words, each with its diagnoses; external causes are left out."""

DIAGNOSES: tuple[Diagnosis, ...] = tuple(row for rows in CHAPTERS.values() for row in rows)
