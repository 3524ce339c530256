"""What a privacy model declares of itself, once; policies, pages, files, command line and reports ask it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from core.base import words
from core.base.arrays import Bools, Floats
from core.base.errors import InfeasibleError, PolicyError
from core.base.metrics import LESS, MORE
from core.data.classes import ClassHistogram
from core.data.domain import Domain

TOLERANCE = 1e-9
"""What a real number may miss its limit by."""
COUNTS, PROVIDERS = "counts", "providers"
"""Needs of a model: how often each sensitive value occurs in a class; who contributed each record."""
NONE = "none"
"""What a list of kinds says on a page where none is asked."""

Values = Mapping[str, Any]
"""Every parameter of a policy by its name; ``None`` where it asks nothing."""


@dataclass(frozen=True)
class Option:
    """One of the kinds of a model.

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
        What it can be, the first by default; a number where there are none.
    whole
        Whether it is a whole number, unless an option says otherwise.
    least, most, above
        Bounds of a number; ``above`` leaves out the lower one itself.
    under
        The kind with which alone it counts; then it is needed.
    required
        Whether no policy goes without it.
    """

    name: str
    label: str
    about: str = ""
    options: tuple[Option, ...] = ()
    whole: bool = False
    least: float = 0.0
    most: float = math.inf
    above: bool = False
    under: str = ""
    required: bool = False

    @property
    def default(self) -> str | None:
        """Its value where nothing is said."""
        return self.options[0].name if self.options else None

    def option(self, name: str) -> Option:
        """Return one of its options."""
        return next(option for option in self.options if option.name == name)

    def check(self, value: Any, whole: bool) -> None:
        """Refuse what it cannot be.

        Raises
        ------
        PolicyError
            Naming the range.
        """
        if self.options:
            if value not in [option.name for option in self.options]:
                known = ", ".join(option.name for option in self.options)
                raise PolicyError(f"{self.name} must be one of {known}.", parameter=self.name)
        elif whole:
            _check_whole(self.name, value, int(self.least))
        else:
            _check_real(self.name, value, self.least, self.most)
            if self.above and value == self.least:
                raise PolicyError(f"{self.name} must be above {self.least:g}.", parameter=self.name)


@dataclass(frozen=True)
class Line:
    """One line of asked beside measured.

    Parameters
    ----------
    number
        What is compared, by its name in :meth:`core.measurement.Guarantee.numbers`, or "c" or "m".
    words
        What the line is about.
    asked
        What was asked of it; "" where nothing was.
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
    """A privacy model: what a class must satisfy, in numbers and words.

    A model of its own says what a class has (:meth:`reached`). It overrides :meth:`holds` where that is no comparison
    of one real number, and the words that the defaults do not say well.

    Parameters
    ----------
    name
        What the field calls it.
    parameters
        The first is the model's symbol: with it a policy asks for the model.
    phrase
        Inside a sentence, with the parameters in braces: "at least {k} people per class (k)".
    column
        Head of its column in a table of publishers.
    better
        ``MORE`` where a larger parameter asks for more (at least), ``LESS`` where a smaller one
        does (at most).
    needs
        Of :data:`COUNTS` and :data:`PROVIDERS`.
    merging
        Whether a class that meets it still meets it after any records are added, whatever its kind.
    source
        Where it is published; "" where the report cites that already.
    needs_list
        Whether nothing can be asked of it without an agreed list of the sensitive values.
    """

    name: str
    parameters: tuple[Parameter, ...]
    phrase: str
    column: str = ""
    better: str = MORE
    needs: frozenset[str] = field(default_factory=lambda: frozenset({COUNTS}))
    merging: bool = False
    source: str = ""
    needs_list: bool = False

    # ---- parameters ---------------------------------------------------------------------

    @property
    def symbol(self) -> str:
        """Name of its first parameter."""
        return self.parameters[0].name

    @property
    def kind(self) -> Parameter | None:
        """The parameter that says which kind of the model is meant."""
        return next((parameter for parameter in self.parameters if parameter.options), None)

    def kind_of(self, parameters: Values) -> Option | None:
        """Which kind is meant."""
        return None if self.kind is None else self.kind.option(parameters[self.kind.name])

    def is_asked(self, parameters: Values) -> bool:
        """Whether a policy asks for this model."""
        return parameters[self.symbol] is not None

    def counts(self, parameter: Parameter, parameters: Values) -> bool:
        """Whether a parameter has any effect under the kind that is meant."""
        kind = self.kind_of(parameters)
        return not parameter.under or (kind is not None and kind.name == parameter.under)

    def is_whole(self, parameter: Parameter, parameters: Values | None = None) -> bool:
        """Whether a parameter is a whole number: under the kind that is meant, or under every kind."""
        if not parameter.whole or parameter.name != self.symbol or self.kind is None:
            return parameter.whole
        kinds = self.kind.options if parameters is None else (self.kind_of(parameters),)
        return not any(kind is not None and kind.real for kind in kinds)

    def check(self, parameters: Values) -> None:
        """Refuse parameters out of their range.

        Raises
        ------
        PolicyError
            Naming the parameter and its range.
        """
        for parameter in self.parameters:
            if parameter.options:
                parameter.check(parameters[parameter.name], whole=False)
        for parameter in self.parameters:
            if (
                parameter.options
                or not (self.is_asked(parameters) or parameter.required)
                or not self.counts(parameter, parameters)
            ):
                continue
            if parameters[parameter.name] is None and not parameter.required:
                kind = self.kind_of(parameters)
                of = "" if kind is None or self.kind is None else f"{kind.name.capitalize()} {self.kind.name}"
                raise PolicyError(
                    f"{of or self.name} needs {parameter.name}, a number above 0.", parameter=parameter.name
                )
            parameter.check(parameters[parameter.name], self.is_whole(parameter, parameters))

    # ---- what it asks of classes --------------------------------------------------------

    @abstractmethod
    def reached(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:
        """(classes,) what each class has, by the name that :mod:`core.measurement` gives the number."""

    def holds(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> Bools:
        """(classes,) whether each class meets the model; O(triples log triples) at most."""
        measured, limit = self.reached(parameters, histogram, sensitive)[self.symbol], float(parameters[self.symbol])
        good: Bools = measured <= limit + TOLERANCE if self.better == LESS else measured >= limit - TOLERANCE
        return good

    def survives_merging(self, parameters: Values) -> bool:  # noqa: ARG002 - for models whose kinds differ
        """Whether a class that meets it still meets it after any records are added."""
        return self.merging

    def against_colluding(self, parameters: Values) -> str:  # noqa: ARG002 - for models whose kinds differ
        """Name the parameter for which m-privacy cannot be promised; "" where it can."""
        return self.symbol

    def least_values(self, parameters: Values) -> float:  # noqa: ARG002 - for models that know
        """Distinct known sensitive values that a class needs at least; 0 where nothing is known."""
        return 0.0

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:
        """Refuse what not even the whole table as one class meets.

        Raises
        ------
        InfeasibleError
            Naming the parameter, what the whole table has, and what to do.
        """
        if self.holds(parameters, whole, sensitive)[0]:
            return
        measured, up = float(self.reached(parameters, whole, sensitive)[self.symbol][0]), self.better == LESS
        reached = (math.ceil if up else math.floor)(measured * 100) / 100
        raise InfeasibleError(
            f"{self.symbol} = {parameters[self.symbol]:g} is {'less' if up else 'more'} than the whole table has "
            f"({reached:g}); {self.symbol} can be at {'least' if up else 'most'} {reached:g}.",
            parameter=self.symbol,
        )

    # ---- words ------------------------------------------------------------------------------

    def texts(self, parameters: Values) -> dict[str, str]:
        """Its parameters as a sentence writes them, kinds in their words."""
        return {
            parameter.name: parameter.option(parameters[parameter.name]).words
            if parameter.options
            else _number_text(parameters[parameter.name])
            for parameter in self.parameters
        }

    def in_a_sentence(self, parameters: Values) -> str:
        """What it asks, as a part of a sentence."""
        return self.phrase.format(**self.texts(parameters))

    def sign(self, parameters: Values) -> str:
        """What it asks in a few signs: "t = 0.4"."""
        return f"{self.symbol} = {_number_text(parameters[self.symbol])}"

    def slug(self, parameters: Values) -> str:
        """What it asks in the name of a file: "t0.4"."""
        return f"{self.symbol}{parameters[self.symbol]:g}"

    def cell(self, parameters: Values) -> str:
        """What it asks in a cell of a table: "0.4 (ordered)"."""
        kind = self.kind_of(parameters)
        return f"{parameters[self.symbol]:g}" + ("" if kind is None else f" ({kind.name})")

    @property
    def side(self) -> str:
        """Words before the first parameter: "at least" or "at most"."""
        return "at most" if self.better == LESS else "at least"

    def lines(self, parameters: Values, reached: Mapping[str, float]) -> list[Line]:
        """Asked beside measured; ``reached`` has what was measured, by its name. None without a list that is needed."""
        if self.needs_list and self.symbol not in reached:
            return []
        limit, number = parameters[self.symbol], reached[self.symbol]
        met = limit is None or (number <= limit + TOLERANCE if self.better == LESS else number >= limit - TOLERANCE)
        wanted = "" if limit is None else f"{self.side} {_number_text(limit)}"
        return [Line(self.symbol, self.parameters[0].label, wanted, met, "up" if self.better == LESS else "down")]


def _number_text(value: Any) -> str:
    if value is None:
        return ""
    return words.count(int(value)) if isinstance(value, int | np.integer) else f"{float(value):g}"


def _check_whole(name: str, value: Any, least: int) -> None:
    number = not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating)
    if not number or (isinstance(value, float | np.floating) and not float(value).is_integer()):
        raise PolicyError(f"{name} must be a whole number of at least {least}.", parameter=name)
    if value < least:
        raise PolicyError(f"{name} must be at least {least}; {value} was given.", parameter=name)


def _check_real(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number | Fraction):
        raise PolicyError(f"{name} must be a number.", parameter=name)
    if isinstance(value, int) and abs(value) > 2**1000:
        raise PolicyError(f"{name} is too large a number.", parameter=name)
    if not (math.isfinite(value) and least <= value <= most):
        span = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
        raise PolicyError(f"{name} must be a number {span}; {float(value):g} was given.", parameter=name)


# ---- the registry ---------------------------------------------------------------------------

MODELS: dict[str, Model] = {}
"""Every model by its symbol, in the order in which people name them; ``core.privacy.declared`` fills it."""


def declare(model: Model) -> Model:
    """Add a model to the registry."""
    MODELS[model.symbol] = model
    return model


def beside_k() -> tuple[Model, ...]:
    """The models that can be asked of all publishers alike, beside k: not m, which is about the providers of one."""
    every = MODELS.values()
    return tuple(model for model in every if not model.parameters[0].required and PROVIDERS not in model.needs)


def parameters_of() -> dict[str, Parameter]:
    """Every parameter of every model, by its name."""
    return {parameter.name: parameter for model in MODELS.values() for parameter in model.parameters}
