"""What the Providers page asks of core, each result kept for the session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core import Policy, Release, Schema, Table
from core.arrays import Progress
from core.data.combined import with_product
from core.data.domain import Domain
from core.data.encoding import Encoded, encode
from core.data.schema import Kind
from core.data.table import Column
from core.errors import ParameterError
from core.privacy.coalitions import (
    BY_RECORDS,
    Group,
    Search,
    Verdict,
    assign_providers,
    coalition_table,
    contributions,
    levels,
    m_private,
)
from core.privacy.coalitions.group import Constraint
from core.privacy.coalitions.masks import members
from core.privacy.coalitions.verdict import learned
from core.study.provider_cost import METHODS, Pooled, compare, pool, strategies_beside
from pages.shared import results, session

RELEASES = {"plain": "Mondrian, nobody colludes", **METHODS}
"""What can be looked at: k and l alone, and every method that knows m."""


def has_column() -> bool:
    """Whether a column of the session's table names the providers, and is to be used."""
    return session.workspace().schema.provider is not None and session.get("pool_source") == "column"


def extra_columns() -> list[str]:
    """Columns that could be sensitive as well: those that are not published."""
    workspace = session.workspace()
    apart = (workspace.schema.provider, workspace.schema.person)
    taken = {*workspace.schema.quasi_identifiers, workspace.schema.sensitive, *workspace.schema.identifiers, *apart}
    return [name for name in workspace.table.names if name not in taken]


def _chosen_extra() -> tuple[str, ...]:
    return tuple(name for name in session.get("pool_extra") if name in extra_columns())


def _dealing() -> tuple[Any, ...]:
    if has_column():
        return ("column", bool(session.get("pool_drop")))
    return tuple(session.get(f"pool_{name}") for name in ("providers", "shares", "seed"))


def key() -> tuple[Any, ...]:
    """What the pooled records depend on."""
    return ("pooled", *results.data_key(), _chosen_extra(), *_dealing())


def with_sensitive() -> tuple[Table, Schema]:
    """Table and schema whose sensitive attribute is the product of all that are chosen."""
    workspace, extra = session.workspace(), _chosen_extra()
    if not extra:
        return workspace.table, workspace.schema
    schema = workspace.schema
    columns = [schema.sensitive, *extra]
    table = with_product(workspace.table, columns, missing_tokens=schema.missing_tokens)

    def without(mapping: Any) -> dict[str, Any]:
        return {name: value for name, value in mapping.items() if name != schema.sensitive}

    changed = schema.with_(
        sensitive=table.names[-1],
        other=[*(name for name in schema.other if name not in extra), *columns],
        kinds=without(schema.kinds),
        taxonomies=without(schema.taxonomies),
        orders=without(schema.orders),
    )
    return table, changed


def pooled() -> Encoded:
    """The session's records with a provider each: as the table says, or dealt out."""
    return results.remembered(key(), _pooled)


def _pooled() -> Encoded:
    results.encoded().need_rows("Who contributed which record")
    encoded = encode(*with_sensitive()) if _chosen_extra() else results.encoded()
    if has_column():
        if session.get("pool_drop") and encoded.provider is not None and encoded.provider.missing >= 0:
            assert encoded.source is not None
            encoded = encoded.take(np.flatnonzero(encoded.source != encoded.provider.missing))
        return encoded
    number, shares, seed = _dealing()
    names = tuple(f"Hospital {i + 1}" for i in range(number))
    source = assign_providers(len(encoded), int(number), shares, int(seed))
    return replace(encoded, provider=Domain("provider", Kind.CATEGORICAL, names), source=source)


def present(encoded: Encoded) -> int:
    """Providers with at least one record, those without a name left out."""
    if encoded.source is None or encoded.provider is None:
        return 0
    sources = np.unique(encoded.source)
    return len(sources[sources != encoded.provider.missing])


def policy() -> Policy:
    """The policy of this page."""
    return Policy(int(session.get("pool_k")), l=int(session.get("pool_l")), m=int(session.get("pool_m")))


def release_key(method: str) -> tuple[Any, ...]:
    """What a release of this page depends on."""
    wanted = policy()
    return ("pool", method, replace(wanted, m=None) if method == "plain" else wanted, *key())


def made(method: str, progress: Progress | None = None) -> Pooled:
    """One release of the pooled records, with its query error."""
    wanted = replace(policy(), m=None) if method == "plain" else policy()
    algorithm = "mondrian" if method == "plain" else method
    return results.remembered(release_key(method), lambda: pool(pooled(), wanted, algorithm, progress=progress))


def verdict(method: str) -> Verdict:
    """Whether a release withstands m providers, by the chosen strategy."""
    wanted, strategy, rule = policy(), session.get("pool_strategy"), session.get("pool_rule")
    full = ("verdict", strategy, rule, wanted.m, *release_key(method))

    def make() -> Verdict:
        release = made(method).release
        try:
            by_records = strategy == "adaptive" and rule == "records"
            return m_private(release, None, wanted, wanted.m, BY_RECORDS if by_records else strategy)
        except ParameterError as error:
            if error.parameter != "strategy":
                raise
            return m_private(release, None, wanted, wanted.m, "shortcut")  # too many coalitions to list

    return results.remembered(full, make)


