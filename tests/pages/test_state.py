"""The session's choices as a scenario and back: nothing of it is lost, and what does not matter to a run moves none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from msgspec import Struct, structs

from core import Policy, Scenario, Schema, Table, Taxonomy
from core.data.schemas.agreement import AgreedRegion, Agreement
from core.decision.scenario.questions import AskedForecast, AskedNoise, Plausible
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario_file import bounds
from core.dp import Declared
from core.release.count_settings import settings_of
from core.study.hospitals import Hospital
from core.study.uploads import Upload
from pages.attack import forecast as forecast_runs
from pages.noise import numbers as noise_runs
from pages.shared.compute import attack_results, release_results
from pages.shared.state import session
from pages.shared.state.choices import CHOICES
from tests.pages.drive import Session, begin
from tests.tables import pooled_table, small_table

TABLE, SCHEMA = small_table()


OTHERS = 3
PLACES = tuple((name, name) for name in (*SCHEMA.quasi_identifiers, SCHEMA.sensitive))
CHANGED: dict[type, dict[str, Any]] = {
    Scenario: {
        "overlap": 44,
        "confidence": 0.5,
        "locate": "published",
        "seed": 7,
        "repeats": 3,
        "size": 150,
        "requirements": Requirements(k=5, one_value_left=0.05),
        "plausible": Plausible(overlap=(20, 90), same_value_rate=(0.6, 1.0)),
    },
    AskedForecast: {"l": 3, "confidence": 0.8, "reading": "every subset", "others": 700, "statistics": "joint"},
    AskedNoise: {
        "epsilon": 0.3,
        "delta": 1e-9,
        "mechanism": "gaussian",
        "prior": "uniform",
        "columns": ("sex",),
        "domains": {"sex": Declared("values", values=("f", "m"))},
    },
    Hospital: {
        "policy": Policy(9, l=3, diversity="entropy", t=0.3, distance="ordered"),
        "algorithm": "mdav",
        "same_value_rate": 0.5,
        "origin": "simulated",
        "size": 200,
        "attributes": ("age",),
        "upload": Upload("x" * 64, PLACES, name="theirs.csv"),
        "case_mix": 0.7,
        "counts": settings_of("age/10; below=7; zeros=masked; rounded=5; totals=hidden"),
    },
}
"""Another value of each field of what a scenario is made of."""
NO_CHOICE = {
    **dict.fromkeys(("schema", "data_name", "data_id"), "of the table in use, which stays what it is"),
    **dict.fromkeys(("hospitals", "forecast", "noise"), "field by field, below"),
    "file_id": "no page takes a file of population statistics",
    "decision": "words, which the page Decide takes: test_review",
}


def changed(of: type, field: str, place: int) -> Scenario:
    """The scenario of the session with one field away from what it was."""
    now, value = session.scenario(), CHANGED[of][field]
    if of is Hospital:
        more = {"origin": "published"} if field == "upload" else {}
        hospitals = list(now.hospitals)
        hospitals[place] = replace(hospitals[place], **{field: value, **more})
        return now.with_(hospitals=tuple(hospitals))
    if of is Scenario:
        return now.with_(**{field: value})
    part = "noise" if of is AskedNoise else "forecast"
    return now.with_(**{part: structs.replace(getattr(now, part), **{field: value})})


def fields_of(of: type) -> list[str]:
    names = [field.name for field in (structs.fields if issubclass(of, Struct) else fields)(of)]
    return [name for name in names if name not in NO_CHOICE]


NOT_MINE = ("same_value_rate", "origin", "size", "attributes", "upload", "case_mix", "counts")
"""Of a hospital, what is not chosen for mine."""
EACH = [
    (of, field, place)
    for of in CHANGED
    for field in fields_of(of)
    for place in (range(OTHERS)[field in NOT_MINE :] if of is Hospital else [0])
]


@pytest.mark.parametrize(("of", "field", "place"), EACH)
def test_every_field_of_a_scenario_is_chosen_again_by_the_page_that_opens_it(
    started: Session, of: type, field: str, place: int
) -> None:
    """Over a file, too; and what was moved before is moved back."""
    session.put("releases", OTHERS)
    begins, wanted = session.scenario(), changed(of, field, place)
    assert begins != wanted
    for scenario in (wanted, begins, wanted):
        session.adopt(scenario)
        assert session.scenario() == scenario
    assert Scenario.from_json(session.scenario().to_json()) == wanted


NOT_IN_A_SCENARIO = {
    **dict.fromkeys(("vary", "person", "attacker", "list_times"), "what is looked at"),
    **dict.fromkeys(("belief_source", "belief_theta", "belief_columns"), "of the section Beliefs alone"),
    **dict.fromkeys(("hold_least",), "what an agreement is made from; it is in the schema"),
    **dict.fromkeys(("own", "size", "requirements", "plausible", "noise_columns", "noise_domains"), "above"),
    "my_counts": "of a hospital of its own: test_counts",
    "decision": "words about a table",
    "linked": "follows from both k",
    "pool_drop": "of the page of providers alone",
}


def agreed(schema: Schema, *buckets: Sequence[str]) -> Agreement:
    """An agreement whose buckets are one class each."""
    region = AgreedRegion(tuple(map(tuple, buckets)), ((),) * len(buckets))
    return Agreement(schema.sensitive, {"age": "numeric", "sex": "categorical"}, (region,))


def everything_asked(state: Session) -> None:
    """A session in which every choice counts: a table with providers, a tree and an agreement, every model on."""
    table, schema = pooled_table()
    values = schema_values(table, schema)
    tree = Taxonomy.from_nested({"a": values[:4], "b": values[4:]})
    agreement = agreed(schema, values[:4], values[4:])
    begin(state, table, schema.with_(taxonomies={schema.sensitive: tree}, agreement=agreement))
    asked = {"diversity": "recursive", "closeness": True, "collusion": True, "overlap": 40}
    for name, value in {**asked, "my_algorithm": "mondrian", "forecast_same": False}.items():
        session.put(name, value)
    session.put("linked", False)


def schema_values(table: Table, schema: Schema) -> list[str]:
    return sorted(table.column(schema.sensitive).labels)


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in NOT_IN_A_SCENARIO])
def test_every_choice_is_in_the_scenario_and_chosen_by_it_in_another_session(bare: Session, name: str) -> None:
    """Each choice of the program, those of tomorrow too; what no scenario holds has its reason."""
    everything_asked(bare)
    before, choice, now = session.scenario(), CHOICES[name], session.get(name)
    if choice.options:
        other = next(word for word in choice.options if word not in (now, "provider-aware"))
    elif isinstance(now, bool):
        other = not now
    else:
        other = choice.low if now != choice.low else choice.high
    session.put(name, other)
    wanted = session.scenario()
    assert wanted != before
    everything_asked(bare)
    session.adopt(wanted)
    assert session.get(name) == other
    assert session.scenario() == wanted


def test_the_toggle_of_all_others_ends_what_one_has_alone(started: Session) -> None:
    session.put("releases", 3)
    session.adopt(changed(Hospital, "policy", 2))
    session.put("their_models", True)
    assert session.scenario().hospitals[2].policy == Policy(9)


def test_a_loaded_table_ends_the_size_of_a_scenario(started: Session) -> None:
    session.adopt(session.scenario().with_(size=100))
    session.put("overlap", 120)
    assert session.scenario().size == 120, "never less than the people shared"
    session.load(TABLE, SCHEMA, "again")
    assert session.scenario().size is None


def test_what_is_asked_beside_the_attack_costs_no_run(started: Session) -> None:
    def keys() -> set[Any]:
        attack_results.headline(repeats=1)
        release_results.my_release()
        forecast_runs.present()
        return set(started[session.RESULTS])

    before = keys()
    session.adopt(session.scenario().with_(noise=AskedNoise(0.2), requirements=Requirements(k=7)))
    assert noise_runs.mechanism().epsilon == 0.2
    assert {key[1] for key in keys() - before} == {"noise mechanism"}


FIELDS = {
    "my_k": "k",
    "their_k": "k",
    "my_m": "m",
    "l": "l",
    "c": "c",
    "t": "t",
    "overlap": "overlap",
    "same_value_rate": "same_value_rate",
    "case_mix": "case_mix",
    "confidence": "confidence",
    "seed": "seed",
    "repeats": "repeats",
    "forecast_l": "forecast.l",
    "forecast_c": "forecast.confidence",
    "forecast_others": "forecast.others",
}


@pytest.mark.parametrize("choice", list(FIELDS))
def test_a_control_offers_nothing_that_a_scenario_file_may_not_hold(choice: str) -> None:
    """And the other way round where a control offers all: what a file holds is not moved by the page that shows it."""
    bound, control = bounds()[FIELDS[choice]], CHOICES[choice]
    assert bound.low <= control.low <= control.high <= bound.high
    if choice in ("same_value_rate", "confidence", "seed", "repeats", "forecast_c"):
        assert (control.low, control.high) == (bound.low, bound.high)


# ---- what a change of roles keeps --------------------------------------------------------------------


def test_an_agreement_goes_with_new_roles_unless_it_is_to_stay(bare: Session) -> None:
    values = TABLE.column(SCHEMA.sensitive).labels
    listed = SCHEMA.with_(agreement=agreed(SCHEMA, values))
    for keep in (False, True):
        begin(bare, TABLE, listed)
        session.change_schema(SCHEMA.with_(unassigned="drop"), edited=keep)
        assert (session.workspace().schema.agreement is not None) is keep
    begin(bare, TABLE, listed)
    session.change_schema(SCHEMA.with_(unassigned="drop"))
    assert session.workspace().schema.agreement is None


@pytest.mark.parametrize(("records", "largest"), [(60, 50), (1_000, 200), (40_000, 10_000)])
def test_larger_values_of_k_are_tried_for_larger_data_in_order(
    bare: Session, records: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(bare, TABLE, SCHEMA)
    monkeypatch.setattr(session, "people", lambda: records)
    monkeypatch.setattr(session, "most_k", lambda people: people // 4)
    tried = session.and_large([2, 50, 5])
    assert tried == sorted(tried)
    assert max(tried) == largest
