"""Releases for the tests of the attack: worked examples as printed, and random ones with a slow twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from core import Policy, Release, Table, examples
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType
from core.release.published.published import Published
from tests.reference import attack as twin


def releases_of(example: examples.WorkedExample) -> list[Release]:
    """Releases of a worked example, in the classes it is printed with."""
    schema, tables = example.schema, example.tables
    if not tables:  # the source prints the published tables only
        schema = schema.with_(column_types=dict.fromkeys(schema.quasi_identifiers, "categorical"))
        tables = tuple(Table.from_frame(frame) for frame in example.published)
    return [
        Release.of(encode(table, schema), np.array(labels), Policy(k), "as printed")
        for table, labels, k in zip(tables, example.labels, example.expected["k"], strict=True)
    ]


def release_of(
    labels: Sequence[int],
    secret: Sequence[int],
    domain: Sequence[str],
    *,
    missing: bool = False,
    inputs: int | None = None,
    position: Sequence[int] | None = None,
) -> Release:
    """Release of records that all look alike: the attack looks at classes and secrets only."""
    n = len(labels)
    qid = Domain("q", ColumnType.CATEGORICAL, ("same",))
    last = len(domain) - 1 if missing else -1
    sensitive = Domain("s", ColumnType.CATEGORICAL, tuple(domain), missing=last)
    encoded = Encoded((qid,), np.zeros((1, n), np.int32), sensitive, np.array(secret, np.int32), np.arange(n))
    place = None if position is None else np.array(position, dtype=np.int64)
    return Release.of(encoded, np.array(labels), Policy(1), "by hand", inputs, place)


@dataclass
class City:
    """Random releases, for core and for the twin."""

    releases: list[Release]
    people: list[list[int]]
    expected: twin.Attacked

    def __repr__(self) -> str:
        parts = [
            f"labels={r.labels.tolist()} secret={r.encoded.sensitive_codes.tolist()} of {r.encoded.sensitive.labels}"
            for r in self.releases
        ]
        return f"City({parts}, people={self.people})"


def joined(releases: list[Release], people: list[list[int]]) -> City:
    """Put releases and people before the twin."""
    records, universe = [], []
    for release in releases:
        labels, texts = release.encoded.sensitive.labels, [None] * release.inputs
        for place, code in zip(release.position, release.encoded.sensitive_codes, strict=True):
            texts[place] = labels[code]
        records.append(
            [
                (int(label) if label >= 0 else None, text or labels[0])
                for label, text in zip(release.labels, texts, strict=True)
            ]
        )
        universe += labels
        if len(records) == 1:
            secrets = texts
    return City(releases, people, twin.attack(records, people, universe, secrets))


@st.composite
def cities(draw: st.DrawFn) -> City:
    """Two to five releases of up to 150 values, each with a domain, an order and a size of its own."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(2, 5))
    values = [f"v{i:03}" for i in range(draw(st.sampled_from([2, 3, 8, 63, 64, 65, 100, 128, 129, 150])))]
    same_domain = draw(st.booleans())
    few = draw(st.booleans())  # people who are alike in their diagnosis: empty and single intersections
    releases = []
    for _ in range(count):
        domain = values
        if not same_domain:
            domain = rng.permutation(values)[: rng.integers(1, len(values) + 1)].tolist()
            if rng.random() < 0.3:
                domain += ["only here"]
        missing = not same_domain and rng.random() < 0.3
        domain = [*domain, "(missing)"] if missing else domain
        n = int(rng.integers(4, 40))
        classes = int(rng.integers(1, 6))
        labels = np.concatenate((np.arange(classes), rng.integers(0, classes, n)))  # no class is empty
        labels = np.where((np.arange(len(labels)) >= classes) & (rng.random(len(labels)) < 0.1), -1, labels)
        labels = rng.permutation(labels)
        secret = rng.integers(0, min(len(domain), 3) if few else len(domain), len(labels))
        inputs = len(labels) + int(rng.integers(0, 4))
        position = np.sort(rng.permutation(inputs)[: len(labels)])
        releases.append(release_of(labels, secret, domain, missing=missing, inputs=inputs, position=position.tolist()))
    fewest = min(release.inputs for release in releases)
    people = [rng.permutation(release.inputs)[:fewest].tolist() for release in releases]
    return joined(releases, people)


def values_of(part: Encoded, attribute: str) -> list[str]:
    """Text of an attribute for every record."""
    domain, codes = next(
        (domain, codes)
        for domain, codes in [*zip(part.qids, part.codes, strict=True), (part.sensitive, part.sensitive_codes)]
        if domain.name == attribute
    )
    return [domain.labels[code] for code in codes]


def texts_of_class(published: Published, number: int) -> dict[str, str]:
    """Published cells of one class, by column."""
    return {part.name: part.texts[int(part.which[number])] for part in published.attributes}
