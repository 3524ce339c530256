"""What a column is about, told by its header: English, German and some French words.

A header is cut into words (``"dateOfBirth"``, ``"date_of_birth"`` and ``"Date of birth"``
are the same); accents and case do not count. The first topic with a matching phrase wins,
so the order of :data:`TOPICS` decides where two could.
"""

from __future__ import annotations

import re
import unicodedata

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
"""Each topic in the words of a sentence: "Named like ..."."""

TOPICS: dict[str, tuple[str, ...]] = {
    CONTACT: (
        "email",
        "e mail",
        "mail",
        "phone",
        "telephone",
        "telefon",
        "tel",
        "mobile",
        "handy",
        "fax",
        "address",
        "adresse",
        "anschrift",
        "street",
        "strasse",
        "rue",
        "hausnummer",
        "house number",
        "url",
        "ip",
        "iban",
        "konto",
        "account",
        "username",
        "user name",
        "login",
        "license plate",
        "licence plate",
        "kennzeichen",
        "photo",
    ),
    NUMBER: (
        "ssn",
        "social security",
        "passport",
        "ausweis",
        "mrn",
        "nhs number",
        "national id",
        "nino",
        "ahv",
        "insurance number",
        "versichertennummer",
        "sozialversicherungsnummer",
        "krankenversichertennummer",
        "steuernummer",
        "matrikelnummer",
        "numero de securite sociale",
        "identifier",
        "uuid",
        "guid",
    ),
    AGE: ("age", "alter", "ages"),
    BIRTH: ("birth", "born", "dob", "yob", "birthday", "geburt", "geboren", "jahrgang", "naissance", "bpl", "bplg"),
    DIAGNOSIS: (
        "diag",
        "diagnos",
        "diagnose",
        "diagnosis",
        "diagnostic",
        "icd",
        "disease",
        "illness",
        "krankheit",
        "erkrankung",
        "maladie",
        "condition",
        "disorder",
        "syndrome",
        "cause of death",
        "todesursache",
    ),
    HEALTH: (
        "infection",
        "cancer",
        "hiv",
        "symptom",
        "medication",
        "medikament",
        "medicament",
        "medicine",
        "drug",
        "treatment",
        "behandlung",
        "traitement",
        "therap",
        "procedure",
        "prozedur",
        "surgery",
        "prognosis",
        "befund",
        "disability",
        "pregnan",
        "blood pressure",
        "blutdruck",
    ),
    MONEY: (
        "income",
        "salary",
        "wage",
        "wages",
        "earnings",
        "einkommen",
        "gehalt",
        "lohn",
        "revenu",
        "salaire",
        "debt",
        "schulden",
        "dette",
        "credit score",
        "inctot",
    ),
    SECRET: ("crime", "offence", "offense", "straftat", "political", "party", "orientation", "abuse"),
    SEX: ("sex", "gender", "geschlecht", "sexe", "genre"),
    ZIP: ("zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"),
    PLACE: (
        "country",
        "land",
        "pays",
        "city",
        "town",
        "stadt",
        "wohnort",
        "ort",
        "ville",
        "commune",
        "gemeinde",
        "municipality",
        "county",
        "kreis",
        "district",
        "bezirk",
        "region",
        "province",
        "provinz",
        "kanton",
        "canton",
        "state",
        "bundesland",
        "departement",
        "residence",
        "neighbourhood",
        "neighborhood",
    ),
    ORIGIN: (
        "race",
        "ethnic",
        "ethnicity",
        "nationality",
        "national",
        "staatsangehorigkeit",
        "nationalitat",
        "nationalite",
        "citizenship",
        "herkunft",
        "migration",
        "language",
        "sprache",
        "langue",
        "raceg",
    ),
    MARITAL: (
        "marital",
        "marriage",
        "married",
        "civil status",
        "familienstand",
        "zivilstand",
        "etat civil",
        "situation familiale",
        "marst",
    ),
    FAMILY: ("children", "kinder", "enfants", "household", "haushalt"),
    EDUCATION: (
        "education",
        "schooling",
        "degree",
        "school",
        "bildung",
        "ausbildung",
        "schulabschluss",
        "abschluss",
        "diplome",
        "formation",
        "educ",
        "educrec",
    ),
    WORK: ("workclass", "work class", "work", "employment", "employer", "arbeit", "emploi", "classwkr", "classwkg"),
    JOB: ("occupation", "profession", "beruf", "job", "metier", "industry", "branche", "occ", "ind"),
    BELIEF: ("religion", "religious", "konfession", "denomination", "faith"),
}

