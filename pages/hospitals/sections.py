"""What the Other hospitals page draws: the study, what each would publish, and the adversary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Ints, mean_over
from core.attack.views import LOCATE
from core.privacy.model import Model
from core.published.located import Located
from core.release.algorithm import ALGORITHMS
from core.release.readable import Readable
from core.study.hospitals import Hospital
from core.words import NONE, PERCENT, SHORT_SOURCE, at_confidence
from pages.shared import firm, results, session, values, widgets
from pages.shared.text import count, draws, percent, plain
from pages.shared.values import UNKNOWN

NOBODY_KNOWS = "nobody knows"


def names() -> list[str]:
    """The hospitals as tables call them."""
    others = session.hospitals()[1:]
    theirs = [f"Hospital {i}" if h.upload is None else plain(h.upload.name, 30) for i, h in enumerate(others, 2)]
    return ["My hospital", *theirs]


def study() -> None:
    """Say how the hospitals come about, and list them."""
    hospitals, encoded = session.hospitals(), results.encoded()
    records = encoded.people
    several = encoded.person is not None
    setting = session.scenario().study
    st.subheader("The hospitals of this study")
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
    base = pd.DataFrame(
        {
            "hospital": names(),
            "source": ["mine", *(SHORT_SOURCE[hospital.source_name] for hospital in hospitals[1:])],
            "records": [_records(number, hospital) for number, hospital in enumerate(hospitals)],
            "algorithm": [
                "as published" if h.source == "published" else ALGORITHMS[h.algorithm].words for h in hospitals
            ],
            "k": [None if h.source == "published" else h.policy.k for h in hospitals],
            **{model.symbol: [_asked(h, model) for h in hospitals] for model in session.possible_models()},
            "agreement": [None if h.upload is not None else 100 * h.agreement for h in hospitals],
        }
    )
    number = st.column_config.NumberColumn
    edited = st.data_editor(
        widgets.written(base, ["records"]),
        hide_index=True,
        num_rows="fixed",
        disabled=["hospital", "source", "records", "algorithm", *(model.symbol for model in session.possible_models())],
        key=f"hospitals:table:{session.fingerprint()}",
        placeholder=NONE,
        alt="The hospitals of the study and their policies",
        column_config={
            "hospital": "Hospital",
            "source": "Records from",
            "records": "Persons" if several else "Records",
            "algorithm": "Classes by",
            "k": number("People per class (k)", min_value=2, max_value=1000, step=1),
            **{model.symbol: model.column for model in session.possible_models()},
            "agreement": number("Same diagnosis", min_value=0.0, max_value=100.0, format=f"%.4g{PERCENT}%"),
        },
    )
    if session.adopt_table(as_shares(edited, base, hospitals)):
        st.rerun()
    st.caption("The table sets k and the same diagnosis for one hospital. The sliders above set them for all.")


def as_shares(edited: pd.DataFrame, shown: pd.DataFrame, hospitals: Sequence[Hospital]) -> pd.DataFrame:
    """The edited table with its percentages as shares; what nobody edited stays exactly as it was."""
    percentage = edited["agreement"]
    given = [hospital.agreement for hospital in hospitals]
    return edited.assign(agreement=np.where(percentage.eq(shown["agreement"]), given, percentage / 100))


def _asked(hospital: Hospital, model: Model) -> str:
    values = hospital.policy.values
    return model.cell(values) if model.is_asked(values) and hospital.source != "published" else "–"


def _records(number: int, hospital: Hospital) -> int:
    if hospital.upload is not None:
        return results.foreign(hospital.upload).records
    return session.scenario().study.size_of(number, results.encoded().people)


def published() -> None:
    """What each hospital gives out."""
    outcome = results.outcome()
    st.subheader("What they would publish")
    frame = pd.DataFrame(
        {
            "Hospital": names(),
            "Classes": [len(release.sizes) for release in outcome.releases],
            "Smallest class": [int(release.sizes.min()) for release in outcome.releases],
            "Largest class": [int(release.sizes.max()) for release in outcome.releases],
            "Mean class": [round(float(release.sizes.mean()), 1) for release in outcome.releases],
            "Values in a shared person's class": [
                _mean_of_located(prior, where, outcome.result.weight)
                for prior, where in zip(outcome.result.prior, outcome.result.located, strict=True)
            ],
        }
    )
    widgets.grid(frame, "Releases of the hospitals")
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.download_csv(frame, "Releases of the hospitals", "hospitals")
        st.caption(
            f"One draw of the hospitals (seed {session.get('seed')}); means over classes and over shared people."
        )


def _mean_of_located(values: Ints, located: Located, weight: Ints | None) -> float | None:
    """Mean over the people who are in a class."""
    there = located.counts > 0
    if not there.any():
        return None
    return round(float(mean_over(values[there], None if weight is None else weight[there])), 1)


WAYS = {
    "assumed": "He knows the class of each person in every release (the papers' setting)",
    "published": "He has only the published tables and each person's quasi-identifiers",
    "default": "As the release allows: the class where classes can be told apart, else what is published",
}


def adversary() -> None:
    """How he finds the class of a person, how well that works, and what he does then."""
    way = widgets.pick("locate", "hospitals", LOCATE, WAYS.__getitem__)
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
    firm.shown_firmly(_intersected)
    st.caption(
        f"In the paper, the nearest average is that of the right class for about 70{PERCENT} of people in census data. "
        "Whoever fits several classes keeps the values of all of them. Whoever fits none loses nothing by that release."
    )


def _intersected() -> None:
    """What comes out, as every page states it."""
    table = results.headline_so_far()
    chosen = table[table["confidence"] == session.get("confidence")].iloc[0]
    st.markdown(
        f"Then the adversary intersects. **{percent(chosen['share'])}** of {count(chosen['n'])} shared people are "
        f"exposed at "
        f"{at_confidence(session.get('confidence'))}; the best single release alone exposes "
        f"{percent(chosen['single'])}. Whoever also weighs the values left is that sure of "
        f"{percent(chosen['weighted'])} ({draws(chosen['repeats'])})."
    )
    st.caption(f":material/public: {values.world()}")


def _found_by(release: Readable, known: bool, way: str) -> str:
    mine = release.release
    by_region = release.published.centroids if mine is None else mine.read_by_region
    if known and (way == "assumed" or (way == "default" and not by_region)):
        return "class assumed known"
    return "published means" if release.published.centroids else "published regions"
