"""Domains of the columns of tables that are published under differential privacy, as they were declared."""

from __future__ import annotations

from typing import Any

from core import dp
from core.base.arrays import Progress
from core.data.domain import Domain
from core.dp.truthful import Sampling, sampling_for
from core.dp.truthful_study import TruthfulStudy, hospitals_drawn
from core.dp.truthful_study import truthful_study as draw_study
from pages.shared import results, session, turns

STOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)
"""Stops of a slider for epsilon."""


def confirmed() -> dict[str, dp.Declared]:
    """Domains that somebody declared, of columns of the present table whose taxonomy or order is still the same."""
    return session.once("confirmed domains", _confirmed)


def _confirmed() -> dict[str, dp.Declared]:
    schema, chosen = session.workspace().schema, session.get("noise_domains")
    names = {*schema.quasi_identifiers, schema.sensitive}
    fitting = results.remembered(
        ("noise fits", *results.data_key(), chosen),
        lambda: tuple(name for name, declared in chosen if name in names and dp.fits(schema, name, declared)),
    )
    return {name: declared for name, declared in chosen if name in fitting}


def confirm(name: str, declared: dp.Declared | None) -> None:
    """Declare the domain of a column, or take that back."""
    kept = tuple((other, declared) for other, declared in session.get("noise_domains") if other != name)
    session.put("noise_domains", kept if declared is None else (*kept, (name, declared)))


def declared_of(domain: Domain) -> dp.Declared:
    """Domain in use: the declared one, else bins from the data, which charts alone may have."""
    known = confirmed().get(domain.name)
    if known is not None:
        return known
    table, schema = session.workspace().table, session.workspace().schema
    key = ("noise domain", *results.data_key(), domain.name)
    return results.remembered(key, lambda: dp.for_charts(table.column(domain.name), domain, schema, table.decimal))


def axis(domain: Domain) -> dp.GridColumn:
    """Bins of a column in use."""
    wanted, schema = declared_of(domain), session.workspace().schema
    column = session.workspace().table.column(domain.name)
    key = ("noise axis", *results.data_key(), domain.name, wanted)
    return results.remembered(key, lambda: dp.axis_of(column, schema, results.encoded(), wanted))


def counted(columns: tuple[tuple[str, dp.Declared], ...], sensitive: dp.Declared) -> dp.ContingencyTable:
    """True counts of a grid of the session's table."""
    workspace = session.workspace()
    return dp.contingency_table(workspace.data, workspace.schema, dict(columns), sensitive, results.encoded())


def chosen_columns() -> tuple[str, ...] | None:
    """Quasi-identifiers that were chosen for noisy tables, of those that the table has; ``None`` where none were."""
    chosen = session.get("noise_columns")
    if chosen is None:
        return None
    known = {domain.name for domain in results.encoded().qids}
    return tuple(name for name in chosen if name in known)


def truthful_sampling() -> Sampling:
    """How records of a truthful table are sampled: delta is a tenth of 1 over the records where none was chosen."""
    encoded = results.encoded()
    epsilon, chosen = float(session.get("noise_epsilon")), session.get("noise_delta")
    delta = min(1e-5, 0.1 / (encoded.everybody or encoded.people)) if chosen is None else float(chosen)
    return results.remembered(("truthful sampling", epsilon, delta), lambda: sampling_for(epsilon, delta))


def truthful_columns() -> tuple[str, ...]:
    """Quasi-identifiers of a truthful table: as chosen for noisy tables, else the first that leave cells with enough.

    Enough is half of k on average, a number that does not depend on who is in the table.
    """
    chosen = chosen_columns()
    if chosen is not None:
        return chosen
    return columns_within(2 * results.encoded().people / truthful_sampling().k)


def columns_within(cells: float) -> tuple[str, ...]:
    """The first quasi-identifiers that together, with the sensitive attribute, make at most so many cells."""
    encoded = results.encoded()
    size, names = axis(encoded.sensitive).size, []
    for domain in encoded.qids:
        width = axis(domain).size
        if size * width <= cells:
            size *= width
            names.append(domain.name)
    return tuple(names)


def truthful_grid() -> tuple[tuple[tuple[str, dp.Declared], ...], dp.Declared]:
    """Domain of each column of a truthful table, and of the sensitive attribute."""
    encoded = results.encoded()
    by_name = {domain.name: domain for domain in encoded.qids}
    return tuple((name, declared_of(by_name[name])) for name in truthful_columns()), declared_of(encoded.sensitive)


def truthful_key(hospitals: int) -> tuple[Any, ...]:
    """What truthful tables of so many hospitals depend on."""
    scenario = session.scenario()
    own = hospitals_drawn(scenario.study)
    wide = dp.widest(own, results.encoded().people, max(hospitals, len(own.hospitals)))
    return ("truthful", *results.data_key(), wide, scenario.seed, truthful_sampling(), *truthful_grid())


def truthful_study(hospitals: int, progress: Progress | None = None) -> TruthfulStudy:
    """Truthful tables of so many hospitals: one draw of each, with the seed of the study."""
    scenario, encoded, (columns, secret) = session.scenario(), results.encoded(), truthful_grid()

    def make() -> TruthfulStudy:
        grid = counted(columns, secret)
        alive = turns.breathing(progress)
        return draw_study(encoded, scenario.study, grid, truthful_sampling(), scenario.seed, hospitals, alive)

    return results.remembered(truthful_key(hospitals), make)
