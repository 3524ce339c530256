"""The folder for what an engine cannot keep in memory: gone however, and however early, the work ends."""

import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.errors import InputError
from core.lake.work import vanishing_folder, work_folder
from tests.source import ROOT
from tests.waiting import wait_for

ENDED = """
import os, sys
from pathlib import Path
from core.lake.output import placed
from core.lake.work import work_folder

def ended():
    print(*[oct(path.stat().st_mode)[-3:] for path in Path(sys.argv[1]).iterdir()], flush=True)
    os.kill(os.getpid(), int(sys.argv[2]))

"""
ENDS = {
    "as the folder is made": """
made = Path.mkdir
def and_ended(path, mode):
    made(path, mode)
    ended()
Path.mkdir = and_ended
with work_folder(sys.argv[1]):
    pass
""",
    "with rows in the folder": """
with work_folder(sys.argv[1]) as folder:
    Path(folder, "rows").write_text("raw")
    ended()
""",
    "as a file is written": """
with placed(Path(sys.argv[1], "out"), False, is_folder=False) as part:
    part.write_text("secret")
    ended()
""",
    "as a folder is written": """
with placed(Path(sys.argv[1], "out"), False, is_folder=True) as part:
    (part / "rows").write_text("secret")
    ended()
""",
}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ENDS)
def test_nothing_is_left_however_and_whenever_the_work_ends(when: str, how: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDED + ENDS[when], str(tmp_path), str(int(how))]
    ended = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "700\n", "something was made, for its user alone"
    assert ended.returncode != 0
    wait_for(lambda: not list(tmp_path.iterdir()), 60)


@pytest.mark.parametrize("making", [work_folder, vanishing_folder])
def test_a_folder_of_ones_own_and_gone_afterwards(making, tmp_path: Path) -> None:
    with making(str(tmp_path)) as first, making(str(tmp_path)) as second:
        assert first != second
        for folder in (first, second):
            assert Path(folder).parent == tmp_path.resolve()
            assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
            (Path(folder) / "rows").write_text("some")
    assert list(tmp_path.iterdir()) == []


def test_no_work_folder_no_disk(tmp_path: Path) -> None:
    with work_folder(None) as folder:
        assert folder is None
    (tmp_path / "file").touch()
    for place in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(InputError, match="work folder"), work_folder(str(place)):
            pass


def test_a_place_without_room_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(InputError, match="Nothing can be written in the work folder"), work_folder(str(tmp_path)):
        pass
    assert list(tmp_path.iterdir()) == []
