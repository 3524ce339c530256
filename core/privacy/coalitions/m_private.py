"""Check whether a class or a whole release is m-private, and if not, who learns what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import ParameterError, PolicyError
from core.base.short import many, short
from core.data.classes import Classes
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.privacy.coalitions.by_counting import breach, private_classes
from core.privacy.coalitions.colluding import WHY_REFUSED, check_m, without_promise
from core.privacy.coalitions.contribution_tables import Contributions
from core.privacy.coalitions.contributions import Constraint, Group
from core.privacy.policy import Policy


class Released(Protocol):
    """Required interface of a release; ``core.Release`` implements it."""

    @property
    def encoded(self) -> Encoded:
        """The records that were partitioned."""

    @property
    def classes(self) -> Classes:
        """Class of each of those records."""

    @property
    def policy(self) -> Policy:
        """The declared schema."""


@dataclass(frozen=True)
class Learned:
    """Records left to a coalition that removes its own from a class.

    Parameters
    ----------
    size
        Records of the class.
    own
        Records that the coalition contributed to it.
    left
        Records of others: the coalition knows that its target is among them.
    values
        Their sensitive values with the number of records, most common first.
    """

    size: int
    own: int
    left: int
    values: tuple[tuple[str, int], ...]

    def __repr__(self) -> str:
        return short(self, f"{self.left:,} of {many(self.size, 'record')} left", many(len(self.values), "value"))

    @property
    def certain(self) -> bool:
        """Whether everyone left has the same value."""
        return len(self.values) == 1


@dataclass(frozen=True)
class Verdict:
    """Answer of :func:`m_private`.

    Parameters
    ----------
    is_satisfied
        Whether no coalition of at most m providers breaks the constraint in any class.
    m
        Providers who may collude.
    class_number
        The class in which privacy breaks; ``None`` if there is none.
    coalition
        Codes of the providers who break it, none of them idle; empty for the outside
        recipient, who contributed nothing; ``None`` if it holds.
    names
        Their names.
    learns
        What they are left with; ``None`` if it holds.
    """

    is_satisfied: bool
    m: int
    class_number: int | None = None
    coalition: tuple[int, ...] | None = None
    names: tuple[str, ...] = ()
    learns: Learned | None = None

    def __repr__(self) -> str:
        if self.is_satisfied:
            return short(self, f"withstands m = {self.m}")
        return short(self, f"does not withstand m = {self.m}", f"class {self.class_number}", repr(self.learns))


def m_private(
    classes_or_release: Classes | Released,
    providers: Sequence[Any] | NDArray[Any] | None = None,
    policy: Policy | None = None,
    m: int | None = None,
    *,
    sensitive_values: Sequence[Any] | NDArray[Any] | None = None,
) -> Verdict:
    """Check whether a release withstands coalitions of its providers [Goryczka 2011, Def. 2.1].

    For every coalition of at most ``min(m, n_G - 1)`` of the n_G contributors of a class,
    the rest of the class must meet the policy whichever of its own records the coalition removes; at least one outsider
    stays, and a class of a single contributor is checked against the outside recipient only [definitions §6].

    Parameters
    ----------
    classes_or_release
        A release, or a partition of records together with ``sensitive_values``.
    providers
        (records,) who contributed each record; those of the release's table by default.
    policy
        k and distinct l; that of the release by default. Its own m is ignored if ``m`` is given.
    m
        Providers that may collude, 0 to one less than there are; 0 is the outside recipient.
    sensitive_values
        (records,) sensitive values, for a partition without a release.

    Returns
    -------
    Verdict

    Raises
    ------
    PolicyError
        If m or the number of providers is out of range, or the policy asks for more than k and
        distinct l.
    ParameterError
        If an argument is missing, or the search in a class is too large.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples, m_private
    >>> release = anonymize(examples.city(600), examples.city_schema(), Policy(k=4))
    >>> m_private(release, m=0).is_satisfied
    True
    """
    encoded = _records(classes_or_release, providers, sensitive_values)
    classes = classes_or_release if isinstance(classes_or_release, Classes) else classes_or_release.classes
    target = policy if policy is not None else getattr(classes_or_release, "policy", None)
    if target is None:
        raise ParameterError("A policy is needed: what each class must satisfy.", parameter="policy")
    limit = target.m if m is None else m
    if limit is None:
        raise ParameterError("m is needed: how many providers may collude.", parameter="m")
    parts = _parts(encoded, classes, target, limit)
    good = private_classes(parts, limit)
    if good.all():
        return Verdict(True, limit)
    number = int(np.argmin(good))
    group = parts.group(number)
    coalition = breach(group, limit)
    assert coalition is not None
    assert encoded.provider is not None
    smallest = group.shrunk(coalition)
    codes = tuple(int(group.providers[i]) for i in smallest)
    names = tuple(encoded.provider.labels[code] for code in codes)
    return Verdict(False, limit, number, codes, names, learned(group, smallest, encoded.sensitive))


def _parts(encoded: Encoded, classes: Classes, policy: Policy, m: int) -> Contributions:
    """Contributions to each class, if m-privacy can be decided."""
    if beyond := without_promise(policy):
        raise PolicyError(f"{WHY_REFUSED} Ask for distinct l and no t.", parameter=beyond)
    constraint = Constraint(replace(policy, m=None), encoded.sensitive, _overall(encoded, classes))
    parts = contributions(encoded, classes, constraint)
    check_m(m, len(np.unique(parts.provider)))
    return parts


def learned(group: Group, coalition: Sequence[int], sensitive: Domain) -> Learned:
    """Return the records left to a coalition of contributors of a class."""
    rest = group.counts.sum(axis=0) - group.counts[list(coalition)].sum(axis=0)
    order = np.lexsort((group.values, -rest))
    values = tuple((sensitive.labels[group.values[i]], int(rest[i])) for i in order if rest[i])
    size, left = int(group.sizes.sum()), int(rest.sum())
    return Learned(size, size - left, left, values)


# ---- what goes in ----------------------------------------------------------------------


def contributions(encoded: Encoded, classes: Classes, constraint: Constraint) -> Contributions:
    """Count the contributions to each class of records that name their providers."""
    encoded.need_rows("What colluding providers learn", "m")
    encoded.need_one_record("What colluding providers learn", "m")
    assert encoded.provider_code is not None
    assert encoded.provider is not None
    return Contributions.of_records(
        classes.labels, encoded.sensitive_codes, encoded.provider_code, encoded.provider.size, constraint
    )


def _overall(encoded: Encoded, classes: Classes) -> Ints:
    return np.bincount(encoded.sensitive_codes[classes.labels >= 0], minlength=encoded.sensitive.size)


def _records(given: Classes | Released, providers: Any, sensitive_values: Any) -> Encoded:
    """Return the records with their providers, in whichever form these were given."""
    if isinstance(given, Classes):
        if sensitive_values is None:
            raise ParameterError(
                "A partition alone has no sensitive values; give sensitive_values, too.", parameter="sensitive_values"
            )
        sensitive, codes = _labelled(sensitive_values, len(given.labels), "sensitive_values")
        none = np.empty((0, len(codes)), dtype=np.int32)
        encoded = Encoded((), none, sensitive, codes, np.arange(len(codes)))
    else:
        encoded = given.encoded
    if providers is not None:
        provider, source = _labelled(providers, len(encoded), "providers")
        encoded = replace(encoded, provider=provider, provider_code=source)
    if encoded.provider_code is None or encoded.provider is None:
        raise PolicyError(
            "m-privacy needs to know who contributed each record; give providers, or a column the role provider.",
            parameter="providers",
        )
    nobody = (
        int(np.count_nonzero(encoded.provider_code == encoded.provider.missing)) if encoded.provider.missing >= 0 else 0
    )
    if nobody:
        raise PolicyError(
            f"{nobody:,} of {len(encoded):,} records name no provider; fill them in or leave these records out.",
            parameter="providers",
        )
    return encoded


def _labelled(given: Any, records: int, name: str) -> tuple[Domain, NDArray[np.int32]]:
    texts = ["" if value is None or value != value else str(value) for value in given]
    if len(texts) != records:
        raise ParameterError(f"{records:,} records need {records:,} {name}; {len(texts):,} were given.", parameter=name)
    labels, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    missing = -1
    if len(labels) and labels[0] == "":
        labels, missing = np.roll(labels, -1), len(labels) - 1
        codes = (codes - 1) % len(labels)
    return Domain(name, ColumnType.CATEGORICAL, tuple(labels.tolist()), missing=missing), codes.astype(np.int32)


# ---- every class next to the others ------------------------------------------------------


def coalition_table(release: Released, m: int, policy: Policy | None = None) -> pd.DataFrame:
    """Measure every class of a release against coalitions of at most m of its contributors.

    Parameters
    ----------
    release
        A release whose table names its providers.
    m
        Providers that may collude.
    policy
        k and distinct l; that of the release by default.

    Returns
    -------
    DataFrame
        One row per class: *class*, *size*, *contributors* (n_G), *largest* (records of the
        largest contributor), *left* (records left without the min(m, n_G - 1) largest),
        *private*.
    """
    encoded = _records(release, None, None)
    parts = _parts(encoded, release.classes, policy or release.policy, m)
    owner, _, records = parts.shares
    return pd.DataFrame(
        {
            "class": np.arange(parts.classes),
            "size": parts.sizes,
            "contributors": parts.contributors,
            "largest": records[np.searchsorted(owner, np.arange(parts.classes))],
            "left": parts.left_at_least(np.minimum(m, parts.contributors - 1)),
            "private": private_classes(parts, m),
        }
    )
