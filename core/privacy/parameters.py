"""A policy's requirements for a privacy model: parameters with their values, checked and in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from core.base.errors import PolicyError
from core.base.ranges import Range
from core.privacy.model import MODELS, Model, Option, Parameter, Values


def variant_parameter(model: Model) -> Parameter | None:
    """The parameter that selects the variant of the model."""
    return next((parameter for parameter in model.parameters if parameter.options), None)


def variant_of(model: Model, values: Values) -> Option | None:
    """Which kind is meant."""
    parameter = variant_parameter(model)
    return None if parameter is None else parameter.option(values[parameter.name])


def is_wanted(model: Model, values: Values) -> bool:
    """Whether a policy requires this model."""
    return values[model.symbol] is not None


def counts(model: Model, parameter: Parameter, values: Values) -> bool:
    """Whether a parameter has any effect under the selected variant."""
    variant = variant_of(model, values)
    return not parameter.under or (variant is not None and variant.name == parameter.under)


def is_whole(model: Model, parameter: Parameter, values: Values | None = None) -> bool:
    """Whether a parameter is a whole number under the variant in ``values``; without them, under every variant."""
    choice = variant_parameter(model)
    # A variant may allow real numbers only for the symbol of the model: l of entropy l-diversity.
    if not parameter.whole or parameter.name != model.symbol or choice is None:
        return parameter.whole
    meant = choice.options if values is None else (choice.option(values[choice.name]),)
    return not any(variant.real for variant in meant)


def policy_bounds() -> dict[str, Range]:
    """Bounds of every number of a policy in a scenario file, by its parameter."""
    return {
        number.name: Range(max(number.low, number.least), min(number.most, number.high), is_whole(model, number))
        for model in MODELS.values()
        for number in model.parameters
        if not number.options
    }


def check(model: Model, values: Values) -> None:
    """Refuse parameters out of their range.

    Raises
    ------
    PolicyError
        Naming the parameter and its range.
    """
    for parameter in model.parameters:
        if parameter.options and values[parameter.name] not in [option.name for option in parameter.options]:
            known = ", ".join(option.name for option in parameter.options)
            raise PolicyError(f"{parameter.name} must be one of {known}.", parameter=parameter.name)
    for parameter in model.parameters:
        wanted = (is_wanted(model, values) or parameter.required) and counts(model, parameter, values)
        if parameter.options or not wanted:
            continue
        value = values[parameter.name]
        if value is None and parameter.under:
            raise PolicyError(
                f"{parameter.under.capitalize()} {model.name} needs {parameter.name}, a number above 0.",
                parameter=parameter.name,
            )
        if is_whole(model, parameter, values):
            _check_whole(parameter.name, value, int(parameter.least))
        else:
            _check_real(parameter, value)


def _check_whole(name: str, value: Any, least: int) -> None:
    number = not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating)
    if not number or (isinstance(value, float | np.floating) and not float(value).is_integer()):
        raise PolicyError(f"{name} must be a whole number of at least {least}.", parameter=name)
    if value < least:
        raise PolicyError(f"{name} must be at least {least}; {value} was given.", parameter=name)


def _check_real(parameter: Parameter, value: Any) -> None:
    name, least, most = parameter.name, parameter.least, parameter.most
    if isinstance(value, bool) or not isinstance(value, int | float | np.number | Fraction):
        raise PolicyError(f"{name} must be a number.", parameter=name)
    if isinstance(value, int) and abs(value) > 2**1000:
        raise PolicyError(f"{name} is too large a number.", parameter=name)
    if not (math.isfinite(value) and least <= value <= most):
        span = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
        raise PolicyError(f"{name} must be a number {span}; {float(value):g} was given.", parameter=name)
    if parameter.above and value == least:
        raise PolicyError(f"{name} must be above {least:g}.", parameter=name)


# ---- words --------------------------------------------------------------------------------------


def in_a_sentence(model: Model, values: Values) -> str:
    """Requirement as a part of a sentence."""
    texts = {parameter.name: parameter.text(values[parameter.name]) for parameter in model.parameters}
    factors = {parameter.name: _factor(parameter, values) for parameter in model.parameters if parameter.under}
    return model.phrase.format(**texts | factors)


def cell(model: Model, values: Values) -> str:
    """Requirement in a cell of a table: "0.4 (ordered)"."""
    variant = variant_of(model, values)
    factors = "".join(_factor(parameter, values) for parameter in model.parameters if parameter.under)
    return f"{float(values[model.symbol]):g}" + ("" if variant is None else f" ({variant.name}{factors})")


def sign(model: Model, values: Values) -> str:
    """Requirement in short form: "t = 0.4 (ordered)"."""
    return f"{model.symbol} = {cell(model, values)}"


def slug(model: Model, values: Values) -> str:
    """Requirement in the name of a file: "t0.4-ordered"."""
    variant = variant_of(model, values)
    return f"{model.symbol}{values[model.symbol]:g}" + ("" if variant is None else f"-{variant.name}")


def _factor(parameter: Parameter, values: Values) -> str:
    """A parameter that applies to one variant only: ", c = 3"; "" if nothing is given."""
    value = values[parameter.name]
    return "" if value is None else f", {parameter.name} = {parameter.text(value)}"
