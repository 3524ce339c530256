"""Charts as specifications in Vega-Lite, by Altair's calls and without Altair's objects.

Altair checks and copies every part of a chart several times over: some thirty milliseconds a figure, at
each move of a control. A page draws the same figures by ``from core.figures import written as figures``:
the same functions run, but what they get for Altair writes down what it is given. Only what the figures use
is known: single views and layers, encodings with a field and its type. Whoever calls :mod:`core.figures`
gets Altair's objects. ``tests/core/test_figures.py`` holds both against each other, for every figure.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd

_FIELD = re.compile(r"(?P<field>.+):(?P<type>[QNOT])")
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
_OF_WHOLE = ("height", "width", "view")
"""What layers hand on to the whole chart."""

Table = pd.DataFrame | Mapping[str, Any]
"""A table of a chart: a frame, or its columns by their names."""

maker: ContextVar[Any] = ContextVar("maker", default=None)
"""What makes the parts of a figure in place of Altair; ``None`` for Altair itself."""


def _plain(value: Any) -> Any:
    """Numbers and lists that JSON knows."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | pd.Series | pd.Index):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _part(*shorthand: str, **given: Any) -> dict[str, Any]:
    """Any part of a specification; ``"share:Q"`` names a field and its type."""
    part: dict[str, Any] = _plain(given)
    for text in shorthand:
        named = _FIELD.fullmatch(text)
        if named is None:
            raise ValueError(f"{text!r} is not a field with its type, such as 'share:Q'.")
        part |= {"field": named["field"], "type": _TYPES[named["type"]]}
    return part


def _second(*shorthand: str, **given: Any) -> dict[str, Any]:
    """The other end of a mark, whose field is of the type of the first."""
    return {name: value for name, value in _part(*shorthand, **given).items() if name != "type"}


class Sheet:
    """A chart written down.

    Parameters
    ----------
    data
        What its marks stand for; ``None`` where each layer has its own.
    body
        Everything else.
    """

    def __init__(self, data: Table | None = None, body: Mapping[str, Any] | None = None) -> None:
        self.data = data
        self.body: Mapping[str, Any] = {} if body is None else body

    def _with(self, **changes: Any) -> Sheet:
        return Sheet(self.data, {**self.body, **changes})

    def __getattr__(self, name: str) -> Callable[..., Sheet]:
        if not name.startswith("mark_"):
            raise AttributeError(name)
        return lambda **given: self._with(mark={"type": name.removeprefix("mark_"), **_plain(given)})

    def encode(self, **channels: Any) -> Sheet:
        """Add encodings to those that it has."""
        return self._with(encoding={**self.body.get("encoding", {}), **channels})

    def properties(self, **given: Any) -> Sheet:
        """Set height, width and the like."""
        return self._with(**_plain(given))

    def __add__(self, other: Sheet) -> Sheet:
        return layer(self, other) if "layer" not in self.body else layered(self, [*self.body["layer"], other])

    def specification(self) -> tuple[dict[str, Any], dict[str, Table]]:
        """The specification without data, and its tables by the names that it gives them.

        Names go by the place of a table, so that charts that differ in numbers alone have equal specifications.
        """
        tables: dict[str, Table] = {}
        return self.written(tables), tables

    def written(self, tables: dict[str, Table]) -> dict[str, Any]:
        """The specification; its tables are added to those that have names already."""
        spec = dict(self.body)
        if self.data is not None:
            name = next((name for name, table in tables.items() if table is self.data), f"data-{len(tables)}")
            tables[name] = self.data
            spec["data"] = {"name": name}
        if "layer" in spec:
            spec["layer"] = [part.written(tables) for part in spec["layer"]]
        return spec

    def to_dict(self, validate: bool = True) -> dict[str, Any]:  # noqa: ARG002 - as Altair's
        """The specification with its tables as rows."""
        spec, tables = self.specification()
        frames = {name: pd.DataFrame(table) for name, table in tables.items()}
        rows = {
            name: table.astype(object).where(table.notna(), None).to_dict("records") for name, table in frames.items()
        }
        return {**spec, "datasets": _plain(rows)}


def layer(*charts: Sheet) -> Sheet:
    """Charts on each other."""
    return layered(Sheet(), charts)


def layered(whole: Sheet, charts: Any) -> Sheet:
    """Put layers into a chart; what only a whole chart can have goes up to it."""
    lifted = {name: chart.body[name] for chart in charts for name in _OF_WHOLE if name in chart.body}
    own = [Sheet(c.data, {name: part for name, part in c.body.items() if name not in _OF_WHOLE}) for c in charts]
    return Sheet(whole.data, {**whole.body, **lifted, "layer": own})


class _Maker:
    """What stands for Altair's module."""

    Chart = Sheet
    layer = staticmethod(layer)

    def value(self, value: Any) -> dict[str, Any]:
        """A constant in place of a field."""
        return {"value": _plain(value)}

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        if not name[0].isupper() or name.endswith("Chart"):
            raise AttributeError(f"Figures of pages know no {name}: see core/figures/specification.py.")
        return _second if name in ("X2", "Y2") else _part


_MAKER = _Maker()


@contextmanager
def in_place_of_altair() -> Iterator[None]:
    """Let figures that are drawn in this block, by this thread, be sheets."""
    before = maker.set(_MAKER)
    try:
        yield
    finally:
        maker.reset(before)


class FigureSheets:
    """The figures of :mod:`core.figures`, each as a :class:`Sheet`."""

    def __getattr__(self, name: str) -> Any:
        figure = getattr(importlib.import_module(str(__package__)), name)
        if not callable(figure):
            return figure

        def drawn(*args: Any, **kwargs: Any) -> Any:
            with in_place_of_altair():
                return figure(*args, **kwargs)

        return drawn


written = FigureSheets()
