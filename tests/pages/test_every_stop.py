"""Every stop of every slider of the attack page through core; every few through the pages and the command line.

The scripts of the pages are run without a browser and without Streamlit's test client, which
takes ten times as long.
"""

from __future__ import annotations

import logging
import runpy
from collections.abc import Iterator
from typing import NoReturn

import numpy as np
import pytest
import streamlit as st

from core import CompositionError
from pages.shared import charts, deferred, errors, results, session, summary, widgets
from pages.shared.choices import CHOICES
from tests.pages.drive import Session
from tests.source import ROOT
from tests.tables import small_table

pytestmark = pytest.mark.long

TABLE, SCHEMA = small_table(60)
START = {"overlap": 15, "my_k": 4, "their_k": 4, "repeats": 10}
PAGES = ("attack", "review", "overview", "noise")


def stops(name: str) -> list[float]:
    """Every stop of a slider with fixed bounds, as the browser reckons them: ``low + i * step``, not rounded."""
    choice = CHOICES[name]
    assert choice.low is not None
    assert choice.high is not None
    assert choice.step is not None
    count = round((choice.high - choice.low) / choice.step)
    return [min(choice.low + i * choice.step, choice.high) for i in range(count + 1)]


"""Reckoned and rounded: 0.05 + 25 * 0.01 is 0.30000000000000004, and 0.3 is typed into the box beside it."""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    fake = Session(workspace=session.Workspace(TABLE, SCHEMA, "a table", example=False))
    monkeypatch.setattr(st, "session_state", fake)
    monkeypatch.setattr(errors, "refuse", refused)
    monkeypatch.chdir(ROOT)
    # Made, but not turned into JSON; curves of few points: neither is what a stop changes.
    monkeypatch.setattr(charts, "show", lambda chart, **_: None)
    monkeypatch.setattr(widgets, "more_assumptions", lambda _, draw: draw())
    for grid in ("GRID_K", "FEW_K"):
        monkeypatch.setattr(results, grid, (3, 6))
    logging.disable(logging.WARNING)  # "missing ScriptRunContext", once a widget
    for name, value in START.items():
        session.put(name, value)
    yield fake
    logging.disable(logging.NOTSET)


def refused(error: CompositionError) -> NoReturn:
    raise AssertionError(f"refused: {error.message}")


def walk(page: str) -> None:
    """What a run of the app does: the page, the strip, and what waits until both are drawn."""
    deferred.start()
    runpy.run_path(str(ROOT / "pages" / page / "page.py"))
    summary.work_out()
    summary.show(st.container())
    deferred.finish()


@pytest.mark.parametrize("page", PAGES)
def test_every_confidence_on_every_page_that_shows_it(bare: Session, page: str) -> None:
    """At half of all stops the mean of ten equal floats is another float: some of these, and the ends.

    Every stop goes through what the pages ask: test_the_number_beside_the_slider_is_that_confidence.
    """
    every = stops("confidence")
    another = [c for c in every if float(np.mean([c] * 10)) != c]
    assert len(another) > 20
    for confidence in {every[0], *another[::7], every[-1]}:
        session.put("confidence", confidence)
        walk(page)
