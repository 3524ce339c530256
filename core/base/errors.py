"""Every error that core raises on purpose, as one tree.

    CompositionError
    ├── InputError              a file or frame cannot be read as a table
    │   ├── LimitError          it is larger than the program accepts
    │   │   └── MemoryShortError    it needs more memory than there is, or than is allowed
    │   └── NotLoadedError      a file of another hospital was not loaded in this session
    ├── SchemaError             roles, types or values of columns do not fit the table
    │   └── TaxonomyError       a generalisation tree is malformed or does not cover the table
    ├── ParameterError          an argument is out of range
    │   ├── PolicyError         k, l, t, c or m cannot be what was asked
    │   │   └── InfeasibleError the whole table as one class does not meet the policy
    │   └── ScenarioError       a scenario file cannot be read
    └── MissingPackageError     an optional package is not installed

Each message is one sentence or two: what is wrong (the column, the limit or the
parameter, the allowed range and the value given) and what to do next. No message
ever holds the value of a cell: values are personal data, and messages end up in
logs and screenshots. Numbers of rows and columns are allowed, and the names of columns that have
a role or that the user typed; others may be the first record of a file without a header.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class CompositionError(Exception):
    """Base of every deliberate error.

    Parameters
    ----------
    message
        What is wrong and what to do, without any cell value.
    parameter
        The parameter or column at fault, for a page that wants to mark it.
    choices
        Possible choices for it, for a page that asks; no message has them.

    Examples
    --------
    >>> from composition_dashboard import CompositionError, Policy
    >>> try:
    ...     Policy(k=0)
    ... except CompositionError as error:
    ...     print(error.parameter)
    k
    """

    def __init__(self, message: str, *, parameter: str | None = None, choices: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.parameter = parameter
        self.choices = tuple(choices)


class InputError(CompositionError):
    """A file or frame cannot be read as a table."""


class LimitError(InputError):
    """The input is larger than the program accepts; the message names the limit."""


class MemoryShortError(LimitError):
    """The work needs more memory than exists, or than is allowed."""


class NotLoadedError(InputError):
    """The study uses a file of another hospital that was not loaded in this session."""


class SchemaError(CompositionError):
    """Roles, kinds or values of the columns do not fit the table."""


class RepeatedIdentifierError(SchemaError):
    """An identifier repeats, and whether the records of one value are of one person was not said."""


class TaxonomyError(SchemaError):
    """A generalisation tree is malformed or does not cover the table."""


class ParameterError(CompositionError):
    """An argument is outside its range."""


class PolicyError(ParameterError):
    """A privacy policy asks for something that does not exist."""


class SeveralRecordsError(PolicyError):
    """A function that counts records met persons with several: one record per person must be chosen first."""


class InfeasibleError(PolicyError):
    """Not even the whole table as one class meets the policy."""


class ScenarioError(ParameterError):
    """A scenario cannot be read or does not fit the data."""


EXTRAS = {
    "duckdb": "engine",
    "opendp": "noise",
    "pyreadstat": "statistics",
    "pyspark": "spark",
    "scipy": "updates",
    "vl-convert-python": "pictures",
}
"""Optional packages, each with the extra of this program that installs it."""


class MissingPackageError(CompositionError, ImportError):
    """A required optional package is not installed."""

    def __init__(self, package: str, purpose: str) -> None:
        # No command: the program is on no registry, where anyone could take its name.
        source = f"composition-dashboard with its extra '{EXTRAS[package]}'" if package in EXTRAS else package
        super().__init__(f"The package '{package}' is needed to {purpose}; install {source}.", parameter=package)


def shown_name(name: str) -> str:
    """Quote a column name for a message: one line, at most 60 characters, no control characters."""
    clean = "".join(ch if ch.isprintable() else "?" for ch in name)
    return f"'{clean[:57]}...'" if len(clean) > 60 else f"'{clean}'"


def nearest(name: str, names: Iterable[str]) -> str:
    """Suggest the column name closest to a missing one, to insert before a semicolon; empty if none is close.

    Without a header the names are the first record. So only what differs in few letters and in no digit is named, which
    reveals no more than the user typed.
    """
    digits = [ch for ch in name if ch.isdigit()]
    others = {each.casefold(): each for each in names if [ch for ch in each if ch.isdigit()] == digits}
    near = get_close_matches(name[:200].casefold(), others, 1, cutoff=0.85)
    return f" (the nearest is {shown_name(others[near[0]])})" if near else ""
