"""The assumed world behind the numbers of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.rates import candidate_limit
from core.base.wording import TO, count, left
from core.decision.scenario.scenario import Scenario
from core.release.algorithm import ALGORITHMS
from core.study.hospitals import OWN, Hospital


def least_left(scenario: Scenario) -> int | None:
    """Number of values that the agreement guarantees, however many publish; ``None`` if a release does not keep it."""
    agreement = scenario.schema.agreement
    kept = all(
        ALGORITHMS[hospital.algorithm].agreement and hospital.has_policy and hospital.upload is None
        for hospital in scenario.hospitals
    )
    return agreement.least if kept and agreement is not None else None


def not_rare(scenario: Scenario) -> str:
    """Note that the agreement does not limit a share of people with few values left; "" if it does."""
    least = least_left(scenario)
    if least is None or candidate_limit(scenario.confidence) < least:
        return ""
    few = left(scenario.confidence)
    return f'The agreement rules out fewer than {count(least)} values left; it does not make "{few}" rare.'


def world(scenario: Scenario, people: int) -> str:
    """Describe the assumed world of a scenario's exposure in one sentence or a few; the table has ``people``."""
    every = scenario.hospitals[1:]
    others = tuple(hospital for hospital in every if hospital.origin_name != OWN)
    tables = sum(hospital.counts is not None for hospital in others)
    who = "It" if len(others) == 1 else "Each" if tables == len(others) else f"{count(tables)} of them"
    publishes = "publish" if who[0].isdigit() and tables > 1 else "publishes"
    sentences = [_of_others(scenario, people, others)]
    sentences += [f"{who} {publishes} a table of counts instead of a release."] * (tables > 0)
    sentences += ["My own table of counts is published next to my release."] * (0 < len(others) < len(every))
    return " ".join(sentences)


def _of_others(scenario: Scenario, people: int, others: Sequence[Hospital]) -> str:
    """The same without what they publish."""
    study, shared = scenario.study, f"{count(scenario.overlap)} of my people"
    if not others:
        return f"The numbers are those of my release together with my own table of counts, for {shared}."
    sources = {hospital.origin for hospital in others}
    if sources == {"resampled"}:
        numbers = [number for number, hospital in enumerate(study.hospitals) if number and hospital in others]
        sizes = sorted({study.size_of(number, people) for number in numbers})
        size = f"{count(sizes[0])}{f'{TO}{count(sizes[-1])}' if len(sizes) > 1 else ''} people"
        if len(others) == 1:
            return f"The numbers hold if another hospital like mine, of {size}, shares {shared}."
        return f"The numbers hold if {count(len(others))} other hospitals like mine, each of {size}, share {shared}."
    if sources == {"simulated"}:
        return (
            f"These are the papers' hospitals: my table is divided among {count(len(others) + 1)} of them, with "
            f"{count(study.size_of(0, people))} records each, and they share {count(scenario.overlap)} people. My real "
            f"release is larger, and usually exposes more."
        )
    return f"The numbers hold if each of the other hospitals is as assumed, and they share {shared}."
