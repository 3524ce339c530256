"""The agreed list: what is refused, what a closed release guarantees, and how closed classes are formed."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, anonymize, measure
from core.base.errors import CompositionError, InfeasibleError, PolicyError, SchemaError
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.data.schemas.agreed_list import AgreedList, read_shares
from core.data.schemas.schema_file import read_schema
from core.data.schemas.taxonomy import Taxonomy
from core.privacy.models.values_left import values_left
from core.release.algorithm import for_one_publisher
from core.release.release import Release
from core.release.utility import gcp
from tests.gate import gate
from tests.progress import rises_and_can_be_stopped
from tests.reference import agreed as slow

LIST = AgreedList((("flu", "cold", "gout"), ("burn", "asthma", "tb")))
WARDS = Taxonomy.from_nested({"north": ["n1", "n2"], "south": ["s1", "s2", "s3"]})


def people(rows: int = 300, seed: int = 3, share: list[float] | None = None, **columns: Any) -> Table:
    rng = np.random.default_rng(seed)
    ills = [value for bucket in LIST.buckets for value in bucket]
    frame = {
        "age": rng.integers(20, 60, rows).astype(str),
        "zip": rng.choice(list("abcdefgh"), rows),
        "ward": rng.choice(WARDS.leaf_labels, rows),
        "disease": rng.choice(ills, rows, p=share or [0.35, 0.2, 0.1, 0.05, 0.2, 0.1]),
    }
    return Table.from_frame(pd.DataFrame({**frame, **columns}))


def roles(agreed: AgreedList | None = LIST, **more: Any) -> Schema:
    return Schema(["age", "zip", "ward"], "disease", taxonomies={"ward": WARDS}, agreed=agreed, **more)


def asking(left: int = 3, **more: Any) -> Policy:
    return Policy(more.pop("k", 4), more={"agreed": left}, **more)


# ---- the list itself -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: AgreedList((("a", "b"), ("b", "c"))), "1 values occur twice in the agreed list"),
        (lambda: AgreedList((("a", "b"), ())), "a value in each"),
        (lambda: AgreedList((("a", "b"),), origin="my table"), "depend only on what is public"),
        (lambda: AgreedList((("a", "b"), ("c",))).check(2), "1 of the 2 buckets of the agreed list have fewer than 2"),
        (lambda: AgreedList.from_taxonomy(WARDS, 3), "levels 0 to 2"),
        (lambda: AgreedList.from_file(b"a;x\nb\n"), "Line 2 of the agreed list needs two columns"),
        (lambda: AgreedList.from_file(b"a;x\na;y\n"), "1 values occur twice in the agreed list"),
        (lambda: AgreedList.from_file(b"\xff\xfe\xfa"), "not UTF-8"),
        (lambda: AgreedList.from_file(b'"a;x\n'), "left open"),
        (lambda: read_shares(b"a,0.5\na,0.2\n"), "Line 2 of the file of shares repeats"),
        (lambda: read_shares(b"a,much\n"), "Line 1 of the file of shares has no number"),
        (lambda: AgreedList.from_shares({"a": 1.0, "b": 2.0}, 3), "cannot be made of 2"),
        (lambda: AgreedList.from_shares({"a": 1.0, "b": 0.0}, 1), "above 0"),
        (lambda: AgreedList.from_shares({"a": 0.25, "b": 0.75}, 2, {"a": 10, "b": 30}), "those of your own table"),
    ],
)
def test_what_is_no_agreed_list_is_refused_in_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(CompositionError, match=words) as caught:
        make()
    assert caught.value.parameter == "agreed"


SPOILED = {
    "a blank cell": lambda line: f";{line.partition(';')[2]}",
    "no second cell": lambda line: line.partition(";")[0],
    "a third cell": lambda line: f"{line};more",
    "no mark": lambda line: line.replace(";", " "),
    "the same again": lambda line: f"{line}\n{line}",
    "a quotation mark": lambda line: f'"{line}',
}


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("lines", "read"),
    [
        (["a;x", "b;x", "c;y", "d;y"], AgreedList.from_file),
        (["a;0.5", "b;0.2", "c;0.2", "d;0.1"], lambda text: AgreedList.from_shares(read_shares(text), 2)),
    ],
    ids=["list", "shares"],
)
def test_one_wrong_line_is_refused(how: str, place: int, lines: list[str], read: Any) -> None:
    assert len(read("\n".join(lines)).buckets) == 2
    spoiled = [SPOILED[how](line) if number == place else line for number, line in enumerate(lines)]
    with pytest.raises(SchemaError) as caught:
        read("\n".join(spoiled))
    assert caught.value.parameter == "agreed"


@pytest.mark.parametrize("share", [0.0, -0.1, math.nan, math.inf])
def test_a_share_that_is_no_share_is_refused(share: float) -> None:
    with pytest.raises(CompositionError, match="above 0") as caught:
        AgreedList.from_shares({"a": 0.5, "b": share}, 1)
    assert caught.value.parameter == "agreed"


@pytest.mark.parametrize(
    ("made", "buckets"),
    [
        (AgreedList.from_taxonomy(WARDS, 1), (("n1", "n2"), ("s1", "s2", "s3"))),
        (AgreedList.from_taxonomy(WARDS, 1, 3), (("n1", "n2"), ("s1", "s2", "s3"))),  # no node has twice as many
        (AgreedList.from_taxonomy(WARDS, 0, 2), (("n1", "n2"), ("s1", "s2", "s3"))),
        (AgreedList.from_file("a;x\nb;x\n\nc;y\nd;y\n"), (("a", "b"), ("c", "d"))),
        (AgreedList.from_file(b"\xef\xbb\xbfa,x\nb,x\n"), (("a", "b"),)),
        (AgreedList.from_shares(read_shares("a\t3\nb\t1\nc\t30\nd\t40"), 2), (("b", "a"), ("c", "d"))),
    ],
)
def test_a_list_comes_from_a_level_of_a_tree_a_file_or_shares(made: AgreedList, buckets: Any) -> None:
    assert (made.buckets, made.least) == (buckets, min(map(len, buckets)))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 2), st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_nodes_are_cut_into_runs_of_siblings_of_at_least_so_many(sizes: list[int], level: int, least: int) -> None:
    tree = Taxonomy.from_nested({f"n{i}": [f"v{i}.{j}" for j in range(size)] for i, size in enumerate(sizes)})
    level = min(level, tree.height)
    whole, cut = AgreedList.from_taxonomy(tree, level), AgreedList.from_taxonomy(tree, level, least)
    for node in whole.buckets:
        runs = [bucket for bucket in cut.buckets if set(bucket) <= set(node)]
        assert tuple(value for run in runs for value in run) == node
        assert len(runs) == max(1, len(node) // least)
        assert min(map(len, runs)) >= min(least, len(node))
        assert max(map(len, runs)) - min(map(len, runs)) <= 1


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_buckets_from_shares_cost_least_of_all_ways(weights: list[int], least: int) -> None:
    shares = {f"v{i}": float(weight) for i, weight in enumerate(weights)}
    if least > len(shares):
        return
    found = AgreedList.from_shares(shares, least)
    assert {len(bucket) >= least for bucket in found.buckets} == {True}
    assert sorted(value for bucket in found.buckets for value in bucket) == sorted(shares)
    total = sum(weights)

    def cost(run: Any) -> float:
        return sum(run) * math.log(sum(run) / run[0])

    mine = sum(cost([shares[value] / total for value in bucket]) for bucket in found.buckets)
    assert mine == pytest.approx(slow.cheapest_buckets(sorted(w / total for w in weights), least, cost))


def test_the_list_goes_to_json_and_back_with_the_schema_and_old_files_have_none() -> None:
    schema = roles()
    assert read_schema(json.loads(json.dumps(schema.to_json()))) == schema
    assert "agreed" not in roles(None).to_json()
    before = {**LIST.to_json(), "names": ["viral", "other"], "shares": [[0.5, 0.3, 0.2], [1, 1, 2]]}
    assert read_schema({**schema.to_json(), "agreed": before}).agreed == LIST, "what earlier versions wrote beside"
    for bad in ("x", {"buckets": "ab"}, {"buckets": [["a"]], "more": 1}, {"buckets": [["a"], ["a"]]}):
        with pytest.raises(SchemaError):
            read_schema({**schema.to_json(), "agreed": bad})


def test_a_value_that_the_list_lacks_is_refused_before_anything_is_computed() -> None:
    with pytest.raises(SchemaError, match="lacks 3 of the 6 values of 'disease'") as caught:
        encode(people(), roles(AgreedList((("flu", "cold", "gout"),))))
    assert "burn" not in str(caught.value)


def test_numbers_are_matched_as_numbers() -> None:
    rng = np.random.default_rng(1)
    table = people(disease=rng.choice(["1.0", "2", "3.50"], 300))
    schema = roles(AgreedList((("1", "2.0", "3.5"),)))
    release = anonymize(table, schema, asking(), "by-bucket")
    assert measure(release.publish(seed=0), schema).numbers["agreed"] == 3


# ---- the model -------------------------------------------------------------------------------


@given(st.data())
@settings(deadline=None, max_examples=80)
def test_closed_is_what_the_slow_twin_and_the_published_file_say(data: st.DataObject) -> None:
    values = list("uvwxyz")
    cuts = data.draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
    buckets = tuple(tuple(v for v, c in zip(values, cuts, strict=True) if c == b) for b in sorted(set(cuts)))
    rows = data.draw(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([*values, ""])), min_size=2, max_size=40))
    frame = pd.DataFrame({"q": [f"c{label}" for label, _ in rows], "s": [value for _, value in rows]})
    if frame["s"][frame["s"] != ""].nunique() < 2:
        return
    schema = Schema(["q"], "s", agreed=AgreedList(buckets))
    encoded = encode(Table.from_frame(frame), schema)
    release = Release.of(encoded, encoded.codes[0], Policy(1), "by hand")
    found = values_left(release.histogram, encoded.sensitive)
    held = [{value or None for value in frame["s"][frame["q"] == name]} for name in encoded.qids[0].labels]
    wanted = [slow.values_left({None if v in ("", None) else v for v in one}, buckets) for one in held]
    assert found.tolist() == wanted
    text = release.publish(seed=0).to_csv(index=False)
    again = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    assert measure(again, schema).numbers["agreed"] == min(wanted)


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_without_a_list_nothing_is_measured_and_the_model_is_refused(algorithm: str) -> None:
    release = anonymize(people(), roles(None), Policy(4), algorithm)
    assert "agreed" not in measure(release.publish(seed=0), roles(None)).numbers
    with pytest.raises(InfeasibleError, match="No agreed list"):
        anonymize(people(), roles(None), asking(), algorithm)


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_buckets_smaller_than_asked_are_refused(algorithm: str) -> None:
    with pytest.raises(InfeasibleError, match="2 of the 2 buckets of the agreed list have fewer than 4"):
        anonymize(people(), roles(), asking(4), algorithm)


def test_a_table_that_lacks_a_value_is_refused_by_all_but_bucket_by_bucket() -> None:
    table = people(share=[0.4, 0.2, 0.1, 0.0, 0.2, 0.1])
    with pytest.raises(InfeasibleError, match="1 of the 2 buckets lack a value"):
        anonymize(table, roles(), asking())
    release = anonymize(table, roles(), asking(), "by-bucket")
    inside = np.isin(
        [release.encoded.sensitive.labels[code] for code in release.encoded.sensitive_codes], LIST.buckets[1]
    )
    assert np.array_equal(release.classes.labels < 0, inside)
    assert gcp(release) > inside.mean(), "who is left out counts as lost"
    with pytest.raises(InfeasibleError, match="No bucket of the agreed list has all"):
        anonymize(people(share=[0.5, 0.0, 0.1, 0.0, 0.3, 0.1]), roles(), asking(), "by-bucket")


def test_records_without_a_sensitive_value_are_left_out() -> None:
    disease = np.array(people().to_frame()["disease"])
    disease[:20] = ""
    release = anonymize(people(disease=disease), roles(), asking(), "by-bucket")
    assert np.array_equal(release.labels < 0, disease == "")
    with pytest.raises(InfeasibleError, match="some records have no sensitive value"):
        anonymize(people(disease=disease), roles(), asking())


def test_colluding_providers_and_the_list_are_not_promised_together() -> None:
    table = people(who=np.random.default_rng(2).choice(list("abc"), 300))
    with pytest.raises(PolicyError, match="m-privacy can be promised for k and distinct l only"):
        anonymize(table, roles(provider="who"), asking(m=1))


@pytest.mark.parametrize("algorithm", for_one_publisher())
@pytest.mark.parametrize("policy", [asking(k=1), asking(k=30), asking(l=5, t=0.5)], ids=str)
def test_what_is_asked_is_measured_in_the_file_alone(algorithm: str, policy: Policy) -> None:
    schema = roles()
    release = anonymize(people(), schema, policy, algorithm)
    text = release.publish(seed=0).to_csv(index=False)
    found = measure(pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False), schema)
    assert found.numbers["agreed"] >= 3
    assert found.k >= policy.k
    assert found.distinct_l >= (policy.l or 1)
    assert found.t <= (1 if policy.t is None else policy.t) + 1e-9


# ---- how classes are formed -------------------------------------------------------------------


def test_progress_bucket_by_bucket() -> None:
    rises_and_can_be_stopped(lambda progress: anonymize(people(), roles(), asking(), "by-bucket", progress=progress))


# ---- scenario and command line -----------------------------------------------------------------


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """What the commands are asked of a table of people, whose list lies beside it."""
    lines = [f"{value};{number}\n" for number, bucket in enumerate(LIST.buckets) for value in bucket]
    (tmp_path / "list.csv").write_text("".join(lines))
    schema = Schema(["age", "zip"], "disease")
    return gate(tmp_path, "measure", people(400), schema, "-k", "4", "--algorithm", "by-bucket", "--agreed", "3")


def test_the_command_line_takes_a_list_and_refuses_one_from_the_table(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame, shares = people(400).to_frame(), tmp_path / "shares.csv"
    assert main([*options, "--agreed-list", f"file:{tmp_path / 'list.csv'}"]) == 0
    assert "Values left whatever others publish (agreed list)" in capsys.readouterr().out
    frame["disease"].value_counts().to_csv(shares, header=False)
    assert main([*options, "--agreed-list", f"shares:{shares}"]) == 2
    assert "those of your own table" in capsys.readouterr().err
    public = dict.fromkeys(sorted(set(frame["disease"])), 1.0) | {"flu": 3.0}
    shares.write_text("".join(f"{value},{share}\n" for value, share in public.items()))
    assert main([*options, "--agreed-list", f"shares:{shares}"]) == 0
    capsys.readouterr()
    for wrong, words in (("table", "never comes from the table"), ("taxonomy:1,2", "has no taxonomy")):
        assert main([*options, "--agreed-list", wrong]) == 2
        assert words in capsys.readouterr().err


def test_a_limit_is_held_against_an_adversary_who_knows_the_classes(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["attack", *options[1:], "--their-algorithm", "by-bucket", "--agreed-list", f"file:{tmp_path / 'list.csv'}"]
    given += ["--overlap", "60", "--limit", "breach=0.8"]
    status = {}
    for reading in ((), ("--locate", "assumed"), ("--locate", "default"), ("--locate", "published")):
        status[reading] = main([*given, *reading])
        assert 'fewer than 3 values left; it does not make "at most 4 values left" rare' in capsys.readouterr().out
    assert list(status.values()) == [1, 1, 0, 0]
    assert main([*given, "--confidence", "0.5"]) == 0
    assert "rare" not in capsys.readouterr().out, "the list rules at most two values out"


def test_the_algorithm_without_a_list_is_mondrian() -> None:
    table = people()
    one = anonymize(table, roles(None), Policy(5, l=2), "by-bucket")
    assert np.array_equal(one.labels, anonymize(table, roles(None), Policy(5, l=2)).labels)
