"""Everything a page has put on the screen, read off the tree of an AppTest."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.pages import drive

ROOM = 120
"""Seconds: other work may share the machine."""


def open_page(page: str, prepare: dict[str, Any] | None = None) -> AppTest:
    """Run the app and go to one page, with some session state from the start."""
    at = AppTest.from_file("../../app.py", default_timeout=ROOM)
    for key, value in (prepare or {}).items():
        at.session_state[key] = value
    drive.go(at, f"pages/{page}/page.py")
    return at


def marked_texts(at: AppTest) -> list[str]:
    """Every text of the main area that Streamlit reads as Markdown: bodies, labels, helps, cells of tables."""
    found: list[str] = []
    for node in _nodes(at.main):
        proto = getattr(node, "proto", None)
        for name in ("body", "label", "help"):
            text = getattr(proto, name, None)
            if isinstance(text, str):
                found.append(text)
        expandable = getattr(proto, "expandable", None)
        if expandable is not None:
            found.append(expandable.label)
        if getattr(node, "type", "") == "arrow_table" or type(node).__name__ == "Table":
            frame: pd.DataFrame = node.value
            found += [str(cell) for cell in [*frame.columns, *frame.to_numpy().ravel()]]
    return found


def _nodes(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from _nodes(child)


def metrics(at: AppTest) -> dict[str, str]:
    """Return the metrics of the main area that have a number by label; of equal labels the first."""
    found: dict[str, str] = {}
    for metric in at.main.metric:
        if metric.value != "?":
            found.setdefault(metric.label, metric.value)
    return found
