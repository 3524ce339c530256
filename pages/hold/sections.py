"""The chart of the ways, the sentence above it and the table below."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from core import CompositionError
from core.base.arrays import Progress
from core.base.words import SAME, adversary, power
from core.base.words import left as level
from core.decision.scenario.world import not_rare
from core.figures import written as figures
from pages.hold import controls, numbers
from pages.shared import charts, errors, firm, noise_grid, results, session, values, widgets
from pages.shared.frames import row_at
from pages.shared.later import later
from pages.shared.text import count, draws, headcount, listed, number, percent, safe

SERIES = {
    numbers.NOW: "breached",
    numbers.AGREED: "my release",
    numbers.ALONE: "guessing",
    numbers.TRUTHFUL: "other release",
}
STRONG = (numbers.NOW, numbers.AGREED)
AGREE = {
    numbers.NOW: "Nothing.",
    numbers.AGREED: "The list, and that every class of every release holds whole buckets of it.",
    numbers.ALONE: "Nothing: the others publish as they do now.",
    numbers.TRUTHFUL: "Nothing: the promise of one table holds whatever others publish.",
}
OPEN = {
    numbers.NOW: "Every further hospital leaves fewer values.",
    numbers.AGREED: "How likely each value left is; who is in the table; everything, once one release breaks the list.",
    numbers.ALONE: "The classes of the others are not whole buckets, so nothing is promised.",
}


def places() -> tuple[Any, Any, str]:
    """Where the answer and the chart stand; between them, what the chart shows."""
    answer, titles = st.empty(), {column: _title(column) for column in ("one", "few")}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Exposure, hospital after hospital**", width="content")
        shown = str(
            st.selectbox(
                "Show", ["one", "few"], format_func=titles.__getitem__, key="hold:show", label_visibility="collapsed"
            )
        )
    return answer, st.empty(), shown


def _title(column: str) -> str:
    words = level(1.0 if column == "one" else session.scenario().confidence)
    return f"Shared people with {words}"


# ---- computing -------------------------------------------------------------------------------


class TablePlace(NamedTuple):
    """Where the table of the ways stands, and the numbers behind the chart."""

    ways: Any
    numbers: widgets.Numbers


@dataclass(frozen=True, eq=False)
class ComparedLines:
    """The ways that have a line of their own, and why others cannot be worked out.

    Parameters
    ----------
    ways
        In the order of the table.
    refused
        By name; what is found out while it is worked out is added.
    """

    ways: tuple[numbers.Way, ...]
    refused: dict[str, CompositionError] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, tuple[numbers.Way, pd.DataFrame]]:
        """The lines as far as they are worked out, by name."""
        every = ((way, numbers.known(way)) for way in self.ways if way.name not in self.refused)
        return {way.name: (way, numbers.promised(way, frame)) for way, frame in every if frame is not None}

    def work(self, way: numbers.Way, what: Callable[[numbers.Way, Progress], object], where: Any = None) -> None:
        """Work something out for a way, unless it is refused; a refusal is kept."""
        if way.name in self.refused:
            return
        try:
            with widgets.working(f"Working out: {way.words}", where) as progress:
                what(way, progress)
        except CompositionError as error:
            if way.name == numbers.NOW:
                raise
            self.refused[way.name] = error


def show() -> None:
    """Agreed lists and truthful tables beside the present setting, over the number of hospitals."""
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail, errors.refusing():
        controls.show()
    with stage, errors.refusing():
        answer, chart, shown = places()
        lines = first()
        draw(lines, answer, chart, shown)
        table = table_place()
        later(lambda: finish(lines, answer, chart, table, shown))


def steps() -> Iterator[str]:
    """Work out the agreed lists and the truthful tables that can be and are not yet; after each, its name."""
    for name in (numbers.AGREED, numbers.ALONE):
        way = numbers.way(name)
        wanted, line = int(session.get("releases")), None if way.scenario is None else numbers.known(way)
        if way.scenario is None or (line is not None and line["releases"].max() >= min(wanted, numbers.most())):
            continue
        with suppress(CompositionError), widgets.working(f"Working out: {way.words}", st.sidebar) as progress:
            numbers.grow(way, numbers.most() if numbers.is_quick(way) else wanted, progress)
            yield name
    if not numbers.truthful_known() and not isinstance(truthful(), CompositionError):
        yield numbers.TRUTHFUL


def first() -> ComparedLines:
    """The ways that can be, the present one and the quick ones worked out."""
    ways = [numbers.way(numbers.NOW)]
    way = numbers.way(numbers.AGREED)
    if way.scenario is not None and not numbers.is_mine(way):
        ways += [way, numbers.way(numbers.ALONE)]
    lines = ComparedLines(tuple(ways))
    for way in ways:
        if numbers.known(way) is not None:
            continue
        if numbers.is_quick(way):
            lines.work(way, _up_to(numbers.most()))
        elif way.name == numbers.NOW:
            lines.work(way, _up_to(2))
    return lines


def _up_to(hospitals: int) -> Callable[[numbers.Way, Progress], object]:
    return lambda way, progress: numbers.grow(way, hospitals, progress)


def finish(lines: ComparedLines, answer: Any, chart: Any, table: TablePlace, shown: str) -> None:
    """Work out what takes longer, and draw everything again as it comes."""
    for way in lines.ways:
        if not numbers.is_quick(way) and numbers.known(way) is None:
            lines.work(way, _up_to(numbers.most() if numbers.others_are_quick(way) else 2), st.sidebar)
    firm.draw_all()  # the sentence says the number that the bar on top says
    truthful()
    draw(lines, answer, chart, shown)
    below(lines, table)
    if not numbers.wants_all():
        return
    for hospitals in range(3, numbers.most() + 1):
        for way in lines.ways:
            if not numbers.others_are_quick(way):
                lines.work(way, _up_to(hospitals), st.sidebar)
        draw(lines, answer, chart, shown)
    for way in lines.ways:
        if numbers.others_are_quick(way):
            lines.work(way, numbers.redraw, st.sidebar)
            draw(lines, answer, chart, shown)
    below(lines, table)


def truthful() -> numbers.Truthful | CompositionError:
    """The truthful way, or why it cannot be."""
    try:
        with widgets.working("Drawing truthful tables", st.sidebar) as progress:
            return numbers.truthful(progress)
    except CompositionError as error:
        return error


# ---- drawing -----------------------------------------------------------------------------------


def draw(lines: ComparedLines, answer: Any, chart: Any, shown: str) -> None:
    """The answer in a sentence, and one line a way, as far as they are known."""
    every = {name: (way.words, frame) for name, (way, frame) in lines.known.items()}
    if numbers.truthful_known():
        every[numbers.TRUTHFUL] = ("truthful (differential privacy)", numbers.truthful().frame)
    with answer.container():
        _answer(every, lines.refused)
    frame = pd.concat(
        [
            pd.DataFrame(
                {
                    "releases": frame["releases"],
                    "share": frame[shown],
                    "line": words,
                    "series": SERIES[name],
                    "strong": name in STRONG,
                }
            )
            for name, (words, frame) in every.items()
        ],
        ignore_index=True,
    ).dropna(subset=["share"])
    top = numbers.floor_of(float(frame["share"].max()))
    with chart.container():
        charts.show(
            figures.guarantees(frame, _title(shown), int(session.get("releases")), top=top),
            key="hold:curve",
            alt=_in_words(every, shown),
            height=charts.MAIN,
        )


def _in_words(lines: dict[str, tuple[str, pd.DataFrame]], shown: str) -> str:
    parts = [
        f"{words}: {percent(frame[shown].iloc[0])} at 2 hospitals, {percent(frame[shown].iloc[-1])} at "
        f"{int(frame['releases'].iloc[-1])}"
        for words, frame in lines.values()
    ]
    return f"{_title(shown)} against the number of hospitals. {'; '.join(parts)}."


def _answer(lines: dict[str, tuple[str, pd.DataFrame]], refused: dict[str, CompositionError]) -> None:
    _, present = lines[numbers.NOW]
    row, last = row_at(results.headline_so_far(), "confidence", 1.0), present.iloc[-1]
    start = f"Of {count(row['n'])} patients you share, **{headcount(row['share'] * row['n'])}**"
    rightly = f", {headcount(row['right'] * row['n'])} rightly," * bool(row["wrong"] > SAME)
    as_set = f"would be left with one value{rightly} if {session.get('releases')} hospitals publish as set now"
    least = numbers.least_left(numbers.way(numbers.NOW))
    if least is not None:
        sentence = f"{start} {as_set}. All keep to the agreed list, so {_never_fewer(least)}."
    else:
        low, high = row["low"] * row["n"], row["high"] * row["n"]
        span = "" if math.isnan(low) else f"95 % interval {count(low)} to {count(high)}; "
        later_rightly = f"{headcount(last['one_right'] * last['n'])} rightly; " * bool(rightly)
        sentence = (
            f"{start} {as_set} ({span}best single release alone: {headcount(row['single'] * row['n'])}). If "
            f"{int(last['releases'])} do, it would be **{headcount(last['one'] * last['n'])}** "
            f"({later_rightly}{draws(float(last['draws']))})."
        )
    if numbers.AGREED in lines:
        fewest = lines[numbers.AGREED][1]["fewest"].min()
        sentence += f" If all keep to the agreed list, {_never_fewer(fewest)}."
    agreed = numbers.way(numbers.AGREED if numbers.AGREED in lines else numbers.NOW).scenario
    st.markdown(f"{sentence} {'' if agreed is None else not_rare(agreed)}")
    for message in dict.fromkeys(error.message for error in refused.values()):
        _no_line(message)


def _never_fewer(values_left: float) -> str:
    """What the list guarantees; of whom nothing is left, it says nothing."""
    unless = ", unless hospitals disagree so far that nothing is left" * numbers.hospitals_disagree()
    return f"nobody has fewer than **{count(values_left)}** values left, however many publish{unless}"


def _no_line(why: str) -> None:
    """Say why a way has no line, without alarm: nobody may have asked for it yet."""
    st.info(safe(why, most=1000), icon=":material/block:")


def below(lines: ComparedLines, table: TablePlace) -> None:
    """The table of the ways: cost, what is left, what it takes and what stays open."""
    known = lines.known
    rows = [_row(way, frame) for way, frame in known.values()]
    outcome = truthful()
    with table.ways.container():
        if not isinstance(outcome, CompositionError):
            rows.append(_truthful_row(outcome))
        # What it costs and what it takes stand apart: side by side they would not fit a narrow screen.
        terms = ["Everybody has to agree on", "Still open"]
        ways = pd.DataFrame(rows)
        st.table(ways.drop(columns=terms), border="horizontal", hide_index=True, alt="The ways with cost and values")
        st.table(ways[["Way", *terms]], border="horizontal", hide_index=True, alt="The ways with their terms")
        frames = [frame.assign(way=way.words) for way, frame in known.values()]
        if isinstance(outcome, CompositionError):
            _no_line(outcome.message)
        else:
            st.caption(_about_truthful(outcome))
            frames.append(outcome.frame.assign(way=numbers.WORDS[numbers.TRUTHFUL]))
        st.caption(_about(known))
    table.numbers.show(lambda: _numbers(pd.concat(frames, ignore_index=True)), "Ways to bring exposure down")


def _row(way: numbers.Way, frame: pd.DataFrame) -> dict[str, str]:
    made = numbers.release(way)
    records = made.encoded.records
    # What is set now may be the agreed list already.
    name = way.name if way.name == numbers.ALONE or numbers.least_left(way) is None else numbers.AGREED
    kept = records - made.classes.suppressed
    return {
        "Way": f"**{safe(way.words)}**",
        "Loss": percent(numbers.loss(way)),
        "Records published": f"{count(kept)} ({percent(kept / records)})",
        "Error of a count": f"{number(numbers.query(way).absolute, 1)} records",
        "Fewest values left": _fewest(frame),
        "Everybody has to agree on": AGREE[name],
        "Still open": OPEN[name],
    }


def _fewest(frame: pd.DataFrame) -> str:
    tried = frame[frame["draws"] > 0]
    parts = [f"{count(row['fewest'])} with {int(row['releases'])}" for row in (tried.iloc[0], tried.iloc[-1])]
    beyond = frame[frame["draws"] == 0]
    more = f"; at least {count(beyond['fewest'].min())} with any number" if len(beyond) else ""
    return f"{', '.join(dict.fromkeys(parts))} hospitals{more}"


def _truthful_row(outcome: numbers.Truthful) -> dict[str, str]:
    records, many = results.encoded().people, numbers.most()
    return {
        "Way": f"**{numbers.WORDS[numbers.TRUTHFUL]}**",
        "Loss": percent(outcome.loss),
        "Records published": f"{count(outcome.mine.published)} ({percent(outcome.mine.published / records)})",
        "Error of a count": f"{number(outcome.error.absolute, 1)} records",
        "Fewest values left": _fewest(outcome.frame),
        "Everybody has to agree on": AGREE[numbers.TRUTHFUL],
        "Still open": f"Privacy losses add up. The commonest value has {percent(numbers.ceiling(0))} of the people. "
        f"A belief in it can reach {percent(numbers.ceiling(1))} after one table and {percent(numbers.ceiling(many))} "
        f"after {many}, but for a chance of about δ.",
    }


def _about_truthful(outcome: numbers.Truthful) -> str:
    """How the truthful table is made, and how its line is to be read."""
    chosen, names = outcome.mine.sampling, noise_grid.truthful_columns()
    columns = f"columns {listed(names)} and {values.sensitive_name()}" if names else f"{values.sensitive_name()} alone"
    last = outcome.frame.iloc[-1]
    wrong = last["one"] - last["one_right"]
    return (
        f"*Truthful*: every record is kept with a chance of {percent(chosen.beta)} and told where at least "
        f"{count(chosen.k)} kept records are equal ({columns}); ε = {chosen.epsilon:g}, "
        f"δ = {power(chosen.delta, 2)} for one record added or removed. What is told is drawn here with the seed "
        "of the study: these numbers are not for publication. Its line is that of somebody who takes the values told "
        "for all there are: at "
        f"{int(last['releases'])} hospitals {percent(wrong)} are accused wrongly."
    )


def _drawn(frame: pd.DataFrame) -> str:
    """How a line was worked out."""
    beyond = frame.loc[frame["draws"] == 0, "releases"]
    promised = f", and from {int(beyond.min())} hospitals on what the list guarantees" if len(beyond) else ""
    return draws(float(frame["draws"].iloc[0])) + promised


def _about(known: dict[str, tuple[numbers.Way, pd.DataFrame]]) -> str:
    scenario = session.scenario()
    drawn = "; ".join(f"{safe(way.words)}: {_drawn(frame)}" for way, frame in known.values())
    files = (
        " A file of another hospital stays what it is and keeps to no list; hospitals like mine go on beside it. "
        "The truthful line is drawn without the files, and its shared people may be others."
        if scenario.uploads
        else ""
    )
    empty = (
        " Where hospitals disagree, nothing is left of some people. They no longer count as exposed, so a line can "
        "fall as more publish."
    ) * numbers.hospitals_disagree()
    start = f"The same {count(scenario.overlap)} shared people in every line. {adversary(scenario.locate)}"
    counts = (
        " Errors are those of random counts over all quasi-identifiers; those on *Differential privacy* are over the "
        "columns of its table."
    )
    return f"{start} {drawn[:1].upper()}{drawn[1:]}.{empty}{files}{counts}"


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    few = level(session.scenario().confidence)
    few = few[:1].upper() + few[1:]
    shares = {
        "one": "One value left (%)",
        "one_right": "One value left, rightly (%)",
        "few": f"{few} (%)",
        "few_right": f"{few}, rightly (%)",
    }
    shown = frame[["way", "releases", "n", *shares, "fewest", "draws"]].copy()
    for column in shares:
        shown[column] = (100 * shown[column]).round(2)
    others = {"way": "Way", "releases": "Hospitals", "n": "Shared people", "fewest": "Fewest left", "draws": "Draws"}
    return shown.rename(columns=shares | others)


def table_place() -> TablePlace:
    """Where the table of the ways stands; above it, what has everything drawn."""
    if not numbers.wants_all():
        st.button(
            f"Draw all lines up to {numbers.most()} hospitals, {session.scenario().repeats} times where that is quick",
            key="hold:all",
            on_click=numbers.want_all,
            icon=":material/replay:",
        )
    return TablePlace(st.empty(), widgets.Numbers("hold", st.container()))
