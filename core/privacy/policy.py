"""Requirements for every equivalence class: a conjunction of privacy models.

Each model states its own requirement: see :mod:`core.privacy.model`. Boundaries
[definitions §2]: k and distinct l are integers, compared exactly; recursive (c, l) is a
strict inequality in exact arithmetic; entropy l and t have a tolerance of 1e-9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from core.base import wording
from core.base.arrays import Bools
from core.base.errors import ParameterError, PolicyError
from core.base.errors import shown_name as shown
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.privacy.model import MODELS, PROVIDERS, TOLERANCE, Model, parameters_of
from core.privacy.models.l_diversity import DIVERSITIES
from core.privacy.models.t_closeness import DISTANCES
from core.privacy.parameters import check, in_a_sentence, is_wanted, sign, slug

More = Mapping[str, Any] | tuple[tuple[str, Any], ...]


@dataclass(frozen=True, init=False)
class Policy:
    """A conjunction of privacy models.

    Parameters
    ----------
    k
        People in a class, at least 1 [Ganta 2008, Def. 3]: records, or persons if they may have several.
    l
        Diversity of the sensitive values; ``None`` for no requirement. A whole number for
        *distinct* and *recursive*, a real number >= 1 for *entropy*.
    diversity
        ``"distinct"``, ``"entropy"`` [Ganta 2008, Def. 4] or ``"recursive"`` (c, l)
        [Allard 2023].
    c
        Factor of recursive diversity, > 0: the most common value must be rarer than c times
        the l-th and later ones together.
    t
        Largest distance of a class from the whole table, 0 to 1 [Ganta 2008, Def. 5].
    distance
        ``"equal"`` (total variation), ``"ordered"`` (earth mover's on ranks) or
        ``"hierarchical"`` (earth mover's over a taxonomy; Li et al. 2007, §4).
    m
        Providers that may collude (m-privacy), or ``None``.
    more
        Parameters of other models of :data:`core.privacy.model.MODELS`, each by its name, such as ``beta=2``; kept
        as sorted pairs, without those that require nothing.

    Raises
    ------
    PolicyError
        If a parameter is out of range; the message names the range.

    Examples
    --------
    >>> from composition_dashboard import Policy
    >>> Policy(k=5, l=3, t=0.4).signs
    'k = 5, l = 3 (distinct), t = 0.4 (equal)'
    """

    k: int
    l: float | None = None  # noqa: E741 - the field's own name
    diversity: str = "distinct"
    c: float | Fraction | None = None
    t: float | None = None
    distance: str = "equal"
    m: int | None = None
    more: More = ()

    def __init__(
        self,
        k: int,
        l: float | None = None,  # noqa: E741 - the field's own name
        diversity: str = "distinct",
        c: float | Fraction | None = None,
        t: float | None = None,
        distance: str = "equal",
        m: int | None = None,
        **more: Any,
    ) -> None:
        """Take the parameters of every registered model by name; ``more=`` takes those of other models together."""
        for name, value in zip(_FIELDS, (k, l, diversity, c, t, distance, m), strict=True):
            object.__setattr__(self, name, value)
        known, further = parameters_of(), {**dict(more.pop("more", ())), **more}
        for name in further:
            if name not in known or name in _FIELDS:
                raise PolicyError(f"A policy has no parameter {shown(str(name))}.", parameter=str(name))
        pairs = {name: value for name, value in further.items() if value not in (None, known[name].default)}
        object.__setattr__(self, "more", tuple(sorted(pairs.items())))
        for model in MODELS.values():
            check(model, self.values)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Policy:
        """Return the policy of parameters by their names, including those of additional models."""
        own = {name: value for name, value in values.items() if name in _FIELDS}
        return cls(**own, more={name: value for name, value in values.items() if name not in _FIELDS})

    def with_(self, **values: Any) -> Policy:
        """Return the policy with other parameters, including those of additional models."""
        return Policy.of({**self.values, **values})

    @cached_property
    def values(self) -> dict[str, Any]:
        """Every parameter of every model by its name; ``None`` if it requires nothing."""
        values = {name: parameter.default for name, parameter in parameters_of().items()}
        return values | {name: getattr(self, name) for name in _FIELDS} | dict(self.more)

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models that are required, k-anonymity first."""
        return tuple(model for model in MODELS.values() if is_wanted(model, self.values))

    @cached_property
    def only_k(self) -> bool:
        """Whether only class sizes matter."""
        return not any(model.needs for model in self.models)

    @cached_property
    def _counted(self) -> tuple[Model, ...]:
        """The models that can be checked on a histogram."""
        return tuple(model for model in self.models if PROVIDERS not in model.needs)

    def is_satisfied(self, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """Whether each class meets the whole policy; O(triples log triples)."""
        good = self._counted[0].is_satisfied(self.values, histogram, sensitive)
        for model in self._counted[1:]:
            good &= model.is_satisfied(self.values, histogram, sensitive)
        return good

    def check_feasible(self, encoded: Encoded) -> None:
        """Refuse a policy that not even the whole table as one class meets.

        Raises
        ------
        InfeasibleError
            Naming the parameter, what the whole table has, and what to do.
        """
        whole = encoded.as_one_class
        for model in self._counted:
            model.check_feasible(self.values, whole, encoded.sensitive)

    # ---- words --------------------------------------------------------------------------

    @property
    def signs(self) -> str:
        """The policy in short form: "k = 5, entropy l = 3, t = 0.4"."""
        return ", ".join(sign(model, self.values) for model in self.models)

    @property
    def in_words(self) -> str:
        """The policy inside a sentence: "at least 5 people per class (k) and ..."."""
        return wording.listed([in_a_sentence(model, self.values) for model in self.models])

    @property
    def distance_words(self) -> str:
        """How t is measured."""
        return parameters_of()["distance"].text(self.distance)

    @property
    def slug(self) -> str:
        """The policy in the name of a file: its numbers alone."""
        return "_".join(slug(model, self.values) for model in self.models)


_FIELDS = tuple(field.name for field in fields(Policy) if field.name != "more")

__all__ = ["DISTANCES", "DIVERSITIES", "TOLERANCE", "More", "Policy"]


def check_policy(policy: object) -> None:
    """Refuse anything but a policy, such as a bare k.

    Raises
    ------
    ParameterError
        With what to give.
    """
    if not isinstance(policy, Policy):
        raise ParameterError("The third argument is a policy, such as Policy(k=5).", parameter="policy")
