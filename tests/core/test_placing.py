"""Files that get their names whole wherever the process is killed; nothing left behind, and nothing else touched."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.base import placing, settling
from core.base.errors import InputError
from core.base.placing import Place, placed, watched_folders
from core.cli import MET, main
from core.decision.scenario.scenario_file import FORMAT
from core.engine import work
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
def test_files_are_whole_wherever_the_process_is_killed_and_a_mixed_set_shows(
    name: str, force: bool, alone: bool, data: Path, tmp_path: Path
) -> None:
    """The process that waits for its end removes what it left; if that is killed (``alone``), the next run does."""
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
    mixed = 0
    with killed.command(*asked(name, folder, 9), *given, *(["--force"] if force else []), alone=alone) as process:
        for at in itertools.count(1):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(kept, folder)
            status = killed.status(process, at)
            if status == MET:
                break
            assert status < 0
            if alone:
                with placed(Place(folder / "next"), Place(folder / "more" / "next")):
                    pass
                (folder / "next").unlink()
                (folder / "more" / "next").unlink()
                for path in folder.rglob(f"{placing.PREFIX}*"):
                    path.rmdir()  # it was killed as it made the folder, which is empty
            else:
                wait_for(lambda: not hidden(folder), 30)
            there = state(folder)
            assert old.keys() <= there.keys(), "what was there is there, old or new"
            assert there.items() <= old.items() | new.items(), "every file is whole"
            assert not hidden(folder)
            if there not in (old, new):
                mixed += 1
                assert there[first] == new[first], "it is named first"
                if name in ("attack", "report"):
                    assert len(runs(folder)) == 1 + force, "files that say of which run they are"
        assert at > 4, "it was killed on the way"
    assert mixed or len(new) == 1
    assert state(folder) == new
    assert len(runs(folder)) <= 1
    assert not hidden(folder)


def runs(folder: Path) -> set[str]:
    """Runs that the texts of a folder name: by the digest of the scenario, which has that of the table."""
    return {run_of(path.read_text()) for path in folder.rglob("*") if path.suffix in (".json", ".txt")}


def run_of(text: str) -> str:
    if not text.startswith("{"):
        return text.rsplit(maxsplit=1)[-1]
    facts = json.loads(text)
    if facts.get("format") == FORMAT:
        return hashlib.sha256(text.encode()).hexdigest()
    entry, *_ = facts.get("publications", [facts.get("data", facts)])
    return str(entry["scenario_digest"])


def test_leftovers_of_a_living_process_stay(tmp_path: Path) -> None:
    with placed(Place(tmp_path / "first")) as (part,):
        part.write_text("mine")
        with placed(Place(tmp_path / "second")):
            pass
        assert part.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


@pytest.mark.parametrize("end", ["", "-1"])
@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        (placing.PREFIX, "attack {roles} -k 5 --overlap 20 --repeats 1 --out {folder}/out.txt"),
        (work.PREFIX, "frequency-table --qids age,sex --sensitive ill --out {folder}/out.csv --work {folder}"),
    ],
)
def test_a_folder_that_a_user_unpacked_loses_nothing_and_says_nothing(
    prefix: str, command: str, end: str, data: Path, tmp_path: Path
) -> None:
    """Whatever lists of names it has; a run beside it keeps its files, too."""
    if prefix == work.PREFIX:
        pytest.importorskip("duckdb", reason="the engine is an extra: composition-gate[engine]")
    folder, mine = tmp_path / "folder", tmp_path / "mine"
    for place in (folder / "reports", mine):
        place.mkdir(parents=True)
        (place / "a.txt").write_text("a")
        (place / "b.txt").write_text("b")
    unpacked = folder / f"{prefix}{'0' * 16}{end}"
    unpacked.mkdir()
    (unpacked / "thesis.txt").write_text("of the user")
    named = [unpacked / "new0", mine / "a.txt", unpacked / "old0", (mine / "a.txt").stat().st_ino]
    moved = [mine / "b.txt", mine / "c.txt", unpacked / "old1", (mine / "b.txt").stat().st_ino]
    facts = {"folders": [str(unpacked), str(mine), str(folder / "reports")], "items": [named, moved]}
    (unpacked / "set").write_text(json.dumps(facts, default=str))
    (unpacked / "link").symlink_to(mine)
    before = everything(tmp_path)
    with watched_folders([str(folder)], prefix) as ((beside,), _):
        Path(beside, "rows").write_text("of the other run")
        arguments = command.format(folder=folder, roles=ROLES).split()
        assert main([*arguments, "--data", str(data)]) == MET
        assert Path(beside, "rows").read_text() == "of the other run"
    next(folder.glob("out.*")).unlink()
    assert everything(tmp_path) == before


def everything(folder: Path) -> str:
    """Digest of the names, links and contents below a folder."""
    facts = [
        (
            str(path.relative_to(folder)),
            str(path.readlink()) if path.is_symlink() else path.is_file() and path.read_text(),
        )
        for path in sorted(folder.rglob("*"))
    ]
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def leftover(start: Path) -> Path:
    """What a run leaves that is killed."""
    start.mkdir(parents=True)
    return start.rename(settling.numbered(str(start)))


@pytest.mark.parametrize("prefix", [placing.PREFIX, work.PREFIX])
def test_a_leftover_goes_alone(prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what its links lead to, not one of another user, and not one that is called otherwise."""
    mine, place = tmp_path / "mine", tmp_path / "place"
    mine.mkdir()
    left, notes = leftover(place / f"{prefix}{'0' * 16}"), leftover(place / f"{prefix}notes")
    linked = place / f"{prefix}{'1' * 16}-{mine.stat().st_ino}"
    (mine / "a.txt").write_text("a")
    (left / "folder").symlink_to(mine)
    (left / "file").symlink_to(mine / "a.txt")
    linked.symlink_to(mine)
    before = everything(mine)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: left.stat().st_uid + 1)
        settling.tidy(str(place), prefix)
    assert left.is_dir()
    settling.tidy(str(place), prefix)
    assert sorted(place.iterdir()) == sorted([notes, linked])
    assert everything(mine) == before


