"""Several people at once: ``python -m benchmarks --only people``; ``--people 1`` for one number of them alone.

Each is a session of the real server, started as `make run` starts it, without a browser: twenty
browsers would measure browsers. A person moves a slider of the attack page every five seconds,
k and the overlap in turns, whether or not what the move before set off is done. The clock runs from
the message that a browser would send to the message that draws the curve again: that is the first
answer. The intervals of the redraws follow; how many moves got theirs before the next is told too.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import table
from benchmarks.browser import quantile
from benchmarks.data import ROOT
from benchmarks.processes import family

if TYPE_CHECKING:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    from tests.browser.rig import App
    from tests.visitor import Visitor

PEOPLE = (1, 5, 10, 20)
GOALS = {10: 1.5, 20: 4.0}
EVERY = 5.0
MOVES = 12
PATIENCE = 600.0
"""Seconds until who arrives gives up: redraws come after everybody's first answers."""
PAGE = "attack"
KS, OVERLAPS = (4, 6, 8, 10, 12, 15), (3000, 3500, 4000, 4500, 5500, 6000)
K, OVERLAP = "People per class (k)", "Shared people (overlap)"
HEADER = ("people", "moves", "median", "95th percentile", "max", "goal", "met", "intervals in time", "server", "all")


@dataclass
class Person:
    """What one person waited for: seconds to each first answer, and how many moves got their intervals."""

    first: list[float] = field(default_factory=list)
    whole: int = 0
    trouble: list[str] = field(default_factory=list)


def arrive(url: str) -> Visitor:
    """Open the attack page as a new session, and wait until everything stands there, the redraws too."""
    from tests.visitor import Visitor

    visitor = Visitor(url, seconds=PATIENCE)
    visitor.open(PAGE)
    return visitor


def move(visitor: Visitor, number: int) -> None:
    """Move a slider and send it, as a browser does when the handle is let go."""
    if number % 2:
        visitor.set(OVERLAP, float(OVERLAPS[number // 2 % len(OVERLAPS)]))
    else:
        visitor.set(K, float(KS[number // 2 % len(KS)]))
    visitor.send()


def watch(visitor: Visitor, person: Person, until: float) -> None:
    """Read what comes after a move until everything has come, or it is time for the next."""
    began = time.monotonic()
    curve = visitor.place_of_chart()
    running, answered = False, False
    for message in visitor.messages(until):
        kind = message.WhichOneof("type")
        running |= kind == "new_session"
        if running and not answered and _draws(message, curve):
            person.first.append(time.monotonic() - began)
            answered = True
        # A run that a newer one ended says so as well.
        if answered and kind == "script_finished" and message.script_finished != 2:
            person.whole += 1
            break
    if not answered:
        # It is still waiting: count it with what it has waited at the least, so that it is not lost.
        person.first.append(until - began)
        person.trouble.append("no answer before the next move")


def _draws(message: ForwardMsg, place: tuple[int, ...]) -> bool:
    """Whether a message draws at a place; of what the tab had before, only the hash is sent."""
    return message.WhichOneof("type") in ("delta", "ref_hash") and tuple(message.metadata.delta_path) == place


def at_it(visitor: Visitor, person: Person, begin: float, moves: int, every: float, offset: int) -> None:
    """Move again and again, on time."""
    for number in range(moves):
        due = begin + number * every
        time.sleep(max(0.0, due - time.monotonic()))
        move(visitor, number + offset)
        watch(visitor, person, due + every)


def together(visitors: list[Visitor], moves: int, every: float = EVERY) -> list[Person]:
    """Let people move at the same time, their moves spread evenly over the interval."""
    people, found = len(visitors), [Person() for _ in visitors]
    start = time.monotonic() + 1
    threads = [
        threading.Thread(
            target=at_it, args=(visitor, person, start + i * every / people, moves, every, i), name=f"person {i}"
        )
        for i, (visitor, person) in enumerate(zip(visitors, found, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@contextmanager
def server() -> Iterator[App]:
    """Run the app as `make run` does."""
    from tests.browser import rig

    with tempfile.TemporaryDirectory() as folder, rig.running(ROOT / "app.py", Path(folder)) as app:
        yield app
        for complaint in app.complaints():
            print(complaint, file=sys.stderr)


def processor_seconds(app: App) -> float:
    """Seconds of processor time that the server's own process has used, without its workers."""
    fields = Path(f"/proc/{app.process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def busy_seconds() -> float:
    """Seconds that the processors of this machine were busy, with whatever: workers too, and other programs."""
    fields = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / 100


def megabytes(app: App) -> float:
    """Memory that the server and its children hold."""
    found = 0.0
    for process in family(app.process):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process}/status").read_text()
            found += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
    return found


def line(people: int, found: list[Person], used: float, busy: float) -> table.Line:
    """Summarise as one row what so many people waited for, and how many processors the server and all had to do."""
    first = [seconds for person in found for seconds in person.first]
    high, goal = quantile(first, 0.95), GOALS.get(people)
    met = table.NONE if goal is None else "yes" if high <= goal else "**no**"
    cells = (
        str(people),
        str(len(first)),
        table.seconds(median(first)),
        table.seconds(high),
        table.seconds(max(first)),
        table.NONE if goal is None else table.seconds(goal),
        met,
        f"{100 * sum(person.whole for person in found) / len(first):.0f}%",
        f"{used:.2f} processors",
        f"{busy:.2f} of {os.cpu_count()}",
    )
    late = sum(len(person.trouble) for person in found)
    notes = (f"{people} people: {late} moves had no answer when the next came; they count with that time.",) * bool(
        late
    )
    return table.Line(cells, notes)


def measured(many: tuple[int, ...], moves: int, every: float) -> list[table.Line]:
    """Start a server for each number of people; return the rows of the table."""
    lines = []
    for people in many:
        with server() as app:
            arrive(app.url).close()
            with ThreadPoolExecutor(4) as pool:
                visitors = list(pool.map(arrive, [app.url] * people))
            used, busy, began = processor_seconds(app), busy_seconds(), time.monotonic()
            found = together(visitors, moves, every)
            used, busy, took = processor_seconds(app) - used, busy_seconds() - busy, time.monotonic() - began
            for visitor in visitors:
                visitor.close()
        lines.append(line(people, found, used / took, busy / took))
        print(f"{people} people ...", file=sys.stderr, flush=True)
    return lines


def main(asked: argparse.Namespace) -> int:
    """Measure and print; with ``--write``, put the table into benchmarks/README.md."""
    load = table.load()
    many, moves, every = ((1, 2), 2, 3.0) if asked.quick else (PEOPLE, MOVES, EVERY)
    if asked.people:
        many = (asked.people,)
    lines = measured(many, moves, every)
    said = table.notes(lines)
    print(table.markdown([table.plainer(found) for found in lines], HEADER, HEADER), *said, sep="\n")
    print(f"The city of 30,000 records, a move every {every:g} s. {table.machine()}.{load}")
    if asked.write:
        facts = f"Measured on {asked.date} with the city of 30,000 records: {table.machine()}.{load}"
        table.write("people", "\n\n".join([facts, table.markdown(lines, HEADER, HEADER), " ".join(said)]))
    return 0
