"""Results that only this page uses."""

from __future__ import annotations

from functools import partial

from core.attack.intruder import Claims
from core.base.arrays import Progress
from core.study import coverage
from core.study.case_mix import strengths_between
from core.study.population import Intruder, list_claims
from core.study.uploads import Foreign, Upload
from pages.shared.compute import attack_results, cache, data_results, work_queue
from pages.shared.state import session


def reached(upload: Upload, read: Foreign) -> dict[str, float]:
    """Share of my records that another publisher's file covers, by column."""
    return cache.cached(
        ("reach", *data_results.data_key(), upload), lambda: coverage.reach(read, data_results.encoded())
    )


def between_units() -> tuple[str, float] | None:
    """The column that names the units of my table, and how much their case mixes differ on average; None without."""
    name, records = session.workspace().schema.provider, data_results.encoded()
    if name is None or (units := records.provider_code) is None:
        return None
    codes, values = records.sensitive_codes, records.sensitive.size
    strengths = cache.cached(("units", *data_results.data_key()), lambda: strengths_between(units, codes, values))
    return (name, float(strengths.mean())) if len(strengths) else None


def claims(knows: str, size: int, progress: Progress | None = None) -> Claims:
    """Claims in the draw whose people are shown, with a population list of this size that is made."""
    scenario, study, outcome = session.scenario(), attack_results.study(), attack_results.outcome()
    work = partial(list_claims, data_results.encoded(), study, outcome, scenario.seed, Intruder(knows, size))
    key = ("claims", *data_results.data_key(scenario), scenario.study, scenario.seed, knows, size)
    return cache.cached(key, lambda: work_queue.in_workers([work], progress)[0])


def curve_bound() -> int:
    """Largest number of people that the hospitals of a curve against the overlap can share; set sizes stay fixed."""
    study = session.scenario().study
    modelled = [h.size for h in study.hospitals if h.size is not None and h.origin != "simulated"]
    return min([attack_results.shared_bound(), *modelled])
