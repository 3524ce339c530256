"""The answer of the forecast page: one sentence with its band, and the curve; Sattar & Helal's estimate apart."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import written as figures
from core.forecast import Expected, Forecast
from core.release.algorithm import ALGORITHMS
from core.words import confidence_text
from pages.forecast import numbers
from pages.shared import charts, session, widgets
from pages.shared.text import count, headcount, number, percent, safe
from pages.shared.values import sensitive_name

COLUMN_WORDS = {
    "k": "k",
    "risk": "Vulnerable classes",
    "people": "People in them",
    "risk_subset": "Vulnerable classes, strict",
    "people_subset": "People in them, strict",
    "pinned": "Left with one value, first estimate",
    "left": "Values left, first estimate",
    "loss": "Information loss",
    "classes": "Classes",
    "expected": "Left with one value, expected",
    "expected_low": "Band from",
    "expected_high": "Band to",
}
SHARES = (
    "risk",
    "people",
    "risk_subset",
    "people_subset",
    "pinned",
    "loss",
    "expected",
    "expected_low",
    "expected_high",
)
FILE = "; as yours are, because the file of hospital 2 is anonymised already and does not tell what was asked of it"
SEVERAL = "A person with several records counts with the one that is likeliest to leave one value. "
PAPER = "Sattar & Helal's estimate"
COVERED = 97
"""Percent of made true worlds whose truth lay in the band, both by Mondrian; the Method page has the measurement."""
COVERED_BY = {
    ("mondrian", "mondrian"): f"In hospitals drawn from four real tables the band held the truth in {COVERED} % of "
    "cases.",
    ("mdav", "mdav"): "Where both form classes by microaggregation, the band held the truth in 100 % of 48 cases.",
    ("least-loss", "least-loss"): "Where both form classes by least loss, the band held the truth in 98 % of 52 cases.",
    ("least-loss", "mondrian"): "Where one forms classes by least loss and the other by Mondrian, as here, the band "
    "held the truth in 88 % of 52 cases only: with many shared people the forecast is then too low.",
}
"""What was measured, by the ways my classes and theirs are formed."""


# ---- the calibrated forecast -------------------------------------------------------------------


def answer() -> None:
    """What is expected of the shared people, with its band."""
    expected, alone = numbers.expected(), numbers.alone()
    st.markdown(headline(expected))
    people = [expected.shared * share for share in (expected.share, expected.low, expected.high)]
    shown = (
        (
            "One value left, expected",
            percent(expected.share),
            f"band {percent(expected.low)} to {percent(expected.high)}",
        ),
        ("People that is", headcount(people[0]), f"band {headcount(people[1])} to {headcount(people[2])}"),
        ("By your release alone", percent(alone), "of all your people"),
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        with place, st.container(gap=None):
            st.metric(label, value)
            st.caption(note)


def covered(mine: str, theirs: str | None) -> str:
    """How often the band was right for classes formed like mine and like theirs; ``None``: their sizes are stated."""
    if theirs is None:
        return "How often the band holds was not measured where sizes of classes are stated."
    names = " and ".join(dict.fromkeys(ALGORITHMS[name].phrase for name in (mine, theirs)))
    return COVERED_BY.get((mine, theirs), f"How often the band holds was not measured for classes by {names}.")


def details() -> None:
    """What the answer supposes, and the numbers behind the chart."""
    theirs = numbers.their_algorithm() if session.get("forecast_like_mine") else None
    st.caption("*By your release alone*: people in a class with a single value, whoever else publishes.")
    st.caption(
        "The forecast supposes one other hospital with people like yours, and that everybody is as likely to be "
        f"shared. {covered(session.mine().algorithm, theirs)} It does "
        "not hold if the other's k or size is not what you say. Every assumption stands under *What this rests on*, "
        f"the published estimate under *{PAPER}*."
    )
    _about_the_curve()


def headline(expected: Expected) -> str:
    """The forecast in plain words."""
    return (
        f"If a similar hospital with {count(expected.others)} {whose(expected)} published too, "
        f"**{percent(expected.share)}** ({percent(expected.low)} to {percent(expected.high)}) of the "
        f"**{count(expected.shared)}** people you share with it would be left with a single sensitive value."
    )


def curve() -> None:
    """The calibrated forecast against k."""
    k = int(session.get("my_k"))
    st.markdown("**Left with one value**, against k")
    with widgets.working("Trying other k") as progress:
        frame = numbers.curve(progress)
    charts.show(figures.expected_curve(frame, k), key="forecast:curve", alt=curve_in_words(frame), height=charts.MAIN)


def _about_the_curve() -> None:
    theirs = "Their k follows yours" if numbers.question().policy is None else "Their k stays what is assumed of it"
    st.caption(
        f"Every point of the chart is the table partitioned again at that k. {theirs}. The dotted rule marks the "
        f"present release, the area the band. The line need not fall everywhere: a larger k makes other classes, not "
        f"unions of the present ones."
    )
    widgets.numbers_below(in_words(numbers.curve()), "Forecast against k", "forecast curve")


def curve_in_words(frame: pd.DataFrame) -> str:
    """Text alternative of the curve."""
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"Shared people expected to be left with one value against k: {percent(first['expected'])} at {first['k']:g}, "
        f"{percent(last['expected'])} at {last['k']:g}."
    )


def whose(expected: Expected) -> str:
    """What n counts."""
    return "records" if expected.person is None else "persons"


def assumptions() -> None:
    """What the calibrated forecast rests on, line by line."""
    expected, question = numbers.expected(), numbers.question()
    like, apart = expected.models
    if question.other_class_sizes is None:
        theirs = f"{safe(numbers.their_policy().signs, 200)}, formed by {ALGORITHMS[numbers.their_algorithm()].phrase}"
        classes = f"those of {theirs}{FILE if numbers.from_a_release() else ''}"
    else:
        classes = f"{number(question.other_class_sizes, 1)} people each"
    names = numbers.population()
    source = "your table" if names.names[-1] in names.from_table else "your file"
    lines = {
        "Shared people": (
            f"{count(expected.shared)}, and any of your people is as likely to be shared as any other. Many shared "
            f"people bring each other's values into both releases. The number is the overlap, as on the page "
            f"Intersection attack."
        ),
        f"Their {whose(expected)}": f"{count(expected.others)}, of people like yours.",
        "Their classes": f"{classes}; drawn once.",
        "Common values": (
            f"how common each value of {sensitive_name()} is comes from {source}. How far your class speaks for others "
            f"of its region is learnt from your release."
        ),
        "The two models": f"{percent(like)} if strangers are like your class, {percent(apart)} if they are like its "
        f"surroundings. The number is the mean of the two. {SEVERAL if expected.person is not None else ''}"
        "The band adds chance for so many people, and up to one percentage point.",
        "Not looked at": (
            "several other hospitals, diagnoses that disagree, people likelier to be shared than others, and an "
            "adversary who does not know the class or weighs values. The page Intersection attack simulates those."
        ),
    }
    st.markdown("\n".join(f"- **{name}**: {line}" for name, line in lines.items()))
    st.caption("How it is worked out, and where it was wrong: Method, *The calibrated forecast*.")


# ---- Sattar & Helal's estimate -------------------------------------------------------------------


def paper() -> None:
    """What the published estimate says, what that means, and what it rests on."""
    estimate, reading = numbers.present(), str(session.get("forecast_reading"))
    st.markdown(sentence(estimate, reading))
    with st.grid(4, min_column_width=180, gap="small", border=True) as grid:
        with grid.cell():
            st.metric("Vulnerable classes", percent(estimate.risk(reading).value))
            st.caption(
                f"of {count(estimate.classes)} classes: that {wanted(estimate, reading)} is less than "
                f"{confidence_text(estimate.confidence)} likely."
            )
        with grid.cell():
            st.metric("People in vulnerable classes", percent(estimate.people(reading).value))
            st.caption(f"of {count(estimate.people(reading).n)} people in the release.")
        with grid.cell():
            st.metric("One value left, first estimate", percent(estimate.pinned_share))
            st.caption("of the people you share, however many (ours; the number above replaces it).")
        with grid.cell():
            st.metric("Values left, first estimate", number(estimate.left_mean, 1))
            distinct = float((estimate.histogram.distinct * estimate.sizes).sum() / estimate.sizes.sum())
            st.caption(f"for a shared person, out of {number(distinct, 1)} in the class here (ours).")
    st.caption(basis(estimate))


def wanted(estimate: Forecast, reading: str) -> str:
    """What should be likely enough, in words."""
    if estimate.l == 1:
        return "any of its values is shared"
    if reading == "every subset":
        return f"its {estimate.l} likeliest values are all shared"
    return f"at least {estimate.l} of its values are shared"


def sentence(estimate: Forecast, reading: str) -> str:
    """What the forecast means, in plain words, from its numbers."""
    risk, people = estimate.risk(reading).value, estimate.people(reading).value
    first = f"{PAPER} supposes a hospital with {count(estimate.others)} similar records"
    if estimate.l == 1:
        cover = "any of their values turns up there too"
    elif reading == "every subset":
        cover = f"their {estimate.l} likeliest values all turn up there too"
    else:
        cover = f"at least {estimate.l} of their values turn up there too"
    if risk == 0:
        return (
            f"{first}. Of every class you can say with {confidence_text(estimate.confidence)} certainty that {cover}."
        )
    return (
        f"{first}: **{percent(people)}** of your people are in classes of which you cannot say with "
        f"{confidence_text(estimate.confidence)} certainty that {cover}. That is not the "
        "share of people exposed: mostly it is far above it."
    )


def basis(estimate: Forecast) -> str:
    """What the numbers rest on."""
    table = estimate.from_table
    if len(table) == len(numbers.population().names):
        source = "population shares counted in your own table"
    elif table:
        source = f"population shares from your file, and from your table for {count(len(table))} columns"
    else:
        source = "population shares from your file"
    worst = float(estimate.error.max(initial=0.0))
    exact = "computed exactly" if worst == 0 else f"exact, or off by at most {worst:.1g}"
    if estimate.joint:
        source = "the share of your own table that each class holds (ours)"
    alone = "" if estimate.joint else ", on attributes that do not depend on each other,"
    return (
        f"Rests on {source}{alone} and on nothing else. Who is shared is not known, and the first two numbers forget "
        f"that a shared person's own value is always in both classes. *Forecast against simulation* shows how far they "
        f"are from hospitals drawn from your table. The source does not print its probability of enough shared values. "
        f"This one is our reading, {exact}."
    )


def paper_curve() -> None:
    """The published estimate against k."""
    reading, k = str(session.get("forecast_reading")), int(session.get("my_k"))
    with widgets.working("Trying other k") as progress:
        frame = numbers.curve(progress)
    charts.show(
        figures.forecast_curve(frame, k, reading), key="forecast:paper curve", alt=paper_curve_in_words(frame, reading)
    )


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Rename columns to words; shares in percent."""
    known = [name for name in frame.columns if name in COLUMN_WORDS]
    renamed = frame.rename(columns=COLUMN_WORDS)
    for name in known:
        if name in SHARES:
            renamed[COLUMN_WORDS[name]] = (100 * frame[name]).round(2)
    return renamed.rename(columns={COLUMN_WORDS[name]: f"{COLUMN_WORDS[name]} (%)" for name in known if name in SHARES})


def paper_curve_in_words(frame: pd.DataFrame, reading: str) -> str:
    """Text alternative of that curve."""
    column = "people" if reading == "at least l" else "people_subset"
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"People in vulnerable classes against k: {percent(first[column])} at {first['k']:g}, {percent(last[column])} "
        f"at {last['k']:g}. Left with one value: {percent(first['pinned'])} and {percent(last['pinned'])}."
    )
