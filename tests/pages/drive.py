"""The app in a test, run by Streamlit's test client: opened, moved and read.

The only place of the tests that knows by which keys a session keeps things.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from core import FrequencyTable, Policy, Schema, Table, examples
from core.data.schemas.schema import Role
from core.study.hospitals import Hospital, Study
from pages.shared.state import session
from pages.shared.state.session import Workspace
from tests.source import ROOT
from tests.tables import small_table

ATTACK = "pages/attack/page.py"
TABS = {"release": "tabs"}
"""Pages whose sections are called otherwise."""

MY_ALGORITHM = "least-loss"
"""How a session in which no algorithm was chosen forms my classes."""


class Session(dict[str, Any]):
    """Stands in for the state of a session."""


@contextmanager
def in_place_of_streamlit(state: Any) -> Iterator[Any]:
    """Let the pages' modules see this state as that of the session."""
    before = session.st.session_state
    session.st.session_state = state
    try:
        yield state
    finally:
        session.st.session_state = before


def usual(policy: Policy, overlap: int, releases: int = 2, source: str = "resampled") -> Study:
    """The study of a session in which no algorithm was chosen."""
    other = Hospital(policy, "mondrian", origin=source)
    return Study((Hospital(policy, MY_ALGORITHM), *(other,) * (releases - 1)), overlap)


def begin(state: Session, table: Table, schema: Schema) -> None:
    """A session that has loaded a table and chosen nothing yet."""
    state.clear()
    set_workspace(state, Workspace(table, schema, "a table", example=False))


def _state(holder: AppTest | Session) -> Any:
    return holder if isinstance(holder, Session) else holder.session_state


def workspace_of(holder: AppTest | Session) -> Workspace:
    return _state(holder)["workspace"]


def set_workspace(holder: AppTest | Session, workspace: Workspace) -> None:
    _state(holder)["workspace"] = workspace


def choice_of(holder: AppTest | Session, name: str) -> Any:
    return _state(holder)[f"choice:{name}"]


def set_choice(holder: AppTest | Session, name: str, value: object) -> None:
    _state(holder)[f"choice:{name}"] = value


def set_section(app: AppTest, page: str, section: str) -> None:
    """Open one of a page's sections, from the next run on."""
    app.session_state[f"{page}:{TABS.get(page, 'sections')}"] = section


def at_section(app: AppTest, page: str, section: str) -> AppTest:
    """Open one of a page's sections."""
    set_section(app, page, section)
    return app.run()


def give_roles(app: AppTest, **roles: str) -> AppTest:
    """Select rows of the column table of the page Data and press a role: ``give_roles(app, age="other")``."""
    names = workspace_of(app).table.names
    for role in dict.fromkeys(map(str, roles.values())):
        table = f"columns:{kept(app, 'data', 'version')}"
        rows = [names.index(name) for name, given in roles.items() if str(given) == role]
        keep(app, "data", table, {"selection": {"rows": rows, "columns": [], "cells": []}})
        app.run()
        keep(app, "data", table, {"selection": {"rows": rows, "columns": [], "cells": []}})
        app.button_group(key=f"data:{table}:role").set_value(Role(role)).run()
    return app


def set_hospital(app: AppTest, tab: str) -> None:
    """Open a tab of the drawer of other hospitals, from the next run on."""
    app.session_state["hospitals:tabs"] = tab


def unfold(app: AppTest, page: str, unfolded: bool = True) -> AppTest:
    """Unfold *More assumptions* of a page, or fold them again."""
    app.session_state[f"{page}:more"] = unfolded
    return app.run()


def with_numbers(app: AppTest, chart: str) -> AppTest:
    """Unfold the numbers behind a chart."""
    app.session_state[f"numbers:{chart}"] = True
    return app.run()


def kept(holder: AppTest | Session, page: str, name: str) -> Any:
    """What a page keeps for itself."""
    return _state(holder)[f"{page}:{name}"]


def keeps(holder: AppTest | Session, page: str, name: str) -> bool:
    return f"{page}:{name}" in _state(holder)


def keep(holder: AppTest | Session, page: str, name: str, value: object) -> None:
    _state(holder)[f"{page}:{name}"] = value


