"""Risk of being found, as regulators count it: before and after composition, and in a population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.attack.crowd import Crowd, crowd, linkable
from core.attack.risk.identification import PRESETS, REGULATED, Identification, Preset, in_population
from core.attack.risk.uniqueness import PopulationUniques, population_uniques
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.rates import candidate_limit
from core.base.words import NONE, confidence_text, count, people, percent
from core.data.uniqueness import people_by_group
from core.release.published.locate import locate
from core.release.published.targets import Targets
from pages.shared import errors, reading, results, session, uploads
from pages.shared.frames import row_at
from pages.shared.text import draws, interval

PLACE = "review:risk"
MEGABYTES = 200
_UPLOADS = f"{PLACE}:uploads"
MODELS = {
    "pitman": "Pitman (Hoshino 2001)",
    "zayatz": "Zayatz (1991)",
    "negative_binomial": "Slide negative binomial (Chen, Keller-McNulty 1998)",
}


def show() -> None:
    """The sheet: limits of others, one release and all together, three criteria, and the population."""
    st.caption(
        "Regulators count people, not diagnoses: whoever stands in a crowd of 20 is found with a chance of 1 in 20, "
        "whatever is then learned. Their limits are for one release; beside each number stands what is left of it "
        "once others publish too."
    )
    preset = PRESETS[
        st.segmented_control(
            "Limits of", list(PRESETS), key=f"{PLACE}:preset", default="public", required=True, format_func=_words_of
        )
    ]
    together = _crowd()
    st.table(sheet(preset, together), border="horizontal", hide_index=True, alt="Risk of being found, three ways")
    several = results.encoded().person is not None
    st.caption(_people(together) + (" A person with several records counts once in each class." if several else ""))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Set these limits",
            key=f"{PLACE}:limits",
            icon=":material/tune:",
            on_click=set_limits,
            args=(preset.name,),
            help="Adds them to the limits of the first tab, for my release and for what composition leaves of it.",
        )
        st.caption(
            f"Source: {preset.source}. Keeping them does not make a release anonymous, and none of them speaks of "
            "composition.",
            width="stretch",
        )
    st.markdown("## Three criteria of the Article 29 Working Party (WP216)")
    st.table(criteria(together), border="horizontal", hide_index=True, alt="Singling out, linkability, inference")
    st.caption(f"Shares of {count(session.get('overlap'))} shared people.")
    _uniques()
    _population(preset)


def _words_of(name: str) -> str:
    return PRESETS[name].words


def _crowd() -> Crowd | None:
    """Crowds of one draw; everybody is held against everybody, so it is remembered."""
    scenario = session.scenario()
    key = ("crowd", *results.data_key(scenario), scenario.study, scenario.seed)
    return results.remembered(key, lambda: (crowd(results.outcome().result),))[0]


def set_limits(name: str) -> None:
    """Take the limits of a preset over, for my release and after composition."""
    session.put("requirements", {**session.get("requirements"), **limits(PRESETS[name], session.get("confidence"))})


def limits(preset: Preset, confidence: float) -> dict[str, float]:
    """The limits of a preset by the names of the numbers that they hold for, at a chosen confidence C.

    People over the threshold after composition are those of two numbers: in a crowd under 11, or of
    at most 1/C. Where neither is that of the preset, no limit is set for them.
    """
    limits_of = {"k": float(preset.crowd)}
    if preset.above is not None and preset.crowd == REGULATED:
        limits_of["at_risk"] = preset.above
    elif preset.above is not None and candidate_limit(confidence) == preset.crowd - 1:
        limits_of["crowd"] = preset.above
    if preset.average is not None:
        limits_of |= {"average_risk": preset.average, "average_after": preset.average}
    return limits_of


def _risk(preset: Preset) -> str:
    return f"{preset.highest:.2f}"


# ---- the sheet -------------------------------------------------------------------------------


def sheet(preset: Preset, together: Crowd | None) -> pd.DataFrame:
    """One row a number: of my whole release, of the shared people in one release alone, and in all together."""
    mine = Identification.of_classes(results.my_release().guarantee.sizes)
    columns: dict[str, Identification | None] = {
        "My release, everybody in it": mine,
        "Shared people, best single release": None if together is None else _worst(together.found_alone, preset),
        "Shared people, all releases together": None if together is None else together.found,
    }
    above = f"Share with a risk over {_risk(preset)}"
    rows: list[dict[str, str]] = []
    for name, limit in (
        ("Highest risk", f"{_risk(preset)}: a crowd of {preset.crowd}"),
        (above, NONE if preset.above is None else f"at most {percent(preset.above)}"),
        ("Average risk", NONE if preset.average is None else f"at most {percent(preset.average)}"),
        ("Alone: singled out", NONE),
    ):
        row = {"": f"**{name}**", "Limit": limit}
        for column, identification in columns.items():
            row[column] = NONE if identification is None else _told(name, identification, preset)
        rows.append(row)
    return pd.DataFrame(rows)


def _worst(releases: Sequence[Identification], preset: Preset) -> Identification:
    """The release in which the shared people are easiest to find."""
    return max(releases, key=lambda identification: (identification.above(preset.highest), identification.average))


def _told(name: str, identification: Identification, preset: Preset) -> str:
    if name == "Highest risk":
        if identification.highest == 0:
            return "nobody is found"
        value, broken = (
            f"{percent(identification.highest)}, a crowd of {round(1 / identification.highest)}",
            identification.above(preset.highest) > 0,
        )
    elif name == "Average risk":
        value, broken = (
            percent(identification.average),
            preset.average is not None and identification.average > preset.average,
        )
    elif name.startswith("Alone"):
        return percent(identification.singled_out)
    else:
        share = identification.above(preset.highest)
        value, broken = percent(share), preset.above is not None and share > preset.above
    return f"**{value}, over the limit**" if broken else value


def _people(together: Crowd | None) -> str:
    everybody = count(results.my_release().guarantee.people)
    if together is None:
        return (
            f"Of {everybody} people. What composition leaves is not counted here: persons have several records, or too "
            "many people are located by regions."
        )
    bound = "" if together.exact else " Of somebody else's file only bounds are known: the smaller crowd counts."
    return (
        f"My release: {everybody} people. Shared people: {count(len(together.low))}, in one draw of the other "
        "hospitals. With one release a person's crowd is the whole class; together only shared people are left in it."
        f"{bound}"
    )


def criteria(together: Crowd | None) -> pd.DataFrame:
    """Singling out, linkability and inference, each with its interval and what it is compared with."""
    numbers, confidence = results.headline_so_far(), session.get("confidence")
    perfect, chosen = row_at(numbers, "confidence", 1.0), row_at(numbers, "confidence", confidence)
    linked = None if together is None else linkable(results.outcome().result)
    return pd.DataFrame(
        [
            {
                "": "**Singling out**",
                "Means": "alone in the classes that the releases leave together",
                "Share": _share(perfect, "crowd"),
                "Compared with": f"best single release {percent(perfect['crowd_single'])}",
            },
            {
                "": "**Linkability**",
                "Means": "records in different releases can be put together, because no other shared person is in the "
                "same classes",
                "Share": NONE if linked is None else f"**{percent(linked)}**, in one draw",
                "Compared with": "one release alone has nothing to put together",
            },
            {
                "": "**Inference**",
                "Means": f"exposed at C = {confidence_text(confidence)}",
                "Share": _share(chosen, "share"),
                "Compared with": f"best single release {percent(chosen['single'])}",
            },
        ]
    )


def _share(row: pd.Series, column: str) -> str:
    """A share of the shared people with its interval; a dash where it is not counted."""
    beside = "" if column == "share" else f"{column}_"
    span = interval(row[f"{beside}low"], row[f"{beside}high"])
    many = f"95 % interval {span}" if span else draws(int(row["repeats"]))
    return NONE if math.isnan(row[column]) else f"**{percent(row[column])}**, {many}"


# ---- the population ----------------------------------------------------------------------------


def _uniques() -> None:
    st.markdown("## Unique in the population")
    fraction = st.number_input(
        "My table is so much of its population, %",
        0.01,
        100.0,
        10.0,
        key=f"{PLACE}:fraction",
        width=320,
        help="People in the table over people it could have been drawn from: all patients of the region, say.",
    )
    encoded = results.encoded()
    sizes, many = results.remembered(("people alike", *results.data_key()), lambda: people_by_group(encoded))
    estimate = population_uniques(sizes, fraction / 100, many)
    st.markdown(uniques_sentence(estimate))
    if encoded.person is not None:
        st.caption("A person with several records counts once, with the record that fewest people match.")
    st.table(
        uniques(estimate), border="horizontal", hide_index=True, alt="People unique in the population, by three models"
    )


def uniques_sentence(estimate: PopulationUniques) -> str:
    """What the estimate says, for Markdown."""
    begin = (
        f"**{count(estimate.sample)}** of {count(estimate.records)} people are unique in the table on all "
        "quasi-identifiers, before anything is generalised."
    )
    if estimate.people is None or estimate.share is None:
        return f"{begin} No model of the population fits them."
    return (
        f"{begin} In a population of about {count(estimate.population)} people some **{count(estimate.people)}** "
        f"({percent(estimate.share)}) would be."
    )


def uniques(estimate: PopulationUniques) -> pd.DataFrame:
    """One row a model, and which one the rule takes."""
    rows = []
    for name, title in MODELS.items():
        people: float | None = getattr(estimate, name)
        rows.append(
            {
                "Model": f"**{title}**" if name == estimate.chosen else title,
                "Unique people": "does not fit" if people is None else count(people),
                "Share of the population": NONE if people is None else percent(people / estimate.population),
                "": "taken (rule of Dankar et al. 2012)" if name == estimate.chosen else "",
            }
        )
    return pd.DataFrame(rows)


def _population(preset: Preset) -> None:
    st.markdown("## Against a list of the population")
    turn = st.session_state.get(_UPLOADS, 0)
    file = st.file_uploader(
        "A table of the population, a row a person",
        key=f"{PLACE}:file:{turn}",
        max_upload_size=MEGABYTES,
        help="With the quasi-identifiers of your table under the same names, each value written as there. It is "
        "counted and stays in the memory of this session.",
    )
    if file is None:
        st.caption(
            "Somebody who does not know that a person is in your table has to look among everybody who fits the class: "
            "a register of inhabitants, say. Load one to see that risk."
        )
        return
    with errors.refusing():
        key = ("population crowds", file.file_id, *results.release_key())
        crowds = results.remembered(key, lambda: _count(file))
        release = results.my_release().release
        identification = Identification.of_classes(release.reader_sizes, crowds)
        st.markdown(
            f"Among the people of that list the highest risk is **{percent(identification.highest)}**, a crowd of "
            f"{count(1 / identification.highest)}; **{percent(identification.above(preset.highest))}** of the people "
            f"have a risk over {_risk(preset)}; on average it is **{percent(identification.average)}**."
        )
        if release.encoded.person is not None:
            st.caption("A person with several records counts once in each class, and the crowd of a class is people.")
        short = int((crowds == release.reader_sizes).sum())
        if short:
            st.caption(
                f"In {count(short)} of {count(len(crowds))} classes the list has nobody beside the people of the "
                "table, or fewer than those: their own number is the crowd."
            )


def _count(file: Any) -> np.ndarray[Any, Any]:
    """Count who of the population fits each class of my release."""
    table = reading.table(file, f"{PLACE}:reading:{file.file_id}", partial(_let_go, file.file_id))
    schema = session.workspace().schema
    names = schema.quasi_identifiers
    lacking = [name for name in names if name not in table.names]
    if lacking:
        raise InputError(
            f"The population has no column {shown(lacking[0])}; it needs every quasi-identifier of the table, under "
            "the same names.",
            parameter=lacking[0],
        )
    mine = results.my_release()
    if len(table) < mine.guarantee.people:
        raise InputError(
            f"The list has {people(len(table))} and the table {count(mine.guarantee.people)}, so it cannot be the "
            "population that the table is from; load a list of everybody who could be in the table.",
            parameter="population",
        )
    known = Targets.of_table(table, names, schema.missing_tokens)
    return in_population(locate(mine.release.published, known).classes, mine.release.reader_sizes)


def _let_go(file: str) -> None:
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    uploads.drop(file)
