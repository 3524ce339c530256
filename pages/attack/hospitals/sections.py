"""The hospitals of the study in words and numbers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.wording import NONE, SHORT_SOURCE
from core.privacy.model import Model
from core.privacy.parameters import cell, is_wanted
from core.release.algorithm import ALGORITHMS
from core.study.hospitals import Hospital
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session
from pages.shared.ui import value_words, widgets
from pages.shared.ui.text import percent, plain


def names() -> list[str]:
    """Names of the hospitals in tables."""
    others = session.others()
    theirs = [f"Hospital {i}" if h.upload is None else plain(h.upload.name, 30) for i, h in enumerate(others, 2)]
    return ["My hospital", *theirs, *["My table of counts"] * (len(session.hospitals()) - 1 - len(others))]


def _asked(hospital: Hospital, model: Model) -> str:
    values = hospital.policy.values
    return cell(model, values) if is_wanted(model, values) and hospital.has_policy else "–"


def _records(number: int, hospital: Hospital) -> int:
    if hospital.upload is not None:
        return attack_results.foreign(hospital.upload).records
    return session.scenario().study.size_of(number, data_results.encoded().people)


def published() -> None:
    """Each hospital: the origin of its records, how they are published, and the result."""
    hospitals, outcome = session.hospitals(), attack_results.outcome()
    frame = pd.DataFrame(
        {
            "Hospital": names(),
            "Records from": ["mine", *(SHORT_SOURCE[hospital.origin_name] for hospital in hospitals[1:])],
            "Records": [_records(number, hospital) for number, hospital in enumerate(hospitals)],
            "Classes by": [
                ALGORITHMS[h.algorithm].words if h.has_policy else "table of counts" if h.counts else "as published"
                for h in hospitals
            ],
            "k": [h.policy.k if h.has_policy else None for h in hospitals],
            **{model.symbol: [_asked(h, model) for h in hospitals] for model in session.possible_models()},
            "Same diagnosis": [percent(h.same_value_rate) if h.is_drawn else NONE for h in hospitals],
            "Classes": [len(release.sizes) for release in outcome.releases],
            "Smallest class": [int(release.sizes.min()) for release in outcome.releases],
        }
    )
    widgets.grid(frame, "The hospitals of the study and their releases")
    st.caption(f"{value_words.world()} Classes are those of one draw (seed {session.get('seed')}).")
    if any(file.linked for file in attack_results.files().values()):
        st.caption("The shared people are those whom an identifier links.")