_NAMES = {
    "name",
    "names",
    "surname",
    "lastname",
    "firstname",
    "forename",
    "fullname",
    "nom",
    "prenom",
    "vorname",
    "nachname",
    "familienname",
    "initials",
    "patient",
    "person",
}
_BESIDE_NAMES = {"first", "last", "full", "middle", "family", "given", "maiden", "sur", "of", "the", "de", "s"}
_PROVIDERS = {
    "hospital",
    "clinic",
    "provider",
    "institution",
    "facility",
    "site",
    "krankenhaus",
    "klinik",
    "hopital",
    "clinique",
    "contributor",
    "praxis",
}
_NUMBERS = {"id", "ids", "nr", "no", "number", "nummer", "numero", "num", "nbr", "key", "code"}
_NUMBERED = {
    "patient",
    "person",
    "record",
    "case",
    "fall",
    "subject",
    "member",
    "client",
    "customer",
    "user",
    "row",
    "visit",
    "encounter",
    "admission",
    "hadm",
    "stay",
    "participant",
    "respondent",
    "unnamed",
    "index",
}
_AMOUNTS = {
    "hours",
    "hour",
    "days",
    "weeks",
    "months",
    "years",
    "stunden",
    "tage",
    "jahre",
    "heures",
    "jours",
    "count",
    "anzahl",
    "nombre",
    "duration",
    "dauer",
}
_PERSONS = {
    "patient",
    "patients",
    "patientid",
    "patientnbr",
    "patientnr",
    "person",
    "personid",
    "pid",
    "mrn",
    "subject",
    "subjectid",
    "member",
    "beneficiary",
    "enrolid",
    "enrollee",
    "insured",
    "versicherter",
    "versichertennummer",
    "participant",
    "respondent",
    "patienten",
    "patientennummer",
    "patientin",
    "personennummer",
    "ssn",
    "nhs",
    "client",
    "resident",
}
_DATES = {"date", "datum", "time", "timestamp", "zeit", "jour"}


def words_of(header: str) -> list[str]:
    """Cut a header into lower-case words without accents; digits are words of their own."""
    flat = unicodedata.normalize("NFKD", header.replace("ß", "ss")[:200])
    flat = "".join(ch for ch in flat if not unicodedata.combining(ch))
    flat = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", flat)
    return re.findall(r"[a-z]+|\d+", flat.lower())


def topic_of(header: str) -> str | None:
    """Return what a header says its column is about, or None.

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


def says_whose(header: str) -> bool:
    """Whether a header says whose a record is: patient_nbr, patient_id, mrn, subject, PersonID, ...

    The number of an encounter, a visit or a record is not that of a person.
    """
    words = {word for word in words_of(header) if not word.isdigit()}
    return bool(words & _PERSONS) and words <= _PERSONS | _NUMBERS


def place_in_topic(header: str, topic: str) -> int:
    """Return the number of the first phrase that matches: the lower, the more typical."""
    words = words_of(header)
    return next((i for i, phrase in enumerate(TOPICS[topic]) if _matches(words, (phrase,))), len(TOPICS[topic]))


def _matches(words: list[str], phrases: tuple[str, ...]) -> bool:
    line, glued = f" {' '.join(words)} ", "".join(words)
    for phrase in phrases:
        if f" {phrase} " in line or phrase.replace(" ", "") == glued:
            return True
        if len(phrase) >= 6 and " " not in phrase and any(w.startswith(phrase) or w.endswith(phrase) for w in words):
            return True
    return False
