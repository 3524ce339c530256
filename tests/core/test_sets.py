"""Sets of values as bits and where a value stands in them; an attack for its numbers alone, beside the whole one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.attack import pools
from core.attack.bitsets import RankedSets, has_values, set_bits
from core.attack.pools import pairs, pooled
from core.base.arrays import runs
from core.data.encoding.encoded import Encoded
from core.study.similar_people import Neighbours
from tests.releases import City, cities
from tests.situations import located_of
from tests.tables import a_table


@st.composite
def listed(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Ascending values of some sets, and how many words a set has."""
    values = draw(st.sampled_from([1, 2, 63, 64, 65, 130, 200]))
    sets = draw(st.lists(st.sets(st.integers(0, values - 1), max_size=12), min_size=1, max_size=8))
    return [sorted(mine) for mine in sets], (values + 63) // 64


@settings(max_examples=100, deadline=None)
@given(listed())
def test_a_value_stands_where_a_list_has_it(drawn: tuple[list[list[int]], int]) -> None:
    sets, words = drawn
    owner = np.repeat(np.arange(len(sets)), [len(mine) for mine in sets])
    value = np.array([v for mine in sets for v in mine], dtype=np.int64)
    mixed = np.random.default_rng(0).permutation(len(value))
    bits = set_bits(owner[mixed], value[mixed], len(sets), words)
    ranked = RankedSets(bits, np.concatenate(([0], np.cumsum([len(mine) for mine in sets]))))
    row, asked = (grid.ravel() for grid in np.meshgrid(np.arange(len(sets)), np.arange(-1, 64 * words), indexing="ij"))
    place, there = ranked.place(row, asked), has_values(bits, row, asked)
    for at, r, v in zip(place.tolist(), row.tolist(), asked.tolist(), strict=True):
        assert (at >= 0) == (v in sets[r])
        if at >= 0:
            assert (owner[at], value[at]) == (r, v)
    assert there.tolist() == (place >= 0).tolist()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pools, "BLOCK", 64 * words * 2)
        assert list(zip(*(found.tolist() for found in pairs(bits)), strict=True)) == list(
            zip(owner.tolist(), value.tolist(), strict=True)
        )


@settings(max_examples=50, deadline=None)
@given(cities(), st.data())
def test_pools_count_what_their_classes_hold(city: City, data: st.DataObject) -> None:
    """Of one class a person or several, values numbered in the order of their codes or not."""
    release = city.releases[0]
    size = release.encoded.sensitive.size
    code = np.array(data.draw(st.permutations(range(size)))) if data.draw(st.booleans()) else np.arange(size)
    several = data.draw(st.booleans())
    count = st.sets(st.integers(0, release.classes.count - 1), max_size=3 if several else 1)
    candidates = [frozenset(data.draw(count)) for _ in range(5)]
    found = pooled(located_of(candidates), release.histogram, code, size)
    kept = release.classes.labels >= 0
    for person, mine in enumerate(candidates):
        number = found.number[person]
        assert (number < 0) == (not mine)
        inside = kept & np.isin(release.classes.labels, list(mine))
        wanted = np.bincount(code[release.encoded.sensitive_codes[inside]], minlength=size)
        asked = np.arange(size)
        assert found.count_of(np.full(size, number), asked).tolist() == wanted.tolist()
        of, cell = found.cells(np.array([number, -1, number]))
        assert found.value[cell[of == 0]].tolist() == np.flatnonzero(wanted).tolist()
        assert found.count[cell[of == 2]].tolist() == wanted[wanted > 0].tolist()
        assert not (of == 1).any()
        if mine:
            assert found.sizes[number] == inside.sum()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), max_size=8))
def test_runs_are_ranges(drawn: list[tuple[int, int]]) -> None:
    begin, long = (np.array([pair[i] for pair in drawn], dtype=np.int64) for i in (0, 1))
    assert runs(begin, long).tolist() == [n for b, many in drawn for n in range(b, b + many)]


# ---- whole tables ---------------------------------------------------------------------------


def table_of(kind: str, seed: int) -> Encoded:
    encoded, rng = a_table(240, seed), np.random.default_rng(seed)
    changes = {
        "people": {},
        "persons": {"person": (rng.permutation(len(encoded)) // 2).astype(np.int32)},
        "frequency table": {"weight": rng.integers(1, 4, len(encoded))},
        "missing": {"sensitive": replace(encoded.sensitive, missing=int(encoded.sensitive_codes[0]))},
        "one diagnosis": {"sensitive_codes": np.zeros_like(encoded.sensitive_codes)},
    }
    return replace(encoded, **changes[kind])


@pytest.mark.parametrize("kind", ["people", "persons", "frequency table", "missing", "one diagnosis"])
def test_a_table_as_one_class_is_its_frequency_table(kind: str) -> None:
    encoded = table_of(kind, 1)
    found, wanted = encoded.as_one_class, encoded.histogram(np.zeros(len(encoded), dtype=np.int64), 1, encoded.overall)
    for name in ("owner", "value", "count", "starts", "overall", "people"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    assert found.missing == wanted.missing


@pytest.mark.parametrize("seed", range(4))
def test_who_lends_a_value_is_of_the_wide_class_and_not_of_the_narrow_one(seed: int) -> None:
    """Draw by draw, from the lists themselves."""
    rng = np.random.default_rng(seed)
    wide, narrow = (rng.integers(0, most, 60).astype(np.int32) for most in (4, 9))
    records = rng.integers(0, 60, 300)
    drawn = Neighbours.of_labels(wide, narrow).draw(records, np.random.default_rng(7))
    chances = np.random.default_rng(7).random(300)
    order = sorted(range(60), key=lambda record: (wide[record], narrow[record], record))
    for record, chance, lender in zip(records, chances, drawn, strict=True):
        same = [other for other in order if wide[other] == wide[record]]
        others = [other for other in same if narrow[other] != narrow[record]] or same
        assert lender == others[int(chance * len(others))]
