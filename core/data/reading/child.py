"""Read one file in a separate process: ``python -m core.data.reading.child``.

Standard input gives the question, a line of JSON, and then the file; standard output receives the progress and the
answer (:mod:`core.data.reading.wire`). Nothing else is written, not even a core dump. On an unexpected error the
process ends, and :mod:`core.data.reading.apart` reports it in a sentence.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from core.base.errors import CompositionError
from core.data.reading import Request, read_here, read_hierarchy_here, wire
from core.data.tables.input_limits import InputLimits

BEAT = 0.2


def main() -> None:
    """Answer one request."""
    given, out = sys.stdin.buffer, sys.stdout.buffer
    question = json.loads(given.readline())
    limits = InputLimits(**question["limits"])
    try:
        _confine(limits)
        stream = io.BytesIO()
        shutil.copyfileobj(given, stream, wire.BLOCK)  # read as a whole it would be in memory twice
        stream.seek(0)
        if len(stream.getbuffer()) != question["size"]:
            os._exit(1)  # the caller has gone
        with _beat(stream, out):
            head, parts = _answer(question, stream, limits)
        wire.send(out, head, parts)
    except MemoryError:
        os._exit(wire.OUT_OF_MEMORY)
    os._exit(0)  # avoids the time to free millions of texts


def _answer(question: dict[str, Any], stream: BinaryIO, limits: InputLimits) -> tuple[wire.Head, list[wire.Part]]:
    try:
        if question["what"] == "hierarchy":
            tree = read_hierarchy_here(stream, question["column"])
            parts: list[wire.Part] = [
                (tree.labels, np.array(tree.parents, dtype=np.int32)),
                (tree.notes, np.zeros(0, dtype=np.int32)),
            ]
            return wire.Head(), parts
        table = read_here(stream, Request(**question["request"]), limits)
    except CompositionError as error:
        refused = type(error).__name__, error.message, error.parameter
        return wire.Head(refused=refused, choices=list(error.choices)), []
    head = wire.Head(names=list(table.names), decimal=table.decimal, source=dict(table.read_info))
    return head, [(column.labels, column.codes) for column in table.columns]


def _confine(limits: InputLimits) -> None:
    """Limit the memory beyond what Python itself needs, and the processor time.

    Windows has no such limits and macOS enforces only that on time.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: int(limits.seconds) + 2}
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        wanted[resource.RLIMIT_AS] = pages * resource.getpagesize() + limits.memory
    for what, most in wanted.items():
        hard = resource.getrlimit(what)[1]
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most + 1) if hard == resource.RLIM_INFINITY else (min(most, hard), hard))


@contextlib.contextmanager
def _beat(stream: io.BytesIO, out: BinaryIO) -> Iterator[None]:
    """Report progress from time to time; end the process if no one reads it."""
    size = max(1, len(stream.getbuffer()))
    done = threading.Event()

    def run() -> None:
        while not done.wait(BEAT):
            try:
                wire.send(out, wire.Head(at=stream.tell() / size))
            except (OSError, ValueError):
                os._exit(1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield
    done.set()
    thread.join()


if __name__ == "__main__":
    main()
