"""What a scenario asks beside the attack: of the forecast, and of noisy tables in place of releases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.base.bounds import READINGS
from core.base.errors import ParameterError
from core.dp import BASE_RATES, OPEN, PRIORS, Declared

SOURCES = ("table", "joint", "file")
MECHANISMS = ("laplace", "gaussian")


@dataclass(frozen=True)
class AskedForecast:
    """Parameters of :func:`core.forecast.forecast` [definitions §5].

    Parameters
    ----------
    l, confidence
        Values wanted in both classes, and how likely that has to be.
    reading
        ``"at least l"`` or ``"every subset"``; both are our readings of the paper.
    others
        Records of the other hospital; as many as the table has where it is ``None``.
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
    prior
        What the adversary believes beforehand, see :data:`core.dp.PRIORS`: the ceiling depends on it.
    columns
        Quasi-identifiers of the table; the first that make no large grid where it is ``None``.
    domains
        Declared domain of each column that has one, the sensitive one among them. What has none
        cannot be published.
    """

    epsilon: float = 1.0
    delta: float | None = None
    mechanism: str = "laplace"
    prior: str = BASE_RATES
    columns: tuple[str, ...] | None = None
    domains: tuple[tuple[str, Declared], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no guarantee."""
        if not (self.epsilon > 0 and math.isfinite(self.epsilon)):
            raise ParameterError("epsilon must be above 0.", parameter="epsilon")
        if self.delta is not None and not 0 < self.delta < 1:
            raise ParameterError("delta must be above 0 and below 1.", parameter="delta")
        if self.mechanism not in MECHANISMS:
            raise ParameterError(f"mechanism must be one of {', '.join(MECHANISMS)}.", parameter="mechanism")
        if self.prior not in PRIORS:
            raise ParameterError(f"prior must be one of {', '.join(PRIORS)}.", parameter="prior")
        if self.columns is not None and len(set(self.columns)) != len(self.columns):
            raise ParameterError("columns of the noisy table must name each once.", parameter="columns")
        if len({name for name, _ in self.domains}) != len(self.domains):
            raise ParameterError("domains must declare each column once.", parameter="domains")

    def declared(self, name: str) -> Declared | None:
        """Declared domain of a column, if it has one."""
        return dict(self.domains).get(name)

    def thresholded(self, sensitive: str) -> bool:
        """Whether some values are told only over a threshold, whose promise fails with a small chance."""
        used = [declared for name, declared in self.domains if name == sensitive or name in (self.columns or (name,))]
        return any(declared.kind == OPEN for declared in used)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a scenario file."""
        return {
            "epsilon": float(self.epsilon),
            "delta": None if self.delta is None else float(self.delta),
            "mechanism": self.mechanism,
            "prior": self.prior,
            "columns": None if self.columns is None else list(self.columns),
            "domains": {name: declared.to_json() for name, declared in self.domains},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AskedNoise:
        """Read what :meth:`to_json` wrote; fields that are left out are as by default.

        Raises
        ------
        ParameterError
            If a declared domain or a number is none.
        """
        values = dict(data)
        if values.get("columns") is not None:
            if not all(isinstance(name, str) for name in values["columns"]):
                raise ParameterError("columns of the noisy table must be texts.", parameter="columns")
            values["columns"] = tuple(values["columns"])
        if "domains" in values:
            values["domains"] = tuple((name, Declared.from_json(each)) for name, each in values["domains"].items())
        return cls(**values)
