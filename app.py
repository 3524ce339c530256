"""Composition: page config, navigation, the summary strip; nothing else.

`streamlit run app.py` imports this file once for the server, under its own name, and then runs
it as the script of every session.
"""

import streamlit as st

from pages.shared import errors, later, leftovers, links, pins, server, summary, turns

if __name__ != "__main__":
    app = st.App(__file__, middleware=server.MIDDLEWARE, lifespan=server.lifespan)
else:
    st.set_page_config(page_title="Composition", page_icon="assets/icon.svg", layout="wide")
    errors.quiet_logs()
    page = st.navigation(
        {
            "Start": [
                st.Page(
                    "pages/overview/page.py",
                    title="Overview",
                    icon=":material/home:",
                    url_path="overview",
                    default=True,
                )
            ],
            "Publish": [
                st.Page("pages/data/page.py", title="Data", icon=":material/table:", url_path="data"),
                st.Page("pages/release/page.py", title="Release", icon=":material/grid_view:", url_path="release"),
            ],
            "Attack": [
                st.Page(
                    "pages/hospitals/page.py", title="Other hospitals", icon=":material/domain:", url_path="hospitals"
                ),
                st.Page(
                    "pages/attack/page.py", title="Intersection attack", icon=":material/join_inner:", url_path="attack"
                ),
            ],
            "Anticipate": [
                st.Page("pages/forecast/page.py", title="Forecast", icon=":material/trending_up:", url_path="forecast"),
                st.Page("pages/beliefs/page.py", title="Beliefs", icon=":material/psychology:", url_path="beliefs"),
            ],
            "Alternatives": [
                st.Page("pages/providers/page.py", title="Providers", icon=":material/groups:", url_path="providers"),
                st.Page(
                    "pages/noise/page.py", title="Differential privacy", icon=":material/blur_on:", url_path="noise"
                ),
            ],
            "Decide": [
                st.Page("pages/review/page.py", title="Review", icon=":material/gavel:", url_path="review"),
                st.Page("pages/method/page.py", title="Method", icon=":material/menu_book:", url_path="method"),
            ],
        }
    )
    st.logo("assets/logo.svg", size="large", icon_image="assets/icon.svg")
    place = st.sidebar.container(border=True, gap="xxsmall")
    later.start()
    leftovers.start()
    if not server.is_guarded():
        st.warning(
            "This server was not started by `composition`, `make run` or `streamlit run app.py`: it may write uploads "
            "to disk, ask other hosts for its address, and keep what it should forget.",
            icon=":material/gpp_maybe:",
        )
    links.open_once()
    pins.sidebar()
    with turns.taken():
        with errors.refusing():
            page.run()
        summary.work_out()
        shown = summary.show(place)
        if later.finish():
            summary.refresh(shown)
    leftovers.finish()
