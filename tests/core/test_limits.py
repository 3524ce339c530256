"""Every limit of the table: at itself, one step to each side, and in the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Policy, Release, Schema, agree, dp, examples, intersection_attack
from core.attack.risk.population_uniques import population_uniques
from core.attack.weighted import weigh
from core.base.errors import LimitError, PolicyError, ScenarioError
from core.base.limits import LIMITS, Limit
from core.base.rates import candidate_limit
from core.beliefs import Background, beliefs
from core.data.encoding.draws import Lots
from core.data.encoding.encoded import encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.agreement import AgreedRegion, Agreement, Cut, Inside
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.decision.scenario.scenario import Scenario
from core.dp.public_domains import Declared
from core.dp.threshold import chance_above
from core.forecast import forecast, real_risk
from core.privacy.model import MODELS, Parameter, parameters_of
from core.register import Publication, Register
from core.release.published.count_table import CountRules, possible_rows
from core.release.published.locate import locate
from core.release.query_error import random_queries
from core.study.draw import disagree, overlapping_samples
from core.study.hospitals import Hospital, Study
from core.study.one_run import Outcome
from core.study.population import Intruder, list_claims
from core.study.redraws import Redraws
from core.study.vary import at_value

DOCUMENT = Path(__file__).parents[2] / "docs" / "definitions.md"
SCHEMA = Schema(["q"], "s")
TWO = encode(pd.DataFrame({"q": ["a", "b"], "s": ["x", "y"]}), SCHEMA)
COUNTED = Table.from_frame(pd.DataFrame({"q": ["a", "b"], "s": ["x", "y"], "n": ["2", "3"]}))
RELEASE = Release.of(TWO, np.zeros(2, dtype=np.int32), Policy(1), "mondrian")
ATTACK = intersection_attack([RELEASE, RELEASE], [[0, 1], [0, 1]])
STUDY = Study((Hospital(Policy(2)), Hospital(Policy(2))), 2)
NOISE = dp.mechanism("laplace", 1.0)


def declared(**fields: Any) -> Declared:
    return Declared(**{"kind": "range", "low": 0.0, "high": 9.0, "width": 1.0, **fields})


def taxonomy(nodes: int) -> Taxonomy:
    """One path of so many nodes."""
    return Taxonomy(tuple(f"n{i}" for i in range(nodes)), tuple(range(-1, nodes - 1)))


def nested(levels: int) -> Taxonomy:
    tree: Any = ["leaf"]
    for level in range(levels - 2):
        tree = {f"n{level}": tree}
    return Taxonomy.from_nested(tree)


def noisy(number: int, *recipients: str) -> Publication:
    return Publication("noisy", date(2026, 1, 31), number=number, recipients=recipients, epsilon=1.0)


def published(cells: list[str]) -> Any:
    frame = pd.DataFrame({"q": cells, "s": ["x", "y"] * (len(cells) // 2)})
    return Release.parse(frame, Schema(["q"], "s", column_types={"q": "numeric"}))


MANY = pd.DataFrame({"q": list("abc") * 1_500, "s": [str(number) for number in range(1_500)] * 3})
HALVES = pd.DataFrame({"q": list("abab"), "s": list("xxyy")})
PATH = (Cut("q", values=("a",), first=1), Cut("q", values=("b",)))


def agreement(region: AgreedRegion, regions: int = 1) -> Agreement:
    """An agreement of a region, or of several for single values."""
    if regions == 1:
        return Agreement("s", {"q": "categorical"}, (region,))
    parts = [(Inside("q", values=(str(number),)),) for number in range(regions)]
    return Agreement(
        "s", {"q": "categorical"}, tuple(AgreedRegion(region.buckets, region.trees, part) for part in parts)
    )


NUMBERS: dict[str, list[Callable[[Any], object]]] = {
    "hospitals": [
        lambda n: overlapping_samples(99, 2, n),
        lambda n: overlapping_samples(99, 2, n, deal=3),
        lambda n: overlapping_samples(99, 2, n if n != 9 else 2, deal=n if n == 9 else None),
        lambda n: at_value(STUDY, "releases", n),
    ],
    "size": [lambda n: Hospital(Policy(2), size=n)],
    "case_mix": [lambda x: Hospital(Policy(2), origin="resampled", case_mix=x)],
    "same_value_rate": [lambda x: Hospital(Policy(2), same_value_rate=x), lambda x: disagree(TWO, 1, x, 0)],
    "repeats": [lambda n: Redraws(repeats=n)],
    "confidence": [
        candidate_limit,
        lambda x: weigh(ATTACK).breached(x),
        lambda x: weigh(ATTACK).hits(x),
        *(lambda x, number=number: getattr(ATTACK, number)(x) for number in ("breached", "pvp", "single", "guess")),
        lambda x: forecast(RELEASE, confidence=x),
    ],
    "weight": [lambda x: weigh(ATTACK, prior_weight=x)],
    "theta": [
        lambda x: beliefs(RELEASE, Background.of_table(TWO)).share(x),
        lambda x: beliefs(RELEASE, Background.of_table(TWO)).table(x),
    ],
    "fraction": [lambda x: population_uniques(np.array([1, 2]), x)],
    "others": [lambda n: forecast(RELEASE, others=n)],
    "agreement least": [lambda n: agree(MANY, SCHEMA, least=n, rare=0)],
    "agreement k": [lambda n: agree(HALVES, SCHEMA, least=2, k=n)],
    "agreement rare": [lambda x: agree(HALVES, SCHEMA, least=2, rare=x)],
    "forecast l": [lambda n: forecast(RELEASE, l=n), lambda n: real_risk(RELEASE, RELEASE, ([0], [0]), l=n)],
    "queries": [lambda n: random_queries(TWO.qids, n)],
    "residents": [lambda n: examples.city(n, seed=1)],  # the upper end, which takes seconds, is among the sizes
    "city seed": [lambda n: examples.city(100, seed=n)],
    "record_seed": [lambda n: Schema(["q"], "s", person="p", one_record="random", record_seed=n)],
    "epsilon": [lambda x: dp.mechanism("laplace", x)],
    "delta": [dp.check_delta, lambda x: dp.mechanism("gaussian", 1.0, x), lambda x: dp.threshold_for(NOISE, x)],
    "error": [NOISE.accuracy, lambda x: dp.epsilon_for("laplace", 50, x)],
    "slack": [lambda x: dp.advanced([dp.Cost(1.0, 0.0)], x)],
    "accuracy": [lambda n: dp.epsilon_for("laplace", n, 0.9999)],
    "threshold": [lambda n: chance_above(NOISE, n)],
    "cost epsilon": [lambda x: Publication("noisy", date(2026, 1, 31), epsilon=x)],
    "cost delta": [lambda x: Publication("noisy", date(2026, 1, 31), epsilon=1.0, delta=x)],
    "range": [lambda x, end=end: Declared(kind="open", **{end: x}) for end in ("low", "high")],
    "tree level": [lambda n: Declared(kind="tree", level=n)],
    "groups": [lambda n: Declared(kind="order", groups=n)],
    "bin width": [lambda x: Declared(kind="open", width=x)],
}
"""By limit: what takes the number. With this every number is tried at its own bounds."""
SIZES: dict[str, tuple[int, list[Callable[[], object]]]] = {
    "hospitals": (3, [lambda: Scenario(SCHEMA, (Hospital(Policy(2)),) * 3, overlap=1)]),
    "list_size": (
        4,
        [
            lambda: list_claims(
                TWO, STUDY, Outcome((RELEASE,) * 2, ATTACK, (None, None), (1, 1)), 0, Intruder("list", 4)
            )
        ],
    ),
    "residents": (120, [lambda: examples.city(120, seed=1)]),
    "header": (7, [lambda: Table.from_frame(pd.DataFrame({"letters": ["a"]}))]),
    "categories": (
        3,
        [
            lambda: encode(pd.DataFrame({"q": list("abc"), "s": list("xyy")}), SCHEMA),
            lambda: encode(
                pd.DataFrame({"q": list("aaa"), "s": list("xyy"), "p": list("abc")}), SCHEMA.with_(provider="p")
            ),
        ],
    ),
    "agreed": (3, [lambda: agreement(AgreedRegion((("a", "b", "c"),), ((),)))]),
    "agreement regions": (
        3,
        [
            lambda: agree(MANY, SCHEMA, least=2, rare=0, stable=["q"]),
            lambda: agreement(AgreedRegion((("a", "b"),), ((),)), 3),
        ],
    ),
    "agreement cuts": (2, [lambda: agreement(AgreedRegion((("a", "b"),), (PATH,)))]),
    "agreement depth": (2, [lambda: agreement(AgreedRegion((("a", "b"),), (PATH,)))]),
    "protected": (3, [lambda: Schema(["q"], ["a", "b", "c"])]),
    "levels": (4, [lambda: taxonomy(4), lambda: nested(4), lambda: Taxonomy.from_levels([("a", "b", "c", "*")])]),
    "nodes": (4, [lambda: taxonomy(4), lambda: nested(4)]),
    "frequency_table": (9, [lambda: FrequencyTable.of(pd.DataFrame({"q": ["a", "b"]}), ["q"], np.array([8, 1]))]),
    "cells": (
        6,
        [
            lambda: dp.contingency_table(
                pd.DataFrame({"q": ["1", "2"], "s": ["x", "y"]}),
                Schema(["q"], "s"),
                {"q": Declared(kind="values", values=("1", "2"), rest=False)},
                Declared(kind="values", values=("x", "y", "z"), rest=False),
            )
        ],
    ),
    "bins": (9, [declared, lambda: Declared(kind="values", values=tuple("abcdefghi"))]),
    "source": (5, [lambda: declared(source="a law")]),
    "published cells": (2, [lambda: published(["1", "2"])]),
    "candidates": (4, [lambda: locate(published(["1", "1", "[1-2]", "[1-2]"]), pd.DataFrame({"q": ["1", "1"]}))]),
    "register": (len(Register().to_json()), [lambda: Register.from_json(Register().to_json())]),
    "publications": (2, [lambda: Register((noisy(1, "a"), noisy(2, "a")))]),
    "recipients": (2, [lambda: Register((noisy(1, "a", "b"),)), lambda: Register().add(noisy(0, "a"), ["b"])]),
    "counted": (4, [lambda: possible_rows(COUNTED, ["q", "s"], "n", ["x", "y"], CountRules("either"))]),
    "background": (4, [lambda: Background.of_table(TWO), lambda: Background.edited(TWO, np.ones((2, 2)))]),
    "drawn alone": (3, [lambda: lots(3)]),
}
"""By limit: a size and what has it. The limit is moved to it, since some real ones take minutes to reach."""


ODD = (math.nan, math.inf, True, "1")
"""What is no number to be held against a limit."""


def lots(people: int) -> object:
    many = Lots(np.ones(9))
    return many.draw(np.array([people]), np.array([0]), np.array([9]), np.random.default_rng(0))


def refusal(call: Callable[[], object], limit: Limit) -> str:
    """What a call is refused with, a scenario's with a sentence before; "" if it is not."""
    try:
        call()
    except (limit.error, ScenarioError) as error:
        return str(error) if error.parameter else "no parameter"
    return ""


