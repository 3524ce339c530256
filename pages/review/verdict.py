"""Limits, each met or not, and whether that stays true under other assumptions about the others."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.attack.number import exposures
from core.base import wording
from core.base.metrics import CONDITIONAL, MET, METRICS, MORE, NOT_MET, ON_AVERAGE, requirable
from core.decision.review import Assessment, Check, Judgement
from core.decision.scenario.world import not_rare
from core.dp import PRIOR_WORDS
from core.report.cases import condition
from core.report.rounding import Scale
from pages.review import assumed, baseline
from pages.shared.compute import assessment
from pages.shared.state import session
from pages.shared.ui import caution, widgets
from pages.shared.ui.text import count, percent

PLACE = "review"
VERDICTS = {
    MET: ":green-badge[✓ met]",
    ON_AVERAGE: ":orange-badge[≈ met on average only]",
    NOT_MET: ":red-badge[× not met]",
    None: ":gray-badge[? not assessed]",
}
ALONE = "This verdict rests on no file of another publisher: every other hospital is simulated or modelled."


# ---- the verdict in a sentence ---------------------------------------------------------------


def sentence(assessed: Assessment, judgement: Judgement, untried: int) -> str:
    """The verdict on the present setting with its condition, for Markdown.

    ``untried`` assumptions are still to be tried.
    """
    checks = judgement.checks
    if not checks:
        return ":material/pending: No limit is set, so there is no verdict yet."
    broken = [check for check in checks if check.verdict == NOT_MET]
    open_ = [check for check in checks if check.verdict is None]
    average = [check for check in checks if check.verdict == ON_AVERAGE]
    many = "the one limit" if len(checks) == 1 else f"all {len(checks)} limits"
    if broken:
        texts = "; ".join(_describe(check) for check in broken)
        which = "the one limit" if len(checks) == 1 else f"{len(broken)} of {len(checks)} limits"
        return f":material/cancel: **Not met**: the present setting breaks {which}. {texts}."
    if judgement.without_effect:
        unheard = caution.sentence(judgement.without_effect)
        return (
            f":material/help: **Open**: no limit is broken. But {unheard[:1].lower()}{unheard[1:]} Match its columns "
            "under *If others publish*, *Other hospitals*, before you rely on this."
        )
    if open_:
        names = ", ".join(wording.metric_name(check.metric) for check in open_)
        return f":material/help: **Open**: no limit is broken, but this was not assessed: {names}."
    only = f" On average only: {_average(average)}." if average else ""
    if judgement.verdict == CONDITIONAL:
        unless = condition(assessed, judgement, Scale())
        return (
            f":material/warning: **Met{' on average' * bool(average)} under your assumptions, {unless}**: as assumed, "
            f"the present setting meets {many}{' on average' * bool(average)}.{only}"
        )
    if untried:
        return (
            f":material/pending: **Met as assumed**: the present setting meets {many}{' on average' * bool(average)}. "
            f"Whether that depends on an assumption is being tried: {untried} "
            f"{'is' if untried == 1 else 'are'} left.{only}"
        )
    holds = " It holds in every plausible case that was tried." if judgement.survives else ""
    if average:
        return (
            f":material/rule: **Met on average only**: the present setting keeps {many} on average, but not with the "
            f"whole interval. {_average(average)}.{holds}"
        )
    return f":material/check_circle: **Met**: the present setting keeps {many}.{holds}"


def _describe(check: Check) -> str:
    assert check.number is not None
    value = wording.text_at_limit(check.metric, check.number.value, check.limit)
    return (
        f"{wording.metric_name(check.metric)}: {value}, the limit is {wording.limit_words(check.metric, check.limit)}"
    )


def _average(checks: Sequence[Check]) -> str:
    """Each limit that is met only on average, and the end of the interval that exceeds it."""
    texts = []
    for check in checks:
        assert check.number is not None
        end = check.number.low if METRICS[check.metric].better == MORE else check.number.high
        reach = "too few redraws for an interval"
        if end is not None:
            reach = f"up to {wording.text_at_limit(check.metric, end, check.limit)}"
        texts.append(f"{_describe(check)} ({reach})")
    return "; ".join(texts)


# ---- limits ----------------------------------------------------------------------------------


def show() -> None:
    """The table of the verdict, with the worst plausible case of each limit."""
    assessed = assessment.assessed()
    judgement = assessment.verdict(assessed)
    if not judgement.checks:
        st.caption(":material/info: Set a limit above for every number that matters.")
        return
    st.table(table(judgement), border="horizontal", hide_index=True, alt="Each limit with its number and verdict")
    rests = "This verdict rests on files of other publishers." if judgement.others_considered else ALONE
    st.caption(f"{rests} {not_rare(session.scenario())}")


def start_with_four() -> None:
    """Set the first limits, none of them below guessing."""
    session.put("requirements", baseline.defaults(assessment.assessed()))


def _choose(picked: list[str]) -> None:
    """Set a limit for each chosen number: the present one, or its first value."""
    chosen, assessed = session.get("requirements"), assessment.assessed()
    limits = {n: chosen[n] if n in chosen else baseline.start(n, assessed) for n in requirable() if n in picked}
    session.put("requirements", limits)


def limits(assessed: Assessment) -> None:
    """The controls: the numbers with a limit, and each limit."""
    chosen: dict[str, float] = session.get("requirements")
    names = [name for name in requirable() if name in chosen]
    widgets.showing(
        st.multiselect,
        "Limits that you accept",
        f"widget:{PLACE}:requirements",
        names,
        _choose,
        options=requirable(),
        format_func=wording.metric_name,
        placeholder="No limit yet",
        help="The verdict follows from these limits alone.",
        wrap=True,
    )
    for name in names:
        _limit(name, chosen[name])
        floor = baseline.least(name, assessed)
        if chosen[name] < floor:
            st.caption(
                f":material/block: No release can meet this limit: guessing alone reaches {percent(floor)}. Set "
                f"{wording.limit_words(name, baseline.start(name, assessed))}."
            )
    if not names:
        st.button("Start with four limits", key="review:preset", icon=":material/tune:", on_click=start_with_four)
        four = baseline.defaults(assessed)
        listed = "; ".join(wording.with_limit(name, limit) for name, limit in four.items())
        meanings = "  \n".join(f"**{wording.metric_name(name)}**: {METRICS[name].meaning}" for name in four)
        st.caption(f"{listed}. No standard sets these: they are defaults of this tool.", help=meanings)


def _limit(name: str, limit: float) -> None:
    """One limit; shares are entered in per cent."""
    metric_unit = METRICS[name].unit
    factor, high = (100.0, 100.0) if metric_unit == "share" else (1.0, None)
    whole = metric_unit == "count"

    def take(given: float | None) -> None:
        if given is not None:
            session.put("requirements", {**session.get("requirements"), name: given / factor})

    side = "at least" if METRICS[name].better == "more" else "at most"
    unit = ", %" if metric_unit == "share" else ""
    widgets.showing(
        st.number_input,
        f"{wording.metric_name(name)}{_start(name)}: {side}{unit}",
        f"widget:{PLACE}:limit:{name}",
        int(limit) if whole else round(factor * limit, 6),
        take,
        min_value=0 if whole else 0.0,
        max_value=high,
        step=1 if whole else 1.0 if high else 0.1,
        format="%d" if whole else "%.2f" if high is None else "%.1f",
        help=METRICS[name].meaning,
    )


def _start(name: str) -> str:
    """Prior belief behind a ceiling."""
    return f", {PRIOR_WORDS[session.get('noise_prior')]}" if name == "dp_ceiling" else ""


# ---- the table -------------------------------------------------------------------------------


def table(judgement: Judgement) -> pd.DataFrame:
    """One row per limit, as Markdown, with its worst plausible case if cases were tried."""
    rows = []
    for check in judgement.checks:
        row = {
            "Number": f"**{wording.metric_name(check.metric)}**",
            "Limit": wording.limit_words(check.metric, check.limit),
            "Found": _number_of(check),
            "Verdict": VERDICTS[check.verdict],
            "Worst plausible case": worst(check),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _number_of(check: Check) -> str:
    """The number of a limit, and its population."""
    if check.number is None:
        return wording.NONE
    value = wording.text_at_limit(check.metric, check.number.value, check.limit)
    return f"**{value}**  \n:small[{assumed.basis(check.metric, check.number)}]"


def worst(check: Check) -> str:
    """Worst plausible value of a number, and the assumption behind it."""
    if check.metric not in exposures():
        return "does not depend on the others"
    case = check.worst
    if case is None:
        return "as assumed" if check.cases else "not tried yet"
    value = wording.text_at_limit(check.metric, case.number.value, check.limit)
    by = f"*{wording.ASSUMPTIONS[case.assumption]}*: {wording.setting_text(case.assumption, case.value)}"
    many = wording.people(case.number.value * case.number.n)
    return f"{value}, {many}: {case.verdict}  \n:small[{by}, of {count(case.number.n)} shared people]"
