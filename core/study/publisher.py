"""Interface that a study needs of a publisher, wherever its records come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from core.base.arrays import Ints
from core.data.encoding.encoded import Encoded
from core.release.count_settings import CountSettings
from core.release.made_counts import MadeCounts
from core.release.published.published import Published


class Publisher(Protocol):
    """A publisher that can release under a policy: with records, drawn or real, or with a table published already.

    Either ``to_release`` or ``given_out`` is given.
    """

    @property
    def to_release(self) -> Encoded | None:
        """Records from which a release is made."""
        ...

    @property
    def given_out(self) -> Published | None:
        """The table that was published already and stays unchanged, whatever the policy."""
        ...

    def shared(self, rows: Ints, drawn: Ints) -> Ints | None:
        """Positions of the shared people among the records; ``None`` if unknown.

        ``rows`` are their rows in my table, ``drawn`` their positions in every hospital that was
        drawn with them.
        """
        ...


@dataclass(frozen=True, eq=False)
class CountPublisher:
    """A publisher of a table of counts of its records, instead of a release.

    The group of a person follows from their quasi-identifiers, so it is found by what is published.

    Parameters
    ----------
    records
        Its records.
    settings
        How it makes the table.
    """

    records: Encoded
    settings: CountSettings

    @classmethod
    def of(cls, part: Publisher, settings: CountSettings | None) -> Publisher:
        """The publisher itself if it makes no table of counts."""
        records = part.to_release
        return part if settings is None or records is None else cls(records, settings)

    @property
    def to_release(self) -> None:
        """``None``: its records are not released."""
        return

    @cached_property
    def given_out(self) -> Published:
        """The table of counts, whatever the policy."""
        return MadeCounts.of(self.records, self.settings).published

    def shared(self, rows: Ints, drawn: Ints) -> None:  # noqa: ARG002 - the group of each follows from what is known
        """``None``: it has no row per person."""
        return
