"""Coarse classes of one table, made once for all releases of it that are forecast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.algorithms import partition_sweep
from core.data.encoding import Encoded
from core.privacy.policy import Policy
from core.release.release import Release


class Ground:
    """Mondrian's classes of a table by their least number of people, each made when first asked for."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self._known: dict[int, Release] = {}

    def classes(self, sizes: Iterable[int]) -> Sequence[Release]:
        """Releases with at least so many records a class, in the order given; what is not there yet in one pass."""
        wanted = list(sizes)
        absent = [size for size in dict.fromkeys(wanted) if size not in self._known]
        if absent:
            made = partition_sweep(self.encoded, [Policy(size) for size in absent])
            self._known |= dict(zip(absent, made, strict=True))
        return [self._known[size] for size in wanted]
