"""Charts as specifications in Vega-Lite, the language of Altair.

A page redraws a curve at each move of a control, for which Altair takes some fifty milliseconds more, and a second
to start; so its objects are made only for notebooks (:meth:`Chart.altair`). A chart is one view or several layers; its
channels, axes and scales are plain dictionaries, as Vega-Lite names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.base.errors import MissingPackageError

_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}


def _plain(value: Any) -> Any:
    """Numbers and lists that JSON knows."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | pd.Series | pd.Index):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def field(shorthand: str, **given: Any) -> dict[str, Any]:
    """Data of a channel: ``"share:Q"`` is the field ``share``, a quantity; ``N`` is a name, ``O`` has an order."""
    name, code = shorthand.split(":")
    return {"field": name, "type": _TYPES[code], **_plain(given)}


class Chart:
    """A chart, or a layer of one.

    Parameters
    ----------
    data
        Data of its marks; ``None`` if each layer has its own.
    body
        Everything else.
    """

    def __init__(self, data: pd.DataFrame | None = None, body: Mapping[str, Any] | None = None) -> None:
        self.data = data
        self.body: Mapping[str, Any] = {} if body is None else body

    def _with(self, **changes: Any) -> Chart:
        return Chart(self.data, {**self.body, **changes})

    def mark(self, mark_type: str, **given: Any) -> Chart:
        """Draw each row as a mark: a line, a bar, a point."""
        return self._with(mark={"type": mark_type, **_plain(given)})

    def encode(self, **channels: Any) -> Chart:
        """Set the data of channels, in addition to those set already."""
        return self._with(encoding={**self.body.get("encoding", {}), **channels})

    def properties(self, **given: Any) -> Chart:
        """Set height, width and the like."""
        return self._with(**_plain(given))

    def specification(self) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
        """The specification without data, and its tables by the names that it gives them.

        Names go by the place of a table, so that charts that differ in numbers alone have equal specifications.
        """
        tables: dict[str, pd.DataFrame] = {}

        def written(part: Chart) -> dict[str, Any]:
            if part.data is None:
                return {**part.body, "layer": [written(inner) for inner in part.body["layer"]]}
            name = next((name for name, table in tables.items() if table is part.data), f"data-{len(tables)}")
            tables[name] = part.data
            return {**part.body, "data": {"name": name}}

        return written(self), tables

    def to_dict(self) -> dict[str, Any]:
        """The specification with its tables as rows."""
        spec, tables = self.specification()
        whole = {name: table.astype(object) for name, table in tables.items()}
        rows = {name: table.where(table.notna(), None).to_dict("records") for name, table in whole.items()}
        return {**spec, "datasets": _plain(rows)}

    def altair(self) -> Any:
        """The same chart as an object of Altair, to show or to change in a notebook."""
        try:
            import altair
        except ImportError:
            # not tested: tests have every package.
            raise MissingPackageError("altair", "show charts in a notebook") from None
        return altair.Chart.from_dict(self.to_dict())


def layer(*charts: Chart) -> Chart:
    """Layer charts on top of each other."""
    return Chart(body={"layer": list(charts)})
