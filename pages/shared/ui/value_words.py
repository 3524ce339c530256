"""Words for values and columns that several pages show."""

from __future__ import annotations

from core import examples
from core.base.wording import SHORT_SOURCE
from pages.shared.compute import data_results
from pages.shared.state import session
from pages.shared.ui.text import count, plain, safe


def worded(value: str) -> str:
    """A sensitive value in words: a code gets those of the built-in city or of another column."""
    known = examples.diagnosis_names() if session.workspace().example else data_results.descriptions()
    words = known.get(value)
    return plain(value if words is None else f"{value} {words}")


def sensitive_name() -> str:
    """The sensitive column, escaped."""
    return safe(data_results.encoded().sensitive.name, 40)


def protected() -> str:
    """The sensitive column, escaped, or any of several."""
    return " or ".join(safe(name, 40) for name in session.workspace().schema.sensitive_columns)


ORIGINS = {
    "resampled": "Another hospital like mine",
    "simulated": "Divided from my table, as in the papers",
    "published": "Uploaded: their release",
}


UNKNOWN = (
    ":material/help: Without a common identifier, it is unknown who is in an uploaded file. The shared people are "
    "drawn from my table and **assumed** to be in the file. Every share is about people who really are in it."
)

UNTRIED = (
    ":material/help: Who is really in the uploaded file, and whether it says the same about them as my table, is the "
    "largest uncertainty. It cannot be tested here and is **not** part of what was tried."
)


_IN_INTERVAL = " The 95% interval is meant to hold the share in 95 of 100 such worlds."
_UNLIKE = (
    " Between real units whose patients differ it held 81% instead of 97.7%, with shares up to 12 points too low; "
    "*Case mix of the others* allows for that: *Method*, *How sure the numbers are*."
)


def world_in_short() -> str:
    """The assumed world behind a number of exposed people, as the end of a sentence."""
    others = session.others()
    own = ", and your own table of counts is out" * (len(others) < len(session.hospitals()) - 1)
    if {hospital.origin for hospital in others} == {session.LIKE_MINE}:
        publish = "another hospital like yours publishes" if len(others) == 1 else "other hospitals like yours publish"
        return f"if {publish}{own}"
    if {hospital.origin for hospital in others} == {"simulated"}:
        return f"if your table is divided among the hospitals, as in the papers{own}"
    return f"if the others are as *Other hospitals* says{own}"


def world(interval: bool = True) -> str:
    """The assumed world behind a number of exposed people, in a sentence or two; ``interval``: whether it has one."""
    setting, records = session.scenario().study, data_results.encoded().people
    others, shared = session.others(), f"{count(setting.overlap)} of my patients"
    own = " My own table of counts is published next to it." * (len(others) < len(setting.hospitals) - 1)
    tables = " (counts, not a release)" * all(hospital.counts is not None for hospital in others)
    sources = {hospital.origin for hospital in others}
    if sources == {session.LIKE_MINE}:
        sizes = sorted({setting.size_of(number, records) for number in range(1, 1 + len(others))})
        size = f"{count(sizes[0])}{f' to {count(sizes[-1])}' if len(sizes) > 1 else ''} people"
        who = (
            "another hospital like mine shares"
            if len(others) == 1
            else f"{len(others)} other hospitals like mine share"
        )
        mixes = [hospital.case_mix for hospital in others if hospital.case_mix]
        mix = f", with diagnoses that differ (case mix {max(mixes):g})" if mixes else ""
        sure = f"{_IN_INTERVAL}{'' if mixes else _UNLIKE}" * interval
        return (
            f"The numbers hold **if {who} {shared}**. My release is my whole table.{own} "
            f"{'The other' if len(others) == 1 else 'Each other'} has {size} and publishes as set here{tables}; its "
            f"other patients are people like mine{mix}, simulated again in every draw.{sure}"
        )
    if sources == {"simulated"}:
        return (
            f"These are the papers' hospitals: **my table is divided among** {1 + len(others)} hospitals of "
            f"{count(setting.size_of(0, records))} people that share {count(setting.overlap)} people. My real "
            f"release, of {count(records)} people, has smaller classes, and usually exposes more than this interval "
            f"says. For a number that holds for my real release, choose *Another hospital like mine* on *Other "
            f"hospitals*."
        )
    origins = ", ".join(SHORT_SOURCE[source] for source in dict.fromkeys(hospital.origin_name for hospital in others))
    return f"The numbers hold **if the others are as *Other hospitals* says** ({origins}) and share {shared}.{own}"