def test_a_folder_that_a_worker_still_writes_in_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends a moment after its caller: its file may come between the removal of the files and of the folder."""
    left, remove, late = tmp_path / f"{placing.PREFIX}{'0' * 16}", os.rmdir, iter(["part-0", "part-1"])

    def after_the_worker(*args: Any, **options: Any) -> None:
        for name in itertools.islice(late, 1):
            (left / name).touch()
        remove(*args, **options)

    left.mkdir()
    monkeypatch.setattr(os, "rmdir", after_the_worker)
    settling.remove(str(left))
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


def test_a_folder_stays_if_the_new_one_cannot_get_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system cannot exchange two names, the old folder is never where the end of a process removes it."""

    rename = Path.rename

    def unless_new(path: Path, place: Path) -> Path:
        if path.name == "new0":
            assert len([*tmp_path.glob("out-before-*/old")]) == 1
            raise OSError(28, "No space left on device")
        return rename(path, place)

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    monkeypatch.setattr(placing, "_exchanged", lambda *_: False)
    monkeypatch.setattr(Path, "rename", unless_new)
    place = Place(tmp_path / "out", force=True, is_folder=True)
    with pytest.raises(InputError, match=r"the disk is full. What was there before is unchanged"), placed(place):
        pass
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["out", "out/old"]


def test_a_set_that_is_replaced_in_part_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def only_the_first(path: Path, place: Path) -> None:
        if place.name == "b":
            raise OSError(28, "No space left on device")
        replace(path, place)

    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(Path, "replace", only_the_first)
    places = [Place(tmp_path / name, force=True) for name in ("a", "b")]
    with (
        pytest.raises(InputError, match=r"^'b' cannot be written; the disk is full. The other files are"),
        placed(*places),
    ):
        pass
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "", "b": "old"}


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
