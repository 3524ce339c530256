"""Numbers in words and masks of codes in somebody else's release: each form means what its plain form means."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Taxonomy
from core.data.schemas.schema import ColumnType
from core.release.published.cell_reader import Reader
from core.release.published.region import Region
from core.release.published.spellings import SPELLINGS, codes_of

AGES = Reader("age", ColumnType.NUMERIC)
EXAMPLES = [example for spelling in SPELLINGS for example in spelling.examples]


@pytest.mark.parametrize(("cell", "plain"), EXAMPLES)
@pytest.mark.parametrize("dress", [str, str.upper, lambda cell: f"  {cell} ", lambda cell: cell.replace(" ", "\u00a0")])
def test_a_form_means_what_its_plain_form_means(cell: str, plain: str, dress: type[str]) -> None:
    assert AGES.read(dress(cell)) == AGES.read(plain) is not None


@pytest.mark.parametrize(("cell", "plain"), EXAMPLES)
def test_an_order_of_bands_and_labels_that_are_numbers_read_it_too(cell: str, plain: str) -> None:
    for labels in (("0-9", "10-19", "20-29", "30-89", "90+"), tuple(map(str, range(0, 2000, 7)))):
        reader = Reader("age", ColumnType.ORDINAL, labels)
        assert reader.read(cell) == reader.read(plain)


@pytest.mark.parametrize(
    "cell", ["20-29 months", "under age", "5 weeks to 9 weeks", "Interval(20, 30)", "20_", "_30", "Xs", "30 s"]
)
def test_what_may_be_on_another_scale_or_is_no_range_is_refused(cell: str) -> None:
    assert AGES.read(cell) is None


@pytest.mark.parametrize(
    ("cell", "spans"),
    [("1900s", [(1900, 2000)]), ("2000s", [(2000, 3000)]), ("100s", [(100, 200)]), ("20s", [(20, 30)])],
)
def test_what_ends_in_zeros_may_be_ten_years_or_a_century(cell: str, spans: list[tuple[int, int]]) -> None:
    region = AGES.read(cell)
    assert region is not None
    assert [(low, round(high)) for low, high in [max(region.ranges, key=lambda each: each[1])]] == spans


def test_a_category_of_numbers_reads_words_as_it_reads_signs() -> None:
    reader = Reader("age", ColumnType.CATEGORICAL, ("10", "11", "12", "20", "21"))
    for cell, plain in {"under 12": "<12", "up to 12": "<=12", "[10:12]": "10-12"}.items():
        found, wanted = reader.read(cell), reader.read(plain)
        assert found is not None
        assert wanted is not None
        assert found.ranges == wanted.ranges != frozenset()
    masked = reader.read("1X")
    assert masked is not None
    assert "1*" in masked.masks


def test_a_decimal_comma_is_that_of_their_table() -> None:
    reader = Reader("bmi", ColumnType.NUMERIC, decimal=",")
    assert reader.read("18,5 to 24,9") == reader.read("[18,5; 24,9]")
    assert reader.read("over 1.000") == reader.read(">1000")


# ---- codes ------------------------------------------------------------------------------


ZIPS = ("01012", "01013", "02101", "90210", "90211")
BY_LEADING = Taxonomy.from_levels([(zip_code, f"{zip_code[:3]}**", "*") for zip_code in ZIPS])
READERS = {
    "category": Reader("zip", ColumnType.CATEGORICAL, ZIPS),
    "order": Reader("zip", ColumnType.ORDINAL, ZIPS),
    "taxonomy": Reader("zip", ColumnType.TAXONOMY, ZIPS, BY_LEADING),
}
COLUMNS = {
    "X": (["010XX", "902xx"], ["010**", "902**"]),
    "#": (["010##", "9021#"], ["010**", "9021*"]),
    "leading digits": (["010", "902"], ["010**", "902**"]),
    "leading digits and one star": (["010*", "9*"], ["010**", "9****"]),
    "lost zeros": (["1012", "2101", "90210"], ["01012", "02101", "90210"]),
    "ZIP+4": (["01012-1234", "90211-0001"], ["01012", "90211"]),
    "sets": (
        ["1012,1013", "{010XX, 021XX}", "010XX or 902XX", "2101"],
        ["{01012, 01013}", "{010**, 021**}", "{010**, 902**}", "02101"],
    ),
    "runs of leading digits": (["010-012", "902 to 903", "010"], ["{010**, 011**, 012**}", "{902**, 903**}", "010**"]),
    "runs that lost their zeros": (["1012-1013", "1012"], ["{01012, 01013}", "01012"]),
    "of full length": (["01012", "902**"], ["01012", "902**"]),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("column", COLUMNS)
def test_codes_that_are_short_or_masked_mean_those_of_full_length(reader: Reader, column: str) -> None:
    cells, plain = COLUMNS[column]
    theirs = reader.of_column(cells)
    assert [theirs.read(cell) for cell in cells] == [reader.read(cell) for cell in plain]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_what_cannot_be_told_is_both(reader: Reader) -> None:
    """9021 may be a prefix of 90210, and 1012 has lost its zero: of a mixed column each cell may be either."""
    theirs = reader.of_column(["9021", "1012", "404"])
    for cell, prefix, full in (("9021", "9021*", "09021"), ("1012", "1012*", "01012")):
        both = [region for text in (prefix, full) if (region := reader.read(text)) is not None]
        assert theirs.read(cell) == Region.union(both)


@given(st.lists(st.from_regex(r"[0-9]{1,5}", fullmatch=True), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_a_prefix_is_taken_where_each_cell_begins_a_value_of_mine_and_none_lost_a_zero(cells: list[str]) -> None:
    short = [cell for cell in cells if len(cell) < 5]
    codes = codes_of(ZIPS, cells)
    assert codes is not None
    if not short:
        assert codes.short == ""
        return
    same = len(set(map(len, short))) == 1
    prefix = same and all(any(each.startswith(cell) for each in ZIPS) for cell in short)
    zeros = all("0" * (5 - len(cell)) + cell in ZIPS for cell in short)
    assert codes.short == ("prefix" if prefix and not zeros else "zeros" if zeros and not prefix else "")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_runs_alone_may_be_first_or_last_digits(reader: Reader) -> None:
    found = reader.of_column(["1012-1013"]).read("1012-1013")
    both = [reader.read(code) for code in ("1012*", "01012", "1013*", "01013")]
    assert found == Region.union(part for part in both if part is not None)


def test_mine_of_several_lengths_or_with_letters_or_that_long_are_no_codes() -> None:
    for mine in (("1", "22"), ("A1", "B2"), ("10", "20"), (), ("1" * 4302, "2" * 4302)):
        assert codes_of(mine, ["1"]) is None


def test_a_range_of_four_digits_is_no_zip_code() -> None:
    years = Reader("year", ColumnType.ORDINAL, ("1990", "1991", "1992", "2001"))
    assert years.of_column(["1990-1992"]).read("1990-1992") == years.read("[1990 .. 1992]")
