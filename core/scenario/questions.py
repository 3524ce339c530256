"""What a scenario asks beside the attack: of the forecast, and of noisy tables in place of releases."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.errors import ParameterError

READINGS = ("at least l", "every subset")
SOURCES = ("table", "joint", "file")
MECHANISMS = ("laplace", "gaussian")


@dataclass(frozen=True)
class AskedForecast:
    """Parameters of :func:`core.forecast.forecast` [definitions §5].

    Parameters
    ----------
    l, confidence
        Common values wanted, and how likely that has to be.
    reading
        ``"at least l"`` or ``"every subset"``; both are our readings of the paper.
    others
        Records of the other organisation; as many as the table has where it is ``None``.
    class_size
        People in the other organisation's class; as in my own where it is ``None``.
    source
        Where population statistics come from: ``"table"`` column by column, ``"joint"`` the
        table's own classes, ``"file"`` a file of marginals.
    file_id
        SHA-256 of that file, "" for the other sources.
    """

    l: int = 2  # noqa: E741
    confidence: float = 0.9
    reading: str = "at least l"
    others: int | None = None
    class_size: float | None = None
    source: str = "table"
    file_id: str = ""

    def __post_init__(self) -> None:
        """Refuse what no forecast can be asked."""
        if self.l < 1:
            raise ParameterError("l of the forecast must be at least 1.", parameter="l")
        if not 0 < self.confidence <= 1:
            raise ParameterError("The confidence of the forecast must be above 0, at most 1.", parameter="confidence")
        if self.reading not in READINGS:
            raise ParameterError(f"reading must be one of {', '.join(READINGS)}.", parameter="reading")
        if self.source not in SOURCES:
            raise ParameterError(f"source must be one of {', '.join(SOURCES)}.", parameter="source")
        if (self.source == "file") != bool(self.file_id):
            raise ParameterError("file_id belongs to population statistics from a file.", parameter="file_id")
        if self.others is not None and self.others < 1:
            raise ParameterError("others must be at least 1.", parameter="others")
        if self.class_size is not None and not (self.class_size >= 1 and math.isfinite(self.class_size)):
            raise ParameterError("class_size must be at least 1.", parameter="class_size")


@dataclass(frozen=True)
class AskedNoise:
    """One noisy table per hospital in place of its release [definitions §8].

    Parameters
    ----------
    epsilon
        Privacy loss of each table.
    delta
        For Gaussian noise; 0.0001 over the square of the records where it is ``None``.
    mechanism
        ``"laplace"`` or ``"gaussian"``.
    """

    epsilon: float = 1.0
    delta: float | None = None
    mechanism: str = "laplace"

    def __post_init__(self) -> None:
        """Refuse what is no guarantee."""
        if not (self.epsilon > 0 and math.isfinite(self.epsilon)):
            raise ParameterError("epsilon must be above 0.", parameter="epsilon")
        if self.delta is not None and not 0 < self.delta < 1:
            raise ParameterError("delta must be above 0 and below 1.", parameter="delta")
        if self.mechanism not in MECHANISMS:
            raise ParameterError(f"mechanism must be one of {', '.join(MECHANISMS)}.", parameter="mechanism")
