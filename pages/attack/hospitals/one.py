"""One of the other hospitals: the origin of its records and what is known about its release."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.release.algorithm import algorithm_title
from core.study.hospitals import PUBLISHED, Hospital
from pages.attack.hospitals import upload
from pages.shared.compute import attack_results, count_results, data_results
from pages.shared.state import algorithm_choice, session
from pages.shared.ui import count_settings, widgets
from pages.shared.ui.text import count, listed, safe
from pages.shared.ui.value_words import ORIGINS

EXPLAINED = {
    "resampled": (
        "My whole table is my release. The other hospital has the shared people and others who look like my patients. "
        "Each of them has the diagnosis of a patient who looks like them."
    ),
    "simulated": (
        "My table stands in for the city: its people are divided among the hospitals, which all share some people. "
        "Every hospital is then smaller than mine really is, so its classes are wider."
    ),
    "published": (
        "It is unknown who is in it. My shared people are assumed to be in it, and are located by what it publishes."
    ),
    "identified": "A column of it identifies people, so no one is assumed to be in it.",
    "own": "A table of counts of my own patients: everyone in my table who fits one of its groups is in it.",
}


def key(number: int, field: str) -> str:
    """Key of the widget of one field of one hospital."""
    return f"hospitals:{number}:{field}"


def _store(number: int, field: str, value: Any) -> None:
    session.set_own(number, field, value)
    if field == "k":
        session.put("linked", False)
    attack_results.fit_overlap()


def _ask(number: int, field: str, value: Any, ask: Callable[..., Any], label: str, **more: Any) -> None:
    """Ask for one field of one hospital with a widget; other bounds make a new widget."""
    bounds = f":{more['min_value']}:{more['max_value']}" if "min_value" in more else ""
    base = f"{key(number, field)}{bounds}"
    widgets.showing(ask, label, base, value, lambda given: _store(number, field, given), **more)


def show(number: int, hospital: Hospital) -> None:
    """Ask for everything about one other hospital."""
    wanted = _source(number, hospital)
    if wanted == PUBLISHED:
        upload.show(number, hospital)
        return
    label = "It publishes a table of counts, not a release"
    on = hospital.counts is not None
    widgets.showing(st.toggle, label, key(number, "publishes counts"), on, lambda given: _take_counts(number, given))
    if hospital.counts is None:
        _release(number, hospital)
        return
    count_settings.ask(key(number, "counts"), hospital.counts, lambda made: _store(number, "counts", made))
    _same_value_rate(number, hospital)
    _size(number, hospital)


def _take_counts(number: int, on: bool) -> None:
    """Let a hospital publish a table of counts with usual settings, or a release again."""
    _store(number, "counts", count_results.usual() if on else None)


def _source(number: int, hospital: Hospital) -> str:
    """Origin of the records; a file takes effect once it is read and matched."""
    pick = key(number, "origin")
    if pick not in st.session_state or st.session_state[pick] not in ORIGINS:
        st.session_state[pick] = hospital.origin
    st.selectbox(
        "Where its records come from",
        list(ORIGINS),
        format_func=ORIGINS.__getitem__,
        key=pick,
        on_change=_take_source,
        args=(number,),
    )
    wanted: str = st.session_state[pick]
    if wanted != PUBLISHED:
        st.button(
            "Load its release",
            icon=":material/upload_file:",
            key=key(number, "load"),
            on_click=_expect_file,
            args=(number,),
            help="If this hospital has published already, its file takes the place of the assumptions below.",
        )
    st.caption(EXPLAINED[hospital.origin_name if wanted == hospital.origin else wanted])
    return wanted


def _expect_file(number: int) -> None:
    """Ask for the file that a hospital has published."""
    st.session_state[key(number, "origin")] = PUBLISHED


def _take_source(number: int) -> None:
    wanted = st.session_state[key(number, "origin")]
    # A file takes effect once it is read and matched; till then the study stays as it is.
    if wanted != PUBLISHED:
        session.set_own(number, "origin", None if wanted == session.LIKE_MINE else wanted)
        session.set_own(number, "upload", None)
        session.drop_unused_files()
        attack_results.fit_overlap()


def _release(number: int, hospital: Hospital) -> None:
    """Size, algorithm, policy and same-value rate of a hospital that is anonymised here."""
    left, right = st.columns(2, gap="large")
    with left:
        most = session.most_k(data_results.encoded().people)
        _number(number, "k", "People per class (k)", hospital.policy.k, 2, most)
        names = algorithm_choice.offered_to_others()
        words, how = algorithm_title, hospital.algorithm
        _ask(number, "algorithm", how, st.selectbox, "How classes are formed", options=names, format_func=words)
        if hospital.attributes is not None:  # from a scenario file
            st.caption(f"It publishes of the quasi-identifiers: {listed(hospital.attributes)}.")
    with right:
        _size(number, hospital)
        _same_value_rate(number, hospital)
        st.caption("l and t follow the common setting above.")


def _same_value_rate(number: int, hospital: Hospital) -> None:
    words, rate = "Same diagnosis as in my table", hospital.same_value_rate
    bounds = {"min_value": 0.0, "max_value": 1.0, "step": 0.05, "format": "percent"}
    _ask(number, "same_value_rate", rate, st.slider, words, **bounds)


def _number(number: int, field: str, label: str, value: int, low: int, high: int) -> None:
    held = min(max(value, low), high)
    _ask(number, field, held, st.number_input, label, min_value=low, max_value=high, step=1)


def _size(number: int, hospital: Hospital) -> None:
    records = data_results.encoded().people
    least, most = attack_results.size_range()
    own = hospital.size is not None
    words, base = "Set its size separately", key(number, "own size")
    widgets.showing(st.toggle, words, base, own, lambda on: _take_size(number, on))
    if own:
        _number(
            number,
            "size",
            "Persons" if data_results.encoded().has_multiple_records else "Records",
            int(hospital.size or 0),
            least,
            most,
        )
    else:
        whose = "persons" if data_results.encoded().has_multiple_records else "records"
        study = session.scenario().study
        like = "my table" if study.whole else "the others"
        st.caption(f"{count(study.size_of(number, records))} {whose}, as {like}.")


def _take_size(number: int, on: bool) -> None:
    least, most = attack_results.size_range()
    default = session.scenario().study.size_of(number, data_results.encoded().people)
    session.set_own(number, "size", min(max(default, least), most) if on else None)


def title(number: int, hospital: Hospital) -> str:
    """Name of a hospital on screen."""
    if hospital.upload is not None:
        return f"Hospital {number + 1}: {safe(hospital.upload.name, 30)}"
    return f"Hospital {number + 1}"
