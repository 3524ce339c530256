"""How `make test` hands out the tests to its processes."""

from __future__ import annotations

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

TOGETHER = ("browser", "delivery", "server")
"""Folders whose files share what is costly to make: Chromium and a server, an installed program, a watched server."""
FULL_ONLY = (
    *(f"tests/{folder}/" for folder in TOGETHER),
    *(f"tests/core/test_engine{room}.py" for room in ("", "_frames", "_spark")),
    "tests/core/test_engine_spark_",
    "tests/core/test_frequency_table_command.py::test_the_commands_of_the_guide",
    "tests/core/test_counted_draws.py",
    "tests/core/test_synthetic.py",
    "tests/pages/test_random_walk.py",
    "tests/core/test_command_progress.py",
    "tests/test_benchmarks",
)
"""Tests that drive a browser, a server or an engine for long, install something, or draw a thousand times: long."""


class Units(LoadScopeScheduling):
    """Hand out the tests file by file, and whole folders whose files share something: each fixture is made once.

    The groups of pytest-xdist 3.8 do not work with pytest 9.2: it marks them in a name that is no longer read.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def remove_node(self, node: WorkerController) -> str | None:
        """Take back what a process has left undone; return the test that ended it, which is not begun again.

        Pytest-xdist 3.8 hands out the files that such a process had finished as well, and waits for ever for a process
        that has got one of them and so nothing to do; it hands tests to one that has not collected them yet, too.
        """
        ended_by = None
        for name, unit in self.assigned_work.pop(node).items():
            left = [test for test, done in unit.items() if not done]
            if left and ended_by is None:
                ended_by = left.pop(0)
            if left:
                self.workqueue[name] = dict.fromkeys(left, False)
                self.workqueue.move_to_end(name, last=False)
        for other in self.nodes:
            self._reschedule(other)
        return ended_by

    def _reschedule(self, node: WorkerController) -> None:
        """Give a process units until it has two tests: it runs one when it knows the next, or that none follows."""
        if node not in self.registered_collections:
            return
        super()._reschedule(node)
        while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            self._assign_work_unit(node)
        if not self.workqueue and not node.shutting_down:
            node.shutdown()


def unit_of(nodeid: str) -> str:
    """Return what stays in one process: the folder of a test, or its file."""
    folder = folder_of(nodeid)
    return folder if folder in TOGETHER else nodeid.partition("::")[0]


def folder_of(nodeid: str) -> str:
    """Return the folder of a test below `tests`, or its file where it lies in none."""
    return nodeid.removeprefix("tests/").partition("/")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Units:
    """Return what hands out the tests, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return Units(config, log)  # type: ignore[arg-type]
