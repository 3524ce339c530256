"""A privacy model, declared once for policies, pages, files, the command line and reports."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.base import wording
from core.base.arrays import Bools, Floats
from core.base.errors import InfeasibleError
from core.base.metrics import LESS, MORE
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain

TOLERANCE = 1e-9
"""Tolerance of a real number at its limit."""
COUNTS, PROVIDERS = "counts", "providers"
"""Needs of a model: how often each sensitive value occurs in a class; who contributed each record."""
NONE = "none"
"""Label for no variant in a list of variants on a page."""

Values = Mapping[str, Any]
"""Every parameter of a policy by its name; ``None`` if it requires nothing."""


@dataclass(frozen=True)
class Option:
    """One of the variants of a model.

    Parameters
    ----------
    name
        In a policy, in scenario files and on the command line.
    title
        In a list on a page.
    words
        Inside a sentence.
    taxonomy
        Whether the sensitive attribute must have a taxonomy.
    real
        Whether the model's first parameter may be a real number.
    """

    name: str
    title: str
    words: str
    taxonomy: bool = False
    real: bool = False


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model.

    Parameters
    ----------
    name
        In a policy, in scenario files, on the command line, in links, and of the session's choice.
    label
        On a page and in a report: plain words first, symbol second.
    about
        On the command line.
    options
        Its variants, the first by default; if there are none, it is a number.
    whole
        Whether it is a whole number, unless an option says otherwise.
    least, most, above
        Bounds of a number; ``above`` leaves out the lower one itself.
    low, high
        Additional bounds in scenario files.
    better
        ``MORE`` if a larger number is stricter (at least), ``LESS`` if a smaller one is (at most).
    under
        The variant that uses it; no other does.
    required
        Whether every policy must have it.
    """

    name: str
    label: str
    about: str = ""
    options: tuple[Option, ...] = ()
    whole: bool = False
    least: float = 0.0
    most: float = math.inf
    above: bool = False
    low: float = 0
    high: float = math.inf
    better: str = MORE
    under: str = ""
    required: bool = False

    @property
    def default(self) -> str | None:
        """Its default value."""
        return self.options[0].name if self.options else None

    def option(self, name: str) -> Option:
        """Return one of its options."""
        return next(option for option in self.options if option.name == name)

    def text(self, value: Any) -> str:
        """Wording of a value inside a sentence; "" if it requires nothing."""
        if value is None:
            return ""
        if self.options:
            return self.option(value).words
        return wording.count(int(value)) if isinstance(value, int | np.integer) else f"{float(value):g}"

    def is_met(self, number: float, limit: float) -> bool:
        """Whether a number meets a limit, within :data:`TOLERANCE`."""
        return number <= limit + TOLERANCE if self.better == LESS else number >= limit - TOLERANCE


@dataclass(frozen=True)
class Line:
    """One line that compares what was required with what was measured.

    Parameters
    ----------
    number
        What is compared, by its name in :meth:`core.measurement.Guarantee.numbers`, or "c" or "m".
    words
        What the line is about.
    asked
        What was required; "" if nothing was.
    met
        Whether the number is enough, unrounded.
    shown
        ``"count"``, ``"down"`` (more is safer), ``"up"`` (less is safer), ``"any c"`` or ``"m"``.
    """

    number: str
    words: str
    asked: str
    met: bool
    shown: str


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """A privacy model: what a class must satisfy.

    A model measures what a class has (:meth:`measure`). It overrides :meth:`is_satisfied` if that is not a comparison
    of one real number, and wording for which the defaults do not fit. The requirements of a policy, validated and in
    words, are in :mod:`core.privacy.parameters`.

    Parameters
    ----------
    name
        What the field calls it.
    parameters
        The first is the model's symbol: with it a policy asks for the model.
    phrase
        Inside a sentence, with the parameters in braces: "at least {k} people per class (k)".
    needs
        Of :data:`COUNTS` and :data:`PROVIDERS`.
    citation
        Where it is published; "" if the report already cites it.
    """

    name: str
    parameters: tuple[Parameter, ...]
    phrase: str
    needs: frozenset[str] = field(default_factory=lambda: frozenset({COUNTS}))
    citation: str = ""

    @property
    def symbol(self) -> str:
        """Name of its first parameter."""
        return self.parameters[0].name

    @abstractmethod
    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:
        """(classes,) measured values of each class, by their names in :mod:`core.measurement`."""

    def is_satisfied(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """(classes,) whether each class meets the model; O(triples log triples) at most."""
        measured, limit = self.measure(parameters, histogram, sensitive)[self.symbol], float(parameters[self.symbol])
        less = self.parameters[0].better == LESS
        good: Bools = measured <= limit + TOLERANCE if less else measured >= limit - TOLERANCE
        return good

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:
        """Refuse a requirement that not even the whole table as one class meets.

        Raises
        ------
        InfeasibleError
            Naming the parameter, what the whole table has, and what to do.
        """
        if self.is_satisfied(parameters, whole, sensitive)[0]:
            return
        measured, up = float(self.measure(parameters, whole, sensitive)[self.symbol][0]), self.parameters[0].better
        reached = (math.ceil if up == LESS else math.floor)(measured * 100) / 100
        beyond, most = ("less", "least") if up == LESS else ("more", "most")
        raise InfeasibleError(
            f"{self.symbol} = {parameters[self.symbol]:g} is {beyond} than the whole table has ({reached:g}); "
            f"{self.symbol} can be at {most} {reached:g}.",
            parameter=self.symbol,
        )

    def lines(self, parameters: Values, reached: Mapping[str, float]) -> list[Line]:
        """Compare required with measured numbers; empty without a measured number."""
        if self.symbol not in reached:
            return []
        first, limit, number = self.parameters[0], parameters[self.symbol], reached[self.symbol]
        wanted = "" if limit is None else f"{'at most' if first.better == LESS else 'at least'} {first.text(limit)}"
        shown = "count" if first.whole else "up" if first.better == LESS else "down"
        return [Line(self.symbol, first.label, wanted, limit is None or first.is_met(number, limit), shown)]


# ---- the registry ---------------------------------------------------------------------------

MODELS: dict[str, Model] = {}
"""Every model by its symbol, in the order in which people name them; ``core.privacy.models`` fills it."""


def declare(model: Model) -> Model:
    """Add a model to the registry."""
    MODELS[model.symbol] = model
    return model


def further_models() -> tuple[Model, ...]:
    """The models other than k that can be required of all publishers: not m, which is about the providers of one."""
    every = MODELS.values()
    return tuple(model for model in every if not model.parameters[0].required and PROVIDERS not in model.needs)


def parameters_of() -> dict[str, Parameter]:
    """Every parameter of every model, by its name."""
    return {parameter.name: parameter for model in MODELS.values() for parameter in model.parameters}
