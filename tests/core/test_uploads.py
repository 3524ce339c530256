"""Another publisher's file: correspondence of columns and values, and links by an identifier."""

import numpy as np
import pandas as pd
import pytest

from core import Dates, Release, Schema, Table
from core.base.errors import InputError, SchemaError
from core.data.encoding import encode
from core.study.coverage import reach
from core.study.uploads import Foreign, Upload, open_upload

MINE = Table.from_frame(
    pd.DataFrame(
        {
            "id": ["a", "b", "c", "d", "d", ""],
            "age": ["20", "30", "40", "50", "60", "70"],
            "sex": ["f", "m", "f", "m", "f", "m"],
            "diagnosis": ["flu", "cold", "flu", "hiv", "cold", "flu"],
        }
    )
)
THEIRS = Table.from_frame(
    pd.DataFrame(
        {
            "patient": ["x", "c", "a", "d", "b", "b", ""],
            "Years": ["25", "40", "20", "50", "30", "31", "70"],
            "dx": ["J11", "J10", "J11", "B20", "J00", "J00", "J00"],
        }
    )
)
SCHEMA = Schema(["age", "sex"], "diagnosis", identifiers=["id"])
COLUMNS = (("age", "Years"), ("diagnosis", "dx"))
VALUES = (("J10", "flu"), ("J11", "flu"), ("B20", "hiv"))


def raw(**changes) -> Upload:
    return Upload(**{"content_id": "", "anonymised": False, "columns": COLUMNS, "values": VALUES, **changes})


def test_a_raw_table_gets_my_names_and_my_values():
    found = open_upload(raw(), THEIRS, MINE, SCHEMA)
    encoded = found.encoded
    assert [domain.name for domain in encoded.qids] == ["age"]
    assert encoded.qids[0].labels == ("20", "25", "30", "31", "40", "50", "70")
    texts = [encoded.sensitive.labels[code] for code in encoded.secret]
    assert texts == ["flu", "flu", "flu", "hiv", "J00", "J00", "J00"]
    assert found.records == 7
    assert not found.linked
    assert found.published is None


def test_people_are_linked_where_the_identifier_occurs_once_in_both():
    found = open_upload(raw(columns=(*COLUMNS, ("id", "patient"))), THEIRS, MINE, SCHEMA)
    # "b" is twice in theirs, "d" twice in mine, the empty cell is nobody.
    assert list(zip(found.mine.tolist(), found.theirs.tolist(), strict=True)) == [(0, 2), (2, 1)]
    assert found.linked


def test_their_values_need_the_kind_of_mine():
    bad = Table.from_frame(pd.DataFrame({"Years": ["old", "20"], "dx": ["flu", "cold"]}))
    with pytest.raises(SchemaError, match="numeric"):
        open_upload(raw(), bad, MINE, SCHEMA)


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ((("age", "Years"),), "sensitive"),
        ((("diagnosis", "dx"),), "quasi-identifier"),
        ((("age", "nowhere"), ("diagnosis", "dx")), "nowhere"),
        ((("age", "Years"), ("sex", "Years"), ("diagnosis", "dx")), "twice"),
        ((("age", "Years"), ("age", "patient"), ("diagnosis", "dx")), "twice"),
        ((("weight", "Years"), ("diagnosis", "dx")), "weight"),
    ],
)
@pytest.mark.parametrize("anonymised", [False, True])
def test_a_wrong_correspondence_is_refused(columns, word, anonymised):
    with pytest.raises(InputError, match=word) as caught:
        open_upload(raw(columns=columns, anonymised=anonymised), THEIRS, MINE, SCHEMA)
    assert "J11" not in caught.value.message


