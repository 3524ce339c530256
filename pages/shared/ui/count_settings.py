"""Ask how a table of counts is made: the columns of its groups and their levels, and what is masked and rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.data.encoding.domain import Domain
from core.data.schemas.schema import ColumnType
from core.release.count_settings import ZEROS, CountSettings, GroupColumn
from core.release.made_counts import levels_of
from core.study.own_counts import replace_settings
from pages.shared.compute import cache, data_results
from pages.shared.ui import widgets
from pages.shared.ui.text import count, plain, safe

ABOUT_ZEROS = {"shown": "shown as 0", "absent": "left out, which means 0", "masked": "masked like small counts"}
ROUNDED = (1, 5, 10, 20)
MOST_BELOW = 1_000


def levels(domain: Domain) -> tuple[GroupColumn, ...]:
    """Levels that are offered for a column."""
    return cache.cached(("count levels", *data_results.data_key(), domain.name), lambda: levels_of(domain))


def level_words(column: GroupColumn, column_type: ColumnType) -> str:
    """A level in words."""
    if not column.step:
        return "its values"
    if column.level:
        return f"level {column.step} of its taxonomy"
    if column_type is ColumnType.NUMERIC:
        return f"bands of {count(column.step)}"
    if column_type is ColumnType.ORDINAL:
        return f"{column.step} neighbouring values"
    if column_type is ColumnType.DATE:
        return {7: "months", 4: "years"}.get(column.step, f"first {column.step} characters")
    return f"first {column.step} characters"


def in_words(settings: CountSettings) -> str:
    """The groups of a table, for Markdown: "age (bands of 10) x sex"."""
    types = {domain.name: domain.column_type for domain in data_results.encoded().qids}
    parts = []
    for column in settings.groups:
        level = f" ({level_words(column, types[column.name])})" if column.step else ""
        parts.append(f"{safe(column.name, 30)}{level}")
    return " × ".join(parts)


def ask(key: str, settings: CountSettings, take: Callable[[CountSettings], object]) -> None:
    """Show settings, and pass changed ones to ``take``.

    Parameters
    ----------
    key
        Prefix of the widgets' keys.
    settings
        The present settings.
    take
        Called with the settings after a move of the user.
    """
    domains = {domain.name: domain for domain in data_results.encoded().qids}
    present = {column.name: column for column in settings.groups}

    def chosen(names: list[str]) -> None:
        if names:
            columns = tuple(present.get(name, levels(domains[name])[0]) for name in domains if name in names)
            take(replace_settings(settings, groups=columns))

    widgets.showing(
        st.multiselect,
        "Columns of its groups",
        f"{key}:columns",
        list(present),
        chosen,
        options=list(domains),
        format_func=plain,
        wrap=True,
    )
    with st.grid(2, min_column_width=200, gap=("xsmall", "medium")):
        for place, column in enumerate(settings.groups):
            _level(f"{key}:level:{place}", column, domains[column.name], settings, take)
        _ask(key, settings, take)


def _level(
    key: str, column: GroupColumn, domain: Domain, settings: CountSettings, take: Callable[[CountSettings], object]
) -> None:
    offered = list(dict.fromkeys([*levels(domain), column]))
    if len(offered) == 1:
        return

    def coarse(level: GroupColumn) -> None:
        columns = tuple(level if level.name == each.name else each for each in settings.groups)
        take(replace_settings(settings, groups=columns))

    widgets.showing(
        st.selectbox,
        f"{safe(column.name, 30)} by",
        key,
        column,
        coarse,
        options=offered,
        format_func=lambda level: level_words(level, domain.column_type),
    )


def _ask(key: str, settings: CountSettings, take: Callable[[CountSettings], object]) -> None:
    """What is masked, rounded and shown."""

    def field(name: str) -> Callable[[Any], object]:
        return lambda value: take(replace_settings(settings, **{name: value}))

    def below(value: int) -> None:
        zeros = "shown" if value < 2 and settings.zeros == "masked" else settings.zeros
        take(replace_settings(settings, below=int(value), zeros=zeros))

    widgets.showing(
        st.number_input,
        "Counts below this are masked (0: none)",
        f"{key}:below",
        settings.below,
        below,
        min_value=0,
        max_value=max(MOST_BELOW, settings.below),
        step=1,
    )
    offered = [zeros for zeros in ZEROS if zeros != "masked" or settings.below > 1]
    about = ABOUT_ZEROS.__getitem__
    widgets.showing(
        *(st.selectbox, "Counts of 0 are", f"{key}:zeros:{len(offered)}", settings.zeros, field("zeros")),
        options=offered,
        format_func=about,
    )
    bases = sorted({*ROUNDED, settings.rounded})
    widgets.showing(
        *(st.selectbox, "Other counts are", f"{key}:rounded", settings.rounded, field("rounded")),
        options=bases,
        format_func=lambda base: "exact" if base == 1 else f"rounded to a multiple of {base}",
    )
    widgets.showing(st.toggle, "Group sizes are shown", f"{key}:totals", settings.totals, field("totals"))