def worst(method: str) -> Verdict:
    """What the strongest coalition learns in the class where the fewest others are left, of a release that fails.

    Other than in :func:`verdict` the coalition is as large as it may be; ``checks`` is 0.
    """
    wanted, release, table = policy(), made(method).release, classes(method)
    number = int(table[~table["private"]].sort_values(["left", "class"])["class"].iloc[0])
    coalitions = one_class(method, number)
    mask = coalitions.searches["shortcut"].coalition
    assert mask is not None
    names = tuple(coalitions.names[i] for i in members(mask))
    codes = tuple(int(coalitions.group.providers[i]) for i in members(mask))
    lessons = learned(coalitions.group, mask, release.encoded.sensitive)
    return Verdict(False, wanted.m or 0, "shortcut", 0, len(table), number, codes, names, lessons)


def enough(method: str, number: int) -> tuple[str, ...]:
    """Fewest of the strongest coalition that break a failing class."""
    coalitions = one_class(method, number)
    mask = coalitions.searches["shortcut"].coalition
    return () if mask is None else tuple(coalitions.names[i] for i in members(coalitions.group.shrunk(mask)))


def classes(method: str) -> pd.DataFrame:
    """Every class of a release against coalitions of m."""
    wanted = policy()
    assert wanted.m is not None
    full = ("coalition table", wanted.m, *release_key(method))
    return results.remembered(full, lambda: coalition_table(made(method).release, wanted.m or 0, wanted))


@dataclass(frozen=True, eq=False)
class OneClass:
    """One class with what each strategy does on it."""

    number: int
    group: Group
    names: tuple[str, ...]
    strategies: pd.DataFrame
    searches: dict[str, Search]


def one_class(method: str, number: int) -> OneClass:
    """Contributors of one class, and every strategy on it."""
    wanted = policy()
    assert wanted.m is not None

    def make() -> OneClass:
        release = made(method).release
        constraint = Constraint(replace(wanted, m=None), release.encoded.sensitive, release.encoded.overall)
        group = contributions(release.encoded, release.classes, constraint).group(number)
        assert release.encoded.provider is not None
        names = tuple(release.encoded.provider.labels[code] for code in group.providers)
        return OneClass(number, group, names, *strategies_beside(group, wanted.m or 0))

    return results.remembered(("one class", number, wanted.m, *release_key(method)), make)


def level_table(coalitions: OneClass, strategy: str) -> pd.DataFrame:
    """What a strategy did on each level of the lattice."""
    return levels(coalitions.group, coalitions.searches[strategy])


def steps(vary: str) -> list[int]:
    """Values of a curve, and the present one among them."""
    encoded, current = pooled(), int(session.get(f"pool_{vary}"))
    if vary == "m":
        most = present(encoded) - 1
        values = {round(x) for x in np.linspace(0, most, 6)} | {current}
        return sorted(x for x in values if 0 <= x <= most)
    if vary == "k":
        return sorted({5, 10, 20, 40, 80, current})
    known = int((encoded.overall > 0).sum())
    return sorted({x for x in (1, 2, 4, 6, 8, current) if x <= known})


def curve_key(vary: str) -> tuple[Any, ...]:
    """Key of a curve: what it varies takes no part but for its values."""
    wanted = policy()
    fixed = {name: value for name, value in (("k", wanted.k), ("l", wanted.l), ("m", wanted.m)) if name != vary}
    return ("pool curve", vary, tuple(fixed.items()), tuple(steps(vary)), *key())


def curve(vary: str, progress: Progress | None = None) -> pd.DataFrame:
    """Every method while m, k or l varies."""
    return results.remembered(
        curve_key(vary), lambda: compare(pooled(), policy(), vary, steps(vary), progress=progress)
    )


# ---- taking a release on ---------------------------------------------------------------


def adopt(method: str) -> None:
    """Make the release of this page the session's own: its table, its policy, its algorithm."""
    workspace, wanted, algorithm = session.workspace(), policy(), "mondrian" if method == "plain" else method
    table, schema = with_sensitive()
    encoded = pooled()
    if not has_column():
        table, schema = _with_provider_column(table, schema, encoded)
    elif session.get("pool_drop"):
        table = table.take(encoded.rows)
    if (table, schema) != (workspace.table, workspace.schema):
        session.load(
            table, schema, workspace.name, workspace.example and schema.sensitive == workspace.schema.sensitive
        )
    session.put("pool_source", "column")
    session.put("my_k", wanted.k)
    session.take_models(replace(wanted, l=wanted.l if (wanted.l or 1) > 1 else None))
    session.put("my_algorithm", algorithm)
    session.put("collusion", method != "plain")
    session.put("my_m", wanted.m)


def _with_provider_column(table: Table, schema: Schema, encoded: Encoded) -> tuple[Table, Schema]:
    """Write the dealing into the table: a column more, records without a provider left out."""
    assert encoded.source is not None
    assert encoded.provider is not None
    kept = table if len(encoded) == len(table) else table.take(encoded.rows)
    name, number = "provider", 2
    while name in table.names:
        name, number = f"provider {number}", number + 1
    column = Column.from_codes(name, encoded.provider.labels, encoded.source)
    other = [*schema.other, schema.provider] if schema.provider else list(schema.other)
    return replace(kept, columns=(*kept.columns, column)), schema.with_(provider=name, other=other)


def release_of(method: str) -> Release:
    """The release alone."""
    return made(method).release