def test_links_agree_with_a_join():
    rng = np.random.default_rng(5)
    for _ in range(20):
        mine, theirs = (rng.integers(0, 25, size=18).astype(str) for _ in range(2))
        my_table = Table.from_frame(pd.DataFrame({"id": mine, "age": "1", "diagnosis": rng.choice(["a", "b"], 18)}))
        their_table = Table.from_frame(pd.DataFrame({"id": theirs, "age": "1", "diagnosis": ["a", "b"] * 9}))
        columns = (("id", "id"), ("age", "age"), ("diagnosis", "diagnosis"))
        found = open_upload(raw(columns=columns), their_table, my_table, Schema(["age"], "diagnosis", ["id"]))
        wanted = [
            (i, theirs.tolist().index(name))
            for i, name in enumerate(mine.tolist())
            if mine.tolist().count(name) == 1 and theirs.tolist().count(name) == 1
        ]
        assert list(zip(found.mine.tolist(), found.theirs.tolist(), strict=True)) == wanted


def test_some_quasi_identifiers_only():
    encoded = encode(MINE, SCHEMA)
    fewer = encoded.only(["sex"])
    assert [domain.name for domain in fewer.qids] == ["sex"]
    assert fewer.codes.tolist() == [encoded.codes[1].tolist()]
    assert len(fewer) == len(encoded)
    with pytest.raises(Exception, match="weight"):
        encoded.only(["weight"])


def days(texts: list[str], name: str) -> Table:
    return Table.from_frame(pd.DataFrame({name: texts, "diagnosis": ["flu", "cold", "hiv"][: len(texts)]}))


@pytest.mark.parametrize(
    ("mine", "theirs", "labels"),
    [
        (
            ["31.01.2024", "02.03.2024", "09.03.2024"],
            ["2024-02-29", "2024-01-31", "2024-03-02"],
            ("01-31", "02-29", "03-02"),
        ),
        (
            ["31/01/2024", "02/03/2024", "09/03/2024"],
            ["01/02/2024", "03/04/2024", "05/06/2024"],
            ("02-01", "04-03", "06-05"),
        ),
    ],
)
def test_their_dates_are_read_in_my_format_where_it_fits_else_in_theirs(mine, theirs, labels):
    upload = raw(columns=(("seen", "day"), ("diagnosis", "diagnosis")), values=())
    foreign = open_upload(upload, days(theirs, "day"), days(mine, "seen"), Schema(["seen"], "diagnosis"))
    assert foreign.encoded.qids[0].labels == tuple(f"2024-{label}" for label in labels)
    by_month = Schema(["seen"], "diagnosis", dates={"seen": Dates(unit="month")})
    foreign = open_upload(upload, days(theirs, "day"), days(mine, "seen"), by_month)
    assert foreign.encoded.qids[0].labels == tuple(f"2024-{label[:2]}" for label in labels)


def test_their_dates_that_can_be_read_both_ways_are_refused_where_mine_say_nothing():
    upload = raw(columns=(("seen", "day"), ("diagnosis", "diagnosis")), values=())
    mine = days(["2024-01-31", "2024-03-02", "2024-03-09"], "seen")
    with pytest.raises(SchemaError, match=r"In the file .*say which comes first"):
        open_upload(
            upload, days(["01/02/2024", "03/04/2024", "05/06/2024"], "day"), mine, Schema(["seen"], "diagnosis")
        )


def test_of_days_and_months_as_many_are_in_reach_as_share_a_day():
    mine = encode(days(["31.01.2024", "02.03.2024", "09.05.2024"], "seen"), Schema(["seen"], "diagnosis"))
    months = Schema(["seen"], "diagnosis", kinds={"seen": "date"})
    published = pd.DataFrame({"seen": ["2024-01", "[2024-02 .. 2024-03]"], "diagnosis": ["flu", "cold"]})
    assert reach(Foreign(published=Release.parse(published, months, mine=mine)), mine) == {"seen": pytest.approx(2 / 3)}
    theirs = encode(
        days(["2024-02-01", "2024-03-31"], "seen"), Schema(["seen"], "diagnosis", dates={"seen": Dates(unit="month")})
    )
    assert reach(Foreign(encoded=theirs), mine) == {"seen": pytest.approx(1 / 3)}
