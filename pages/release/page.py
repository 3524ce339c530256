"""Release: the policy and its effect on the table; classes, picture, cost and the file in a closer look."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.release import classes, controls, counts, earlier_version, guarantee, map_section, utility
from pages.shared.compute import data_results, release_results
from pages.shared.ui import errors, layout


def sections(mine: release_results.MyRelease) -> dict[str, Callable[[], None]]:
    """Sections of the closer look; the map only if classes are regions."""
    return {
        "Classes": classes.show,
        **({} if mine.release.publishes_centroids else {"Map": map_section.show}),
        "What it costs": utility.show,
        "The file": partial(controls.file, mine),
        "A table of counts": counts.show,
        "An earlier version": earlier_version.show,
    }


layout.heading("Release", "What does k, l or t do to your table?")


encoded = data_results.encoded()
worst = st.container()
rail, stage = layout.one_view()
mine, noted = None, None
with stage, errors.refusing():
    mine = controls.made()
    guarantee.show(mine)
    classes.sizes(mine.release)
    noted = st.container()
if mine is not None:
    with worst:
        classes.warn_of_single_values()
with rail:
    controls.show(encoded)
    if mine is not None:
        controls.downloads(mine)
layout.answered()

if mine is not None:
    with noted:
        guarantee.details(mine)
        controls.all_rows(mine)
    layout.closer("release:tabs", sections(mine))
