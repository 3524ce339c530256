"""The assumed world behind the numbers of a scenario."""

from __future__ import annotations

from core.base.rates import candidate_limit
from core.base.wording import TO, count, left
from core.decision.scenario.scenario import Scenario
from core.release.algorithm import ALGORITHMS


def least_left(scenario: Scenario) -> int | None:
    """Number of values that the agreement guarantees, however many publish; ``None`` if a release does not keep it."""
    agreement = scenario.schema.agreement
    kept = all(ALGORITHMS[hospital.algorithm].agreement and hospital.upload is None for hospital in scenario.hospitals)
    return agreement.least if kept and agreement is not None else None


def not_rare(scenario: Scenario) -> str:
    """Note that the agreement does not limit a share of people with few values left; "" if it does."""
    least = least_left(scenario)
    if least is None or candidate_limit(scenario.confidence) < least:
        return ""
    few = left(scenario.confidence)
    return f'The agreement rules out fewer than {count(least)} values left; it does not make "{few}" rare.'


def world(scenario: Scenario, people: int) -> str:
    """Describe the assumed world of a scenario's exposure in one sentence; the table has ``people``."""
    study, shared = scenario.study, f"{count(scenario.overlap)} of my people"
    others = study.hospitals[1:]
    sources = {hospital.origin for hospital in others}
    if sources == {"resampled"}:
        sizes = sorted({study.size_of(number, people) for number in range(1, len(study.hospitals))})
        size = f"{count(sizes[0])}{f'{TO}{count(sizes[-1])}' if len(sizes) > 1 else ''} people"
        if len(others) == 1:
            return f"The numbers hold if another hospital like mine, of {size}, shares {shared}."
        return f"The numbers hold if {count(len(others))} other hospitals like mine, each of {size}, share {shared}."
    if sources == {"simulated"}:
        return (
            f"These are the papers' hospitals: my table is divided among {count(len(study.hospitals))} of them, with "
            f"{count(study.size_of(0, people))} records each, and they share {count(scenario.overlap)} people. My real "
            f"release is larger, and usually exposes more."
        )
    return f"The numbers hold if each of the other hospitals is as assumed, and they share {shared}."
