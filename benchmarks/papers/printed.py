"""What the text of [Ganta 2008] prints of its figures: said once, for the page of all papers and the Method page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A number of a paper.

    Parameters
    ----------
    words
        As it is told: "about 12%".
    value
        The number.
    within
        What counts as near; ours.
    """

    words: str
    value: float
    within: float = 0.0


GANTA = {
    "adult": Printed("about 12%", 0.12, 0.02),
    "ipums": Printed("about 60%", 0.60, 0.02),
    "adult_quarter": Printed("more than 60%", 0.60),
    "ipums_quarter": Printed("about 95%", 0.95, 0.03),
    "class_5": Printed("close to 40", 40, 5),
    "class_10": Printed("45", 45, 5),
    "class_l": Printed("close to 450", 450, 90),
    "class_t": Printed("close to 1,300", 1300, 260),
    "located": Printed("about 70%", 0.70, 0.05),
}
"""At k = 5: one value left, and C of at least 25%; the average class of IPUMS at k = 5, and at k = 10 alone, with
entropy l = 5, with t = 0.4; people located by the nearest centroid."""
