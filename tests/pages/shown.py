"""A walk through every view of a page, and what it shows: on a table that is hostile, and among mixed hospitals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest

from core import Schema, Table
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.dp import Declared
from core.privacy.policy import Policy
from core.study.uploads import Upload
from tests.hostile import COLOUR, FORMULA, IMAGE, SCRIPT, TRICK, TRICKS, VERY_LONG
from tests.kept import line
from tests.pages.drive import loaded, nodes, set_hospital
from tests.source import ROOT
from tests.tables import with_a_tree


def chart_of(proto: Any) -> dict[str, Any]:
    """A chart's specification with its data, read from what is sent to the browser."""
    tables = {part.name: pa.ipc.open_stream(part.data.data).read_all().to_pydict() for part in proto.datasets}
    return {"spec": json.loads(proto.spec), "alt": proto.alt, "data": tables}


def elements(app: AppTest) -> Iterator[tuple[str, Any]]:
    """Each element of the main area: its kind, and what it shows."""
    for node in nodes(app.main):
        kind, proto = getattr(node, "type", ""), getattr(node, "proto", None)
        if proto is None or kind in ("flex_container", "column", "download_button"):
            continue
        if kind == "vega_lite_chart":
            yield kind, chart_of(proto)
        elif isinstance(getattr(node, "value", None), pd.DataFrame):
            yield kind, [node.value.to_csv(float_format="%.6g"), getattr(proto, "columns", "")]
        elif kind == "plotly_chart":
            yield kind, json.loads(proto.spec)
        else:
            yield kind, MessageToDict(proto)


def recorded(patch: pytest.MonkeyPatch, files: list[tuple[str, str]]) -> None:
    """Note what each download of a page holds, those of text; rows are sorted, as a release shuffles them."""
    import streamlit

    first = streamlit.download_button

    def download_button(label: str, data: Any, file_name: str, *given: Any, **named: Any) -> bool:
        if file_name.endswith((".csv", ".json", ".svg", ".html", ".md", ".toml")):
            content = data() if callable(data) else data
            rows = (content if isinstance(content, str) else content.decode()).splitlines()
            files.append((label, f"{file_name}\n" + "\n".join(sorted(rows) if file_name.endswith("csv") else rows)))
        return bool(first(label, data, file_name, *given, **named))

    patch.setattr(streamlit, "download_button", download_button)


def hostile_table(rows: int = 240) -> tuple[Table, Schema]:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            IMAGE: rng.choice([*TRICKS, VERY_LONG], rows),
            SCRIPT: rng.integers(0, 50, rows).astype(str),
            FORMULA: rng.choice([f"{text} {i}" for i, text in enumerate([*TRICKS, VERY_LONG])], rows),
            TRICK: rng.choice([f"{text} {i}" for i, text in enumerate(TRICKS)], rows),
            COLOUR: [f"{IMAGE} {i}" for i in range(rows)],
            f"{TRICK} other": rng.choice(TRICKS, rows),
        }
    )
    roles = Schema([IMAGE, SCRIPT], FORMULA, provider=TRICK, identifiers=[COLOUR], unmodified=[f"{TRICK} other"])
    return Table.from_frame(frame), roles


def odd(page: str) -> AppTest:
    return loaded(*hostile_table(), page, repeats=2, belief_source="columns")


def mixed(page: str) -> AppTest:
    """Four hospitals: mine of providers, a raw table whose people are linked, a release without links, a drawn one."""
    mine, schema = with_a_tree()
    frame = mine.to_frame()
    frame["person"] = [f"p{i}" for i in range(len(frame))]
    frame["site"] = [f"clinic {i**2 % 7}" for i in range(len(frame))]
    frame["ward"] = [f"{i % 3}" for i in range(len(frame))]
    mine, schema = Table.from_frame(frame), schema.with_(identifiers=["person"], provider="site", unmodified=["ward"])
    same = tuple((name, name) for name in (*schema.quasi_identifiers, schema.sensitive))
    raw = Table.from_frame(frame.iloc[100:260])
    release = Table.from_frame(partition(encode(mine, schema).take(list(range(200))), Policy(3)).publish(seed=0))
    declared = {"age": Declared("range", low=0, high=120, width=20), "city": Declared("open")}
    return loaded(
        mine,
        schema,
        page,
        files=[raw, release],
        state=UNFOLDED,
        releases=4,
        linked=False,
        my_k=3,
        their_k=6,
        diversity="distinct",
        their_models=False,
        same_value_rate=0.8,
        confidence=0.5,
        repeats=2,
        vary="overlap",
        overlap=40,
        my_algorithm="mondrian",
        collusion=True,
        own={
            1: {"origin": "published", "upload": Upload(raw.content_id, same, name="raw.csv", count="")},
            2: {"origin": "published", "upload": Upload(release.content_id, same, name="release.csv")},
            3: {
                "origin": "resampled",
                "size": 150,
                "attributes": ("age", "city"),
                "same_value_rate": 0.5,
                "policy": Policy(6, t=0.7),
            },
        },
        requirements={"k": 5, "one_value_left": 0.2, "loss": 0.9},
        forecast_same=False,
        forecast_others=900,
        forecast_source="joint",
        forecast_l=3,
        belief_source="uniform",
        belief_theta=0.3,
        noise_epsilon=0.5,
        noise_prior="uniform",
        noise_columns=("age", "city"),
        noise_domains=tuple(declared.items()),
    )


SITUATIONS: dict[str, Callable[[str], AppTest]] = {"odd": odd, "mixed": mixed}
PAGES = sorted(path.parent.name for path in (ROOT / "pages").glob("*/page.py"))


def every_section(app: AppTest) -> Iterator[str]:
    """The page as it opens, then with each section of *Look closer*."""
    yield ""
    closer = next((one for one in app.segmented_control if one.label == "Look closer"), None)
    for section in [] if closer is None else closer.options:
        next(one for one in app.segmented_control if one.label == "Look closer").set_value(section).run()
        yield section


def every_view(app: AppTest) -> Iterator[str]:
    """Each section of a page, and in it what each of its own switches and tabs shows; unfolded is what can be."""
    seen = set()
    for section in every_section(app):
        yield section
        for key, options in [(one.key, one.options) for one in app.segmented_control if one.label != "Look closer"]:
            for option in options[1:] if key not in seen else ():
                next(one for one in app.segmented_control if one.key == key).set_value(option).run()
                yield f"{section}: {option}"
            seen.add(key)
        for tab in [tab.label for tab in app.tabs][1:]:
            set_hospital(app, tab)
            yield f"{section}: {app.run() and tab}"


WALKS = [(one, page) for one in SITUATIONS for page in PAGES if one == "odd" or page != "method"]
"""Each situation with each page; one says the same of every table."""
UNFOLDED = {
    **{f"{page}:more": True for page in PAGES},
    **dict.fromkeys(("numbers:noise:tradeoff", "numbers:curve"), True),
}


def views(page: str, situation: str) -> Iterator[tuple[AppTest, str, dict[str, Any]]]:
    """Walk through a page; of each view, the lines of what it shows and of its downloads, with what each stands for."""
    files: list[tuple[str, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        recorded(patch, files)
        app = SITUATIONS[situation](f"pages/{page}/page.py")
        seen: set[str] = set()
        for view in every_view(app) if situation == "mixed" else every_section(app):
            lines = {line(kind, what): what for kind, what in [*elements(app), *files]}
            yield app, view, {text: what for text, what in lines.items() if text not in seen}
            seen |= set(lines)
            files.clear()
