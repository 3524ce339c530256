"""Dates as quasi-identifiers: how they are read, ordered, made coarser, published and read back."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import DateFormat, Policy, Release, Schema, Table
from core.algorithms import partition
from core.base.errors import SchemaError
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType
from core.data.tables.dates import (
    FORMATS,
    UNITS,
    WORDED,
    day_number,
    first_day,
    formats_of,
    in_form,
    looks_like_dates,
    run_text,
    span_of,
    text_of,
    unit_of_form,
    units_for,
)
from core.release.published.cell_reader import Reader
from core.release.utility import gcp

DAYS = st.dates(date(1969, 1, 1), date(2068, 12, 31))
OF_DAYS = [form for form in FORMATS if unit_of_form(form) == "day"]
TIMES = ("", "T10:20:00Z", "T23:59:59.250+02:00", " 7:05", " 11:30 PM", " 00:00:00 -0530")


def table(days: list[str], **more: list[str]) -> Table:
    diseases = [f"d{n % 3}" for n in range(len(days))]
    return Table.from_frame(pd.DataFrame({"seen": days, **more, "disease": diseases}))


def encoded(days: list[str], **arguments: object) -> Encoded:
    return encode(table(days), Schema(["seen"], "disease", **arguments))  # type: ignore[arg-type]


# ---- reading ----------------------------------------------------------------------------


@given(DAYS, st.sampled_from(OF_DAYS), st.sampled_from(TIMES))
def test_a_date_is_the_day_as_it_is_written_whatever_the_time_and_zone(day, form, time):
    assert date.fromordinal(day_number(day.strftime(form) + time, form)) == day


@given(
    DAYS, st.sampled_from(WORDED), st.sampled_from(["", " ", "-", "/", ".", ", "]), st.sampled_from([str, str.upper])
)
def test_a_worded_date_is_the_first_day_of_its_unit_whatever_separates_it(day, form, mark, case):
    apart = " " if form.startswith("%b %d") and not mark else mark
    text = case(in_form(day.toordinal(), form.replace(" ", apart)))
    assert day_number(text, form) == first_day(day.toordinal(), unit_of_form(form))
    assert formats_of([text]) == (form,)
    assert looks_like_dates([text])


@pytest.mark.parametrize(
    ("texts", "published"),
    [
        (["2023-03", "2022-12"], ("2022-12", "2023-03")),
        (["Mar-23", "Dec-22"], ("2022-12", "2023-03")),
        (["2023-Q1", "2022-Q4"], ("2022-Q4", "2023-Q1")),
        (["2023-W09", "2022-W52"], ("2022-W52", "2023-W09")),
        (["01MAR2023", "31DEC2022"], ("2022-12-31", "2023-03-01")),
        (["05-MAR-2023", "31-DEC-2022"], ("2022-12-31", "2023-03-05")),
        (["5. März 2023", "31. Dezember 2022"], ("2022-12-31", "2023-03-05")),
        (["May 5, 2023", "Sept. 1, 2022"], ("2022-09-01", "2023-05-05")),
    ],
)
def test_months_quarters_weeks_and_names_of_months_have_the_order_of_time(texts, published):
    domain = encoded([*texts, texts[0]]).qids[0]
    assert domain.labels == published


def test_a_column_is_never_published_finer_than_its_cells_and_weeks_lie_in_no_months():
    quarters = ["2023-Q1", "2022-Q4", "2022-Q1"]
    assert encoded(quarters, dates={"seen": DateFormat(unit="month")}).qids[0].labels == (
        "2022-Q1",
        "2022-Q4",
        "2023-Q1",
    )
    assert encoded(quarters, dates={"seen": DateFormat(unit="year")}).qids[0].labels == ("2022", "2023")
    with pytest.raises(SchemaError, match="'seen' are weeks, which cannot be turned into months"):
        encoded(["2023-W09", "2022-W52", "2022-W01"], dates={"seen": DateFormat(unit="month")})


@given(st.lists(DAYS, min_size=1, max_size=8), st.sampled_from([form for form in OF_DAYS if form not in WORDED]))
def test_the_formats_are_those_of_strptime_that_fit(days, form):
    texts = [day.strftime(form) for day in days]
    fitting = formats_of(texts)
    assert form in fitting
    assert len(fitting) == (1 if form[:2] == "%Y" or any(day.day > 12 for day in days) else 2)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("29.02.2023", "%d.%m.%Y"),
        ("29.02.1900", "%d.%m.%Y"),
        ("31.04.2024", "%d.%m.%Y"),
        ("00.01.2024", "%d.%m.%Y"),
        ("13/01/2024", "%m/%d/%Y"),
        ("01-02/2024", "%d-%m-%Y"),
        ("2024-01-31 now", "%Y-%m-%d"),
        ("2024131", "%Y%m%d"),
        ("0000-01-01", "%Y-%m-%d"),
        ("٢٠٢٤-01-31", "%Y-%m-%d"),
    ],
)
def test_what_the_calendar_does_not_have_is_no_date(text, form):
    assert day_number(text, form) == 0


@pytest.mark.parametrize(
    ("labels", "dates"),
    [
        (["2024-01-31", "2023-12-01"], True),
        (["31.1.2024", "1.12.23"], True),
        (["2024-01-31T10:00:00", "2024-02-01 11:00"], True),
        (["20240131", "20240201"], True),
        (["20240131", "20241301"], False),
        (["1-2", "3-4"], False),
        (["2001-2002", "2003-2004"], False),
        (["12/1234", "11/0042"], False),
        (["3.2023", "1.1999"], False),
        (["12-34-56", "98-76-54", "10-11-12"], False),
        ([], False),
    ],
)
def test_what_looks_like_a_date(labels, dates):
    assert looks_like_dates(labels) is dates


# ---- as a quasi-identifier ----------------------------------------------------------------


@given(st.lists(DAYS, min_size=3, max_size=12), st.sampled_from(FORMATS), st.data())
def test_codes_are_ranks_in_time_of_what_is_left_of_the_dates(days, form, data):
    unit = data.draw(st.sampled_from(units_for(form)))
    gap = data.draw(st.integers(0, len(days) - 1))
    texts = ["" if place == gap else in_form(day.toordinal(), form) for place, day in enumerate(days)]
    domain_of = encoded(texts, dates={"seen": DateFormat(form, unit)})
    domain, codes = domain_of.qids[0], domain_of.codes[0]
    wanted = [
        day.isocalendar()[:2]
        if unit == "week"
        else (day.year, (day.month - 1) // UNITS[unit] if UNITS[unit] else (day.month, day.day))
        for day in days
    ]
    known = sorted({value for place, value in enumerate(wanted) if place != gap})
    assert codes.tolist() == [len(known) if place == gap else known.index(v) for place, v in enumerate(wanted)]
    assert domain.column_type is ColumnType.DATE
    assert domain.missing == len(known)


def test_a_column_of_dates_needs_no_kind_and_may_be_declared_categorical():
    days = ["31.01.2024", "11.12.2024", "14.06.2024", "02.03.2023"]
    assert encoded(days).qids[0].labels == ("2023-03-02", "2024-01-31", "2024-06-14", "2024-12-11")
    assert encoded(days, column_types={"seen": "categorical"}).qids[0].labels == tuple(sorted(days))
    assert encode(
        table(["1", "2", "3"], day=days[:3]), Schema(["seen"], "day", other=["disease"])
    ).sensitive.labels == ("11.12.2024", "14.06.2024", "31.01.2024")


@pytest.mark.parametrize(
    ("days", "says"),
    [
        (["01/02/2024", "03/04/2024", "05/06/2024"], "say which comes first.* %d/%m/%Y or %m/%d/%Y"),
        (["01.02.24", "03.04.24", "05.06.24"], "say which comes first.* %d.%m.%y or %m.%d.%y"),
        (["31/01/2024", "2024-01-31", "30/01/2024"], "Record 2 .*another format than %d/%m/%Y"),
        (["31/01/2024", "01/31/2024", "30/01/2024"], "Record 2 .*another format than %d/%m/%Y"),
        (["31.01.2024", "30.02.2024", "01.03.2024"], "Record 2 .*no date of the calendar in the format %d.%m.%Y"),
    ],
)
def test_what_nothing_tells_is_asked_or_refused_without_a_cell(days, says):
    with pytest.raises(SchemaError, match=says) as refusal:
        encoded(days, column_types={"seen": "date"})
    assert not any(day in str(refusal.value) for day in days)
    assert refusal.value.parameter == "seen"


def test_a_format_settles_which_comes_first_and_is_held_to():
    days = ["01/02/2024", "03/04/2024", "05/06/2024"]
    first, last = (encoded(days, dates={"seen": DateFormat(form)}).qids[0].labels for form in ("%d/%m/%Y", "%m/%d/%Y"))
    assert (first[0], last[0]) == ("2024-02-01", "2024-01-02")
    with pytest.raises(SchemaError, match=r"Record 3 .*format %m/%d/%Y"):
        encoded([*days[:2], "31/01/2024"], dates={"seen": DateFormat("%m/%d/%Y")})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"dates": {"seen": DateFormat("%x")}}, "date format of 'seen' must be one of %Y-%m-%d"),
        ({"dates": {"seen": DateFormat(unit="decade")}}, "its unit one of day, week, month, quarter, year"),
        ({"dates": {"age": DateFormat(unit="year")}}, "neither a quasi-identifier"),
        (
            {"dates": {"seen": DateFormat(unit="year")}, "column_types": {"seen": "numeric"}},
            "give it the column type date",
        ),
    ],
)
def test_formats_and_units_that_cannot_be_are_refused(arguments, says):
    with pytest.raises(SchemaError, match=says):
        Schema(["seen"], "disease", **arguments)


@given(st.lists(DAYS, min_size=8, max_size=40), st.sampled_from(["mondrian", "least-loss", "mdav"]))
def test_days_are_parted_as_their_numbers_are(days, algorithm):
    numbers = table([str(day.toordinal()) for day in days])
    by_number = partition(encode(numbers, Schema(["seen"], "disease")), Policy(k=3), algorithm)
    texts = [day.strftime("%d.%m.%Y") for day in days]
    by_day = partition(encoded(texts, dates={"seen": DateFormat("%d.%m.%Y")}), Policy(k=3), algorithm)
    assert by_day.labels.tolist() == by_number.labels.tolist()
    assert gcp(by_day) == pytest.approx(gcp(by_number))


# ---- published and read back ----------------------------------------------------------------


def days_in(text: str) -> set[date]:
    """Slow twin of the spans of texts: every day of a century that the text is a beginning of, or its quarter."""
    every = [date(1999, 12, 1) + timedelta(n) for n in range(800)]
    if "W" in text:
        return {day for day in every if "{:04d}-W{:02d}".format(*day.isocalendar()[:2]) == text}
    if "Q" in text:
        return {day for day in every if f"{day.year}-Q{(day.month + 2) // 3}" == text}
    return {day for day in every if day.isoformat().startswith(text)}


@given(st.dates(date(2000, 1, 1), date(2001, 6, 30)), st.sampled_from([*UNITS]))
def test_a_unit_has_the_days_that_are_in_it(day, unit):
    text = text_of(day.toordinal(), unit)
    span = span_of(text)
    assert {date.fromordinal(n) for n in range(span[0], span[1] + 1)} == days_in(text)


@given(st.dates(), st.dates(), st.sampled_from([*UNITS]))
def test_a_run_is_read_back_as_its_days_and_no_others(one_end, other_end, unit):
    low, high = (text_of(day.toordinal(), unit) for day in sorted((one_end, other_end)))
    text = run_text(low, high)
    region = Reader("seen", ColumnType.DATE).read(text)
    assert region.ranges == {(span_of(low)[0], span_of(high)[1])}  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024-02", ("2024-02-01", "2024-02-29")),
        ("2023-Q4", ("2023-10-01", "2023-12-31")),
        ("2024", ("2024-01-01", "2024-12-31")),
        ("9999-12", ("9999-12-01", "9999-12-31")),
        ("2024-03-**", ("2024-03-01", "2024-03-31")),
        ("2024-**-**", ("2024-01-01", "2024-12-31")),
        ("[2024-03 .. 2024-07]", ("2024-03-01", "2024-07-31")),
        ("[2024-03-01..2024-03-09]", ("2024-03-01", "2024-03-09")),
        ("[2023-12, 2024-02)", ("2023-12-01", "2024-01-31")),
        ("(2023-12, 2024-02]", ("2024-01-01", "2024-02-29")),
        ("2023-11 – 2024", ("2023-11-01", "2024-12-31")),
        (">=2024-02", ("2024-02-01", None)),
        (">2024-02", ("2024-03-01", None)),
        ("<2024", (None, "2023-12-31")),
        ("<=2024", (None, "2024-12-31")),
    ],
)
def test_forms_of_other_publishers(text, days):
    region = Reader("seen", ColumnType.DATE).read(text)
    ((low, high),) = region.ranges
    ends = [None if np.isinf(day) else str(date.fromordinal(round(day))) for day in (np.ceil(low), np.floor(high))]
    assert tuple(ends) == days


@pytest.mark.parametrize(
    "text", ["2024-13", "2024-02-30", "24-02", "[2024-03 .. 2024-01]", "March", "2024-*-03", "2024-Q5"]
)
def test_what_is_no_published_date_is_not_read(text):
    assert Reader("seen", ColumnType.DATE).read(text) is None


@given(
    st.lists(st.dates(date(2020, 1, 1), date(2021, 12, 31)), min_size=12, max_size=40),
    st.sampled_from([*UNITS]),
    st.sampled_from(["mondrian", "least-loss", "mdav"]),
    st.booleans(),
)
def test_what_is_published_is_parsed_as_the_same_regions(days, unit, algorithm, gap):
    texts = [day.isoformat() for day in days]
    if gap:
        texts[0] = ""
    schema = Schema(["seen"], "disease", column_types={"seen": "date"}, dates={"seen": DateFormat(unit=unit)})
    release = partition(encode(table(texts), schema), Policy(k=3), algorithm)
    own = release.published
    parsed = Release.parse(release.publish(), schema, centroids=algorithm == "mdav")
    assert set(parsed.attributes[0].regions) == set(own.attributes[0].regions)
    again = Release.parse(release.publish(), schema, mine=release.encoded, centroids=algorithm == "mdav")
    assert set(again.attributes[0].regions) == set(own.attributes[0].regions)


@pytest.mark.parametrize("algorithm", ["mondrian", "mondrian-tight", "least-loss"])
def test_a_missing_date_leaves_the_others_of_its_class_where_they_end(algorithm):
    days = ["2023-12-15", "2023-12-16", "", "2024-01-30", "2024-02-28", "2024-02-29"]
    classes = np.array([0, 0, 0, 1, 1, 1])
    release = Release.of(encoded(days, column_types={"seen": "date"}), classes, Policy(k=3), algorithm)
    assert release.region_codes(0)[0] == ["[2023-12-15 .. 2023-12-16] or (missing)", "[2024-01-30 .. 2024-02-29]"]
    assert gcp(release) == pytest.approx((1 + 30 / 76) / 2), "who mixes it with days has lost everything"


def test_the_mean_of_dates_is_a_day_in_the_unit_of_the_column():
    days = ["2024-01-30", "2024-02-02", "2024-02-04", "2024-05-01", "2024-05-01", "2024-05-02"]
    for unit, cells in (("day", {"2024-02-02", "2024-05-01"}), ("quarter", {"2024-Q1", "2024-Q2"})):
        release = partition(encoded(days, dates={"seen": DateFormat(unit=unit)}), Policy(k=3), "mdav")
        assert set(release.region_codes(0)[0]) == cells
