"""The server's memory while people come and go: ``python -m benchmarks --only soak --minutes 30``.

People are at it as in ``benchmarks/people.py``, one of them leaving and another coming every half
minute. The memory of the server and of its children is noted twice a minute, and once more when
everybody has been gone for a minute and a half: by then the server has promised to forget them.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks import people, table

PEOPLE, CHANGE = 10, 30.0
"""How many are there at a time, and seconds after which one of them leaves."""
LOOK = 30.0
"""Seconds between two looks at the memory."""
GONE = 90.0
"""Seconds after the last has left: a minute until the server forgets, and some for tidying."""
MINUTES = 30.0
HEADER = ("minutes", "memory", "", "moves")
WIDTH = 40


@dataclass(frozen=True)
class Look:
    """The server at one moment."""

    minutes: float
    megabytes: float
    moves: int


def curve(minutes: float, many: int = PEOPLE, gone: float = GONE) -> list[Look]:
    """Keep so many people at it for so many minutes; return the server as it was twice a minute, and in the end."""
    looks: list[Look] = []
    moves = [0] * many
    with people.server() as app:
        begun = time.monotonic()
        stop = begun + 60 * minutes

        def look() -> None:
            looks.append(Look((time.monotonic() - begun) / 60, people.megabytes(app), sum(moves)))
            print(told(looks[-1], looks), flush=True)

        def stay(place: int) -> None:
            # The first visit of each is of another length, so that they do not all leave at once.
            visit = CHANGE * (place + 1)
            while time.monotonic() < stop:
                for _ in _moves(app.url, min(stop, time.monotonic() + visit)):
                    moves[place] += 1
                visit = CHANGE * many

        threads = [threading.Thread(target=stay, args=(place,), name=f"person {place}") for place in range(many)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            look()
            again = time.monotonic() + LOOK
            for thread in threads:
                thread.join(max(0.0, again - time.monotonic()))
        time.sleep(gone)
        look()
    return looks


def _moves(url: str, until: float) -> Iterator[int]:
    """Come, move every five seconds, and leave; yield the number of each move."""
    visitor, person, number = people.arrive(url), people.Person(), 0
    try:
        while time.monotonic() < until:
            people.at_it(visitor, person, time.monotonic(), 1, people.EVERY, number)
            yield number
            number += 1
    finally:
        visitor.close()


def told(look: Look, looks: list[Look]) -> str:
    """One look as a line: minutes, memory, a bar as long as its share of the most so far, moves."""
    return "{:>7} {:>9} {:<{width}} {:>6}".format(*cells(look, looks), width=WIDTH)


def cells(look: Look, looks: list[Look]) -> tuple[str, str, str, str]:
    """One look as a row of a table."""
    most = max(one.megabytes for one in looks)
    bar = "#" * round(WIDTH * look.megabytes / most) if most else ""
    return f"{look.minutes:.1f}", f"{look.megabytes:,.0f} MB", bar, str(look.moves)


def main(asked: argparse.Namespace) -> int:
    """Measure and print; with ``--write``, put the curve into benchmarks/README.md."""
    load, many = table.load(), asked.people or PEOPLE
    minutes = asked.minutes or (1.0 if asked.quick else MINUTES)
    looks = curve(minutes, many)
    facts = f"{many} people for {minutes:g} minutes, then nobody. {table.machine()}.{load}"
    print(facts)
    if asked.write:
        lines = [table.Line(cells(look, looks), ()) for look in looks]
        table.write("soak", f"Measured on {asked.date}: {facts}\n\n{table.markdown(lines, HEADER, HEADER)}")
    return 0
