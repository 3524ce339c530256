"""How the adversary finds the class of a person in each release."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.attack.views import LOCATE
from core.base.words import PERCENT
from core.release.readable import Readable
from pages.attack.hospitals.sections import names
from pages.shared import results, widgets
from pages.shared.text import percent

NOBODY_KNOWS = "nobody knows"
WAYS = {
    "assumed": "He knows the class of each person in every release (the papers' setting)",
    "published": "He has only the published tables and each person's quasi-identifiers",
    "default": "As the release allows: the class where classes can be told apart, else what is published",
}


def adversary() -> None:
    """Ask how the class of a person is found, and say how well that works."""
    way = widgets.pick("locate", "attack", LOCATE, WAYS.__getitem__)
    outcome = results.outcome()
    frame = pd.DataFrame(
        {
            "Release": names(),
            "Found by": [
                _found_by(release, there is not None, way)
                for release, there in zip(outcome.releases, outcome.people, strict=True)
            ],
            "Class found for certain": [
                NOBODY_KNOWS if s is None else percent(s.only.value) for s in outcome.result.located_correctly
            ],
            "Own class among those found": [
                NOBODY_KNOWS if s is None else percent(s.among.value) for s in outcome.result.located_correctly
            ],
            "Fit no class": [percent(float(share)) for share in outcome.result.unlocated / outcome.result.people],
            "Classes that match, mean": [
                round(float(outcome.result.mean(where.counts)), 2) for where in outcome.result.located
            ],
        }
    )
    st.dataframe(frame, hide_index=True, alt="How well the adversary finds people in each release")
    st.caption(
        f"In the paper, the nearest average is that of the right class for about 70{PERCENT} of people in census data. "
        "Whoever fits several classes keeps the values of all of them. Whoever fits none loses nothing by that release."
    )


def _found_by(release: Readable, known: bool, way: str) -> str:
    mine = release.release
    by_region = release.published.centroids if mine is None else mine.read_by_region
    if known and (way == "assumed" or (way == "default" and not by_region)):
        return "class assumed known"
    return "published means" if release.published.centroids else "published regions"