def files_of(app: AppTest) -> dict[str, Table]:
    """Tables that other hospitals' uploads brought, by their content."""
    return app.session_state["files"]


def everything_kept(app: AppTest) -> dict[str, Any]:
    """All that a session keeps by name, what is typed into boxes too."""
    return dict(app.session_state._state.filtered_state)


def results_of(holder: AppTest | Session) -> dict[Any, Any]:
    """Results of core that the session remembers."""
    return _state(holder)["results"]


def left_for_buttons(app: AppTest) -> dict[str, Any]:
    """What a button acts on, kept beside it instead of in its arguments."""
    return app.session_state["left for buttons"]


def page_of(name: str) -> str:
    """The page of a folder of pages: ``attack``, or with a section ``attack#Beliefs``."""
    folder, _, section = name.partition("#")
    return f"pages/{folder}/page.py#{section}"


def go(app: AppTest, page: str) -> AppTest:
    """Open a page; after a # stands the section that is open on it."""
    page, _, section = page.partition("#")
    if section:
        set_section(app, page.split("/")[1], section)
    return app.switch_page(page).run()


def opened(page: str = ATTACK, state: Mapping[str, object] = {}) -> AppTest:
    """A page of a new session, with some of its state from the start."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in state.items():
        app.session_state[name] = value
    return go(app, page)


def loaded(
    table: Table | FrequencyTable,
    schema: Schema,
    page: str = ATTACK,
    section: str = "",
    files: Sequence[Table] = (),
    state: Mapping[str, object] = {},
    **choices: object,
) -> AppTest:
    """A page, with one of its sections open, on a table with these choices and files of other hospitals."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    set_workspace(app, Workspace(table, schema, "a table", example=False))
    app.session_state["files"] = {file.content_id: file for file in files}
    for name, kept in state.items():
        app.session_state[name] = kept
    for name, value in {"overlap": 60, "my_k": 4, "their_k": 4, **choices}.items():
        set_choice(app, name, value)
    if section:
        set_section(app, page.split("/")[1], section)
    return go(app, page)


def choose(app: AppTest, name: str, value: object) -> AppTest:
    set_choice(app, name, value)
    return app.run()


def texts(app: AppTest) -> str:
    """What a page says, with plain spaces."""
    kinds = [app.markdown, app.caption, app.title, app.header, app.error, app.warning, app.info, app.success]
    kinds += [app.text, app.metric, app.sidebar.markdown]
    return spaced("\n".join(str(getattr(item, "value", "")) for kind in kinds for item in kind))


def marked_texts(at: AppTest) -> list[str]:
    """Every text of the main area that Streamlit reads as Markdown: bodies, labels, helps, cells of tables."""
    found: list[str] = []
    for node in nodes(at.main):
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


def nodes(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from nodes(child)


def metrics(app: AppTest) -> dict[str, str]:
    """The numbers of a page by their labels."""
    return {metric.label: metric.value for metric in app.metric}


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button that begins with these words."""
    return next(button for button in app.button if button.label.startswith(label)).click().run()


def spaced(text: str) -> str:
    """A text with plain spaces for those that keep a number on its line."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def city_frequencies() -> tuple[FrequencyTable, Schema]:
    """A frequency table of a city in which everybody has some people alike, and one value is missing."""
    city, schema = examples.city(600), examples.city_schema()
    columns = [*schema.quasi_identifiers, schema.sensitive]
    frame = city.to_frame()[columns]
    frame.loc[:4, columns[0]] = ""
    frequencies = FrequencyTable.of(Table.from_frame(frame), columns)
    frequencies = FrequencyTable.of(
        frequencies.table, columns, frequencies.counts * (1 + np.arange(len(frequencies)) % 7)
    )
    return frequencies, Schema(
        schema.quasi_identifiers,
        schema.sensitive,
        taxonomies=schema.taxonomies,
        column_types=schema.column_types,
        orders=schema.orders,
    )


def start(state: Session) -> None:
    """A session with the small table, its choices fitted to it; it must be in place of Streamlit's."""
    table, schema = small_table()
    begin(state, table, schema)
    session.fit_choices(len(table))
