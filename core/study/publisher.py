"""Interface that a study needs of a publisher, wherever its records come from."""

from __future__ import annotations

from typing import Protocol

from core.base.arrays import Ints
from core.data.encoding.encoded import Encoded
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
