"""Refusals of which nothing else is told: each is the documented error, in one sentence, with the parameter."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import (
    FrequencyTable,
    Policy,
    Release,
    Schema,
    Table,
    Taxonomy,
    UnmodifiedColumn,
    anonymize,
    examples,
    intersection_attack,
    measure,
    read_table,
)
from core.attack.bitsets import value_sets
from core.base.errors import CompositionError
from core.base.placing import Place
from core.cli.inputs import content
from core.data.encoding.encoded import encode
from core.data.encoding.marginals import Marginals
from core.data.profiling.proposal import propose
from core.data.reading import read_hierarchy
from core.decision.scenario.questions import Plausible
from core.dp.mechanisms import epsilon_for
from core.engine.output import write_frequency_table, write_release
from core.privacy.coalitions.contributions import Constraint, Group
from core.release.published.parse import parse
from core.study.draw import overlapping_samples
from core.study.hospitals import Hospital, Study
from core.study.uploads import Upload, open_upload

ROLES = Schema(["age", "sex"], "d", unassigned="drop")


def frame(**columns: Any) -> Table:
    return Table.from_frame(pd.DataFrame(columns))


TABLE = frame(age=[30, 31, 40, 41], sex=["f", "m", "f", "m"], d=["a", "b", "a", "b"], who=["1", "2", "3", "4"])
CONSTRAINT = Constraint(Policy(2), encode(TABLE, ROLES).sensitive, np.array([2, 2]))
NAMED = ROLES.with_(identifiers=["who", "too"])
TWO_NAMES = frame(**{name: TABLE.column(name).texts() for name in TABLE.names}, too=["1", "2", "3", "4"])


def book(**parts: bytes) -> bytes:
    """An archive like a workbook."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def encrypted(archive: bytes) -> bytes:
    """The same archive, whose first part is said to have a password."""
    flags = archive.index(b"PK\1\2") + 8
    return archive[:flags] + b"\1" + archive[flags + 1 :]


def attack() -> Any:
    city, roles = examples.city(400), examples.city_schema()
    rows = overlapping_samples(len(city), 60, seed=1)
    return intersection_attack([anonymize(city, roles, Policy(3), rows=each) for each in rows], [range(60)] * 2)


def opened(upload: Upload, theirs: Table, schema: Schema = ROLES) -> Any:
    return open_upload(upload, theirs, TWO_NAMES, schema)


def drawn(overlap: int = 2, size: int | None = None) -> Any:
    mine = Hospital(Policy(1), "mondrian")
    return Study((mine, Hospital(Policy(1), "mondrian", origin="resampled", size=size)), overlap).draw(ENCODED)