def tried(limit: Limit) -> list[tuple[Any, bool]]:
    """Numbers at each bound and one step to each side, and whether each is allowed; then what is no such number."""
    values: list[tuple[Any, bool]] = [(value, False) for value in ODD]
    for bound, outwards, left_out in ((limit.least, -1, limit.above), (limit.most, 1, limit.below)):
        if math.isfinite(bound):
            at = int(bound) if limit.whole else float(bound)
            step = 1 if limit.whole else max(abs(at) * 1e-12, math.ulp(at), 1e-12 * (at == 0))
            values += [(at - outwards * step, True), (at, not left_out), (at + outwards * step, False)]
    return [*values, (limit.least + 1.5, False)] if limit.whole else values


@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_is_kept_at_itself_and_no_step_further(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = LIMITS[name]
    for call in NUMBERS.get(name, []):
        for value, allowed in tried(limit if name != "residents" else replace(limit, most=math.inf)):
            said = refusal(lambda call=call, value=value: call(value), limit)  # type: ignore[misc]
            assert (not said) == allowed, (value, said)
            assert allowed or any(value is odd for odd in ODD) or limit.span in said, (value, said)
    size, calls = SIZES.get(name, (0, []))
    for most in (size - 1, size, size + 1):
        monkeypatch.setitem(LIMITS, name, replace(limit, most=most))
        for call in calls:
            assert (LIMITS[name].span in refusal(call, limit)) == (most < size), (most, size)
    assert name in NUMBERS or name in SIZES


def test_what_the_data_make_too_large_is_another_refusal_than_what_was_asked_wrongly() -> None:
    of_data = {"categories", "cells", "published cells", "counted", "background", "drawn alone"}
    assert {name for name, limit in LIMITS.items() if limit.error is LimitError} == of_data


@pytest.mark.parametrize("parameter", parameters_of().values(), ids=lambda parameter: parameter.name)
def test_each_number_of_a_policy_is_kept_at_its_bounds(parameter: Parameter) -> None:
    model = next(model for model in MODELS.values() if parameter in model.parameters)
    kinds = next((each for each in model.parameters if each.options), Parameter("", ""))
    for option in kinds.options if not parameter.options else ():
        if parameter.under in ("", option.name):
            needed = {each.name: 1 for each in model.parameters if each.under == option.name}
            whole = parameter.whole and not (option.real and parameter.name == model.symbol)
            check_asked(parameter, whole, {model.symbol: 1, kinds.name: option.name, **needed})
    if not kinds.options:
        check_asked(parameter, parameter.whole, {})


def check_asked(parameter: Parameter, whole: bool, others: dict[str, Any]) -> None:
    limit = Limit(parameter.name, parameter.least, parameter.most, whole, above=parameter.above, error=PolicyError)
    for value, allowed in tried(limit):
        asked = {"k": 2, **others, parameter.name: value}
        assert (refusal(lambda asked=asked: Policy.of(asked), limit) == "") == allowed, asked  # type: ignore[misc]


def test_the_definitions_list_each_limit() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").split("## §13")[1]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert rows[2:] == [f"| {limit.what.rstrip(',')} | {limit.span} |" for limit in LIMITS.values()], "\n".join(
        f"| {limit.what.rstrip(',')} | {limit.span} |" for limit in LIMITS.values()
    )
