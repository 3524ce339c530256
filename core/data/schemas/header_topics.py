"""The topic of a column, from its header: English, German and some French words.

A header is cut into words (``"dateOfBirth"``, ``"date_of_birth"`` and ``"Date of birth"``
are the same); accents and case do not count. The first topic with a matching phrase wins,
so the order of :data:`TOPICS` decides if several match.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from pathlib import Path

NAME, NUMBER, CONTACT, PROVIDER = "name", "number", "contact", "provider"
AGE, BIRTH, SEX, ZIP, PLACE, ORIGIN = "age", "birth", "sex", "zip", "place", "origin"
MARITAL, FAMILY, EDUCATION, WORK, BELIEF = "marital", "family", "education", "work", "belief"
DATE, DIAGNOSIS, HEALTH, MONEY, SECRET, JOB = "date", "diagnosis", "health", "money", "secret", "job"

WORDS = {
    NAME: "an own name",
    NUMBER: "a number that stands for a person",
    CONTACT: "a way to reach a person",
    PROVIDER: "who contributed the record",
    AGE: "an age",
    BIRTH: "a birth date or place",
    SEX: "sex or gender",
    ZIP: "a zip code",
    PLACE: "a place",
    ORIGIN: "origin or nationality",
    MARITAL: "marital status",
    FAMILY: "a size of family",
    EDUCATION: "education",
    WORK: "employment",
    BELIEF: "religion",
    DATE: "a date",
    DIAGNOSIS: "a diagnosis",
    HEALTH: "a matter of health",
    MONEY: "income",
    SECRET: "something kept private",
    JOB: "occupation",
}
"""Wording of each topic in a sentence: "Named like ..."."""

with (Path(__file__).parents[3] / "assets" / "data" / "header_topics.toml").open("rb") as _file:
    _LISTS = tomllib.load(_file)
TOPICS: dict[str, list[str]] = _LISTS["topics"]
"""Phrases of each topic, the most typical first."""
_WORDS = {name: frozenset(words) for name, words in _LISTS["words"].items()}
_NAMES, _BESIDE_NAMES, _PROVIDERS = _WORDS["names"], _WORDS["beside_names"], _WORDS["providers"]
_NUMBERS, _NUMBERED, _AMOUNTS = _WORDS["numbers"], _WORDS["numbered"], _WORDS["amounts"]
_PERSONS, _DATES = _WORDS["persons"], _WORDS["dates"]


def words_of(header: str) -> list[str]:
    """Split a header into lower-case words without accents; digits are separate words."""
    flat = unicodedata.normalize("NFKD", header.replace("ß", "ss")[:200])
    flat = "".join(ch for ch in flat if not unicodedata.combining(ch))
    flat = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", flat)
    return re.findall(r"[a-z]+|\d+", flat.lower())


def topic_of(header: str) -> str | None:
    """Return the topic that a header names, or None.

    A word of six letters or more also counts as the beginning or end of a longer one
    (*Hauptdiagnose*), a shorter one only as a whole (*age* is not in *stage*).
    """
    words = [word for word in words_of(header) if not word.isdigit()]
    if not words:
        return None
    known = set(words)
    if known & _NAMES and known <= _NAMES | _BESIDE_NAMES:
        return NAME
    if known & _PROVIDERS and known <= _PROVIDERS | _NUMBERS | {"name"}:
        return PROVIDER
    if known & _NUMBERS and known <= _NUMBERS - {"code", "num"} | _NUMBERED:
        return NUMBER
    if known & _DATES and not _matches(words, TOPICS[BIRTH]):
        return DATE
    topic = next((topic for topic, phrases in TOPICS.items() if _matches(words, phrases)), None)
    return None if topic in (WORK, JOB) and known & _AMOUNTS else topic


def ends_like_a_number(header: str) -> bool:
    """Whether the last word says that the column numbers something: id, nr, no, key, ..."""
    words = [word for word in words_of(header) if not word.isdigit()]
    return bool(words) and words[-1] in _NUMBERS


def names_person(header: str) -> bool:
    """Whether a header names a person key: patient_nbr, patient_id, mrn, subject, PersonID, ...

    The number of an encounter, a visit or a record is not that of a person.
    """
    words = {word for word in words_of(header) if not word.isdigit()}
    return bool(words & _PERSONS) and words <= _PERSONS | _NUMBERS


def place_in_topic(header: str, topic: str) -> int:
    """Return the number of the first phrase that matches: the lower, the more typical."""
    words = words_of(header)
    return next((i for i, phrase in enumerate(TOPICS[topic]) if _matches(words, (phrase,))), len(TOPICS[topic]))


def _matches(words: list[str], phrases: Sequence[str]) -> bool:
    line, glued = f" {' '.join(words)} ", "".join(words)
    for phrase in phrases:
        if f" {phrase} " in line or phrase.replace(" ", "") == glued:
            return True
        if len(phrase) >= 6 and " " not in phrase and any(w.startswith(phrase) or w.endswith(phrase) for w in words):
            return True
    return False
