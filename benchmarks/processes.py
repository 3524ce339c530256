"""What a process and all that it started use: memory and processor time, as Linux counts them."""

from __future__ import annotations

import os
import threading
from pathlib import Path

LOOK = 0.1
"""Seconds between two looks."""


def family(process: int) -> list[int]:
    """Return a process and its descendants that are there now; none where the system does not tell."""
    mine: list[int] = []
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            mine += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return [process, *(one for child in mine for one in family(child))]


class Watch:
    """Looks ten times a second at what a process and its descendants use, until it is over.

    Memory that several share is counted once, in parts. What a descendant used of the processor after
    the last look at it is not seen: a tenth of a second at most.
    """

    def __init__(self, process: int) -> None:
        self._process, self._over = process, threading.Event()
        self._seconds: dict[int, float] = {}
        self.megabytes = 0.0
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no longer."""
        self._over.set()
        self._thread.join()

    @property
    def seconds(self) -> float:
        """Processor time of all of them."""
        return sum(self._seconds.values())

    def _look(self) -> None:
        per_second = os.sysconf("SC_CLK_TCK")
        while not self._over.wait(LOOK):
            megabytes = 0.0
            for process in family(self._process):
                try:
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                    self._seconds[process] = (int(fields[11]) + int(fields[12])) / per_second
                    megabytes += share_of_memory(process)
                except OSError:
                    continue  # it has ended
            self.megabytes = max(self.megabytes, megabytes)


def share_of_memory(process: int) -> float:
    """Megabytes of a process; of what several share, its part."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024e-6
    return 0.0
