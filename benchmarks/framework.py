"""A page with a slider and a chart and nothing else: what Streamlit takes by itself, run by ``benchmarks.browser``."""

import numpy as np
import streamlit as st

LABEL, ALT = "Slider", "A line"

k = st.slider(LABEL, 2, 100, 5)
rows = {"x": np.arange(14), "share": 1 / (1 + np.arange(14) / k)}
x, y = ({"field": name, "type": "quantitative"} for name in rows)
spec = {"mark": "line", "height": 300, "encoding": {"x": x, "y": {**y, "scale": {"domain": [0, 1]}}}}
st.metric("Value", k)
st.vega_lite_chart({**spec, "data": {"name": "rows"}, "datasets": {"rows": rows}}, alt=ALT, key="chart")
