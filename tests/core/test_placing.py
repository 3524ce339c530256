"""Files that get their names together: all new or all old wherever the process is killed, and nothing left behind."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.base import placing, settling
from core.base.errors import InputError
from core.base.placing import Place, placed
from core.cli import MET, main
from tests import killed
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(settling.fcntl is None, reason="processes are forked and killed")

State = dict[str, str]
ROLES = "--qids age,sex --sensitive ill --drop-unassigned"


COMMANDS = {
    "attack": (
        (
            "attack {roles} -k {k} --overlap 20 --repeats 1 --out {folder}/out.txt --record {folder}/record.json "
            "--save-scenario {folder}/more/s.json --evidence {folder}/more/evidence.json"
        ),
        "out.txt",
    ),
    "release": (
        (
            "release {roles} -k {k} --format csv --out {folder}/out --classes {folder}/more/c.csv "
            "--save-scenario {folder}/s.json"
        ),
        "out/part-00000.csv",
    ),
    "frequency-table": ("frequency-table --qids {columns} --sensitive ill --out {folder}/t.parquet", "t.parquet"),
    "report": (
        (
            "report {roles} -k {k} --overlap 20 --repeats 1 --out {folder}/report.json --format json "
            "--evidence {folder}/e.json --save-scenario {folder}/s.json"
        ),
        "report.json",
    ),
}
"""The arguments of a command, some of them in two folders, and the file that is named first."""


def asked(name: str, folder: Path, k: int) -> list[str]:
    """The arguments; of another k another result, of a frequency table too."""
    columns = "age,sex" if k > 5 else "age"
    return COMMANDS[name][0].format(folder=folder, k=k, columns=columns, roles=ROLES).split()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 120), "sex": rng.choice(["f", "m"], 120)})
    path = tmp_path_factory.mktemp("data") / "people.csv"
    frame.assign(ill=rng.choice(["flu", "cold", "gout"], 120)).to_csv(path, index=False)
    return path


def state(folder: Path) -> State:
    """Every file that is not hidden, with its content."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path)]
    return {str(path.relative_to(folder)): path.read_bytes().hex() for path in paths}


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(placing.PREFIX) for part in path.parts)


def hidden(folder: Path) -> list[str]:
    """Names that are hidden, also while they are removed."""
    return [name for _, folders, files in os.walk(folder) for name in (*folders, *files) if name.startswith(".")]


@pytest.mark.parametrize(
    ("name", "force", "alone"),
    [
        ("release", False, False),
        ("release", True, False),
        ("release", True, True),
        ("report", True, False),
        ("attack", True, True),
        ("frequency-table", True, True),
    ],
)
def test_a_set_is_all_new_or_all_old_wherever_the_process_is_killed(
    name: str, force: bool, alone: bool, data: Path, tmp_path: Path
) -> None:
    """By the process that waits for its end, or, if that is killed as well (``alone``), by the next run."""
    folder, kept, made = tmp_path / "now", tmp_path / "old", tmp_path / "new"
    given, first = ["--data", str(data)], COMMANDS[name][1]
    for place in (kept, made):
        (place / "more").mkdir(parents=True)
    assert main([*asked(name, made, 9), *given]) == MET
    if force:
        assert main([*asked(name, kept, 5), *given]) == MET
    old, new = state(kept), state(made)
    assert not old.keys() - new.keys()
    assert all(old[path] != new[path] for path in old)
    with killed.command(*asked(name, folder, 9), *given, *(["--force"] if force else []), alone=alone) as process:
        for at in itertools.count(1):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(kept, folder)
            status = killed.status(process, at)
            if status == MET:
                break
            assert status < 0
            if alone:
                there = state(folder)
                of = new if there.get(first) == new[first] else old
                assert there.items() <= of.items(), "no new file is next to an old one"
                assert (first in there) == (first in of), "what is named first is always there"
                with placed(Place(folder / "next"), Place(folder / "more" / "next")):
                    pass
                (folder / "next").unlink()
                (folder / "more" / "next").unlink()
            else:
                wait_for(lambda: not hidden(folder), 30)
            assert state(folder) in (old, new)
            assert not hidden(folder)
        assert at > 4, "it was killed on the way"
    assert state(folder) == new
    assert not hidden(folder)


def test_leftovers_of_a_living_process_stay(tmp_path: Path) -> None:
    with placed(Place(tmp_path / "first")) as (part,):
        part.write_text("mine")
        with placed(Place(tmp_path / "second")):
            pass
        assert part.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_what_another_user_or_program_made_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of another user must not say what is to be renamed."""
    folder = tmp_path / f"{placing.PREFIX}{'0' * 16}"
    (tmp_path / f"{placing.PREFIX}notes").mkdir()
    folder.mkdir()
    settling.write([str(folder)], [settling.Item(folder / "gone", tmp_path / "x", folder / "old", 1)] * 2)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with placed(Place(tmp_path / "file")):
        pass
    assert folder.is_dir()
    monkeypatch.undo()
    with placed(Place(tmp_path / "file", force=True)):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{placing.PREFIX}notes", "file"]


def test_a_folder_that_a_worker_still_writes_in_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends a moment after its caller: its file may come between the removal of the files and of the folder."""
    left, remove, late = tmp_path / f"{placing.PREFIX}{'0' * 16}", os.rmdir, iter(["part-0", "part-1"])

    def after_the_worker(*args: Any, **options: Any) -> None:
        for name in itertools.islice(late, 1):
            (left / name).touch()
        remove(*args, **options)

    left.mkdir()
    monkeypatch.setattr(os, "rmdir", after_the_worker)
    settling.settle(str(left), wait=True)
    assert not left.exists()
    assert not [*late]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_is_replaced_as_a_whole(exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the system cannot exchange two names at once."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    if not exchange:
        monkeypatch.setattr(placing, "_exchanged", lambda *_: False)
    with placed(Place(tmp_path / "out", force=True, is_folder=True)) as (folder,):
        (folder / "new").touch()
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["out", "out/new"]


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_set_of_which_one_came_into_being_meanwhile_is_not_named(
    is_folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def meanwhile(source: Path, place: Path) -> None:
        if place.name == "b":
            place.write_text("theirs")
        link(source, place)

    monkeypatch.setattr(os, "link", meanwhile)
    places = Place(tmp_path / "a", is_folder=is_folder), Place(tmp_path / "b")
    with pytest.raises(InputError, match="'b' exists"), placed(*places):
        pass
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"b": "theirs"}
