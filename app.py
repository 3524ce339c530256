"""Composition: page config, navigation, the summary strip; nothing else."""

import streamlit as st

from pages._ui import errors, later, links, pins, strip

st.set_page_config(page_title="Composition", page_icon="assets/icon.svg", layout="wide")
errors.quiet_logs()
page = st.navigation(
    {
        "Start": [
            st.Page("pages/overview.py", title="Overview", icon=":material/home:", url_path="overview", default=True)
        ],
        "Publish": [
            st.Page("pages/data.py", title="Data", icon=":material/table:", url_path="data"),
            st.Page("pages/release.py", title="Release", icon=":material/grid_view:", url_path="release"),
        ],
        "Attack": [
            st.Page("pages/hospitals.py", title="Other hospitals", icon=":material/domain:", url_path="hospitals"),
            st.Page("pages/attack.py", title="Intersection attack", icon=":material/join_inner:", url_path="attack"),
        ],
        "Anticipate": [
            st.Page("pages/forecast.py", title="Forecast", icon=":material/trending_up:", url_path="forecast"),
            st.Page("pages/beliefs.py", title="Beliefs", icon=":material/psychology:", url_path="beliefs"),
        ],
        "Alternatives": [
            st.Page("pages/providers.py", title="Providers", icon=":material/groups:", url_path="providers"),
            st.Page("pages/noise.py", title="Differential privacy", icon=":material/blur_on:", url_path="noise"),
        ],
        "Decide": [
            st.Page("pages/review.py", title="Review", icon=":material/gavel:", url_path="review"),
            st.Page("pages/method.py", title="Method", icon=":material/menu_book:", url_path="method"),
        ],
    },
)
st.logo("assets/logo.svg", size="large", icon_image="assets/icon.svg")
summary = st.sidebar.container(border=True, gap="xxsmall")
later.start()
links.open_once()
pins.sidebar()
with errors.refusing():
    page.run()
strip.work_out()
shown = strip.show(summary)
if later.finish():
    strip.refresh(shown)
