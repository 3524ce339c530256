"""The hospitals of the study in words and numbers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.arrays import Ints, mean_over
from core.base.words import NONE, SHORT_SOURCE
from core.privacy.model import Model
from core.release.algorithm import ALGORITHMS
from core.release.published.located import Located
from core.study.hospitals import Hospital
from pages.shared import results, session, widgets
from pages.shared.text import count, percent, plain
from pages.shared.values import UNKNOWN


def names() -> list[str]:
    """The hospitals as tables call them."""
    others = session.hospitals()[1:]
    theirs = [f"Hospital {i}" if h.upload is None else plain(h.upload.name, 30) for i, h in enumerate(others, 2)]
    return ["My hospital", *theirs]


def study() -> None:
    """Say how the hospitals come about."""
    hospitals, encoded = session.hospitals(), results.encoded()
    records = encoded.people
    several = encoded.person is not None
    setting = session.scenario().study
    shared = f"**{count(setting.overlap)}**"
    drawn = any(hospital.upload is None for hospital in hospitals[1:])
    made_up = " Everybody else there is made up anew in every draw." if drawn else ""
    if setting.whole:
        st.markdown(
            f"Your table is your own release: all {count(records)} {'persons' if several else 'records'} stay yours. "
            f"{shared} of its people, drawn at random, are assumed to be in every other hospital too.{made_up}"
        )
    else:
        st.markdown(
            f"Your table plays the city of {count(records)} people. Each simulated hospital gets "
            f"{count(setting.size_of(0, records))} of them. All share exactly {shared} people, and nobody else. Each "
            f"anonymises its own part."
        )
    if several:
        st.caption("Whoever is at a hospital is there with all of their records.")
    if any(file.linked for file in results.files().values()):
        st.caption("The shared people are those whom an identifier links.")
    if results.nobody_knows():
        st.caption(UNKNOWN)


def _asked(hospital: Hospital, model: Model) -> str:
    values = hospital.policy.values
    return model.cell(values) if model.is_asked(values) and hospital.source != "published" else "–"


def _records(number: int, hospital: Hospital) -> int:
    if hospital.upload is not None:
        return results.foreign(hospital.upload).records
    return session.scenario().study.size_of(number, results.encoded().people)


def published() -> None:
    """Each hospital: where its records come from, how they are published, and what comes out."""
    hospitals, outcome = session.hospitals(), results.outcome()
    as_published = [hospital.source == "published" for hospital in hospitals]
    frame = pd.DataFrame(
        {
            "Hospital": names(),
            "Records from": ["mine", *(SHORT_SOURCE[hospital.source_name] for hospital in hospitals[1:])],
            "Records": [_records(number, hospital) for number, hospital in enumerate(hospitals)],
            "Classes by": [
                "as published" if there else ALGORITHMS[hospital.algorithm].words
                for hospital, there in zip(hospitals, as_published, strict=True)
            ],
            "k": [None if there else h.policy.k for h, there in zip(hospitals, as_published, strict=True)],
            **{model.symbol: [_asked(h, model) for h in hospitals] for model in session.possible_models()},
            "Same diagnosis": [NONE if h.upload is not None else percent(h.agreement) for h in hospitals],
            "Classes": [len(release.sizes) for release in outcome.releases],
            "Smallest class": [int(release.sizes.min()) for release in outcome.releases],
            "Mean class": [round(float(release.sizes.mean()), 1) for release in outcome.releases],
            "Values in a shared person’s class": [
                _mean_of_located(prior, where, outcome.result.weight)
                for prior, where in zip(outcome.result.prior, outcome.result.located, strict=True)
            ],
        }
    )
    widgets.grid(frame, "The hospitals of the study and their releases")
    st.caption(f"One draw of the hospitals (seed {session.get('seed')}); means over classes and over shared people.")
    widgets.download_csv(frame, "Releases of the hospitals", "hospitals")


def _mean_of_located(values: Ints, located: Located, weight: Ints | None) -> float | None:
    """Mean over the people who are in a class."""
    there = located.counts > 0
    if not there.any():
        return None
    return round(float(mean_over(values[there], None if weight is None else weight[there])), 1)
