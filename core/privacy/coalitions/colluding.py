"""m-privacy as a policy: an algorithm's requirements for a class if providers may collude."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.base.errors import InfeasibleError, PolicyError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.privacy.coalitions.by_counting import private_classes
from core.privacy.coalitions.contribution_tables import Contributions, together
from core.privacy.coalitions.contributions import Constraint
from core.privacy.policy import Policy

WHY_REFUSED = (
    "m-privacy can be promised for k and distinct l only: for entropy l, recursive l and t the removal of some of a "
    "coalition's records can break the constraint where removing all does not."
)


@dataclass(frozen=True)
class Colluding(Policy):
    """A policy on classes whose sensitive codes name the provider as well.

    An algorithm that uses it needs no knowledge about providers; :func:`with_providers` gives the table for it.
    """

    constraint: Constraint = field(kw_only=True)
    providers: int = field(kw_only=True)

    def is_satisfied(self, histogram: ClassHistogram, sensitive: Domain) -> NDArray[np.bool_]:  # noqa: ARG002
        """Whether each class is m-private with respect to k and distinct l."""
        assert self.m is not None
        return private_classes(Contributions.of_joint(histogram, self.providers, self.constraint), self.m)


def without_promise(policy: Policy) -> str:
    """The parameter other than k, distinct l and m that rules out a promise of m-privacy; "" if there is none."""
    beyond = [model.symbol for model in policy.models if model.symbol not in ("k", "l", "m")]
    if beyond:
        return beyond[-1]
    return "" if policy.l is None or policy.diversity == "distinct" else "diversity"


def check_sources(encoded: Encoded, m: int) -> int:
    """Refuse a table without providers, with records without a provider, or with too few providers for m.

    Returns
    -------
    int
        Providers with at least one record.

    Raises
    ------
    PolicyError
        Naming the number of providers or of records, and what to do.
    """
    encoded.need_rows("m-privacy", "m")
    encoded.need_one_record("m-privacy", "m")
    if encoded.provider_code is None or encoded.provider is None:
        raise PolicyError(
            "m-privacy needs to know who contributed each record; give a column the role provider.", parameter="m"
        )
    if encoded.provider.missing >= 0:
        nobody = int(np.count_nonzero(encoded.provider_code == encoded.provider.missing))
        if nobody:
            raise PolicyError(
                f"{nobody:,} of {len(encoded):,} records name no provider; fill in the provider column or leave these "
                "records out.",
                parameter="provider",
            )
    present = len(np.unique(encoded.provider_code))
    check_m(m, present)
    return present


def check_m(m: int, providers: int) -> None:
    """Refuse an m that leaves no one to be harmed."""
    Policy(1, m=m)
    if m == 0:
        return
    if providers < 2:
        raise PolicyError(
            "All records come from one provider; collusion needs at least two, so m-privacy has no meaning here.",
            parameter="m",
        )
    if m >= providers:
        raise PolicyError(
            f"m must be from 0 to {providers - 1}, one fewer than the {providers} providers; {m} was given.",
            parameter="m",
        )


def with_providers(encoded: Encoded, policy: Policy) -> tuple[Encoded, Colluding]:
    """Return the table with sensitive codes that also name the provider, and the policy that reads them.

    Raises
    ------
    PolicyError
        If the policy asks for more than k, distinct l and m, or the table names no providers.
    InfeasibleError
        If the whole table as one class is not m-private: then no partition is, because a
        union of m-private classes is.
    """
    assert policy.m is not None
    if beyond := without_promise(policy):
        raise PolicyError(f"{WHY_REFUSED} Ask only for k and distinct l, or leave out m.", parameter=beyond)
    check_sources(encoded, policy.m)
    assert encoded.provider_code is not None
    assert encoded.provider is not None
    providers = encoded.provider.size
    joint = together(encoded.sensitive_codes, encoded.provider_code, providers).astype(np.int32)
    names = tuple(str(code) for code in range(encoded.sensitive.size * providers))
    whole = replace(
        encoded, sensitive=Domain(encoded.sensitive.name, ColumnType.CATEGORICAL, names), sensitive_codes=joint
    )
    constraint = Constraint(replace(policy, m=None), encoded.sensitive, encoded.overall)
    target = Colluding(policy.k, policy.l, m=policy.m, constraint=constraint, providers=providers)
    _check_whole(whole, target)
    return whole, target


def _check_whole(whole: Encoded, colluding: Colluding) -> None:
    zeros = np.zeros(len(whole), dtype=np.int64)
    parts = Contributions.of_joint(
        ClassHistogram.of_records(zeros, whole.sensitive_codes, whole.overall, 1),
        colluding.providers,
        colluding.constraint,
    )
    assert colluding.m is not None
    if private_classes(parts, colluding.m)[0]:
        return
    reached = [m for m in range(colluding.m) if private_classes(parts, m)[0]]
    most = f"m can be at most {reached[-1]}, or lower k or l" if reached else "lower k or l"
    raise InfeasibleError(
        f"Not even the whole table as one class is {colluding.m}-private: without the records of some {colluding.m} of "
        f"its {parts.contributors[0]} providers fewer than k = {colluding.k:,} records"
        f"{f' or l = {colluding.l:g} distinct values' if colluding.l is not None else ''} are left; {most}.",
        parameter="m",
    )
