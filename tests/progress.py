"""What all long work promises: shares that rise to one, and an end as soon as its caller raises."""

from __future__ import annotations

from collections.abc import Callable

import pytest


class StoppedError(Exception):
    """What a page raises to cancel."""


def rises_and_can_be_stopped(work: Callable[[Callable[[float], None]], object]) -> list[float]:
    """Do some work twice, to its end and until it is stopped; the shares that it told."""
    shares: list[float] = []
    work(shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)

    def stop(share: float) -> None:
        if share > 0.3:
            raise StoppedError

    with pytest.raises(StoppedError):
        work(stop)
    return shares
