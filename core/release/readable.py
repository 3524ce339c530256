"""Interface that an attack needs of a release: a published table, or a release of known records."""

from __future__ import annotations

from typing import Protocol

from core.base.arrays import Ints
from core.release.published.published import Published
from core.release.release import Release


class Readable(Protocol):
    """Something whose classes a reader can see."""

    @property
    def sizes(self) -> Ints:
        """(classes,) people in each class."""
        ...

    @property
    def published(self) -> Published:
        """Knowledge of its reader."""
        ...

    @property
    def release(self) -> Release | None:
        """The release with its records, if they are known; ``None`` for a table that was only published."""
        ...
