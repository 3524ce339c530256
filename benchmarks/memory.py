"""Peak memory of Mondrian on a million records, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.data import ROOT, Data
from core import Policy
from core.algorithms import partition

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def peak(distinct: bool, quick: bool) -> tuple[float, float]:
    """Return the megabytes of the whole process at their highest, and before the work, in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory", str(int(distinct)), str(int(quick))]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    highest, before = map(float, run.stdout.split())
    return highest, before


def _resident(line: str) -> float:
    """Megabytes in a line of the process's status: VmHWM is the highest so far, VmRSS the present."""
    for found in _STATUS.read_text().splitlines():
        if found.startswith(line):
            return float(found.split()[1]) * 1024 / 1e6
    raise OSError(f"no {line}")


def _main(distinct: bool, quick: bool) -> None:
    encoded = Data(quick).million(distinct)
    try:
        # Making the table takes memory too: start the highest mark anew.
        _RESET.write_text("5")
        before = _resident("VmRSS")
    except OSError:
        before = 0.0
    release = partition(encoded, Policy(5))
    highest = _resident("VmHWM") if before else _highest_so_far()
    print(highest, before)
    del release


def _highest_so_far() -> float:
    """Where the system keeps no such file (macOS): the highest of the whole process, in bytes there."""
    import resource

    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found / 1e6 if sys.platform == "darwin" else found * 1024 / 1e6


if __name__ == "__main__":
    _main(sys.argv[1] == "1", sys.argv[2] == "1")
