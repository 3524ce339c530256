"""An algorithm, and a file format, are one declaration each: a toy of both, by the recipes of CONTRIBUTING.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core import Policy, anonymize, examples, read_table
from core.cli.program import main
from core.data.reading import READERS
from core.data.reading.gather import Gather, Parsed
from core.data.reading.stream import SIGNATURES
from core.data.tables.input_limits import InputLimits
from core.release.algorithm import ALGORITHMS, Algorithm, declare
from core.release.remeasured import remeasured


@pytest.fixture
def runs_of_k(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of k records in the order of the first quasi-identifier; the rest joins the last."""

    def run(encoded, policies, progress=None):
        place = np.argsort(np.argsort(encoded.codes[0], kind="stable"))
        return [np.minimum(place // policy.k, len(place) // policy.k - 1).astype(np.int32) for policy in policies]

    monkeypatch.setitem(ALGORITHMS, "runs-of-k", None)  # taken back at the end
    declare(Algorithm("runs-of-k", "Runs of k", "Sorts by the first column.", run=run))


@pytest.mark.usefixtures("runs_of_k")
def test_a_new_algorithm_releases_and_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    city, schema = examples.city(200), examples.city_schema()
    release = anonymize(city, schema, Policy(k=7), "runs-of-k")
    assert remeasured(release, schema).k >= 7
    assert release.algorithm.words == "Runs of k"
    city.to_frame().to_csv(tmp_path / "city.csv", index=False)
    asked = ["--qids", "age,sex", "--sensitive", "diagnosis", "--drop-unassigned", "-k", "7"]
    assert main(["measure", "--data", str(tmp_path / "city.csv"), *asked, "--algorithm", "runs-of-k", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["numbers"]["k"]["value"] >= 7


def test_a_new_format_is_read_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_toy(stream, limits, request):
        header, *rows = (line.split("~") for line in stream.read().decode().splitlines()[1:])
        gather = Gather(header, 2, limits)
        gather.add_rows(rows, range(3, 3 + len(rows)))
        return Parsed(gather.finish(), {"format": "toy"}, gather.notes)

    monkeypatch.setitem(SIGNATURES, b"TOY1", "toy")
    monkeypatch.setitem(READERS, "toy", read_toy)
    table = read_table(b"TOY1\nage~ill\n34~flu\n41~gout\n", limits=InputLimits(isolated=False))
    assert table.names == ("age", "ill")
    assert table.read_info["format"] == "toy"
