"""Every choice of a session: default, bounds and wording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.attack.intruder import KNOWS
from core.attack.views import LOCATE
from core.base.ranges import READINGS
from core.decision.scenario.questions import MECHANISMS, Plausible
from core.decision.scenario.scenario_file import bounds
from core.dp import BASE_RATES, MAX_EPSILON, MIN_EPSILON, PRIOR_WORDS
from core.privacy.model import NONE, parameters_of
from core.release.algorithm import ALGORITHMS, DEFAULT, MINE
from core.study.population import TIMES

WEIGHING = "weighing"
"""The adversary who knows who was where, and weighs the values left."""
VARIED = ("k", "my k", "their k", "l", "t", "overlap", "releases", "same_value_rate", "case_mix")
"""Quantities that a curve can be drawn against; a session offers some of them."""


@dataclass(frozen=True)
class Choice:
    """One parameter of the program: default, bounds and wording.

    Parameters
    ----------
    start
        Value of a new session.
    label, help
        Plain words first, symbol second.
    low, high, step
        Bounds of a number.
    options
        Its fixed words, if it is one of several.
    field
        Its field in a scenario, such as ``"noise.epsilon"``; "" if there is none, or its form differs.
    """

    start: Any
    label: str = ""
    help: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    options: tuple[str, ...] = ()
    field: str = ""

    def may_be(self, value: Any) -> bool:
        """Whether a value could have been chosen, as far as this does not depend on the table."""
        return value in self.options if self.options else value is not None or self.start is None


def _label(parameter: str) -> str:
    """Name of a privacy model's parameter."""
    return parameters_of()[parameter].label


def _variants(parameter: str) -> tuple[str, ...]:
    """Words of a parameter of a privacy model."""
    return tuple(option.name for option in parameters_of()[parameter].options)


def _ends(name: str) -> tuple[float, float]:
    """Bounds of a field whose control offers the whole range."""
    bound = bounds()[name]
    return bound.low, bound.high


