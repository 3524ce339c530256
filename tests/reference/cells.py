"""Generalised cells with what they mean: the slow twin of reading them.

Each function draws one cell of definitions §4 for a column, as a text together with the
values of that column that it stands for. Nothing is parsed: the meaning is known from the
way the text was made. ``None`` is a missing value.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = Any


@dataclass(frozen=True)
class Cell:
    """A published text, and whether it may stand for a value."""

    text: str
    holds: Callable[[Value], bool]

    def __repr__(self) -> str:
        return f"Cell({self.text!r})"


def everything() -> Cell:
    """``*``."""
    return Cell("*", lambda _: True)


def missing() -> Cell:
    """A missing value alone."""
    return Cell("(missing)", lambda value: value is None)


def or_missing(cell: Cell) -> Cell:
    """What a cell says, or a missing value."""
    return Cell(f"{cell.text} or (missing)", lambda value: value is None or cell.holds(value))


def _known(test: Callable[[Value], bool]) -> Callable[[Value], bool]:
    return lambda value: value is not None and test(value)


# ---- numbers ----------------------------------------------------------------------------


def number(rng: random.Random, values: Sequence[int]) -> Cell:
    """A cell of a column of whole numbers from 0 to 99 or from -99 to 99."""
    a, b = sorted((rng.choice(values), rng.choice(values)))
    forms: list[Cell] = [
        Cell(str(a), _known(lambda x: x == a)),
        Cell(f"[{a}, {b}]", _known(lambda x: a <= x <= b)),
        Cell(f"[{a} .. {b}]", _known(lambda x: a <= x <= b)),
        Cell(f"<{a}", _known(lambda x: x < a)),
        Cell(f"<={a}", _known(lambda x: x <= a)),
        Cell(f"≤{a}", _known(lambda x: x <= a)),
        Cell(f">{a}", _known(lambda x: x > a)),
        Cell(f">={a}", _known(lambda x: x >= a)),
        Cell(f"≥ {a}", _known(lambda x: x >= a)),
        Cell(f"{{{a}, {b}}}", _known(lambda x: x in (a, b))),
        Cell("*", lambda _: True),
    ]
    if a >= 0:
        forms += [
            Cell(f"[{a}-{b}]", _known(lambda x: a <= x <= b)),
            Cell(f"{a}-{b}", _known(lambda x: a <= x <= b)),
            Cell(f"{a}–{b}", _known(lambda x: a <= x <= b)),
        ]
    if a < b:
        forms += [
            Cell(f"({a},{b}]", _known(lambda x: a < x <= b)),
            Cell(f"[{a}, {b}[", _known(lambda x: a <= x < b)),
            Cell(f"[{a}, {b})", _known(lambda x: a <= x < b)),
            Cell(f"]{a}; {b}]", _known(lambda x: a < x <= b)),
        ]
    if a >= 10:
        tens = str(a)[0]
        forms.append(Cell(f"{tens}*", _known(lambda x: len(str(x)) == 2 and str(x)[0] == tens)))
    found = rng.choice(forms)
    return or_missing(found) if rng.random() < 0.1 and found.text != "*" else found


# ---- orders, categories, trees ----------------------------------------------------------


def _masked(label: str, rng: random.Random) -> Cell:
    at = {i for i in range(len(label)) if rng.random() < 0.5}
    if not at or len(at) == len(label):
        return Cell(label, _known(lambda x: x == label))
    text = "".join("*" if i in at else ch for i, ch in enumerate(label))
    return Cell(
        text, _known(lambda x: len(x) == len(text) and all(p in ("*", c) for p, c in zip(text, x, strict=True)))
    )


def _set(labels: Sequence[str], rng: random.Random) -> Cell:
    chosen = sorted(rng.sample(labels, rng.randint(1, min(3, len(labels)))))
    written = [json.dumps(label) if rng.random() < 0.3 else label for label in chosen]
    return Cell("{" + ", ".join(written) + "}", _known(lambda x: x in chosen))


def category(rng: random.Random, labels: Sequence[str]) -> Cell:
    """A cell of a column of labels without an order."""
    label = rng.choice(labels)
    forms = [Cell(label, _known(lambda x: x == label)), _set(labels, rng), _masked(label, rng), everything()]
    found = rng.choice(forms)
    return or_missing(found) if rng.random() < 0.1 and found.text != "*" else found


def order(rng: random.Random, labels: Sequence[str]) -> Cell:
    """A cell of a column of ordered labels."""
    i, j = sorted((rng.randrange(len(labels)), rng.randrange(len(labels))))
    place = {label: at for at, label in enumerate(labels)}
    low, high = labels[i], labels[j]
    forms = [
        Cell(f"[{low} .. {high}]", _known(lambda x: i <= place[x] <= j)),
        Cell(f'["{low}" .. {high}]', _known(lambda x: i <= place[x] <= j)),
        Cell(f"[{low}-{high}]", _known(lambda x: i <= place[x] <= j)),
        Cell(f"{low}-{high}", _known(lambda x: i <= place[x] <= j)),
        Cell(f"<{high}", _known(lambda x: place[x] < j)),
        Cell(f">= {low}", _known(lambda x: place[x] >= i)),
        category(rng, labels),
    ]
    return rng.choice(forms)


def node(rng: random.Random, leaves: Mapping[str, Sequence[str]]) -> Cell:
    """A cell of a column with a tree, given as the leaves under each node; the first node is the root."""
    label = rng.choice(list(leaves))
    if label == next(iter(leaves)):
        return Cell(label, lambda _: True)
    plain = [name for name, below in leaves.items() if list(below) == [name]]
    forms = [Cell(label, _known(lambda x: x in leaves[label])), _masked(rng.choice(plain), rng), _set(plain, rng)]
    return rng.choice(forms)
