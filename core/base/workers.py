"""Compute in worker processes, so that one user's long work does not slow everyone's pages.

A server of forks is started once, with what it computes imported. For every piece of work it makes a copy of itself,
which computes, answers and ends, so no data outlives the answer. A caller that no longer wants the answer closes the
line, and the worker ends. On a system that cannot fork (:func:`can_fork`) the caller computes in its own process.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from core.base.arrays import Progress, T
from core.base.errors import CompositionError

LOOK = 0.05
"""Seconds between two progress checks."""
NO_ANSWER = "a worker ended without an answer"
BACKGROUND = 10
"""Niceness of background work: it uses processor time that other work leaves."""

# The folder that `core`, or the package that it is installed in, is imported from.
_ROOT = str(Path(__file__).parents[__name__.count(".")])
# One thread a worker. Memory need not be wiped as it is freed: the process ends with the work.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_MEMORY = "memory"
_ONLY_OF_SERVERS = ("PYTHONMALLOC", "MALLOC_PERTURB_")


class WorkerError(RuntimeError):
    """The work failed; the text names the kind of error and its place, never a value."""


def can_fork() -> bool:
    """Whether this system can copy a process."""
    return hasattr(os, "fork") and hasattr(socket, "send_fds")


class Workers:
    """Processes for work outside this one.

    Parameters
    ----------
    modules
        What to import beforehand: the modules of the functions that will be called.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = tuple(modules)
        self._lock = threading.Lock()
        self._line: socket.socket | None = None
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the fork server if it is not running; its imports take half a second.

        Raises OSError where no process can be started.
        """
        with self._lock:
            self._start()

    def run(self, work: Callable[..., T], *args: Any, progress: Progress | None = None, background: bool = False) -> T:
        """Call a function in a worker and wait for what it returns.

        Parameters
        ----------
        work, args
            A function of a module, and its arguments except the last, which is a function that receives the share done.
            Arguments and result are copied: a second for some 500 MB.
        progress
            Called here, 20 times a second, with the share done. What it raises ends the worker at once.
        background
            Whether the work gets only what other work leaves of the processors.

        Raises
        ------
        CompositionError
            If the function refused.
        WorkerError
            If it failed in another way.
        OSError
            If no worker can be started; compute in this process.
        """
        tick = progress or (lambda _: None)
        line = self._worker(background)
        with contextlib.closing(line):
            try:
                _send(line, (work, args))
                share = 0.0
                while True:
                    while not line.poll(LOOK):
                        tick(share)
                    head, *content = _receive(line)
                    if head == "share":
                        share = content[0]
                        tick(share)
                    elif head == "done":
                        result: T = content[0]
                        return result
                    else:
                        raise _trouble(head, *content)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                raise WorkerError(NO_ANSWER) from None

    def close(self) -> None:
        """Stop the fork server and all waiting workers."""
        with self._lock:
            if self._line is not None:
                self._line.close()
            if self._server is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._server.wait(2)
                if self._server.poll() is None:
                    self._server.kill()
                    self._server.wait()
            self._line = self._server = None

    def _worker(self, background: bool) -> Connection:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with self._lock:
                self._start()
                assert self._line is not None
                socket.send_fds(self._line, [bytes([BACKGROUND * background])], [theirs.fileno()])
            return Connection(ours.detach())

    def _start(self) -> None:
        if self._server is not None and self._server.poll() is None:
            return
        if self._line is not None:
            self._line.close()
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (_ROOT, os.environ.get("PYTHONPATH"))))
        kept = {name: value for name, value in os.environ.items() if name not in _ONLY_OF_SERVERS}
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno()), *self._modules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**kept, **_ENVIRONMENT, "PYTHONPATH": path},
            )
        self._line = ours


# ---- along the line --------------------------------------------------------------------------


def _send(line: Connection, message: Any) -> None:
    """Send a message, its arrays separately in their memory layout, while other threads continue."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    raw = [array.raw() for array in arrays]
    line.send((rest, [array.nbytes for array in raw]))
    for array in raw:
        unsent = array
        while unsent.nbytes:
            unsent = unsent[os.write(line.fileno(), unsent) :]


def _receive(line: Connection) -> Any:
    """Receive the next message; EOFError if none will come."""
    rest, sizes = line.recv()
    arrays = [bytearray(size) for size in sizes]
    for array in arrays:
        room = memoryview(array)
        while room.nbytes:
            read = os.readv(line.fileno(), [room])
            if not read:
                # not tested: a worker that dies within a message.
                raise EOFError
            room = room[read:]
    return pickle.loads(rest, buffers=arrays)  # noqa: S301 - from a process of ours


def _trouble(error_class: Any, message: str, parameter: str | None = None) -> Exception:
    if error_class == "failed":
        return MemoryError() if message == _MEMORY else WorkerError(message)
    error: CompositionError = error_class.__new__(error_class)
    CompositionError.__init__(error, message, parameter=parameter)
    return error


# ---- in the other processes ------------------------------------------------------------


def main(number: str, *modules: str) -> None:
    """Fork a worker for every incoming line, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system clears workers away that have ended
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(number)) as line:
        while True:
            message, lines, _, _ = socket.recv_fds(line, 1, 1)
            if not message:
                return
            if _forked() == 0:
                line.close()
                _work(Connection(lines[0]), message[0])
                os._exit(0)
            os.close(lines[0])


def _forked() -> int | None:
    """Fork; 0 in the new process. If no process can be created, close the line without an answer."""
    with contextlib.suppress(OSError):
        return os.fork()
    return None


def _work(line: Connection, niceness: int) -> None:
    """Do one piece of work and send the answer."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.nice(niceness)
    work, args = _receive(line)
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    last_report = [time.monotonic()]

    def progress(share: float) -> None:
        if time.monotonic() - last_report[0] > LOOK:
            last_report[0] = time.monotonic()
            _send(line, ("share", float(share)))

    with _Answer(line):
        _send(line, ("done", work(*args, progress)))


class _Answer:
    """Reports errors inside it: a refusal unchanged, any other error by kind and place, never its text."""

    def __init__(self, line: Connection) -> None:
        self._line = line

    def __enter__(self) -> None: ...

    def __exit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Send an answer unless one was sent already."""
        if isinstance(error, CompositionError):
            _send(self._line, (error_class, error.message, error.parameter))
        elif isinstance(error, MemoryError):
            _send(self._line, ("failed", _MEMORY))
        elif error_class is not None:
            frames = reversed(traceback.extract_tb(trace)[-6:])
            place = " < ".join(f"{frame.name}:{frame.lineno}" for frame in frames)
            _send(self._line, ("failed", f"{error_class.__name__} at {place}"))
        return True


def _end_with(line: Connection) -> None:
    """Exit at once when no one reads the answers any more."""
    with contextlib.suppress(EOFError, OSError):
        line.recv()
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
