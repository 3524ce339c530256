"""A page is a folder, a line of app.py and its name in a contract: a toy page, by the recipe of CONTRIBUTING.md."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.shared.ui import workflow
from tests.pages.drive import go, texts
from tests.source import ROOT

PAGE = '''"""Toy: how many records the table in use has."""

from __future__ import annotations

import streamlit as st

from core.base.wording import count
from pages.shared.state import session
from pages.shared.ui import layout

layout.heading("Toy", "How many records are there?")
st.markdown(f"The table has {count(session.workspace().records)} records.")
'''
LINE, NEW = '_page("hold", "What helps", "handshake"),', '_page("toy", "Toy", "toys"),'


def program(folder: Path) -> Path:
    """A copy of the program with one more page, made in the steps of the recipe."""
    shutil.copytree(ROOT / "pages", folder / "pages", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "assets").mkdir()
    for picture in ("icon.svg", "logo.svg"):
        shutil.copy(ROOT / "assets" / picture, folder / "assets")
    (folder / "pages" / "toy").mkdir()
    (folder / "pages" / "toy" / "__init__.py").write_text('"""The page Toy."""\n')
    (folder / "pages" / "toy" / "page.py").write_text(PAGE)
    app = (ROOT / "app.py").read_text("utf-8")
    assert app.count(LINE) == 1
    (folder / "app.py").write_text(app.replace(LINE, f"{LINE} {NEW}"), "utf-8")
    return folder / "app.py"


def test_a_new_page_opens_under_its_address_with_the_status_bar_and_the_next_step(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(workflow, "NEXT", {**workflow.NEXT, "toy": ("review", "decide")})
    app = go(AppTest.from_file(str(program(tmp_path)), default_timeout=120), "pages/toy/page.py")
    assert [one.value for one in app.title] == ["Toy"]
    assert "The table has 30,000 records." in texts(app)
    assert any(link.proto.label == "Next: decide" for link in app.get("page_link"))


def test_the_contract_of_the_pages_names_every_folder_with_a_page() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["id"] == "pages")
    named = {name.strip() for layer in layers for name in layer.split("|")}
    assert {f"pages.{file.parent.name}" for file in (ROOT / "pages").glob("*/page.py")} <= named
