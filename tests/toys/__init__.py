"""Things of a known sort that no user needs, added as whoever extends the program would add them."""

import pytest

from core.base.metrics import METRICS
from core.measurement import MEASURES
from core.privacy.model import MODELS
from pages.attack.axes import OF_MODELS
from pages.shared.state.choices import CHOICES, SWITCHES
from tests.toys import dominance, dominance_asked, dominance_measured, few_left


def add_dominance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare the toy model and its measure for one test."""
    monkeypatch.setitem(MODELS, "p", dominance.MODEL)
    monkeypatch.setitem(MEASURES, "p", dominance_measured.MEASURE)
    monkeypatch.setitem(METRICS, "p", dominance_measured.METRIC)
    monkeypatch.setitem(SWITCHES, "p", "dominance")
    for name, choice in dominance_asked.CHOICES.items():
        monkeypatch.setitem(CHOICES, name, choice)
    monkeypatch.setitem(OF_MODELS, "p", dominance_asked.CURVE)


def add_few_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare the toy number of the attack for one test."""
    monkeypatch.setitem(METRICS, "few", few_left.NUMBER)
