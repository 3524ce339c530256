"""Balance: how near counts within a bucket are to public shares, and how far releases can move the odds."""

from __future__ import annotations

import io
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, measure
from core.data.agreed import AgreedList
from core.data.encoding import encode
from core.errors import SchemaError
from core.privacy.declared.balance import balances
from core.release.release import Release
from tests.reference import agreed as slow

SHARES = ((0.5, 0.3, 0.2), (0.6, 0.2))
LIST = AgreedList((("u", "v", "w"), ("x", "y")), shares=SHARES)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(list("uvwxy"))), min_size=2, max_size=60), st.booleans())
@settings(deadline=None, max_examples=80)
def test_balance_is_that_of_the_slow_twin_and_of_the_file(rows: list[tuple[int, str]], shares: bool) -> None:
    frame = pd.DataFrame({"q": [f"c{number}" for number, _ in rows], "s": [value for _, value in rows]})
    if frame["s"].nunique() < 2:
        return
    agreed = LIST if shares else AgreedList(LIST.buckets)
    schema = Schema(["q"], "s", agreed=agreed)
    encoded = encode(Table.from_frame(frame), schema)
    release = Release.of(encoded, encoded.codes[0], Policy(1), "by hand")
    wanted = [
        slow.balance(frame["s"][frame["q"] == name].value_counts().to_dict(), agreed.buckets, agreed.weights)
        for name in encoded.qids[0].labels
    ]
    assert balances(release.histogram, encoded.sensitive).tolist() == pytest.approx(wanted)
    again = pd.read_csv(io.StringIO(release.publish(seed=0).to_csv(index=False)), dtype=str)
    assert measure(again, schema).numbers["balance"] == pytest.approx(min(wanted))


@pytest.mark.parametrize("share", [(0.5, 0.5), (0.7, 0.3), (0.5, 0.3, 0.2)])
def test_odds_within_a_bucket_never_move_further_than_the_balance_of_each_release_says(
    share: tuple[float, ...],
) -> None:
    """Every class of up to five people that holds the bucket, once, twice and three times: all that is possible."""
    values = [f"v{number}" for number in range(len(share))]
    schema = Schema(["q"], "s", agreed=AgreedList((tuple(values),), shares=(share,)))
    every = [counts for counts in itertools.product(range(1, 4), repeat=len(share)) if sum(counts) <= 5]
    reached = False
    for releases in (1, 2, 3):
        for classes in itertools.combinations_with_replacement(every, releases):
            frame = pd.DataFrame(
                [
                    (f"c{number}", values[value])
                    for number, counts in enumerate(classes)
                    for value in np.repeat(np.arange(len(share)), counts)
                ],
                columns=["q", "s"],
            )
            balance = measure(frame, schema).numbers["balance"]
            chance = slow.odds(classes, share)
            moved = [
                chance[i] / chance[j] * share[j] / share[i] for i, j in itertools.permutations(range(len(share)), 2)
            ]
            assert max(moved) <= balance**-releases * (1 + 1e-9)
            reached |= max(moved) == pytest.approx(balance**-releases)
    assert reached, "the bound is met with equality somewhere"


def test_names_of_buckets_unbalance_nothing_and_open_classes_have_no_balance() -> None:
    schema = Schema(["q"], "s", agreed=LIST)
    frame = pd.DataFrame({"q": list("aaabbb"), "s": [*["bucket 1"] * 3, "x", "x", "y"]})
    assert measure(frame, schema).numbers["balance"] == pytest.approx((1 / 0.2 / (2 / 0.6)) ** -1)
    assert measure(frame[frame["q"] == "a"], schema).numbers["balance"] == 1
    assert measure(frame.assign(s="x"), schema).numbers["balance"] == 0


def test_the_shares_of_a_list_go_to_json_and_back_and_bad_ones_are_refused() -> None:
    assert AgreedList.from_json(json.loads(json.dumps(LIST.to_json()))) == LIST
    assert "shares" not in AgreedList(LIST.buckets).to_json()
    made = AgreedList.from_shares({"a": 3.0, "b": 1.0, "c": 2.0}, 3)
    assert (made.buckets, made.shares) == ((("b", "c", "a"),), ((1.0, 2.0, 3.0),))
    for bad in (((0.5, 0.3), (0.6, 0.2)), ((0.5, 0.3, 0.0), (0.6, 0.2)), ((0.5, 0.3, float("nan")), (0.6, 0.2))):
        with pytest.raises(SchemaError, match="published share above 0"):
            AgreedList(LIST.buckets, shares=bad)
