"""Columns that follow from others: by hand, and against comparing the rows one by one."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from core import Table, examples
from core.data.follows import Follows, what_dates_say, what_follows


def slow(rows: dict[str, list[str]], sources: list[str]) -> list[Follows]:
    """Pair the values of each two columns row by row."""
    out = []
    for name, values in rows.items():
        for source in sources:
            known = rows[source]
            pairs = set(zip(known, values, strict=True))
            seen_again = {value for key, value in pairs if known.count(key) > 1}
            often = 2 * len(set(known)) <= len(known)
            if name != source and often and len(pairs) == len(set(known)) and len(seen_again) > 1:
                out.append(Follows(name, source, len(set(values)) == len(set(known))))
                break
    return out


@given(st.data())
def test_the_same_as_row_by_row(data):
    rows = data.draw(st.integers(2, 12))
    cells = st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows)
    table = {name: data.draw(cells) for name in ("x", "y", "z")}
    table["w"] = [{"a": "1", "b": "1", "c": "2"}[value] for value in table["x"]]
    sources = data.draw(st.permutations(list(table)).map(lambda names: names[:2]))
    assert list(what_follows(Table.from_frame(pd.DataFrame(table)), sources)) == slow(table, sources)


def test_a_logarithm_says_the_same_and_a_band_follows():
    stay = 1 + np.arange(400) % 40
    frame = pd.DataFrame(
        {
            "number": range(400),
            "los": stay,
            "lnhlos": np.log(stay).round(6),
            "long": stay > 7,
            "year": 2019,
            "sex": np.arange(400) % 3,
        }
    )
    table = Table.from_frame(frame.astype(str))
    found = what_follows(table, ["number", "los", "sex"])
    assert [(one.column, one.text) for one in found] == [
        ("lnhlos", "Follows from 'los': whoever knows one knows the other"),
        ("long", "Follows from 'los': whoever knows 'los' knows it"),
    ]
    assert not what_follows(table, ["number"]), "from what never repeats anything follows"


def test_nothing_follows_in_the_city():
    assert not what_follows(examples.city(), examples.city_schema().quasi_identifiers)


def stays(days: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, days, 400), unit="D")
    los = rng.integers(0, 20, 400)
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 30_000, 400), unit="D")
    age = ((admitted - born).days / 365.2425).astype(int)
    return pd.DataFrame(
        {
            "admission": admitted.strftime("%d.%m.%Y"),
            "discharge": (admitted + pd.to_timedelta(los, unit="D")).strftime("%Y%m%d"),
            "birth date": born.strftime("%Y-%m-%d"),
            "los": los.astype(str),
            "other": rng.integers(0, 20, 400).astype(str),
            "age": age.astype(str),
        }
    )


def test_the_length_of_stay_and_the_age_are_said_by_dates():
    frame = stays()
    frame.loc[::7, "los"], frame.loc[3, "discharge"] = "NA", ""
    facts = {fact.column: fact.text for fact in what_dates_say(Table.from_frame(frame), ("", "NA"))}
    assert facts["los"] == "The number of days from 'admission' to 'discharge'"
    assert facts["age"] == "Follows from 'birth date' about: whoever knows one knows the other to a year or two"
    assert facts.keys() == {"los", "age"}


def test_a_number_that_differs_in_one_record_or_an_age_at_any_time_is_not_said():
    frame = stays(days=3_000).drop(columns="admission")
    frame.loc[5, "los"] = "99"
    assert what_dates_say(Table.from_frame(frame[["birth date", "age", "los"]])) == ()
    whole = stays()
    whole.loc[5, "los"] = "99"
    assert [fact.column for fact in what_dates_say(Table.from_frame(whole))] == ["age"]
