"""Release: the policy beside what it makes of the table; classes, picture, cost and the file at a closer look."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.release.algorithm import ALGORITHMS
from pages.release import classes, controls, guarantee, map_section, steps, utility
from pages.shared import errors, layout, results, session


def sections(mine: results.MyRelease) -> dict[str, Callable[[], None]]:
    """What a closer look shows; the cuts one by one only where the algorithm cuts."""
    traced = ALGORITHMS[session.get("my_algorithm")].traced
    return {
        "Classes": classes.show,
        "Map": map_section.show,
        **({"Cut by cut": steps.show} if traced else {}),
        "What it costs": utility.show,
        "The file": partial(controls.file, mine),
    }


layout.heading("Release", "What does k, l or t do to your table?")


def ahead() -> None:
    """Have what follows the answer at hand: the classes, and the first draw behind the strip where that is quick."""
    results.class_rows()
    if results.is_quick():
        results.headline_so_far()


encoded = results.encoded()
rail, stage = layout.one_view()
mine, details, noted = None, None, None
with stage, errors.refusing():
    mine = controls.made()
    guarantee.show(mine)
    classes.sizes(mine.release)
    noted, details = st.container(), ahead
with rail:
    controls.show(encoded)
    if mine is not None:
        controls.downloads(mine)
layout.answered(details)

if mine is not None:
    with noted:
        classes.alike()
        guarantee.details(mine)
        controls.all_rows(mine)
    layout.closer("release:tabs", sections(mine))
