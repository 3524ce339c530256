"""The three walks of CONTRIBUTING.md: every function that they name is really on the way."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import examples
from core.cli import MET, main
from tests.pages import drive
from tests.source import ROOT

pytestmark = pytest.mark.long  # every call is noted

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def named(walk: str) -> set[tuple[str, str]]:
    """File and name of each function of a walk."""
    text = GUIDE.split(f"**{walk}.**")[1].split("\n\n")[0]
    stops = re.findall(r"`([\w/]+\.py)`:\s((?:`[\w.]+`(?:, )?)+)", text)
    return {(file, name.split(".")[-1]) for file, names in stops for name in re.findall(r"`([\w.]+)`", names)}


@contextmanager
def watched() -> Iterator[set[tuple[str, str]]]:
    """File and name of every function of the project that is called, in this thread and those that begin meanwhile."""
    codes: set[CodeType] = set()
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        called |= {
            (Path(code.co_filename).relative_to(ROOT).as_posix(), code.co_name)
            for code in codes
            if code.co_filename.startswith(str(ROOT))
        }


def upload(_: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 80), "diagnosis": rng.choice(list("abcd"), 80)})
    app = drive.opened("pages/data/page.py")
    uploader = next(uploader for uploader in app.file_uploader if uploader.label == "Load your own table")
    uploader.upload("table.csv", frame.to_csv(index=False).encode(), "text/csv").run()
    app.button(key="data:use").click().run()


def slider(_: Path) -> None:
    app = drive.loaded(examples.city(300), examples.city_schema(), "pages/release/page.py", diversity="distinct", l=2.0)
    drive.choose(app, "my_k", 7)


def report(folder: Path) -> None:
    data = folder / "city.csv"
    examples.city(300).to_frame().to_csv(data, index=False)
    arguments = "--qids age,sex --sensitive diagnosis --drop-unassigned -k 4 --overlap 30 --repeats 10 --limit k=4"
    assert main(["report", "--data", str(data), *arguments.split(), "--out", str(folder / "report.html")]) == MET


@pytest.mark.parametrize(
    ("walk", "go"),
    [
        ("A table, from upload to codes", upload),
        ("A k, from slider to cut", slider),
        ("A number, from attack to report", report),
    ],
)
def test_every_function_of_a_walk_is_on_the_way(walk: str, go: Callable[[Path], None], tmp_path: Path) -> None:
    stops = named(walk)
    assert len(stops) >= 7
    with watched() as called:
        go(tmp_path)
    assert sorted(stops - called) == []
