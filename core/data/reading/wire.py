"""How a process that reads a file tells another what it found: JSON and plain numbers, nothing that can run.

A line of JSON comes first. Where it announces parts, they follow: of each its texts, in
chunks (the length of each text in bytes, then the texts in UTF-8), and its numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.data.table import Limits

CHUNK = 20_000  # texts; few enough that other threads do not wait
MAX_HEAD = 50_000_000
BLOCK = 1 << 20  # bytes that are read at once

OUT_OF_MEMORY = 77  # the status with which a process ends that has no memory to say so

Part = tuple[Sequence[str], NDArray[np.int32]]
Received = tuple[tuple[str, ...], NDArray[np.int32]]


class Ended(Exception):
    """The other process stopped in the middle, or does not speak this language."""


def send(out: BinaryIO, head: dict[str, Any], parts: Sequence[Part] = ()) -> None:
    """Write one message; O(its size), holding one chunk of texts at a time."""
    sizes = [[len(texts), len(numbers)] for texts, numbers in parts]
    out.write(json.dumps({**head, "parts": sizes}).encode() + b"\n")
    for texts, numbers in parts:
        for first in range(0, len(texts), CHUNK):
            chunk = [text.encode() for text in texts[first : first + CHUNK]]
            out.write(np.fromiter(map(len, chunk), np.int32, len(chunk)).data)
            out.write(b"".join(chunk))
        out.write(np.ascontiguousarray(numbers, dtype=np.int32).data)
    out.flush()


def receive(stream: BinaryIO, limits: Limits) -> tuple[dict[str, Any], list[Received]]:
    """Read one message, no larger than the memory of whoever sends it.

    Raises
    ------
    Ended
        If it is not all there, is larger, or is not what :func:`send` writes.
    """
    try:
        head = json.loads(stream.readline(MAX_HEAD))
        sizes = [(int(texts), int(numbers)) for texts, numbers in head["parts"]]
        if min((min(size) for size in sizes), default=0) < 0 or 4 * sum(map(sum, sizes)) > limits.memory:
            raise Ended
        return head, [(_texts(stream, texts, limits.memory), _numbers(stream, numbers)) for texts, numbers in sizes]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass  # they may hold cells
    raise Ended


def _numbers(stream: BinaryIO, count: int) -> NDArray[np.int32]:
    numbers = np.empty(count, dtype=np.int32)
    room = numbers.view(np.uint8).data
    while len(room):
        got = stream.readinto(room)  # type: ignore[attr-defined]
        if not got:
            raise Ended
        room = room[got:]
    numbers.setflags(write=False)
    return numbers


def _texts(stream: BinaryIO, count: int, most: int) -> tuple[str, ...]:
    texts: list[str] = []
    while len(texts) < count:
        lengths = _numbers(stream, min(CHUNK, count - len(texts)))
        ends = np.cumsum(lengths, dtype=np.int64)
        most -= int(ends[-1])
        if lengths.min() < 0 or most < 0:
            raise Ended
        raw = stream.read(int(ends[-1]))
        if len(raw) < ends[-1]:
            raise Ended
        places = list(zip((ends - lengths).tolist(), ends.tolist(), strict=True))
        if raw.isascii():
            text = raw.decode()
            texts += [text[first:end] for first, end in places]
        else:
            texts += [raw[first:end].decode() for first, end in places]
    return tuple(texts)
