"""Packages that are asked for, and those that are locked."""

from __future__ import annotations

import re

from tests.source import ROOT


def asked(part: str) -> dict[str, str]:
    """Direct pins of a list of requirements, those of the app included."""
    text = (ROOT / f"requirements{part}.txt").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.M))
    return {**asked(""), **found} if "-r requirements.txt" in text else found


def locked(part: str) -> list[tuple[str, str, str]]:
    """Name, version and the lines that follow of every package of a lock."""
    text = (ROOT / f"requirements{part}.lock").read_text(encoding="utf-8")
    return re.findall(r"^([\w.-]+)==([^ ;\\\n]+)([^\n]*(?:\n[ ]+[^\n]*)*)", text, re.M)
