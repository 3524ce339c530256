"""Release: the policy beside what it makes of the table, then classes, picture, cost, and the file."""

from collections.abc import Callable
from functools import partial

from pages.release import classes, controls, guarantee, map_section, steps, utility
from pages.shared import errors, layout, results, trade_off

SECTIONS: dict[str, Callable[[], None]] = {
    "Classes": classes.show,
    "Map": map_section.show,
    "Cut by cut": steps.show,
    "What it costs": utility.show,
    "Loss against exposure": partial(trade_off.show, "release:trade_off"),
}

layout.heading(
    "Release", "Decide how far your table is blurred before it is published: what every class of people must meet."
)


def ahead() -> None:
    """Have what follows the answer at hand: the classes, and the first draw behind the strip where that is quick."""
    results.class_rows()
    if results.is_quick():
        results.headline_so_far()


encoded = results.encoded()
rail, stage = layout.one_view()
mine, details = None, None
with stage, errors.refusing():
    mine = controls.made()
    guarantee.show(mine)
    classes.sizes(mine.release)
    details = ahead
with rail:
    controls.show(encoded)
    if mine is not None:
        controls.downloads(mine)
layout.answered(details)

if mine is not None:
    guarantee.details(mine)
    controls.about()
    controls.all_rows(mine)
    controls.keeping(mine)
    layout.tabs("release:tabs", SECTIONS)
