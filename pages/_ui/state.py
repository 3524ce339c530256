"""The state of one session: data, schema and every choice. Pages never touch raw keys.

Choices live under their own names, apart from the widgets that show them, so that they
survive a change of page and two widgets can show one choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core import Hospital, Policy, Scenario, Schema, Table, examples

_PREFIX = "choice:"
_WORKSPACE = "workspace"
RESULTS = "results"


@dataclass(frozen=True)
class Choice:
    """One parameter of the program: where it starts, its bounds, and how it is asked.

    Parameters
    ----------
    start
        Value of a new session.
    label, help
        Plain words first, symbol second.
    low, high, step
        Bounds of a number.
    """

    start: Any
    label: str = ""
    help: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None


CHOICES: Mapping[str, Choice] = {
    "my_k": Choice(5, "People per class (k)",
                   "My release: every person hides among at least this many records in my release.", 2, 100, 1),
    "their_k": Choice(5, "Others: people per class (k)",
                      "What the others ask of their releases; you cannot choose it, only assume it.", 2, 100, 1),
    "linked": Choice(True, "Same k at every hospital"),
    "my_algorithm": Choice("mondrian", "How classes are formed",
                           "Mondrian cuts the table into boxes; microaggregation groups nearest neighbours."),
    "their_algorithm": Choice("mondrian", "Others: how classes are formed",
                              "What the others use; you cannot choose it, only assume it."),
    "diversity": Choice("none", "Diversity of diagnoses (l)",
                        "Asks that no class is dominated by few sensitive values."),
    "l": Choice(2.0, "Values per class (l)", "How many well represented sensitive values each class must have.",
                1, 30, 1),
    "c": Choice(2.0, "Factor (c)", "The commonest value must be rarer than c times the l-th and later ones together.",
                0.1, 20, 0.1),
    "closeness": Choice(False, "Limit the distance (t-closeness)"),
    "t": Choice(0.4, "Distance at most (t)",
                "0 asks every class to look like the whole table; 1 asks nothing.", 0.05, 1.0, 0.01),
    "distance": Choice("equal", "Distance"),
    "their_models": Choice(True, "Others ask for l and t too"),
    "overlap": Choice(5000, "Shared people (overlap)",
                      "People who went to every hospital. Shared people are the ones an adversary can find twice.",
                      10, 20000, 10),
    "releases": Choice(2, "Hospitals that publish (R)", "Mine and the others.", 2, 8, 1),
    "agreement": Choice(1.0, "Same diagnosis elsewhere",
                        "Agreement. Probability that a shared person carries the same sensitive value there.",
                        0.0, 1.0, 0.05),
    "confidence": Choice(0.25, "Adversary's confidence (C)",
                         "A person counts as exposed when at most 1/C values are left.", 0.05, 1.0, 0.01),
    "vary": Choice("k", "Draw the curve against"),
    "seed": Choice(0, "Seed of the draws", "Same seed, same people.", 0, 1_000_000, 1),
    "repeats": Choice(10, "Redraws behind an interval", "", 1, 50, 1),
    "hospital_k": Choice({}),
    "hospital_agreement": Choice({}),
    "person": Choice(0, "Shared person", "", 0, None, 1),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Workspace:
    """The table of the session.

    Parameters
    ----------
    table, schema
        The data and the roles of its columns.
    name
        What the data is called on screen.
    example
        Whether it is the built-in city.
    """

    table: Table
    schema: Schema
    name: str
    example: bool


def get(name: str) -> Any:
    """Return the present value of a choice."""
    return st.session_state.get(_PREFIX + name, CHOICES[name].start)


def put(name: str, value: Any) -> None:
    """Set a choice; linked choices follow."""
    st.session_state[_PREFIX + name] = value
    if name == "their_k":
        st.session_state[_PREFIX + "hospital_k"] = {}
    if name == "agreement":
        st.session_state[_PREFIX + "hospital_agreement"] = {}
    if name == "my_k" and get("linked"):
        put("their_k", value)
    if name == "linked" and value:
        put("their_k", get("my_k"))


def workspace() -> Workspace:
    """Return the data of the session; the synthetic city until something is loaded."""
    if _WORKSPACE not in st.session_state:
        st.session_state[_WORKSPACE] = Workspace(
            _the_city(), examples.city_schema(), "The synthetic city", example=True
        )
    found: Workspace = st.session_state[_WORKSPACE]
    return found


def _the_city() -> Table:
    return examples.city()


def load(table: Table, schema: Schema, name: str, example: bool = False) -> None:
    """Replace the data and forget its results; choices stay where they fit the new table."""
    st.session_state.pop(RESULTS, None)
    st.session_state[_WORKSPACE] = Workspace(table, schema, name, example)
    fit_choices(len(table))


def change_schema(schema: Schema) -> None:
    """Give the present data other roles or kinds."""
    old = workspace()
    st.session_state[_WORKSPACE] = Workspace(old.table, schema, old.name, old.example)
    if get("distance") == "hierarchical" and schema.sensitive not in schema.taxonomies:
        put("distance", "equal")


def fit_choices(records: int) -> None:
    """Bring choices that depend on the size of the table within it."""
    put("overlap", max(1, min(get("overlap"), overlap_bound(records), max(1, records // 6))))
    for name in ("my_k", "their_k"):
        if get(name) > max(2, records // 4):
            put(name, max(2, min(5, records // 4)))
    put("person", 0)


def overlap_bound(records: int) -> int:
    """Most people that two hospitals of this table can share and still have some of their own."""
    return max(1, (2 * records) // 3)


def overlap_range(records: int) -> dict[str, float]:
    """Bounds of the overlap slider for a table of this size."""
    return {"low": min(10, max(1, records // 6)), "high": overlap_bound(records), "step": 10 if records > 500 else 1}


def most_k(records: int) -> int:
    """Largest k that the sliders offer for a table of this size."""
    return max(3, min(100, records // 4))


def forget() -> None:
    """Forget data, results and choices of this session."""
    for key in list(st.session_state):
        del st.session_state[key]


def policy(k: int, models: bool = True) -> Policy:
    """Return the policy of the present choices, with this k."""
    kind = get("diversity")
    with_l = models and kind != "none"
    return Policy(
        k=int(k),
        l=(float(get("l")) if kind == "entropy" else int(get("l"))) if with_l else None,
        diversity=kind if with_l else "distinct",
        c=float(get("c")) if with_l and kind == "recursive" else None,
        t=float(get("t")) if models and get("closeness") else None,
        distance=get("distance") if models and get("closeness") else "equal",
    )


def hospitals() -> tuple[Hospital, ...]:
    """Return the hospitals of the present choices, mine first."""
    own_k: dict[int, int] = get("hospital_k")
    own_agreement: dict[int, float] = get("hospital_agreement")
    others = tuple(
        Hospital(
            policy(own_k.get(number, get("their_k")), models=get("their_models")),
            agreement=float(own_agreement.get(number, get("agreement"))),
        )
        for number in range(1, int(get("releases")))
    )
    return (Hospital(policy(get("my_k"))), *others)


def scenario() -> Scenario:
    """Every choice of the session as one object of core."""
    here = workspace()
    return Scenario(
        schema=here.schema,
        hospitals=hospitals(),
        overlap=int(get("overlap")),
        confidence=float(get("confidence")),
        seed=int(get("seed")),
        repeats=int(get("repeats")),
        data_name=here.name,
        data_id=here.table.content_id,
    )


def adopt(wanted: Scenario) -> None:
    """Set the choices from a scenario; the data stays what it is."""
    mine, others = wanted.hospitals[0].policy, wanted.hospitals[1:]
    put("linked", False)
    put("my_k", mine.k)
    put("their_k", others[0].policy.k)
    put("linked", all(other.policy.k == mine.k for other in others))
    put("diversity", "none" if mine.l is None else mine.diversity)
    for name, value in (("l", mine.l), ("c", mine.c), ("t", mine.t)):
        if value is not None:
            put(name, float(value))
    put("closeness", mine.t is not None)
    put("distance", mine.distance)
    put("their_models", others[0].policy.l == mine.l and others[0].policy.t == mine.t)
    put("releases", len(wanted.hospitals))
    put("agreement", others[0].agreement)
    put("hospital_k", {i: h.policy.k for i, h in enumerate(others, 1) if h.policy.k != others[0].policy.k})
    put("hospital_agreement", {i: h.agreement for i, h in enumerate(others, 1) if h.agreement != others[0].agreement})
    for name in ("overlap", "confidence", "seed", "repeats"):
        put(name, getattr(wanted, name))


def fingerprint() -> int:
    """Number that changes when the hospitals do, for the key of the table that edits them."""
    return hash((hospitals(), get("overlap")))


def adopt_table(edited: pd.DataFrame) -> bool:
    """Take k and agreement of each hospital from the edited table; say whether anything changed."""
    before = hospitals()
    own_k: dict[int, int] = {}
    own_agreement: dict[int, float] = {}
    for number, (k, agreement) in enumerate(zip(edited["k"], edited["agreement"], strict=True)):
        if number == 0:
            if int(k) != before[0].policy.k:
                put("linked", False)
                put("my_k", int(k))
            continue
        if int(k) != get("their_k"):
            own_k[number] = int(k)
        if float(agreement) != get("agreement"):
            own_agreement[number] = float(agreement)
    if own_k and set(own_k) != set(get("hospital_k")):
        put("linked", False)
    st.session_state[_PREFIX + "hospital_k"] = own_k
    st.session_state[_PREFIX + "hospital_agreement"] = own_agreement
    return hospitals() != before
