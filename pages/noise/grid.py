"""Domains of the columns of tables that are published under differential privacy, as they were declared."""

from __future__ import annotations

from core import dp
from core.data.encoding.domain import Domain
from pages.shared.compute import cache, data_results
from pages.shared.state import session


def confirmed() -> dict[str, dp.Declared]:
    """Domains that were declared, of columns of the present table whose taxonomy or order is still the same."""
    return session.once("confirmed domains", _confirmed)


def _confirmed() -> dict[str, dp.Declared]:
    schema, chosen = session.workspace().schema, session.get("noise_domains")
    names = {*schema.counted}
    fitting = cache.cached(
        ("noise fits", *data_results.data_key(), chosen),
        lambda: tuple(name for name, declared in chosen if name in names and dp.fits(schema, name, declared)),
    )
    return {name: declared for name, declared in chosen if name in fitting}


def confirm(name: str, declared: dp.Declared | None) -> None:
    """Declare the domain of a column, or take that back."""
    kept = tuple((other, declared) for other, declared in session.get("noise_domains") if other != name)
    session.put("noise_domains", kept if declared is None else (*kept, (name, declared)))


def declared_of(domain: Domain) -> dp.Declared:
    """Domain in use: the declared one, else bins from the data, for charts only."""
    known = confirmed().get(domain.name)
    if known is not None:
        return known
    table, schema = session.workspace().table, session.workspace().schema
    key = ("noise domain", *data_results.data_key(), domain.name)
    return cache.cached(key, lambda: dp.for_charts(table.column(domain.name), domain, schema, table.decimal))


def axis(domain: Domain) -> dp.GridColumn:
    """Bins of a column in use."""
    wanted, schema = declared_of(domain), session.workspace().schema
    column = session.workspace().table.column(domain.name)
    key = ("noise axis", *data_results.data_key(), domain.name, wanted)
    return cache.cached(key, lambda: dp.axis_of(column, schema, data_results.encoded(), wanted))


def counted(columns: tuple[tuple[str, dp.Declared], ...], sensitive: dp.Declared) -> dp.ContingencyTable:
    """True counts of a grid of the session's table."""
    workspace = session.workspace()
    return dp.contingency_table(workspace.data, workspace.schema, dict(columns), sensitive, data_results.encoded())


def chosen_columns() -> tuple[str, ...] | None:
    """Quasi-identifiers of this table that were chosen for noisy tables; ``None`` until they are chosen."""
    chosen = session.get("noise_columns")
    if chosen is None:
        return None
    known = {domain.name for domain in data_results.encoded().qids}
    return tuple(name for name in chosen if name in known)


def columns_within(cells: float) -> tuple[str, ...]:
    """The first quasi-identifiers that together, with the sensitive attribute, make at most ``cells`` cells."""
    encoded = data_results.encoded()
    size, names = axis(encoded.sensitive).size, []
    for domain in encoded.qids:
        width = axis(domain).size
        if size * width <= cells:
            size *= width
            names.append(domain.name)
    return tuple(names)
