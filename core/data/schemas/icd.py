"""Codes of diseases by chapter: ICD-10 (``J45.1``) and ICD-9 (``250.83``, ``V58``, ``E880``), recognised by their form.

The chapters are those of the World Health Organization's classifications and of their clinical modifications. A table
of codes gets a taxonomy of two levels: code, chapter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data.schemas.taxonomy import ROOT, Taxonomy

TEN = re.compile(r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?")
NINE = re.compile(r"\d{1,3}(?:\.\d{1,2})?|V\d{2}(?:\.\d{1,2})?|E\d{3}(?:\.\d)?")
CHAPTERS_TEN = (
    ("B99", "A00-B99 Infections"),
    ("D49", "C00-D49 Neoplasms"),
    ("D89", "D50-D89 Blood and immune system"),
    ("E90", "E00-E90 Metabolism"),
    ("F99", "F00-F99 Mental disorders"),
    ("G99", "G00-G99 Nervous system"),
    ("H59", "H00-H59 Eye"),
    ("H95", "H60-H95 Ear"),
    ("I99", "I00-I99 Circulation"),
    ("J99", "J00-J99 Respiration"),
    ("K95", "K00-K95 Digestion"),
    ("L99", "L00-L99 Skin"),
    ("M99", "M00-M99 Muscles and bones"),
    ("N99", "N00-N99 Kidneys and genitals"),
    ("O99", "O00-O99 Pregnancy and birth"),
    ("P96", "P00-P96 Newborns"),
    ("Q99", "Q00-Q99 Malformations"),
    ("R99", "R00-R99 Symptoms"),
    ("T98", "S00-T98 Injuries and poisoning"),
    ("U99", "U00-U99 Special codes"),
    ("Y99", "V00-Y99 Outer causes"),
    ("Z99", "Z00-Z99 Contacts with health services"),
)
CHAPTERS_NINE = (
    (139, "001-139 Infections"),
    (239, "140-239 Neoplasms"),
    (279, "240-279 Metabolism and immune system"),
    (289, "280-289 Blood"),
    (319, "290-319 Mental disorders"),
    (389, "320-389 Nervous system and senses"),
    (459, "390-459 Circulation"),
    (519, "460-519 Respiration"),
    (579, "520-579 Digestion"),
    (629, "580-629 Kidneys and genitals"),
    (679, "630-679 Pregnancy and birth"),
    (709, "680-709 Skin"),
    (739, "710-739 Muscles and bones"),
    (759, "740-759 Malformations"),
    (779, "760-779 Newborns"),
    (799, "780-799 Symptoms"),
    (999, "800-999 Injuries and poisoning"),
)
OUTER, CONTACTS = "E800-E999 Outer causes", "V01-V91 Contacts with health services"
FEWEST = 3
FEWEST_NUMBERS = 30
"""Smallest number of different plain numbers that count as codes without any code with a letter."""
ENOUGH = 0.95


def chapter_taxonomy(values: Sequence[str]) -> Taxonomy | None:
    """Return codes under their chapters, or ``None`` if the values are not codes or are all in one chapter.

    Parameters
    ----------
    values
        Distinct values of a column about diagnoses, missing ones left out. At least 95 of 100
        must be written like a code; the others are separate from the chapters. O(values).
    """
    for form, chapter in ((TEN, chapter_of_ten), (NINE, chapter_of_nine)):
        matching = [value for value in values if form.fullmatch(value.strip())]
        if len(matching) < max(FEWEST, ENOUGH * len(values)):
            continue
        if form is NINE and len(values) < FEWEST_NUMBERS and not any(value[:1] in ("V", "E") for value in matching):
            continue
        of = {value: chapter(value.strip()) for value in matching}
        if len(set(of.values())) < 2 or set(of.values()) & set(values):
            return None
        rows = [(value, of[value], ROOT) if value in of else (value, ROOT) for value in values]
        order = {name: at for at, (_, name) in enumerate((*CHAPTERS_TEN, *CHAPTERS_NINE, (0, CONTACTS), (0, OUTER)))}
        deep = sorted((row for row in rows if len(row) == 3), key=lambda row: (order[row[1]], row[0]))
        rest = [(value, "Other values", ROOT) for value, *_ in rows if value not in of]
        return Taxonomy.from_levels([*deep, *rest])
    return None


def chapter_of_ten(code: str) -> str:
    """Chapter of an ICD-10 code."""
    return next(name for last, name in CHAPTERS_TEN if code[:3] <= last or last[0] == "Z")


def chapter_of_nine(code: str) -> str:
    """Chapter of an ICD-9 code; leading zeros may be gone."""
    if code[0] in "VE":
        return CONTACTS if code[0] == "V" else OUTER
    number = int(code.split(".", maxsplit=1)[0])
    return next(name for last, name in CHAPTERS_NINE if number <= last)
