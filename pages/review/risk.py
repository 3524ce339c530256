"""Re-identification risk as regulators count it: before and after composition, and in a population."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.attack.anonymity_set import AnonymitySet, anonymity_set, linkable
from core.attack.risk.population_uniques import PopulationUniques, population_uniques
from core.attack.risk.reidentification_risk import PRESETS, Preset, ReidentificationRisk
from core.base.wording import NONE, confidence_text, count, percent
from core.data.profiling.uniqueness import people_by_group
from pages.shared.compute import attack_results, cache, data_results, release_results
from pages.shared.state import session
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import draws, interval

PLACE = "review:risk"


def show() -> None:
    """Draw the sheet: regulators' limits, one release and all together, three criteria, and the population."""
    st.caption(
        "Regulators count people, not diagnoses: in a group of 20 (an anonymity set), a person is re-identified with "
        "probability 1 in 20, whatever is then learned. The limit 0.09 requires a set of 11. Limits are for one "
        "release; next to each number is what remains of it once others publish too."
    )
    preset = PRESETS[
        st.segmented_control(
            "Limits of", list(PRESETS), key=f"{PLACE}:preset", default="public", required=True, format_func=_words_of
        )
    ]
    together = _anonymity_set()
    st.table(sheet(preset, together), border="horizontal", hide_index=True, alt="Re-identification risk, three ways")
    several = data_results.encoded().has_multiple_records
    st.caption(_people(together) + (" A person with several records counts once in each class." if several else ""))
    st.caption(
        f"Source: {preset.citation}. Meeting these limits does not make a release anonymous, and none of them "
        "considers composition. *Decide* takes a limit for each of these numbers."
    )
    st.markdown("## Three criteria of the Article 29 Working Party (WP216)")
    st.table(criteria(together), border="horizontal", hide_index=True, alt="Singling out, linkability, inference")
    st.caption(f"Shares of {count(session.get('overlap'))} shared people.")
    _uniques()


def _words_of(name: str) -> str:
    return PRESETS[name].words


def _anonymity_set() -> AnonymitySet | None:
    """Anonymity sets of one draw; this compares all pairs of people, so it is cached."""
    scenario = session.scenario()
    key = ("anonymity_set", *data_results.data_key(scenario), scenario.study, scenario.seed)
    return cache.cached(key, lambda: (anonymity_set(attack_results.outcome().result),))[0]


def _risk(preset: Preset) -> str:
    return f"{preset.highest:.2f}"


# ---- the sheet -------------------------------------------------------------------------------


def sheet(preset: Preset, together: AnonymitySet | None) -> pd.DataFrame:
    """One row per number: for my whole release, for the shared people in one release alone, and in all together."""
    mine = ReidentificationRisk.of_classes(release_results.my_release().guarantee.sizes)
    columns: dict[str, ReidentificationRisk | None] = {
        "My release, everyone in it": mine,
        "Shared people, best single release": None if together is None else _worst(together.risk_per_release, preset),
        "Shared people, all releases together": None if together is None else together.risk,
    }
    above = f"Share with a risk over {_risk(preset)}"
    rows: list[dict[str, str]] = []
    for name, limit in (
        ("Highest risk (prosecutor)", f"{_risk(preset)}: an anonymity set of {preset.smallest_set}"),
        (above, NONE if preset.above is None else f"at most {percent(preset.above)}"),
        ("Average risk (marketer)", NONE if preset.average is None else f"at most {percent(preset.average)}"),
        ("Alone (singled out)", NONE),
    ):
        row = {"Number": f"**{name}**", "Limit": limit}
        for column, identification in columns.items():
            row[column] = NONE if identification is None else _describe(name, identification, preset)
        rows.append(row)
    return pd.DataFrame(rows)


def _worst(releases: Sequence[ReidentificationRisk], preset: Preset) -> ReidentificationRisk:
    """The release in which the shared people have the highest risk."""
    return max(releases, key=lambda identification: (identification.above(preset.highest), identification.average))


def _describe(name: str, identification: ReidentificationRisk, preset: Preset) -> str:
    if name.startswith("Highest"):
        if identification.highest == 0:
            return "no one is re-identified"
        value, broken = (
            f"{percent(identification.highest)}, an anonymity set of {round(1 / identification.highest)}",
            identification.above(preset.highest) > 0,
        )
    elif name.startswith("Average"):
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


def _people(together: AnonymitySet | None) -> str:
    everybody = count(release_results.my_release().guarantee.people)
    if together is None:
        return (
            f"Of {everybody} people. What composition leaves is not counted here: persons have several records, or too "
            "many people are located by regions."
        )
    bound = (
        ""
        if together.exact
        else " For another publisher's file only bounds are known; the smaller anonymity set counts."
    )
    return (
        f"My release: {everybody} people. Shared people: {count(len(together.low))}, in one draw of the other "
        "hospitals. With one release a person's anonymity set is the whole class; together only shared people are "
        "left in it."
        f"{bound}"
    )


def criteria(together: AnonymitySet | None) -> pd.DataFrame:
    """Singling out, linkability and inference, each with its interval and what it is compared with."""
    numbers, confidence = attack_results.headline_so_far(), session.get("confidence")
    one_value_left, chosen = row_at(numbers, "confidence", 1.0), row_at(numbers, "confidence", confidence)
    linked = None if together is None else linkable(attack_results.outcome().result)
    return pd.DataFrame(
        [
            {
                "Criterion": "**Singling out**",
                "Means": "alone in their anonymity set after composition",
                "Share": _share(one_value_left, "crowd"),
                "Compared with": f"best single release {percent(one_value_left['crowd_single'])}",
            },
            {
                "Criterion": "**Linkability**",
                "Means": "records in different releases can be linked, because no other shared person is in the "
                "same classes",
                "Share": NONE if linked is None else f"**{percent(linked)}**, in one draw",
                "Compared with": "one release alone has nothing to link",
            },
            {
                "Criterion": "**Inference**",
                "Means": f"exposed at C = {confidence_text(confidence)}",
                "Share": _share(chosen, "share"),
                "Compared with": f"best single release {percent(chosen['single'])}",
            },
        ]
    )


def _share(row: pd.Series, column: str) -> str:
    """A share of the shared people with its interval; a dash if it is not counted."""
    prefix = "" if column == "share" else f"{column}_"
    span = interval(row[f"{prefix}low"], row[f"{prefix}high"])
    many = f"95% interval {span}" if span else draws(int(row["repeats"]))
    return NONE if math.isnan(row[column]) else f"**{percent(row[column])}**, {many}"


# ---- the population ----------------------------------------------------------------------------


def _uniques() -> None:
    st.markdown("## Unique in the population")
    fraction = st.number_input(
        "Share of the population that is in my table, %",
        0.01,
        100.0,
        10.0,
        key=f"{PLACE}:fraction",
        width=320,
        help="People in the table over people it could have been drawn from: all patients of the region, say.",
    )
    encoded = data_results.encoded()
    sizes, many = cache.cached(("people alike", *data_results.data_key()), lambda: people_by_group(encoded))
    estimate = population_uniques(sizes, fraction / 100, many)
    st.markdown(uniques_sentence(estimate))
    if encoded.has_multiple_records:
        st.caption("A person with several records counts once, with the record that fewest people match.")


def uniques_sentence(estimate: PopulationUniques) -> str:
    """Describe the estimate in Markdown."""
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
