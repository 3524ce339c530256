"""Slow twins of an agreement: one record at a time, from its JSON and from texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, str]


def is_first(record: Record, cut: Mapping[str, Any]) -> bool:
    """Whether a record is on the first side of a cut."""
    value = record[cut["column"]]
    if "at" in cut:
        return value != "" and float(value) <= cut["at"]
    return value in cut["values"]


def is_in(value: str, part: Mapping[str, Any]) -> bool:
    if "low" in part:
        return value != "" and part["low"] <= float(value) <= part["high"]
    return value in part["values"]


def path(record: Record, facts: Mapping[str, Any]) -> tuple[int, ...]:
    """Region, bucket and sides of a record; empty for one that is left out."""
    for number, region in enumerate(facts["regions"]):
        if all(is_in(record[part["column"]], part) for part in region.get("inside", [])):
            own = published(record, facts)
            for place, bucket in enumerate(region["buckets"]):
                if own in bucket:
                    return (number, place, *_sides(record, region["trees"][place]))
    return ()


def published(record: Record, facts: Mapping[str, Any]) -> str:
    """The value that an agreement publishes of a record."""
    value = record[facts["sensitive"]]
    value = facts["coarser"].get(value, value)
    for region in facts["regions"]:
        if all(is_in(record[part["column"]], part) for part in region.get("inside", [])):
            listed = {text for bucket in region["buckets"] for text in bucket}
            return value if value == "" or value in listed or not facts["label"] else facts["label"]
    return value


def _sides(record: Record, tree: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    place = 0 if tree else -1
    while place >= 0:
        side = 0 if is_first(record, tree[place]) else 1
        yield side
        place = tree[place].get("second" if side else "first", -1)


def nodes(records: Sequence[Record], facts: Mapping[str, Any]) -> dict[tuple[int, ...], list[int]]:
    """Records at each node of the trees that has some."""
    held: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        way = path(record, facts)
        for end in range(2, len(way) + 1):
            held[way[:end]].append(number)
    return dict(held)


def allowed(
    held: Mapping[tuple[int, ...], list[int]], records: Sequence[Record], facts: Mapping[str, Any], k: int
) -> set[tuple[int, ...]]:
    """Nodes that may be classes: k records, and every value of the bucket."""
    good = set()
    for node, members in held.items():
        bucket = facts["regions"][node[0]]["buckets"][node[1]]
        if len(members) >= k and {published(records[i], facts) for i in members} == set(bucket):
            good.add(node)
    return good


def by_default(records: Sequence[Record], facts: Mapping[str, Any], k: int) -> set[frozenset[int]]:
    """Classes if a node is cut exactly when both sides are allowed."""
    held = nodes(records, facts)
    good = allowed(held, records, facts, k)

    def below(node: tuple[int, ...]) -> Iterator[frozenset[int]]:
        sides = [(*node, 0), (*node, 1)]
        if all(side in good for side in sides):
            for side in sides:
                yield from below(side)
        else:
            yield frozenset(held[node])

    return {members for node in good if len(node) == 2 for members in below(node)}


def keeps(rows: Sequence[Record], facts: Mapping[str, Any], qids: Sequence[str], k: int) -> bool:
    """Whether published rows keep an agreement: k, one region, and whole buckets in every class."""
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in qids)].append(row[facts["sensitive"]])
    for cells, values in classes.items():
        fitting = [
            region
            for region in facts["regions"]
            if all(_lies(cells[list(qids).index(part["column"])], part) for part in region.get("inside", []))
        ]
        if len(values) < k or len(fitting) != 1:
            return False
        whole = [set(bucket) for bucket in fitting[0]["buckets"] if set(bucket) <= set(values)]
        if set().union(*whole) != set(values):
            return False
    return True


def _lies(cell: str, part: Mapping[str, Any]) -> bool:
    if "low" in part:
        ends = cell.strip("[]").split("-") if cell.startswith("[") else [cell]
        return all(part["low"] <= float(end) <= part["high"] for end in ends)
    return all(label in part["values"] for label in cell.strip("{}").split(", "))


def covers(cell: str, value: str) -> bool:
    """Whether a published cell of these tables has a value."""
    cell, _, missing = cell.partition(" or ")
    if value == "":
        return bool(missing) or cell == "*"
    if cell.startswith("["):
        low, high = cell.strip("[]").split("-")
        return float(low) <= float(value) <= float(high)
    return cell in ("*", value) or value in cell.strip("{}").split(", ")


def left(
    files: Sequence[Sequence[Record]],
    person: Record,
    facts: Mapping[str, Any],
    qids: Sequence[str],
    knows_region: bool = True,
) -> set[str] | None:
    """Values that published files leave for a person whose quasi-identifiers are known; ``None`` if they are in none.

    A reader takes the values of every class that the person fits; one who knows the region, only of classes in it. Who
    does not, takes the columns that define regions for unknown.
    """
    stable = {part["column"] for region in facts["regions"] for part in region.get("inside", [])}
    known = [name for name in qids if knows_region or name not in stable]
    remaining: set[str] | None = None
    for rows in files:
        held = {row[facts["sensitive"]] for row in rows if all(covers(row[name], person[name]) for name in known)}
        if held:
            remaining = held if remaining is None else remaining & held
    return remaining


def loss(rows: Sequence[Record], records: Sequence[Record], qids: Sequence[str], numeric: Sequence[str]) -> float:
    """Mean penalty of the published cells; 1 for a record that is left out."""
    total = float(len(records) - len(rows))
    for name in qids:
        values = {record[name] for record in records}
        for row in rows:
            cell = row[name]
            if name in numeric:
                low, high = cell.strip("[]").split("-") if cell.startswith("[") else (cell, cell)
                numbers = [float(value) for value in values]
                total += (float(high) - float(low)) / (max(numbers) - min(numbers)) / len(qids)
            elif cell == "*":
                total += 1 / len(qids)
            elif cell.startswith("{"):
                total += len(cell.split(", ")) / len(values) / len(qids)
    return total / len(records)
