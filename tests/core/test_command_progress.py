"""A long command tells a terminal how far it is, and a pipe or a file nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core import examples
from tests.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

SLOW = (
    "import time\nfrom core.cli import progress\nprogress.DELAY = 0.05\n"
    "with progress.bar('Working it out') as told:\n"
    "    for step in range(5):\n"
    "        time.sleep(0.1)\n"
    "        if told: told(step / 4)\n"
    "        if told: told(0.1)  # never back\n"
)


def on_terminal(command: list[str], folder: Path = ROOT) -> tuple[int, str, str]:
    """Run a command whose standard error is a terminal; its status, standard output and what the terminal got."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=follower, text=True) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                block = os.read(leader, 4096)
            except OSError:  # the end of a terminal, on Linux
                break
            if not block:
                break
            shown += block
        out = process.stdout.read()
    os.close(leader)
    return process.returncode, out, shown.decode()


def test_a_terminal_sees_how_far_it_is_and_then_nothing_of_it() -> None:
    status, out, shown = on_terminal([sys.executable, "-c", SLOW])
    assert (status, out) == (0, "")
    assert "Working it out" in shown
    assert " 50% |" in shown
    seen = [int(share) for share in re.findall(r"(\d+)%", shown)]
    assert max(seen) == 100
    assert seen == sorted(seen)
    assert shown.rpartition("\r")[0].rpartition("\r")[2].strip() == "", "the line is wiped at the end"


def test_without_the_package_the_command_goes_on() -> None:
    without = "import sys\nsys.modules['tqdm'] = None\n" + SLOW
    assert on_terminal([sys.executable, "-c", without]) == (0, "", "")


def test_a_long_command_tells_a_terminal_and_gives_the_same_result(tmp_path: Path) -> None:
    data = tmp_path / "city.csv"
    examples.city(3000).to_frame().to_csv(data, index=False)
    schema = examples.city_schema()
    command = [sys.executable, "-m", "core", "attack", "--data", str(data), "--drop-unassigned", "-k", "5"]
    command += ["--qids", ",".join(schema.quasi_identifiers), "--sensitive", schema.sensitive, "--overlap", "500"]
    # Where it takes less than a second nobody would be told.
    at_once = "import sys\nfrom core.cli import main, progress\nprogress.DELAY = 0.0\nsys.exit(main(sys.argv[1:]))"
    status, out, shown = on_terminal([sys.executable, "-c", at_once, *command[3:]])
    piped = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (status, out) == (piped.returncode, piped.stdout)
    assert status == 0, shown
    assert "Working it out" in shown
    assert piped.stderr == "", "a pipe sees nothing"
