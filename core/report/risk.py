"""Risk of being found, in a report: one release and all together beside the limits of regulators [definitions §12].

Means over redraws with their interval where a number of the attack has them; what only whole crowds tell, the
highest risk and who can be linked, is of one draw.
"""

from __future__ import annotations

from core import words
from core.attack.crowd import Crowd
from core.report.facts import metric_words
from core.report.material import Material
from core.report.rounding import SMALL, Facts, Scale, raw
from core.review import Number
from core.risk.identification import PRESETS, Identification

PRESET = PRESETS["public"]
NOTE = (
    "The chance that somebody picks out the right record: one over the crowd that a person stands in. Before others "
    "publish that is the class; after composition it is the shared people who are in the same classes throughout. "
    "Limits are those of clinical reports for the public. They are for one release, none of them speaks of "
    "composition, and keeping them does not make a release anonymous. Highest risk and linkability are of one draw."
)


def risk(material: Material, scale: Scale) -> Facts:
    """The sheet of the page: four numbers in three columns, and the three criteria of WP216."""
    numbers, confidence = material.assessment.numbers, material.assessment.scenario.confidence
    guarantee = material.assessment.guarantee
    # Of persons with several records fewer are people than are counted in all classes together.
    mine, everybody = Identification.of_classes(guarantee.sizes), guarantee.people
    crowds = material.crowds
    together = crowds.together
    rows = [
        {
            "name": "highest",
            "limit": raw(PRESET.highest),
            "mine": _highest(mine, scale),
            "single": _pair(None if together is None else _highest(_worst(together), scale)),
            "all": _pair(None if together is None else _highest(together.found, scale)),
            "interval": [None, None, words.NONE],
        },
        {
            "name": "above",
            "limit": raw(PRESET.above),
            "mine": scale.share(mine.above(PRESET.highest), everybody),
            **_shared(numbers.get("at_risk"), scale),
        },
        {
            "name": "average",
            "limit": raw(PRESET.average),
            "mine": scale.share(mine.average, everybody),
            **_shared(numbers.get("average_after"), scale),
        },
        {
            "name": "alone",
            "limit": None,
            "mine": scale.share(mine.singled_out, everybody),
            **_shared(numbers.get("alone"), scale),
        },
    ]
    linked = (None, words.NONE) if crowds.linked is None else scale.share(crowds.linked, crowds.people)
    criteria = [
        ("singling_out", "Singling out: alone in the classes left together", _shared(numbers.get("alone"), scale)),
        (
            "linkability",
            "Linkability: nobody else is in the same classes throughout",
            {"single": (None, words.NONE), "all": linked, "interval": [None, None, words.NONE]},
        ),
        ("inference", f"Inference: {metric_words('breach', confidence)}", _shared(numbers.get("breach"), scale)),
    ]
    return {
        "note": NOTE,
        "source": PRESET.source,
        "criteria_title": "Three criteria of the Article 29 Working Party (WP216)",
        "rows": [_row(_TITLES[str(row["name"])], row, _LIMITS[str(row["name"])]) for row in rows],
        "criteria": [_row(title, {"name": name, **values}, "") for name, title, values in criteria],
    }


_TITLES = {
    "highest": "Highest risk",
    "above": f"Share with a risk over {PRESET.highest:.2f}",
    "average": "Average risk",
    "alone": "Alone: singled out",
}
_LIMITS = {
    "highest": f"{PRESET.highest:.2f}: a crowd of {PRESET.crowd}",
    "above": words.NONE if PRESET.above is None else f"at most {words.percent(PRESET.above)}",
    "average": words.NONE if PRESET.average is None else f"at most {words.percent(PRESET.average)}",
    "alone": words.NONE,
}


def _row(title: str, row: Facts, limit: str) -> Facts:
    """Values for the file, and words beside them."""
    low, high, span = row["interval"]
    columns = [name for name in ("mine", "single", "all") if name in row]
    return {
        "name": row["name"],
        "words": title,
        **({"limit": row["limit"]} if "limit" in row else {}),
        **{name: row[name][0] for name in columns},
        "low": low,
        "high": high,
        "shown": {"limit": limit, "interval": span, **{name: row[name][1] for name in columns}},
    }


def _pair(value: tuple[float | None, str] | None) -> tuple[float | None, str]:
    return (None, words.NONE) if value is None else value


def _shared(number: Number | None, scale: Scale) -> Facts:
    """A share of the shared people by the best single release and by all, with its interval."""
    if number is None:
        nothing = (None, words.NONE)
        return {"single": nothing, "all": nothing, "interval": [None, None, words.NONE]}
    return {
        "single": scale.share(number.single, number.n),
        "all": scale.share(number.value, number.n),
        "interval": [*scale.span(number.low, number.high, number.n)],
    }


def _worst(together: Crowd) -> Identification:
    """The release in which the shared people are easiest to find, as on the page."""
    return max(together.found_alone, key=lambda risk: (risk.above(PRESET.highest), risk.average))


def _highest(identification: Identification, scale: Scale) -> tuple[float | None, str]:
    """The highest chance of anybody; for those outside from a crowd in tens, and hidden below ten."""
    if identification.highest == 0:
        return 0.0, "nobody is found"
    crowd_of = round(1 / identification.highest)
    if not scale.external:
        return raw(identification.highest), f"{words.percent(identification.highest)}, a crowd of {crowd_of}"
    if crowd_of < SMALL:
        return None, f"over {words.whole_percent(1 / SMALL)}"
    safe = 1 / (crowd_of // SMALL * SMALL)
    return raw(safe), f"at most {words.percent(safe)}"
