"""Protocol between the reading process and its parent: JSON and plain numbers, nothing executable.

A line of JSON comes first. If it announces parts, they follow: the texts of each, several per line
of JSON, and its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from core.base.json_files import Count
from core.data.tables.input_limits import InputLimits

CHUNK = 20_000  # texts; few enough that other threads do not wait
BLOCK = 1 << 20  # bytes that are read at once

OUT_OF_MEMORY = 77  # exit status of a process that has too little memory to answer

Part = tuple[Sequence[str], NDArray[np.int32]]


class Head(msgspec.Struct, omit_defaults=True):
    """Content of a message.

    Parameters
    ----------
    at
        Share of the file that was read; ``None`` in the answer.
    refused, choices
        Class of the error, message and parameter, and the possible choices for it.
    names, decimal, source
        Facts about a table.
    parts
        Number of texts and of numbers of each part that follows.
    """

    at: float | None = None
    refused: tuple[str, str, str | None] | None = None
    choices: list[str] = []
    names: list[str] = []
    decimal: str = "."
    source: dict[str, str] = {}
    parts: list[tuple[Count, Count]] = []


class Ended(Exception):
    """The other process stopped midway, or does not follow this protocol."""


def send(out: BinaryIO, head: Head, parts: Sequence[Part] = ()) -> None:
    """Write one message; O(its size), holding one chunk of texts at a time."""
    head.parts = [(len(texts), len(numbers)) for texts, numbers in parts]
    out.write(msgspec.json.encode(head) + b"\n")
    for texts, numbers in parts:
        for first in range(0, len(texts), CHUNK):
            out.write(msgspec.json.encode(texts[first : first + CHUNK]) + b"\n")
        out.write(np.ascontiguousarray(numbers, dtype=np.int32).data)
    out.flush()


def receive(stream: BinaryIO, limits: InputLimits) -> tuple[Head, list[Part]]:
    """Read one message, no larger than the sender's memory.

    Raises
    ------
    Ended
        If it is incomplete, too large, or not in the form that :func:`send` writes.
    """
    message = _Message(stream, limits.memory)
    try:
        head = message.line(Head)
        return head, [(message.texts(texts), message.numbers(numbers)) for texts, numbers in head.parts]
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass  # they may hold cells
    raise Ended


class _Message:
    """Reads a message of limited size."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream, self._left = stream, most

    def line(self, kind: Any) -> Any:
        """A line of JSON, as a value of a type."""
        raw = self._stream.readline(self._left)
        self._left -= len(raw)
        return msgspec.json.decode(raw, type=kind)

    def texts(self, count: int) -> tuple[str, ...]:
        """Read ``count`` texts; a line has at least one, so the loop ends."""
        texts: list[str] = []
        while len(texts) < count:
            texts += self.line(Annotated[list[str], Meta(min_length=1)])
        if len(texts) > count:
            raise Ended
        return tuple(texts)

    def numbers(self, count: int) -> NDArray[np.int32]:
        """Read ``count`` numbers into an array that is read-only."""
        if 4 * count > self._left:
            raise Ended
        self._left -= 4 * count
        return np.frombuffer(self._stream.read(4 * count), dtype=np.int32, count=count)
