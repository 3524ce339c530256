"""Slow twin of the anonymity set after composition, one pair of people at a time [definitions §11]."""

from __future__ import annotations

from collections.abc import Sequence


def anonymity_sets(
    candidates: Sequence[Sequence[set[int]]], own: Sequence[Sequence[int] | None]
) -> list[tuple[int, int, bool]]:
    """At least, at most, and whether the person may be in it, for every person.

    ``candidates[r][i]`` are the classes of release r that i may be in; ``own[r][i]`` is the one
    he is in, -1 for none, and ``own[r]`` is None where nobody knows.
    """
    people = range(len(candidates[0]))
    found = []
    for i in people:
        low = high = 0
        inside = True
        for j in people:
            surely = maybe = True
            for told, real in zip(candidates, own, strict=True):
                if not told[i]:
                    continue  # the release says nothing of i
                if real is not None:
                    there = real[j] in told[i]
                    surely, maybe = surely and there, maybe and there
                else:
                    surely = surely and bool(told[j]) and told[j] <= told[i]
                    maybe = maybe and (not told[j] or bool(told[j] & told[i]))
            low, high = low + surely, high + maybe
            if i == j:
                inside = maybe
        found.append((low, high, inside))
    return found
