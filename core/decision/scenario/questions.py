"""Settings of a scenario other than the attack: the forecast, and noisy tables instead of releases."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from core.attack.views import Locate
from core.base.errors import ParameterError
from core.base.ranges import RECORDS, Reading
from core.dp import BASE_RATES, MAX_EPSILON, MIN_EPSILON, OPEN, Declared
from core.dp.priors import Prior

Mechanism = Literal["laplace", "gaussian"]
Size = Annotated[int, Meta(ge=1, le=2_000_000)]
People = Annotated[int, Meta(ge=1, le=RECORDS)]
K = Annotated[int, Meta(ge=2, le=RECORDS)]
Many = Annotated[int, Meta(ge=2, le=8)]
Rate = Annotated[float, Meta(ge=0, le=1)]
Strength = Annotated[float, Meta(ge=0, le=3)]
Date = Annotated[str, Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$", max_length=10)]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)


class AskedForecast(Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of :func:`core.forecast.forecast` [definitions §5].

    Parameters
    ----------
    l, confidence
        Values required in both classes, and the required probability.
    reading
        ``"at least l"`` or ``"every subset"``; both are our readings of the paper.
    others
        Records of the other hospital; as many as the table has if ``None``.
    statistics
        Where population statistics come from: ``"table"`` column by column, ``"joint"`` the table's own classes,
        ``"file"`` a file of marginals.
    file_id
        SHA-256 of that file, "" for the other sources.
    """

    l: Annotated[int, Meta(ge=1, le=1_000)] = 2  # noqa: E741
    confidence: Annotated[float, Meta(ge=0.05, le=1)] = 0.9
    reading: Reading = "at least l"
    others: Annotated[int, Meta(ge=1, le=RECORDS)] | None = None
    statistics: Literal["table", "joint", "file"] = "table"
    file_id: str = ""

    def __post_init__(self) -> None:
        """Refuse file statistics without a file, and a file that is not used."""
        if (self.statistics == "file") != bool(self.file_id):
            raise ParameterError("file_id belongs to population statistics from a file.", parameter="file_id")


class AskedNoise(Struct, frozen=True, forbid_unknown_fields=True):
    """One noisy table per hospital instead of its release [definitions §8].

    Parameters
    ----------
    epsilon
        Privacy loss of each table.
    delta
        For Gaussian noise; 0.0001 over the square of the records if ``None``.
    mechanism
        ``"laplace"`` or ``"gaussian"``.
    prior
        What the adversary believes beforehand, see :data:`core.dp.PRIORS`: the ceiling depends on it.
    columns
        Quasi-identifiers of the table; the first that give a small grid if ``None``.
    domains
        Declared domain of each column that has one, including the sensitive one. A column without one cannot be
        published.
    """

    epsilon: Annotated[float, Meta(ge=MIN_EPSILON, le=MAX_EPSILON)] = 1.0
    delta: Annotated[float, Meta(ge=1e-300, le=0.1)] | None = None
    mechanism: Mechanism = "laplace"
    prior: Prior = BASE_RATES
    columns: tuple[str, ...] | None = None
    domains: dict[str, Declared] = {}

    def __post_init__(self) -> None:
        """Refuse a table that names a column twice."""
        if self.columns is not None and len(set(self.columns)) != len(self.columns):
            raise ParameterError("columns of the noisy table must name each column once.", parameter="columns")

    def declared(self, name: str) -> Declared | None:
        """Declared domain of a column, if it has one."""
        return self.domains.get(name)

    def thresholded(self, sensitive: str) -> bool:
        """Whether some values are published only above a threshold, whose guarantee fails with a small probability."""
        used = self.domains if self.columns is None else (sensitive, *self.columns)
        return any(declared.kind == OPEN for name, declared in self.domains.items() if name in used)


class Plausible(Struct, frozen=True, forbid_unknown_fields=True):
    """Plausible range of each assumption about others, both ends included.

    ``None`` for the range that the program proposes.

    A verdict carries a condition if it would not hold somewhere within these ranges.

    Parameters
    ----------
    overlap
        Shared people.
    their_k
        People per class that the others require.
    releases
        Hospitals that publish, including mine.
    same_value_rate
        Share of the shared people who have the same sensitive value at the others.
    case_mix
        How much the sensitive values of hospitals like mine differ from mine.
    """

    overlap: tuple[People, People] | None = None
    their_k: tuple[K, K] | None = None
    releases: tuple[Many, Many] | None = None
    same_value_rate: tuple[Rate, Rate] | None = None
    case_mix: tuple[Strength, Strength] | None = None

    def __post_init__(self) -> None:
        """Refuse a range that ends before it begins."""
        for name in self.__struct_fields__:
            ends = getattr(self, name)
            if ends is not None and ends[0] > ends[1]:
                raise ParameterError(f"The plausible {name} must begin with its lower end.", parameter=name)


Text = Annotated[str, Meta(max_length=5_000)]


class DecisionWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Texts about a decision, stored in a scenario file; no number depends on them.

    Parameters
    ----------
    question, limits_by
        The question, and the source of the limits.
    what, who, when, why, until, ends
        The decision, see :class:`core.report.Decision`; dates as YYYY-MM-DD.
    accepted
        Key and sentence of each assumption that was accepted.
    recorded
        Whether the decision was recorded for this scenario.
    """

    question: Text = ""
    limits_by: Text = ""
    what: Text = ""
    who: Text = ""
    when: Date = ""
    why: Text = ""
    until: Date = ""
    ends: Text = ""
    accepted: tuple[tuple[Text, Text], ...] = ()
    recorded: bool = False


class PlainChoices(Struct, frozen=True, kw_only=True):
    """The choices that are numbers and fixed words, the same in memory and in a file.

    A choice with a description has an option on the command line.
    """

    overlap: Annotated[
        int, Meta(ge=1, le=RECORDS, description="people who are in all releases; needed for attack and report")
    ]
    confidence: Annotated[
        float, Meta(ge=0.05, le=1, description="C at which a person counts as exposed (default 0.25)")
    ] = 0.25
    locate: Annotated[
        Locate,
        Meta(
            description="how the adversary finds a person's class: assumed (default), they know it; published, they "
            "read it off the releases"
        ),
    ] = "assumed"
    seed: Annotated[int, Meta(ge=0, le=1_000_000, description="of the draws of the other hospitals (default 0)")] = 0
    repeats: Annotated[int, Meta(ge=1, le=50, description="redraws behind every interval (default 10)")] = 10
    size: Size | None = None
    plausible: Plausible = Plausible()
    forecast: AskedForecast = AskedForecast()
    noise: AskedNoise = AskedNoise()
