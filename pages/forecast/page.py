"""Forecast: what a release would give away once a similar organisation published, from that release alone."""

from __future__ import annotations

import streamlit as st

from pages._ui import errors, forecast_controls, forecast_judged, forecast_sections, forecast_views

SECTIONS = {
    "Classes at risk": forecast_sections.classes,
    "What would help": forecast_sections.remedies,
    "What each column adds": forecast_sections.columns,
    "Forecast against simulation": forecast_judged.judgement,
}

st.title("Forecast", anchor=False)
st.markdown(
    "Decide before anybody else publishes: from your release alone, how exposed would its people be once a similar "
    "organisation published too?"
)
forecast_controls.show()
ready = False
with errors.refusing():
    forecast_views.answer()
    forecast_views.curve()
    ready = True

if ready:
    tabs = st.tabs(list(SECTIONS), key="forecast:sections", on_change="rerun")
    for tab, draw in zip(tabs, SECTIONS.values(), strict=True):
        # What is folded away is not computed.
        if tab.open:
            with tab, errors.refusing():
                draw()
