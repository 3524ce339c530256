"""Widgets that show a choice of the session, and things every page has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from core.base.arrays import Progress
from core.base.wording import NONE as NO_NUMBER
from core.privacy.model import NONE, Model
from core.privacy.parameters import counts, is_whole, variant_parameter
from pages.shared.compute import work_queue
from pages.shared.state import session
from pages.shared.state.choices import CHOICES, SWITCHES
from pages.shared.ui.text import plain

Answer = TypeVar("Answer", bound=str)
MOMENT = 0.3
"""Seconds after which work shows its progress."""
MOST_WRITTEN = 5000
"""Largest number of cells whose numbers are formatted here; it takes some 50 ms."""
STEP = 0.02
"""Smallest step of a progress bar, as a share of the work."""


def showing(
    draw: Callable[..., object], label: str, name: str, value: Any, take: Callable[[Any], object], **more: Any
) -> None:
    """Draw a widget of Streamlit that shows a value, and pass every move of the user to ``take``.

    Its key stays the same as long as it shows the value, and is replaced if the value must change: the browser would
    otherwise send the old value back as a move of the user (``docs/streamlit-traps.md``).

    Parameters
    ----------
    draw, label
        The widget, and its label.
    name
        Prefix of its key.
    value
        The value shown.
    take
        Called with the new value. No data may be bound to it: see :mod:`pages.shared.state.widget_data`.
    more
        Other arguments of the widget.
    """
    key = _key_showing(name, value)

    def moved() -> None:
        if not _only_says_what_it_showed(key):
            take(st.session_state[key])

    draw(label, key=key, on_change=moved, **more)


def _key_showing(base: str, value: Any) -> str:
    turn = st.session_state.get(f"turn:{base}", 0)
    key = f"{base}#{turn}" if turn else base
    if key in st.session_state and st.session_state[key] != value:
        _remember_past(key, st.session_state[key])
        turn += 1
        st.session_state[f"turn:{base}"] = turn
        key = f"{base}#{turn}"
    if key not in st.session_state:
        st.session_state[key] = value
    return key


_PAST = "past fields"
_MOST_PAST = 50


def _remember_past(key: str, value: Any) -> None:
    past = {**st.session_state.get(_PAST, {}), key: value}
    st.session_state[_PAST] = dict(list(past.items())[-_MOST_PAST:])


def _only_says_what_it_showed(key: str) -> bool:
    """Whether a field that was replaced repeats its last value.

    The browser sends it with the next move until the new field has arrived, and the server, which has forgotten the old
    field, takes it for a change.
    """
    past = st.session_state.get(_PAST, {})
    return key in past and st.session_state[key] == past[key]


def slider(
    name: str,
    place: str,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    stops: Sequence[float] = (),
) -> Any:
    """A slider with a box for exact entry, both showing one choice, which is brought within the bounds.

    Parameters
    ----------
    name
        Choice to show and set.
    place
        Page that asks, so that two pages may show one choice.
    low, high, step
        Bounds if they depend on the data; else those of the choice.
    stops
        Values at which the slider stops, in place of even steps.
    """
    choice = CHOICES[name]
    low = choice.low if low is None else low
    high = choice.high if high is None else high
    step = choice.step if step is None else step
    if low is None or high is None or step is None:
        # not tested: a mistake in the program.
        raise ValueError(f"the choice {name} has no bounds")
    number_type: Callable[[float], Any] = int if isinstance(choice.start, int) else float
    low, high, step = number_type(low), number_type(max(high, low + step)), number_type(step)
    value = min(max(number_type(session.get(name)), low), high)
    if value != session.get(name):
        session.put(name, value)
    # With other bounds the browser needs a new key, or it would show the lowest value.
    base = f"widget:{place}:{name}:{low:g}:{high:g}:{step:g}"

    def take(given: float | None) -> None:
        if given is not None:
            session.put(name, number_type(given))

    with st.container(gap="xxsmall"):
        st.markdown(choice.label, help=choice.help or None)
        left, right = st.columns([2.1, 1], vertical_alignment="center", gap="small", wrap=False)
        bounds = {"min_value": low, "max_value": high, "step": step}
        if stops:
            bare = {"options": sorted({*stops, value}), "format_func": _shortest, "label_visibility": "collapsed"}
            showing(left.select_slider, choice.label, f"{base}:slide", value, take, **bare)
        else:
            showing(left.slider, choice.label, f"{base}:slide", value, take, **bounds, label_visibility="collapsed")
        written = "%d" if number_type is int else "%g" if stops else "%.2f"
        bare = {**bounds, "format": written, "label_visibility": "collapsed"}
        showing(right.number_input, f"{choice.label}, exact", f"{base}:exact", value, take, **bare)
    return value


def _shortest(value: float) -> str:
    return f"{value:g}"


_TEN_TO_A_HUNDRED = (12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
K_STOPS = (2, 3, 4, 5, 6, 7, 8, 10, *(stop * ten for ten in (1, 10, 100) for stop in _TEN_TO_A_HUNDRED))
"""Stops of a slider for k: each is about a quarter larger than the one before, because ratios of k matter."""


def k_stops(high: int) -> list[int]:
    """Stops of a slider for k on a table that has room for classes of ``high``."""
    return [stop for stop in K_STOPS if stop <= max(high, 3)]


def k_slider(name: str, place: str) -> int:
    """A slider over k on a logarithmic scale, and a box for any other k up to the people of the table.

    Shows and sets the choice ``name``, as :func:`slider` does.
    """
    people = session.people()
    return int(slider(name, place, 2, max(3, people), 1, k_stops(session.most_k(people))))


def pick(
    name: str, place: str, options: Sequence[Any], words: Callable[[Any], str] = str, *, bare: bool = False
) -> Any:
    """A list to choose from, showing one choice; ``bare`` hides its label if a text before it replaces it."""
    choice = CHOICES[name]
    value = session.get(name)
    if value not in options:
        value = options[0]
        session.put(name, value)
    showing(
        st.selectbox,
        choice.label,
        f"widget:{place}:{name}",
        value,
        lambda given: session.put(name, given),
        options=options,
        format_func=words,
        help=choice.help or None,
        label_visibility="collapsed" if bare else "visible",
    )
    return value


def toggle(name: str, place: str) -> bool:
    """A switch, showing one choice."""
    choice, value = CHOICES[name], bool(session.get(name))
    base = f"widget:{place}:{name}"
    showing(st.toggle, choice.label, base, value, lambda given: session.put(name, given), help=choice.help or None)
    return value


NOTHING_ASKED = "No diversity asked"
FINE = 0.1
"""Step of a slider whose whole numbers may be real numbers under the chosen variant."""


def models(place: str, values: int, has_taxonomy: bool) -> None:
    """Ask for the privacy models in addition to k, each with its switch, and for their parameters."""
    for model in session.possible_models():
        by_variant = session.switch_is_variant(model)
        on = _variant(model, place, has_taxonomy) != NONE if by_variant else toggle(SWITCHES[model.symbol], place)
        if not on:
            continue
        chosen = {parameter.name: session.get(parameter.name) for parameter in model.parameters}
        for parameter in model.parameters:
            if parameter.options:
                if not by_variant:
                    _variant(model, place, has_taxonomy)
            elif counts(model, parameter, chosen):
                # A whole number counts values, and a class cannot have more than the table.
                high = max(2.0, min(CHOICES[parameter.name].high or values, values)) if parameter.whole else None
                fine = parameter.whole and not is_whole(model, parameter, chosen)
                slider(parameter.name, place, high=high, step=FINE if fine else None)


def _variant(model: Model, place: str, has_taxonomy: bool) -> str:
    """Ask for the variant of a model; if the list is also its switch, its first entry is none."""
    parameter = variant_parameter(model)
    assert parameter is not None
    titles = {NONE: NOTHING_ASKED} if session.switch_is_variant(model) else {}
    titles |= {option.name: option.title for option in parameter.options if has_taxonomy or not option.taxonomy}
    return str(pick(parameter.name, place, list(titles), titles.__getitem__))


def pair() -> tuple[Any, Any]:
    """Two containers for charts side by side, or stacked if the window is narrow."""
    page = st.grid(2, min_column_width=340, gap="large")
    return page.cell(), page.cell()


def more_assumptions(place: str, draw: Callable[[], object]) -> None:
    """Controls behind one line, sent only when it is unfolded: a browser lays out everything at every move."""
    fold = st.expander("More assumptions", icon=":material/tune:", key=f"{place}:more", on_change="rerun")
    if fold.open:
        with fold:
            draw()


def question(
    words: str, options: Sequence[Answer], name_of: Callable[[Answer], str], before: str | None, key: str
) -> Answer | None:
    """Ask one question that has no default; ``None`` until it is answered."""
    answer: Answer | None = st.radio(
        words, options, index=options.index(before) if before in options else None, format_func=name_of, key=key
    )
    return answer


def grid(frame: pd.DataFrame, alt: str, config: dict[str, Any] | None = None) -> None:
    """A table with its numbers ``written``; settings of a column in ``config`` take precedence."""
    st.dataframe(written(frame), hide_index=True, column_config=config, alt=alt)


def written(frame: pd.DataFrame, columns: Sequence[str] | None = None) -> Any:
    """A frame with numbers formatted as everywhere else: separators, and the same number of decimals in a column.

    ``columns`` are by default all with numbers. Each cell is formatted here, except in a frame of more than
    ``MOST_WRITTEN`` cells and in editable columns, which the browser formats.
    """
    if frame.size > MOST_WRITTEN:
        return frame
    styled = frame.style
    for name in frame.select_dtypes("number") if columns is None else columns:
        column = frame[name].dropna().to_numpy(dtype=float)
        most = 2 if np.abs(column).max(initial=0.0) >= 1 else 4
        places = next((few for few in range(most) if np.allclose(column, column.round(few), atol=1e-9)), most)
        styled = styled.format(thousands=",", precision=places, na_rep=NO_NUMBER, subset=[name])
    return styled


def numbers_below(frame: pd.DataFrame, name: str, key: str) -> None:
    """The numbers of the chart above, as a table and a CSV: sent when they are unfolded, not with every move."""
    label, icon = "The numbers behind this chart", ":material/table_chart:"
    fold = st.expander(label, icon=icon, key=f"numbers:{key}", on_change="rerun")
    if fold.open:
        with fold:
            grid(frame, f"Table of the numbers: {name}")
            download_csv(frame, name, key)


def download_csv(frame: pd.DataFrame, name: str, key: str, label: str = "Download as CSV") -> None:
    """A button for a CSV whose cells no spreadsheet runs as formulas."""
    from core.data.tables.csv_export import csv_bytes

    download(label, lambda: csv_bytes(frame), f"{plain(name).replace(' ', '_').lower()}.csv", f"csv:{key}")


_MIME = {"csv": "text/csv", "html": "text/html", "json": "application/json", "zip": "application/zip"}


def download(label: str, data: Any, file_name: str, key: str, **more: Any) -> None:
    """A button for a file; if ``data`` is a function, the file is made on the click.

    ``more`` are other arguments of the button: without them the page does not run again on a click.
    """
    look = {"on_click": "ignore", "icon": ":material/download:", "mime": _MIME[file_name.rpartition(".")[2]]}
    st.download_button(label, data, file_name, key=key, **{**look, **more})


@contextmanager
def working(words: str, where: Any = None, stop: Callable[[], None] | None = None) -> Iterator[Progress]:
    """Show progress while core works; a newer choice ends the run at the next step.

    ``stop`` releases the file that is being read, if a button should do that. Quick work shows no progress: each step
    shown costs the browser more than the server. In the sidebar, where nothing follows, not even a placeholder is then
    sent.
    """
    slot = None if where is st.sidebar else (where or st).empty()
    bar: Any = None
    shown, due = -1.0, time.monotonic() + MOMENT

    def progress(share: float) -> None:
        nonlocal slot, bar, shown, due
        work_queue.breathe()
        if share - shown < STEP or time.monotonic() < due:
            return
        shown, due = share, time.monotonic() + MOMENT / 2
        slot = st.sidebar.empty() if slot is None else slot
        if bar is None and stop is not None:
            with slot.container():
                bar = st.empty()
                st.button("Stop reading", key="working:stop", icon=":material/stop_circle:", on_click=stop)
        (bar or slot).progress(min(1.0, share), text=words)

    try:
        yield progress
    finally:
        if slot is not None:
            slot.empty()