CHOICES: dict[str, Choice] = {
    "my_k": Choice(
        5,
        "People per class (k)",
        "My release: every person hides among at least this many records in my release.",
        2,
        100,
        1,
    ),
    "their_k": Choice(
        5,
        "Others: people per class (k)",
        "What the others require of their releases. You can only assume it.",
        2,
        100,
        1,
    ),
    "linked": Choice(True, "Same k at every hospital"),
    "my_algorithm": Choice(
        MINE,
        "How classes are formed",
        "Least loss and Mondrian cut the table into boxes. Microaggregation groups nearest neighbours.",
        options=tuple(ALGORITHMS),
    ),
    "their_algorithm": Choice(
        DEFAULT,
        "Others: how classes are formed",
        "What the others use. You can only assume it.",
        options=tuple(ALGORITHMS),
    ),
    "collusion": Choice(
        False,
        "Withstand colluding providers (m)",
        "Every class must still meet k and l after this many providers remove their own records.",
    ),
    "my_m": Choice(1, "Providers that may collude (m)", "", 0, 29, 1),
    "their_models": Choice(True, "Others ask for l and t too"),
    "overlap": Choice(
        5000,
        "Shared people (overlap)",
        "People who went to every hospital. Only they can be found in several releases.",
        10,
        20000,
        10,
        field="overlap",
    ),
    "releases": Choice(2, "Hospitals that publish (R)", "Mine and the others.", 2, 8, 1),
    "same_value_rate": Choice(
        1.0,
        "Same diagnosis elsewhere",
        "Probability that a shared person has the same sensitive value at the other hospital.",
        0.0,
        1.0,
        0.05,
    ),
    "case_mix": Choice(
        0.0,
        "Case mix of the others",
        "How much their diagnoses differ from mine: 0, as if they had the same patients; 1, it is not known how much.",
        0.0,
        2.0,
        0.1,
    ),
    "confidence": Choice(
        1.0,
        "Adversary's confidence (C)",
        "A person counts as exposed when at most 1/C values are left: at 25%, at most 4.",
        *_ends("confidence"),
        0.01,
        field="confidence",
    ),
    "vary": Choice("k", "Draw the curve against", options=VARIED),
    "seed": Choice(0, "Seed of the draws", "Same seed, same people.", *_ends("seed"), 1, field="seed"),
    "repeats": Choice(10, "Redraws behind an interval", "", *_ends("repeats"), 1, field="repeats"),
    "locate": Choice(
        "assumed",
        "How the adversary finds the class",
        "Assumed: the adversary knows it, as in the papers. Published: they read it off the released table.",
        options=LOCATE,
        field="locate",
    ),
    "own": Choice({}),
    "my_counts": Choice(None),
    "size": Choice(None, field="size"),
    "requirements": Choice({}),
    "plausible": Choice(Plausible(), field="plausible"),
    "decision": Choice({}),
    "forecast_l": Choice(
        2,
        "Shared values wanted",
        "A person stays hidden while at least this many sensitive values are in both classes.",
        1,
        10,
        1,
        field="forecast.l",
    ),
    "forecast_c": Choice(
        0.9,
        "Certainty wanted",
        "A class counts as vulnerable if enough values in both classes are less likely than this.",
        0.05,
        1.0,
        0.01,
        field="forecast.confidence",
    ),
    "forecast_reading": Choice(
        "at least l",
        "What has to be likely enough",
        "The paper does not print this probability. Both are our readings of its text.",
        options=READINGS,
        field="forecast.reading",
    ),
    "forecast_same": Choice(True, "As large as my table"),
    "forecast_others": Choice(
        30000,
        "Records of the other hospital",
        "More records there bring more people into the same region, and hide people better.",
        100,
        1_000_000,
        100,
        field="forecast.others",
    ),
    "forecast_source": Choice(
        "table",
        "Population statistics",
        "How common people like mine are among those the other hospital treats. The paper treats the columns as "
        "independent.",
        options=("table", "joint"),
        field="forecast.statistics",
    ),
    "belief_source": Choice(
        "marginals",
        "What the adversary knows before (f)",
        "The background knowledge: what the adversary believes about people by their quasi-identifiers.",
        options=("marginals", "columns", "uniform", "joint"),
    ),
    "belief_theta": Choice(
        0.1,
        "Allowed change of a belief (theta)",
        "A person is breached when the belief in some value rises or falls by this much or more.",
        0.01,
        1.0,
        0.01,
    ),
    "belief_columns": Choice(()),
    "noise_epsilon": Choice(
        1.0,
        "Privacy loss of one table (ε)",
        "How much one person's record may change what is published: if another record replaces it, any result is at "
        "most e to the ε times as likely.",
        MIN_EPSILON,
        MAX_EPSILON,
        0.001,
        field="noise.epsilon",
    ),
    "noise_delta": Choice(
        None,
        "Probability beyond ε (δ)",
        "A result may be up to e to the ε times as likely, plus this probability. Empty: 0.0001 over the square of the "
        "number of records.",
        *_ends("noise.delta"),
        field="noise.delta",
    ),
    "noise_mechanism": Choice(
        "laplace",
        "Noise",
        "Laplace noise keeps the bound of ε. Gaussian noise may exceed it with probability δ, and has thinner tails.",
        options=MECHANISMS,
        field="noise.mechanism",
    ),
    "noise_prior": Choice(
        BASE_RATES,
        "The adversary believes beforehand",
        "The adversary's starting belief decides where the ceiling is.",
        options=tuple(PRIOR_WORDS),
        field="noise.prior",
    ),
    "noise_columns": Choice(
        None,
        "Columns of the noisy table",
        "In addition to the sensitive column. Choose them without looking at who is in the table.",
        field="noise.columns",
    ),
    "noise_domains": Choice(()),
    "hold_least": Choice(
        3,
        "Values in a bucket, at least (l)",
        "This many remain, however many publish, if every publisher keeps the agreement.",
        2,
        30,
        1,
    ),
    "attacker": Choice("everywhere", "Who attacks?", options=(*KNOWS, WEIGHING)),
    "list_times": Choice(
        TIMES,
        "People on the list, per person in the tables",
        "The list is made: all people in the tables, and synthetic people like mine. A longer list adds claims that "
        "are wrong or right by chance, and no disclosures.",
        1,
        50,
        1,
    ),
    "person": Choice(1, "Shared person", "", 1, None, 1),
    "pool_drop": Choice(False, "Leave out records that name no provider"),
    # ---- what privacy models ask of all publishers alike ----
    "diversity": Choice(
        NONE,
        _label("diversity"),
        "Requires at least l different sensitive values in a class. Entropy and recursive l also require that none "
        "dominates.",
        options=(NONE, *_variants("diversity")),
    ),
    "l": Choice(2.0, _label("l"), "How many well represented sensitive values each class must have.", 1, 30, 1),
    "c": Choice(
        2.0,
        _label("c"),
        "The most common value must be rarer than c times the l-th and later ones together.",
        0.1,
        20,
        0.1,
    ),
    "closeness": Choice(False, "Limit the distance (t-closeness)"),
    "t": Choice(
        0.4, _label("t"), "0 requires every class to look like the whole table; 1 requires nothing.", 0.05, 1.0, 0.01
    ),
    "distance": Choice("equal", _label("distance"), options=_variants("distance")),
}
"""Every choice by its name; those of a privacy model have the names of its parameters."""
SWITCHES = {"l": "diversity", "t": "closeness"}
"""The choice that switches a privacy model on, by the model's symbol; it may be the list of its variants."""
