"""Quantities that the breach curve can vary, and their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.data.encoding.columns import sensitive_column
from core.privacy.model import MODELS, further_models
from core.study.draw import default_size
from pages.attack import computed
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session


def sensitive_facts() -> tuple[int, bool]:
    """Distinct sensitive values of the table, and whether they have a taxonomy."""
    workspace = session.workspace()
    column = sensitive_column(workspace.table, workspace.schema)
    return len(column.labels), workspace.schema.sensitive in workspace.schema.taxonomies


OF_MODELS = {
    "l": ("Values per class (l)", (2, 3, 4, 5, 6, 7, 8)),
    "t": ("Distance to the whole table (t)", (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)),
}
"""Words and values of the curve over a privacy model's parameter, by the model's symbol."""


def varied() -> list[str]:
    """Symbols of the required models that a curve can vary."""
    return [model.symbol for model in further_models() if model.symbol in OF_MODELS and session.is_asked(model)]


def axes() -> dict[str, str]:
    """Quantities that the curve can be drawn against now, in words."""
    released = not any(hospital.has_policy for hospital in session.hospitals()[1:])
    whose = "my hospital" if released else "all hospitals"
    words = (
        {"k": f"People per class (k), {whose}"}
        if session.get("linked")
        else {"my k": "People per class (k), my hospital", "their k": "People per class (k), other hospitals"}
    )
    words |= {symbol: OF_MODELS[symbol][0] for symbol in varied()}
    words["overlap"] = "People who went to every hospital"
    others = session.hospitals()[1:]
    if any(hospital.is_drawn for hospital in others) or len(others) > 1:
        words["releases"] = "Number of hospitals that publish"
    if any(hospital.is_drawn for hospital in others):
        words["same_value_rate"] = "Same diagnosis at the other hospital"
    if any(hospital.origin == "resampled" for hospital in others):
        words["case_mix"] = "Case mix of the others (0: like mine)"
    return words


def brief() -> dict[str, str]:
    """Quantities that the curve can be drawn against now, in short words for a narrow list."""
    return {name: _BRIEF.get(name) or words.replace("People per class (k)", "k") for name, words in axes().items()}


_BRIEF = {
    "overlap": "Shared people",
    "releases": "Hospitals",
    "same_value_rate": "Same diagnosis",
    "case_mix": "Case mix",
}


def chosen() -> str:
    """Quantity that the curve is drawn against; the first available one if the choice is no longer available."""
    names = list(axes())
    vary = str(session.get("vary"))
    if vary not in names:
        session.put("vary", names[0])
        return names[0]
    return vary


def points(vary: str) -> list[Any]:
    """Values of the curve: a fixed grid, so that moving the varied slider needs no new computation."""
    if vary in OF_K:
        return attack_results.k_points()
    records, study = data_results.encoded().people, session.scenario().study
    hospitals = len(study.hospitals)
    if vary in varied():
        of_values, every = MODELS[vary].parameters[0].whole, OF_MODELS[vary][1]
        return [point for point in every if not of_values or point <= sensitive_facts()[0]] or list(every[:1])
    if vary == "releases":
        drawn = [hospital for hospital in study.hospitals[1:] if hospital.is_drawn]
        most = max(2, min(8, records // max(1, session.get("overlap")))) if drawn else hospitals
        return list(range(2, max(most, hospitals) + 1))
    if vary == "same_value_rate":
        return [0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0]
    if vary == "case_mix":
        return [0.0, 0.5, 1.0, 1.5, 2.0]
    bound = computed.curve_bound()
    if not study.whole:
        bound = min(bound, default_size(records, max(1, records // 60), study.dealt))
    steps = np.unique(np.round(np.geomspace(max(1, records // 60), max(2, 0.9 * bound), 8)).astype(int))
    return [int(step) for step in steps]


OF_K = {"k": "my_k", "my k": "my_k", "their k": "their_k"}
"""The choice of what varies, if its name differs."""
