"""An algorithm, declared once; everything else uses the release or the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.base.arrays import Codes, Progress
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy

DEFAULT = "mondrian"
"""Default algorithm of functions, and the one assumed for other hospitals."""
MINE = "least-loss"
"""Algorithm of my release in a new scenario [definitions §3]."""

Run = Callable[[Encoded, Sequence[Policy], Progress | None], list[Codes]]
"""For a table and distinct policies: (records,) class of each record, for each policy."""


@dataclass(frozen=True)
class Algorithm:
    """A way to form classes.

    Parameters
    ----------
    name
        In scenario files and on the command line.
    words
        Its usual name, as a title.
    about
        What it does and publishes, in two or three sentences for a page.
    citation
        Where it is published; "" if it is ours.
    run
        Forms the classes; ``None`` for a table that was partitioned elsewhere.
    centroids
        Whether it publishes means and most common values instead of regions.
    providers
        ``"none"`` if it cannot promise m-privacy, ``"asked"`` if it can, ``"needed"`` if it runs only under m.
    quick
        Whether a release takes only a moment.
    one_pass
        Whether policies that differ only in k are handled in one pass.
    persons
        Whether it counts persons who have several records each; otherwise it needs one record per person.
    takes_frequency_tables
        Whether it needs no more than distinct tuples with counts (:class:`core.data.frequency_table.FrequencyTable`).
    sets
        Whether the cell of a category lists the values that occur in the class, and that of a taxonomy the nodes whose
        leaves all occur; otherwise a cell covers all values from the first to the last, or is the node above them.
    finer
        Whether its classes are finer than Mondrian's at the same k, and so reveal more.
    suppresses
        Whether it leaves out records that fit no class; it then checks itself whether the policy can be met.
    agreement
        Whether its classes are nodes of the trees of an agreement, without which it cannot run.
    """

    name: str
    words: str = ""
    about: str = ""
    citation: str = ""
    run: Run | None = None
    centroids: bool = False
    providers: str = "asked"
    quick: bool = False
    one_pass: bool = False
    persons: bool = False
    takes_frequency_tables: bool = False
    sets: bool = False
    finer: bool = False
    suppresses: bool = False
    agreement: bool = False

    @property
    def short(self) -> str:
        """The title without its brackets."""
        return self.words.split(" (")[0]

    @property
    def phrase(self) -> str:
        """The title inside a sentence; a person's name keeps its capital."""
        return self.words if self.words.startswith("Mondrian") else self.words[:1].lower() + self.words[1:]

    @property
    def by(self) -> str:
        """How classes are formed, inside a sentence: "by Mondrian"."""
        return self.phrase if " by " in self.phrase else f"by {self.phrase}"


ALGORITHMS: dict[str, Algorithm] = {}
"""Every algorithm by its name, in the order in which pages offer them; ``core.algorithms`` fills it."""


def declare(algorithm: Algorithm) -> Algorithm:
    """Add an algorithm to the registry."""
    ALGORITHMS[algorithm.name] = algorithm
    return algorithm


def algorithm_named(name: str) -> Algorithm:
    """Return a declared algorithm.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if name not in ALGORITHMS:
        raise ParameterError(f"algorithm must be one of {', '.join(ALGORITHMS)}.", parameter="algorithm")
    return ALGORITHMS[name]


def for_one_publisher() -> tuple[str, ...]:
    """Names of the algorithms that work without a provider column and without an agreement."""
    return tuple(
        name for name, algorithm in ALGORITHMS.items() if algorithm.providers != "needed" and not algorithm.agreement
    )


def for_agreements() -> tuple[str, ...]:
    """Names of the algorithms whose classes keep an agreement, the default first."""
    return tuple(name for name, algorithm in ALGORITHMS.items() if algorithm.agreement)


def algorithm_title(name: str) -> str:
    """Title of an algorithm by its name."""
    return algorithm_named(name).words
