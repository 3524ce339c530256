"""Composition: page config, navigation, the status bar; nothing else.

`streamlit run app.py` imports this file once for the server, under its own name, and then runs
it as the script of every session.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import server

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

FIRST = "overview"
"""Folder of the page at the root, for which Streamlit has no separate address."""


def _page(address: str, title: str, icon: str, hidden: bool = False) -> Page:
    """A page by the folder that it lies in, which is its address too."""
    return st.Page(
        f"pages/{address}/page.py",
        title=title,
        icon=f":material/{icon}:",
        url_path=address,
        default=address == FIRST,
        visibility="hidden" if hidden else "visible",
    )


if __name__ != "__main__":
    server.check_settings()
    server.answer_at_door()
    app = st.App(__file__, middleware=server.MIDDLEWARE, lifespan=server.lifespan)
else:
    from pages.shared.compute import data_results, work_queue
    from pages.shared.state import deferred, links, session, widget_data
    from pages.shared.ui import errors, layout, stopped, summary, workflow

    assets = Path(__file__).parent / "assets"
    icon = assets / "icon.svg"
    # First of all, because the browser would request the icon of the page, a letter of a font, from another host.
    st.set_page_config(page_icon=icon, layout="wide")
    errors.quiet_logs()
    page = st.navigation(
        [
            _page(FIRST, "Start", "home"),
            _page("data", "Data", "table"),
            _page("release", "Release", "grid_view"),
            _page("providers", "Providers", "groups", hidden=session.workspace().schema.provider is None),
            _page("attack", "If others publish", "join_inner"),
            _page("hold", "What helps", "handshake"),
            _page("noise", "Differential privacy", "blur_on"),
            _page("review", "Decide", "gavel"),
            _page("register", "Publication register", "inventory_2"),
            _page("method", "Method", "menu_book"),
        ],
        expanded=True,
    )
    address = page.url_path or FIRST
    st.set_page_config(page_title=f"{page.title} · Composition", page_icon=icon)
    st.logo(assets / "logo.svg", size="large", icon_image=icon)
    layout.style()
    place = summary.bar()
    unfinished = stopped.begin()
    session.begin()
    deferred.start()
    widget_data.start()
    if not server.is_guarded():
        st.warning(
            "This server was not started by `composition`, `make run` or `streamlit run app.py`: it may write uploads "
            "to disk, ask other hosts for its address, and keep what it should forget.",
            icon=":material/gpp_maybe:",
        )
    links.open_once()
    way = workflow.place()
    absent = links.is_table_absent()
    with work_queue.taken():
        with errors.refusing():
            if absent and address not in links.WITHOUT_TABLE:
                links.ask_for_table()
            else:
                if address not in links.WITHOUT_TABLE:
                    data_results.check_people()
                page.run()
        workflow.show(way, address)
        links.keep()
        if not absent:
            summary.work_out(address)
            # Numbers of the city would reveal what students are about to guess.
            summary.show(place, is_name_only=address == FIRST and session.workspace().example)
            deferred.finish(work_queue.answered)
    widget_data.finish()
    stopped.end(unfinished)
