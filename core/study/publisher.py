"""What a study needs of a publisher, wherever its records come from."""

from __future__ import annotations

from typing import Protocol

from core.base.arrays import Ints
from core.data.encoding.encoded import Encoded
from core.release.published.published import Published


class Publisher(Protocol):
    """Something that can release under a policy: records, drawn or somebody's; or a table that is given out already.

    One of ``to_release`` and ``given_out`` is there.
    """

    @property
    def to_release(self) -> Encoded | None:
        """Records that a release is made of."""
        ...

    @property
    def given_out(self) -> Published | None:
        """What was published already and stays as it is, whatever the policy."""
        ...

    def shared(self, rows: Ints, drawn: Ints) -> Ints | None:
        """Positions of the shared people among the records; ``None`` if nobody knows them.

        ``rows`` are their rows in my table, ``drawn`` their positions in every hospital that was
        drawn with them.
        """
        ...
