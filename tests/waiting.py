"""Wait until something is so; what never becomes so fails the test."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(what: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until something is so."""
    stop = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < stop
        time.sleep(0.005)
