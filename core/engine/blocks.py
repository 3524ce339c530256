"""Cut, publish and write blocks in parallel, in separate processes if the system can fork.

A block needs its own rows, the domains and the overall distribution, and no other block. So each is assigned to a
worker, which cuts it, writes its files and returns its classes. Results arrive in the order of the blocks, so files and
classes have the same numbers for any number of workers.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import numpy as np

from core.algorithms.mondrian import carried_out
from core.algorithms.mondrian.cutting import Task
from core.algorithms.units import Units
from core.base.arrays import Codes, Ints, Progress, part
from core.base.workers import WorkerError, Workers, can_fork
from core.data.encoding.encoded import Encoded
from core.engine.output import files_needed, write_counts
from core.privacy.policy import Policy
from core.release.release import Release
from core.release.utility import gcp

BLOCK = 2_000_000
"""Largest number of distinct rows cut in memory at once."""
IN_WORK = 2 * BLOCK
"""Largest number of distinct rows of all blocks in progress."""
LOOK = 0.1
"""Seconds between two progress checks of the blocks."""
# Modules that a worker would otherwise import for each block.
_MODULES = (__name__, "pandas", "pyarrow.parquet", "pyarrow.csv")


@dataclass(frozen=True, eq=False)
class Block:
    """A block to be cut, with the destination of its release.

    Parameters
    ----------
    domains
        A table with the domains and the overall distribution of all rows.
    policy
        What its classes keep.
    codes
        (attributes + 1, rows) codes of the quasi-identifiers, those of the sensitive attribute last.
    weight
        (rows,) number of records per row.
    folder, file_format, number
        Folder and format of its files, and the number of the first.
    """

    domains: Encoded
    policy: Policy
    codes: Codes
    weight: Ints
    folder: Path
    file_format: str
    number: int

    @property
    def records(self) -> int:
        """Number of records that its rows represent."""
        return int(self.weight.sum())

    @property
    def files(self) -> range:
        """Numbers of its files."""
        return range(self.number, self.number + files_needed(self.records))


@dataclass(frozen=True, eq=False)
class Done:
    """Summary of a block whose release was written.

    Parameters
    ----------
    lost
        Its global certainty penalty, times its records.
    labels
        (rows,) class of each row, from 0.
    classes
        Their number.
    """

    lost: float
    labels: Codes
    classes: int


def released(block: Block, progress: Progress | None = None) -> Done:
    """Cut a block by strict Mondrian, and write its release; O(rounds x rows)."""
    rows = np.arange(len(block.weight))
    encoded = replace(
        block.domains,
        codes=np.ascontiguousarray(block.codes[:-1]),
        sensitive_codes=block.codes[-1],
        rows=rows,
        weight=block.weight,
        person=rows.astype(np.int32),
    )
    units = Units.of(encoded, with_sensitive=not block.policy.only_k)
    task = Task(block.domains, block.policy, np.array([block.policy.k]), units)
    labels = carried_out(task, part(progress, 0.0, 0.5))[0]
    release = Release.of(encoded, labels, block.policy, "mondrian")
    table, counts = release.publish_counts()
    write_counts(table, counts, block.folder, block.file_format, block.number, part(progress, 0.7))
    return Done(gcp(release) * encoded.records, labels, release.classes.count)


def side_by_side(
    blocks: Iterable[Block], records: int, workers: int | None = None, progress: Progress | None = None
) -> Generator[tuple[Block, Done]]:
    """Release blocks in several processes at once, and yield them in their order.

    Parameters
    ----------
    blocks
        Started one by one, as long as those in progress have at most :data:`IN_WORK` rows together.
    records
        Of all blocks.
    workers
        ``None`` for one per processor; a single one is this process.
    progress
        Called with the share of the records that is done; an exception that it raises ends all workers.

    Notes
    -----
    If no worker can be started, or one ends without an answer, this process releases its block.
    """
    count, finished = workers or os.cpu_count() or 1, 0
    if count == 1 or not can_fork():
        for block in blocks:
            share = part(progress, finished / records, (finished + block.records) / records)
            yield block, released(block, share)
            finished += block.records
        return
    stop, waiting = Event(), deque[tuple[Block, Future[Done], list[float]]]()

    def elsewhere(block: Block, share: list[float]) -> Done:
        def tick(done: float) -> None:
            share[0] = done
            if stop.is_set():
                raise _StoppedError

        try:
            return processes.run(released, block, progress=tick)
        except (WorkerError, OSError):
            return released(block, tick)

    def oldest() -> tuple[Block, Done]:
        nonlocal finished
        block, work, _ = waiting[0]
        while wait([work], LOOK).not_done:
            report()
        waiting.popleft()
        finished += block.records
        answer = work.result()
        report()
        return block, answer

    def report() -> None:
        """Report the finished share, including blocks in progress."""
        if progress is not None:
            within = sum(each.records * share[0] for each, _, share in waiting)
            progress(min(1.0, (finished + within) / records))

    with closing(Workers(_MODULES)) as processes, ThreadPoolExecutor(count) as threads:
        try:
            for block in blocks:
                while waiting and sum(len(each.weight) for each, _, _ in waiting) + len(block.weight) > IN_WORK:
                    yield oldest()
                done = [0.0]
                waiting.append((block, threads.submit(elsewhere, block, done), done))
            while waiting:
                yield oldest()
        finally:
            stop.set()


class _StoppedError(Exception):
    """Ends a worker whose answer is no longer needed."""
