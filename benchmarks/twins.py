"""The project's slow twins, fed with the same tables as core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from benchmarks.squares import squared_error
from benchmarks.timing import Run
from core import Policy, Release, Schema, intersection_attack, measure, read_table
from core.algorithms import partition
from core.algorithms.mdav import BLOCK_ROWS, microaggregation
from core.algorithms.mdav.points import Points
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.study.hospitals import Study
from core.study.sweep import sweep
from tests.reference import attack as slow_attack
from tests.reference import measure as slow_measure
from tests.reference import microaggregation as slow_mdav
from tests.reference import mondrian as slow_mondrian
from tests.reference import reading as slow_reading
from tests.reference.attributes import Attribute


@dataclass(frozen=True)
class Versus:
    """Core and something slower, on the same input.

    Parameters
    ----------
    ours, theirs
        What is timed in turns.
    size
        The input in words.
    agree
        Whether both found the same; ``None`` where they need not.
    note
        What else to say, once both have run.
    """

    ours: Run
    theirs: Run
    size: str
    agree: bool | None = None
    note: Callable[[], str] | None = None


def attribute(domain: Domain, codes: np.ndarray) -> Attribute:
    """Return a column as its slow twin sees it; numbers and categories without a taxonomy."""
    assert domain.taxonomy is None
    assert domain.missing not in codes
    cells = domain.labels if domain.values is None else [Fraction(value) for value in domain.values.tolist()]
    return Attribute(domain.name, str(domain.column_type), tuple(cells[code] for code in codes.tolist()))


def columns(encoded: Encoded) -> tuple[list[Attribute], Attribute]:
    """Return the quasi-identifiers and the sensitive attribute as their slow twins see them."""
    qids = [attribute(domain, codes) for domain, codes in zip(encoded.qids, encoded.codes, strict=True)]
    return qids, attribute(encoded.sensitive, encoded.sensitive_codes)


def classes(labels: np.ndarray) -> set[frozenset[int]]:
    """Class labels as sets of record numbers."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def mondrian(encoded: Encoded, policy: Policy) -> Versus:
    """Return strict Mondrian and its twin."""
    qids, sensitive = columns(encoded)
    same = slow_mondrian.partition(qids, sensitive, policy) == classes(partition(encoded, policy).labels)
    return Versus(
        lambda: partition(encoded, policy),
        lambda: slow_mondrian.partition(qids, sensitive, policy),
        f"{len(encoded):,} records",
        same,
    )


def mdav(encoded: Encoded, policy: Policy) -> Versus:
    """Return microaggregation and its twin."""
    qids, sensitive = columns(encoded)
    order = Points.of(encoded).order.tolist()

    def slowly() -> list[frozenset[int]]:
        return slow_mdav.partition(qids, sensitive, policy, order)

    same = set(slowly()) == classes(partition(encoded, policy, "mdav").labels)
    return Versus(lambda: partition(encoded, policy, "mdav"), slowly, f"{len(encoded):,} records", same)


def blocks(encoded: Encoded, k: int) -> Versus:
    """Return microaggregation in blocks, and exact on the same table: how much longer, and how much nearer."""
    records = len(encoded)
    sides: dict[str, Run] = {
        "blocks": lambda: microaggregation(
            encoded, [Policy(k)], exact_rows=records - 1, block_rows=min(BLOCK_ROWS, records // 4)
        ),
        "exact": lambda: microaggregation(encoded, [Policy(k)], exact_rows=records),
    }

    def note() -> str:
        error = {name: squared_error(encoded, run()[0]) for name, run in sides.items()}
        whole = squared_error(encoded, np.zeros(records, dtype=np.int64))
        more = error["blocks"] / error["exact"] - 1
        return (
            f"MDAV of {records:,} records: sum of squared errors {error['exact'] / whole:.1%} of the whole exactly, "
            f"{error['blocks'] / whole:.1%} in blocks, which is {more:.1%} more. "
            "The slow twin of that row is exact MDAV."
        )

    return Versus(sides["blocks"], sides["exact"], f"exact, {records:,} records", note=note)


def measured(release: Release, schema: Schema) -> Versus:
    """Return k, l and t of a published table, and the same by their twin."""
    frame = release.publish(seed=0)
    rows = list(frame[list(schema.quasi_identifiers)].itertuples(index=False, name=None))
    secrets = frame[schema.sensitive].astype(object).tolist()
    sensitive = Attribute(schema.sensitive, "categorical", tuple(secrets))

    def slowly() -> tuple[float, ...]:
        found = slow_measure.measured(rows, sensitive)
        return found.k, found.distinct_l, found.entropy_l, found.recursive_c(2), found.t("equal")

    def fast() -> tuple[float, ...]:
        found = measure(frame, schema)
        return found.k, found.distinct_l, found.entropy_l, found.recursive_c(2), found.t

    return Versus(fast, slowly, f"{len(frame):,} records", np.allclose(fast(), slowly()))


def attack(releases: Sequence[Release], people: int) -> Versus:
    """Return the intersection attack and its twin."""
    rows = [np.arange(people)] * len(releases)
    records = [
        [
            (int(label), release.encoded.sensitive.labels[code])
            for label, code in zip(release.labels, release.encoded.sensitive_codes, strict=True)
        ]
        for release in releases
    ]
    positions = [row.tolist() for row in rows]

    def slowly() -> list[int]:
        found = slow_attack.attack(records, positions)
        return [found.posterior(i) for i in found.people]

    same = intersection_attack(releases, rows).posterior.tolist() == slowly()
    return Versus(lambda: intersection_attack(releases, rows).posterior, slowly, f"{people:,} people", same)


def curve(encoded: Encoded, ks: Sequence[int], overlap: int) -> Versus:
    """Return a breach curve over k, and the same by Mondrian's and the attack's twins."""
    study = Study.uniform(Policy(ks[0]), overlap)
    redraw = np.random.SeedSequence((0, 0))  # what a sweep with seed 0 draws first
    parts = [columns(part) for part in study.draw(encoded, redraw)]
    everyone = [list(range(overlap))] * len(parts)

    def slowly() -> list[float]:
        shares = []
        for k in ks:
            releases = [_records(qids, sensitive, Policy(k)) for qids, sensitive in parts]
            shares.append(float(slow_attack.attack(releases, everyone).pvp(1.0)))
        return shares

    def fast() -> list[float]:
        found = sweep(encoded, study, "k", ks)
        return found.loc[found["confidence"] == 1.0, "share"].tolist()

    return Versus(fast, slowly, f"{len(encoded):,} records, {len(ks)} values", np.allclose(fast(), slowly()))


def _records(qids: list[Attribute], sensitive: Attribute, policy: Policy) -> list[tuple[int | None, str]]:
    label = {
        member: number
        for number, members in enumerate(slow_mondrian.partition(qids, sensitive, policy))
        for member in members
    }
    return [(label[i], str(value)) for i, value in enumerate(sensitive.values)]


def reading(content: bytes, lines: int) -> Versus:
    """Return the reading of a CSV file, and its twin character by character."""
    part = b"\n".join(content.split(b"\n")[: lines + 1]) + b"\n"
    text = part.decode()
    spaced = ", " in text.split("\n", 1)[0]
    header, rows = slow_reading.read_slowly(text, ",", spaced)
    frame = read_table(part).to_frame()
    same = list(frame.columns) == header and frame.to_numpy().tolist() == rows
    return Versus(
        lambda: read_table(part), lambda: slow_reading.read_slowly(text, ",", spaced), f"{lines:,} lines", same
    )
