"""Other hospitals: who else publishes, what is known of them, and what the adversary is assumed to know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import NotLoadedError
from core.release.algorithm import algorithm_title
from pages.hospitals import earlier, one, sections
from pages.shared import caution, errors, results, session, widgets
from pages.shared.text import safe

PLACE = "hospitals"
results.fit_overlap()


@contextmanager
def refusing() -> Iterator[None]:
    """Leave out what a file that is not here keeps from being known: the page says so once, on top."""
    with errors.refusing():
        try:
            yield
        except NotLoadedError:
            if not missing:
                raise


st.title("Other hospitals")
st.markdown(
    "Decide what to assume about the hospitals you do not control: how many publish, how careful they are, and how "
    "many patients you share. If one has published already, load its release. *Hospital* stands for whoever publishes "
    "such a table: a clinic, a registry, an insurer."
)
missing = [
    (number, hospital.upload)
    for number, hospital in enumerate(session.hospitals(), 1)
    if hospital.upload is not None and hospital.upload.content_id not in session.files()
]
if missing:
    files = "; ".join(f"**{safe(upload.name, 40)}** of hospital {number}" for number, upload in missing)
    st.error(
        f"Not loaded in this session: {files}. Load it below under *One by one*, or forget it; until then there are no "
        "numbers.",
        icon=":material/block:",
    )
with st.container(border=True), st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
    widgets.slider("releases", PLACE)
    with grid.cell(), refusing():
        bounds = results.overlap_range() if not missing else results.Range(low=1, high=session.people(), step=1)
        widgets.slider("overlap", PLACE, **bounds, disabled=bool(missing))
        caution.capped()
    with grid.cell():
        linked = session.get("linked")
        widgets.slider("their_k", PLACE, high=session.most_k(session.people()), disabled=linked)
        widgets.toggle("linked", PLACE)
    widgets.slider("agreement", PLACE)
    widgets.pick("their_algorithm", PLACE, widgets.offered_to_others(), algorithm_title)
    widgets.toggle("their_models", PLACE, disabled=session.policy(2).only_k)
    widgets.slider("seed", PLACE)
    widgets.slider("repeats", PLACE)

caution.show(link=False)
with refusing():
    sections.study()

with refusing():
    earlier.show()

st.subheader("One by one")
st.caption("What is set here holds for that hospital alone. Moving a slider above sets it for all again.")
others = session.hospitals()[1:]
for tab, (number, hospital) in zip(
    st.tabs([one.title(i, h) for i, h in enumerate(others, 1)], key="hospitals:tabs"), enumerate(others, 1), strict=True
):
    with tab, refusing():
        one.show(number, hospital)

with refusing():
    sections.published()

st.subheader("What the adversary is assumed to know")
with refusing():
    sections.adversary()
st.page_link("pages/attack/page.py", label="See the attack", icon=":material/join_inner:")
