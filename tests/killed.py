"""Commands that are killed at one of their calls that make, name or remove a file: ``python -m tests.killed``.

For each number on a line of the input the command of the arguments runs in a fork and is killed just before the call of
that number; the exit status, below 0 if it was killed, is a line of the output. With ``alone`` first, the process
that waits for its end is killed before.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.cli import main
from tests.source import ROOT

CALLS = {"os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir"}
"""What Python tells an audit hook just before it calls the system; replace and unlink are among them."""


def run_and_die(arguments: Sequence[str], at: int, alone: bool) -> int:
    """Run a command in this process, up to the call of a number."""
    calls, watchers, popen = itertools.count(1), list[subprocess.Popen[bytes]](), subprocess.Popen

    def started(*a: object, **k: object) -> subprocess.Popen[bytes]:
        watchers.append(popen(*a, **k))  # type: ignore[call-overload]
        return watchers[-1]

    def seen(event: str, _: object) -> None:
        if event in CALLS and next(calls) == at:
            for watcher in watchers if alone else ():
                watcher.kill()
            os.kill(os.getpid(), signal.SIGKILL)

    subprocess.Popen = started  # type: ignore[assignment,misc]
    sys.addaudithook(seen)
    return main(arguments)


@contextmanager
def command(*arguments: str, alone: bool = False) -> Iterator[subprocess.Popen[str]]:
    """Start this module for a command."""
    words = [sys.executable, "-m", "tests.killed", *(["alone"] if alone else []), *arguments]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.communicate()


def status(process: subprocess.Popen[str], at: int) -> int:
    """Exit status of the command that is killed at a call."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{at}\n")
    process.stdin.flush()
    return int(process.stdout.readline())


if __name__ == "__main__":
    is_alone = sys.argv[1] == "alone"
    for line in sys.stdin:
        child = os.fork()
        if not child:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nowhere, number)
            os._exit(run_and_die(sys.argv[1 + is_alone :], int(line), is_alone))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