ENCODED = encode(TABLE, ROLES)
NOBODY = frame(age=["30"], sex=["f"], d=["a"], n=["0"])
HIDDEN = frame(age=["", "30", "31"], sex=["f", "m", "m"], d=["a", "", ""])
DIVERSE = Schema(["age"], "d", provider="who", unmodified=[UnmodifiedColumn("sex", diverse=True)], unassigned="drop")
PAIRS = tuple((name, name) for name in ("age", "sex", "d"))
REFUSALS: dict[str, tuple[Callable[[], Any], str | None, *tuple[str, ...]]] = {
    "attributes that are none": (lambda: encode(TABLE, ROLES).only(["d"]), "attributes"),
    "a sensitive column that is empty": (lambda: encode(frame(age=[1, 2], sex=["f", "m"], d=["", ""]), ROLES), "d"),
    "a sensitive column that only records left out fill": (
        lambda: encode(HIDDEN, ROLES.with_(missing="drop")),
        "d",
        "All values of the sensitive column 'd' are missing",
    ),
    "shares of a column that is none": (
        lambda: Marginals.of(ENCODED).probability(2),
        "attribute",
        "There are 2 quasi-identifiers",
    ),
    "shares of other columns": (
        lambda: Marginals.of(ENCODED).check(encode(TABLE, Schema(["age"], "d", unassigned="drop"))),
        "marginals",
        "cover 3 columns but the table has 2",
    ),
    "nothing to propose": (lambda: propose(frame(diagnosis=["a", "b", "a"], id=["", "", ""])), "quasi_identifiers"),
    "a sheet that cannot be": (lambda: read_table(b"a\n1\n", sheet=10**6), "sheet"),
    "blank lines alone": (lambda: read_table(b"\n\n \n\n"), None),
    "a line that names the delimiter alone": (lambda: read_table(b"sep=;\n"), None, "only blank lines"),
    "a hierarchy of bytes": (lambda: read_hierarchy(b"a;\x00;*\n"), None),
    "a hierarchy without a whole line": (lambda: read_hierarchy(b'"a;b;*\n'), None),
    "a binary workbook": (lambda: read_table(book(**{"xl/workbook.bin": b""})), None),
    "a workbook with a password": (
        lambda: read_table(encrypted(book(**{"xl/workbook.xml": b"<x/>"}))),
        None,
        "is encrypted; remove the password",
    ),
    "levels that are no text": (lambda: Taxonomy.from_nested({"a": "b"}), None),
    "a negative length of a prefix": (lambda: Taxonomy.from_prefixes(["13012"], [-1]), None),
    "a frequency table of nothing": (lambda: FrequencyTable.of(TABLE, []), "columns"),
    **{
        f"a plausible range of {name} that ends before it begins": (
            lambda name=name, ends=ends: Plausible(**{name: ends}),
            name,
            "must begin with its lower end",
        )
        for name, ends in {
            "overlap": (9, 8),
            "their_k": (3, 2),
            "releases": (4, 3),
            "same_value_rate": (0.5, 0.4),
        }.items()
    },
    "one end of a range alone": (
        lambda: parse(frame(age_min=["1"], d=["flu"]), Schema(["age"], "d"), columns={"age": "age_min", "d": "d"}),
        "age_min",
        "is one end of a range",
    ),
    **{
        f"a count of {cell}": (
            lambda cell=cell: parse(frame(age=["1"], d=["flu"], count=[cell]), Schema(["age"], "d"), count="count"),
            "count",
            words,
        )
        for cell, words in {"<5": "is masked", "some": "is no whole number from 0"}.items()
    },
    "noise that does not exist": (lambda: epsilon_for("uniform", 5), "mechanism"),
    "an error that no noise keeps": (lambda: epsilon_for("laplace", 0, error=1e-40), "accuracy"),
    "an error that only too little noise keeps": (
        lambda: epsilon_for("gaussian", 0, error=1e-12, delta=1e-6),
        "accuracy",
    ),
    "a person column with an empty cell, measured": (
        lambda: measure(frame(age=["1", "1"], sex=["f", "f"], d=["a", "b"], p=["1", ""]), ROLES.with_(person="p")),
        "p",
    ),
    "a class of which a provider has no record": (
        lambda: Group(np.arange(2), np.arange(2), np.array([[1, 1], [0, 0]]), CONSTRAINT),
        None,
    ),
    "counts under a name that is taken": (
        lambda: write_frequency_table(FrequencyTable.of(TABLE, ["age", "d"]), Path("none"), "age"),
        "count",
        "has a column 'age' already",
    ),
    "a release in a format that is none": (
        lambda: write_release(anonymize(TABLE, ROLES, Policy(2)), Path("none"), "xlsx"),
        "format",
        "one of parquet, csv",
    ),
    "a count of 0": (lambda: FrequencyTable.of(TABLE, ["age"], np.array([0, 1, 1, 1])), None),
    "a folder that is not there": (lambda: Place(Path("no such folder/x")).check(), None),
    "a file that is too large": (lambda: content(__file__, 10), None),
    "more shared people than there are": (lambda: drawn(overlap=99), "overlap"),
    "a hospital smaller than what it shares": (lambda: drawn(size=1), "size"),
    "a count that is a column of mine": (lambda: Release.parse(TABLE, ROLES, count="age"), "age"),
    "counts of 0 alone": (lambda: Release.parse(NOBODY, ROLES, count="n"), "n"),
    "m for columns that are to be diverse": (
        lambda: anonymize(TABLE, DIVERSE, Policy(2, l=2, m=1), "provider-aware"),
        "m",
    ),
    "sets that fit no memory": (lambda: value_sets(SimpleNamespace(classes=10**6), np.arange(1), 10**6), "sensitive"),
    "two identifiers of a release": (
        lambda: opened(Upload("x", (*PAIRS, ("who", "who"), ("too", "too")), own=True), TWO_NAMES, NAMED),
        "columns",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_it_is_refused_with_the_parameter(case: str) -> None:
    call, parameter, *words = REFUSALS[case]
    with pytest.raises(CompositionError) as refused:
        call()
    assert refused.value.parameter == parameter or parameter is None
    assert refused.value.message.endswith(".")
    assert all(each in refused.value.message for each in words)
