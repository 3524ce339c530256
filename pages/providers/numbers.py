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
from core.privacy.coalitions import (
    Constraint,
    Group,
    Verdict,
    assign_providers,
    breach,
    coalition_table,
    contributions,
    learned,
)
from core.study.provider_cost import METHODS, Pooled, compare, pool
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


def classes(method: str) -> pd.DataFrame:
    """Every class of a release against coalitions of m, the worst first: those that fail, then by others left."""
    wanted = policy()
    assert wanted.m is not None
    full = ("coalition table", wanted.m, *release_key(method))
    return results.remembered(full, lambda: _classes(made(method).release, wanted, wanted.m or 0))


def _classes(release: Release, wanted: Policy, m: int) -> pd.DataFrame:
    return coalition_table(release, m, wanted).sort_values(["private", "left", "class"], ignore_index=True)


def verdict(method: str) -> Verdict:
    """Whether a release withstands m providers; if not, what they learn in the worst class."""
    worst = classes(method).iloc[0]
    return one_class(method, int(worst["class"])).verdict


@dataclass(frozen=True, eq=False)
class OneClass:
    """One class, the names of its contributors, and what the strongest coalition of m learns there."""

    number: int
    group: Group
    names: tuple[str, ...]
    verdict: Verdict
    enough: tuple[str, ...]
    """The fewest of the coalition that break the class."""


def one_class(method: str, number: int) -> OneClass:
    """One class of a release against the strongest coalition of m."""
    wanted = policy()
    assert wanted.m is not None
    full = ("one class", number, wanted.m, *release_key(method))
    return results.remembered(full, lambda: _one_class(made(method).release, number, wanted, wanted.m or 0))


def _one_class(release: Release, number: int, wanted: Policy, m: int) -> OneClass:
    constraint = Constraint(replace(wanted, m=None), release.encoded.sensitive, release.encoded.overall)
    group = contributions(release.encoded, release.classes, constraint).group(number)
    assert release.encoded.provider is not None
    names = tuple(release.encoded.provider.labels[code] for code in group.providers)
    coalition = breach(group, m)
    if coalition is None:
        return OneClass(number, group, names, Verdict(True, m), ())
    members = tuple(names[i] for i in coalition)
    codes = tuple(int(group.providers[i]) for i in coalition)
    answer = Verdict(False, m, number, codes, members, learned(group, coalition, release.encoded.sensitive))
    return OneClass(number, group, names, answer, tuple(names[i] for i in group.shrunk(coalition)))


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
