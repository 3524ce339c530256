"""The folder for what an engine cannot keep in memory: gone however, and however early, the work ends."""

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.base.errors import InputError
from core.lake.work import vanishing_folder, work_folder

ROOT = Path(__file__).parents[2]
ENDED = """
import os, sys
from pathlib import Path
from core.lake.work import work_folder

made = Path.mkdir

def and_ended(path, mode):
    made(path, mode)
    print(len(list(path.parent.iterdir())), flush=True)
    os.kill(os.getpid(), int(sys.argv[2]))

Path.mkdir = and_ended
with work_folder(sys.argv[1]):
    print("worked")
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_where_the_work_ends_as_the_folder_is_made(how: signal.Signals, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDED, str(tmp_path), str(int(how))],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout) == (-how, "1\n"), "the folder was made"
    deadline = time.monotonic() + 60
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("making", [work_folder, vanishing_folder])
def test_a_folder_of_ones_own_and_gone_afterwards(making, tmp_path: Path) -> None:
    with making(str(tmp_path)) as first, making(str(tmp_path)) as second:
        assert first != second
        for folder in (first, second):
            assert Path(folder).parent == tmp_path.resolve()
            assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
            (Path(folder) / "rows").write_text("some")
    assert list(tmp_path.iterdir()) == []


def test_a_place_without_room_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(InputError, match="Nothing can be written in the work folder"), work_folder(str(tmp_path)):
        pass
    assert list(tmp_path.iterdir()) == []
