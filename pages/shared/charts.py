"""Charts on a page."""

from __future__ import annotations

from typing import Any

import streamlit as st


class _Ready:
    """A chart that is not held against the Vega-Lite schema once more.

    The tests do that for every figure; on a page it is up to a third of the time of a chart.
    """

    def __init__(self, chart: Any, height: int | None = None) -> None:
        self._chart, self._height = chart, height

    def to_dict(self) -> dict[str, Any]:
        """Return the specification, unchecked."""
        found: dict[str, Any] = self._chart.to_dict(validate=False)
        return found if self._height is None else {**found, "height": self._height}


MAIN = 300
"""Height of the main chart of a page: with the numbers above it, it is in sight beside its controls at 720 pixels."""


def show(chart: Any, *, alt: str, key: str | None = None, height: int | None = None) -> None:
    """Draw a figure of ``core.figures`` at the width of its place; ``alt`` says in words what it shows."""
    shown: Any = _Ready(chart, height)
    st.altair_chart(shown, alt=alt, key=key)
