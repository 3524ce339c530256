"""Let a separate process read a file, within a time limit.

A file that fills the memory, takes forever or crashes a library affects only that process. This process reports it in
one sentence and continues.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from core.base.arrays import Progress
from core.base.errors import CompositionError, InputError, LimitError, MemoryShortError, ParameterError, TaxonomyError
from core.data.reading import wire
from core.data.tables.input_limits import InputLimits

Answer = tuple[wire.Head, list[wire.Part]]

# The folder that `core`, or the package that it is installed in, is imported from.
ROOT = str(Path(__file__).parents[__name__.count(".")])
COMMAND = (sys.executable, "-P", "-m", f"{__package__}.child")
# One thread and one pool of memory, so that the whole limit is available for the file.
LEAN = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
TICK = 0.1
REFUSALS = {
    error_class.__name__: error_class
    for error_class in (InputError, LimitError, MemoryShortError, ParameterError, TaxonomyError)
}

_turns = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))


def ask(question: dict[str, Any], stream: BinaryIO, limits: InputLimits, progress: Progress | None = None) -> Answer:
    """Let another process read a file.

    No more files are read at once than there are processors; others wait their turn.

    Parameters
    ----------
    question
        What to do, as values that JSON can hold.
    stream
        The file.
    limits
        Limits, including those on memory and time.
    progress
        Called every tenth of a second with the share of the file that was read, from 0 to 1. An exception that it
        raises stops the reading.

    Returns
    -------
    head, parts
        As :func:`core.data.reading.wire.receive` gives them.

    Raises
    ------
    CompositionError
        If the reader refused the file, exceeded a limit, or ended without an answer.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    line = json.dumps({**question, "size": size, "limits": asdict(limits)}).encode() + b"\n"
    tick = progress or (lambda _: None)
    while not _turns.acquire(timeout=TICK):
        tick(0.0)
    try:
        with _process() as child:
            return _conversation(child, line, stream, limits, tick)
    finally:
        _turns.release()


def _process() -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
    with contextlib.suppress(OSError):
        return subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **LEAN, "PYTHONPATH": path},
        )
    raise _not_started()


def _conversation(
    child: subprocess.Popen[bytes], line: bytes, stream: BinaryIO, limits: InputLimits, tick: Progress
) -> Answer:
    assert child.stdin is not None
    assert child.stdout is not None
    at = [0.0]
    end = time.monotonic() + limits.seconds
    with ThreadPoolExecutor(2) as pool:
        try:
            with _enough_threads():
                given = pool.submit(_give, child.stdin, line, stream)
                answer = pool.submit(_hear, child.stdout, limits, at)
            while not answer.done() and time.monotonic() < end:
                wait([answer], TICK)
                tick(at[0])
            if answer.done():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(1)
        finally:
            late = child.poll() is None
            child.kill()  # both threads end with it
    trouble = answer.exception()
    if trouble is None:
        return answer.result()
    raise _refusal(child.returncode, late, given.exception() or trouble, limits)


@contextlib.contextmanager
def _enough_threads() -> Iterator[None]:
    started = False
    with contextlib.suppress(RuntimeError):
        yield
        started = True
    if not started:
        raise _not_started()


def _give(pipe: Any, line: bytes, stream: BinaryIO) -> None:
    """Send the file; the reader may stop reading before its end."""
    with contextlib.suppress(BrokenPipeError), pipe:
        pipe.write(line)
        while data := stream.read(wire.BLOCK):
            pipe.write(data)


def _hear(pipe: Any, limits: InputLimits, at: list[float]) -> Answer:
    """Wait for the answer and report the progress of reading."""
    while True:
        head, parts = wire.receive(pipe, limits)
        if head.refused is not None:
            error_class, message, parameter = head.refused
            raise REFUSALS.get(error_class, InputError)(message, parameter=parameter, choices=head.choices)
        if head.at is None:
            return head, parts
        at[0] = min(1.0, max(0.0, head.at))


def _refusal(code: int, late: bool, trouble: BaseException, limits: InputLimits) -> BaseException:
    """Return the error for a missing answer."""
    if isinstance(trouble, CompositionError):
        return trouble
    if late or code == -getattr(signal, "SIGXCPU", 0):
        return LimitError(
            f"Reading the file takes more than {limits.seconds:g} seconds, the most that is accepted; load a part of "
            "it, or raise the limit (InputLimits.seconds) in a script."
        )
    if code == wire.OUT_OF_MEMORY or isinstance(trouble, MemoryError):
        return MemoryShortError(
            f"Reading the file needs more memory than is accepted ({limits.memory / 1e9:.6g} GB) or free; load a "
            "part of it, leave columns out, or raise the limit (InputLimits.memory) in a script."
        )
    if isinstance(trouble, wire.Ended):
        return InputError(
            "The file cannot be read: it is damaged, or its content takes more than the memory that is accepted "
            f"({limits.memory / 1e9:.6g} GB); write it again, or save a part of it as CSV."
        )
    if isinstance(trouble, OSError | ValueError):
        return InputError("The file cannot be read to its end; copy it and try again.")
    return trouble


def _not_started() -> InputError:
    return MemoryShortError(
        "The file was not read, because no process could be started for it; close other programs and try again."
    )
