"""Strict Mondrian over more distinct rows than fit into memory: the same classes, block by block.

At the top a class is cut by the engine's counts: its ends, and the histogram of its widest attribute. The cut is chosen
on that histogram by the code that cuts in memory (:func:`core.algorithms.mondrian.cutting.cut_classes`), since a cut
depends on nothing else. As soon as a class has few enough distinct rows, it is loaded, cut completely, published and
dropped (:mod:`core.engine.blocks`). So only a few blocks and the labels of the columns are in memory at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from core.algorithms.mondrian.cutting import Open, Task, cut_classes, pick_widest
from core.algorithms.units import Units
from core.base.arrays import Bools, Codes, Ints, Progress, part
from core.base.errors import InputError, LimitError, ParameterError, PolicyError
from core.base.errors import shown_name as shown
from core.base.placing import Place, placed
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.numbers import decimal_mark
from core.data.tables.table import Table
from core.engine.blocks import BLOCK, Block, Done, side_by_side
from core.engine.counting import OnEngine
from core.engine.held import fetched, integer, last_start, leaf
from core.engine.measuring import MeasuredFiles, measure_files
from core.engine.on_duckdb import EngineBudget
from core.engine.output import FORMATS
from core.engine.row_classes import CLASS, ClassFile, in_classes, rows_of_files, with_codes, write_classes_of_files
from core.privacy.policy import Policy

MOST_LABELS = 5_000_000
"""Largest number of distinct values of one column."""
AT_ONCE = 2_500_000
"""Distinct rows read from the engine at once, with a byte or two for each column."""
NARROW = 2**16 - 1
"""Largest block number in two bytes: the engine keeps a changed number twice."""


@dataclass(frozen=True, eq=False)
class ColumnLabels:
    """Labels of the columns of files, from which their schema is read without any row.

    Parameters
    ----------
    table
        Every label of every column in some row, each for two records; the rows have no meaning.
    codes
        For each column, (values,) code of the label, by the number that the engine gives the value.
    """

    table: FrequencyTable
    codes: tuple[Ints, ...]


@dataclass(frozen=True)
class WrittenRelease:
    """Summary of a release written to disk.

    Parameters
    ----------
    records, rows
        Records, and distinct rows of the files.
    blocks, rounds
        Blocks that were cut in memory, and rounds on the engine before.
    loss
        Global certainty penalty.
    measured
        Guarantees of the files, measured by the engine from them alone.
    """

    records: int
    rows: int
    blocks: int
    rounds: int
    loss: float
    measured: MeasuredFiles


@dataclass(frozen=True)
class Output:
    """Destination of a release.

    Parameters
    ----------
    folder, file_format, force
        As for :func:`core.engine.output.write_release`.
    keep
        Called before the files get their names; if it returns False, no output is left.
    bounds
        Of the engine that measures.
    classes
        Destination for the class of every row, if requested.
    texts
        More files of the set, such as the scenario, with their contents.
    """

    folder: Path
    file_format: str = "parquet"
    force: bool = False
    keep: Callable[[WrittenRelease], bool] | None = None
    bounds: EngineBudget | None = None
    classes: ClassFile | None = None
    texts: Mapping[Path, str] = field(default_factory=dict)

    @property
    def places(self) -> list[Place]:
        """The folder, the file of the classes and the texts, which are renamed together."""
        private = [] if self.classes is None else [Place(self.classes.path, self.classes.force)]
        more = [Place(path, self.force) for path in self.texts]
        return [Place(self.folder, self.force, is_folder=True), *private, *more]

    def write_texts(self, parts: Sequence[Path]) -> None:
        """Write the texts under their temporary names."""
        for place, text in zip(parts, self.texts.values(), strict=True):
            place.write_text(text, encoding="utf-8")


# ---- labels ------------------------------------------------------------------------------------


def words_of(there: OnEngine) -> ColumnLabels:
    """Take the labels of all columns; O(distinct values).

    Raises
    ------
    LimitError
        If a column has more than 5,000,000.
    """
    columns, codes = [], []
    for number, (column, many) in enumerate(zip(there.source.names, there.keys.sizes, strict=True)):
        if many > MOST_LABELS:
            raise LimitError(
                f"The column {shown(column)} has {many:,} distinct values; at most {MOST_LABELS:,} are accepted. Use "
                f"coarser values.",
                parameter=column,
            )
        labels = there.labels(number)
        columns.append(labels)
        codes.append(labels.codes.astype(np.int64))
    mark = there.decimal or decimal_mark(columns, there.source.comma)[0]
    longest = max(len(column.labels) for column in columns)
    padded = tuple(
        Column.from_codes(column.name, column.labels, np.minimum(np.arange(longest), len(column.labels) - 1))
        for column in columns
    )
    return ColumnLabels(FrequencyTable(Table(padded, mark, {}), np.full(longest, 2, dtype=np.int64)), tuple(codes))


# ---- the partition -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Blocks:
    """Top-level classes, with the engine's counts.

    Parameters
    ----------
    number
        (blocks,) in the engine's table, rising.
    rows, records
        (blocks,) distinct rows and records.
    low, high
        (attributes, blocks) lowest and highest code.
    exhausted
        (blocks, attributes) which cannot be cut.
    """

    number: Ints
    rows: Ints
    records: Ints
    low: Codes
    high: Codes
    exhausted: Bools


class Top:
    """The rows of some files as codes, on the engine, in blocks that are cut until each fits into memory."""

    def __init__(self, there: OnEngine, encoded: Encoded, policy: Policy, codes: Sequence[Ints]) -> None:
        self._engine, self._axes, self._values_codes = there.engine, len(encoded.qids), codes
        self._coded(there, codes)
        values = self._rows.group_by("s").agg(nw.col("n").sum().cast(nw.Int64)).sort("s")
        sensitive_codes, weight = fetched(self._engine, values)
        there.check(int(weight.sum()))
        rows = np.arange(len(sensitive_codes))
        # A table with only sensitive values, with which a policy compares its classes.
        self.domains = replace(
            encoded,
            codes=np.zeros((self._axes, len(sensitive_codes)), dtype=np.int32),
            sensitive_codes=sensitive_codes.astype(np.int32),
            rows=rows,
            weight=weight,
            person=rows.astype(np.int32),
        )
        policy.check_feasible(self.domains)
        self.policy, self.rounds = policy, 0

    @property
    def _rows(self) -> nw.LazyFrame[Any]:
        """The distinct rows: codes ``q0, q1, ..., s``, counts ``n``, and the block."""
        return self._engine.table("coded")

    def _coded(self, there: OnEngine, codes: Sequence[Ints]) -> None:
        """Make the table of codes in the narrowest types; the distinct rows themselves are no longer needed."""
        rows = with_codes(self._engine, there.numbers, codes)
        chosen = [nw.col(f"q{number}").cast(integer(self._engine, int(own.max()))) for number, own in enumerate(codes)]
        chosen[-1] = chosen[-1].alias("s")
        ((most,),) = fetched(self._engine, there.numbers.select(nw.col("n").max()))
        chosen.append(nw.col("n").cast(integer(self._engine, int(most))))
        chosen.append(nw.lit(0).cast(integer(self._engine, NARROW)).alias("block"))
        self._engine.keep("coded", rows.select(*chosen))
        self._engine.drop("keyed")

    def remember(self, block: Block, done: Done, first: int) -> None:
        """Keep the class of each row of a block, by its codes, on the engine; ``first`` is the number of its first."""
        codes = {f"q{number}": own for number, own in enumerate(block.codes[:-1])}
        table = pa.table({**codes, CLASS: done.labels + np.int32(first)})
        # Rows that differ only in the sensitive value are never separated.
        self._engine.give("class_of", table.group_by(table.column_names).aggregate([]), more=first > 0)

    def classes_of_rows(self, there: OnEngine, key: str) -> nw.LazyFrame[Any]:
        """Return the ``key`` and the ``class`` of every row of the files, once all blocks are stored."""
        return in_classes(there, rows_of_files(there, key), self._values_codes[: self._axes], "class_of")

    def blocks(self, progress: Progress | None = None, most: int | None = None) -> Blocks:
        """Cut until no block that can be cut has more than ``most`` distinct rows, :data:`BLOCK` by default.

        Raises
        ------
        LimitError
            If a block with more cannot be cut.
        """
        limit = BLOCK if most is None else most
        known = self._look({0: np.zeros(self._axes, dtype=bool)})
        while (large := known.rows > limit).any():
            task = self._task(np.zeros((self._axes, 0), dtype=np.int32), self._nothing, self._nothing)
            picked, stuck = pick_widest(task, known.low, known.high, known.exhausted)
            is_open = large & ~stuck & (known.records >= 2 * self.policy.k)
            if not is_open.any():
                if int(known.rows.max()) > max(limit, BLOCK):
                    raise LimitError(
                        f"A class of {int(known.rows.max()):,} distinct rows cannot be cut under this policy, but at "
                        f"most {BLOCK:,} fit into memory at once; ask for less."
                    )
                break
            known = self._cut(known, np.flatnonzero(is_open), picked)
            self.rounds += 1
            if progress is not None:
                progress(min(1.0, float(np.minimum(1.0, limit / known.rows).mean())))
        return known

    _nothing = np.empty(0, dtype=np.int64)

    def _task(self, codes: Codes, weight: Ints, sensitive_codes: Ints) -> Task:
        """Units as core cuts them, in the domains of the whole table."""
        every = np.arange(len(weight))
        units = Units(codes, weight, sensitive_codes.astype(np.int32), every, every.astype(np.int32))
        return Task(self.domains, self.policy, np.array([self.policy.k]), units)

    def _look(self, exhausted: dict[int, Bools]) -> Blocks:
        """Query size and bounds of all blocks."""
        ends = [
            end.cast(nw.Int64).alias(f"{name}{number}")
            for number in range(self._axes)
            for name, end in (("low", nw.col(f"q{number}").min()), ("high", nw.col(f"q{number}").max()))
        ]
        size = nw.len().alias("rows"), nw.col("n").sum().cast(nw.Int64)
        stats = fetched(self._engine, self._rows.group_by("block").agg(*size, *ends).sort("block"))
        number, rows, records, *ends_of = stats
        return Blocks(
            number,
            rows,
            records,
            np.array(ends_of[0::2], dtype=np.int32),
            np.array(ends_of[1::2], dtype=np.int32),
            np.array([exhausted[block] for block in number.tolist()]),
        )

    def _cut(self, known: Blocks, chosen: Ints, picked: Ints) -> Blocks:
        """Cut each of some blocks once, or mark the attribute chosen for it as exhausted."""
        numbers, axes = known.number[chosen], picked[chosen]
        self._engine.give("picks", pa.table({"block": numbers.astype(np.int32), "axis": axes.astype(np.int32)}))
        value = nw.lit(0)
        for axis in range(self._axes):
            value = nw.when(nw.col("axis") == axis).then(nw.col(f"q{axis}").cast(nw.Int32)).otherwise(value)
        sensitive = nw.lit(0) if self.policy.only_k else nw.col("s")
        rows = self._rows.join(self._engine.table("picks"), on="block")
        groups = rows.select("block", value.alias("v"), sensitive.alias("s"), "n").group_by("block", "v", "s")
        histogram = fetched(self._engine, groups.agg(nw.col("n").sum().cast(nw.Int64)).sort("block", "v", "s"))
        block, codes, of_sensitive, weight = histogram
        size = np.diff(np.append(np.searchsorted(block, numbers), len(block)))
        # A unit has only the code of the chosen attribute.
        shown_codes = np.ascontiguousarray(np.broadcast_to(codes.astype(np.int32), (self._axes, len(codes))))
        task = self._task(shown_codes, weight, of_sensitive)
        zeros = np.zeros(len(numbers), dtype=np.int64)
        exhausted = known.exhausted[chosen]
        state = Open(np.arange(len(codes)), shown_codes, weight, size, exhausted, zeros, zeros + 1, zeros - 1)
        made = cut_classes(state, task, axes, known.low[:, chosen], known.high[:, chosen])
        order, is_made = made.order, made.smaller >= self.policy.k
        left = dict(zip(known.number.tolist(), known.exhausted, strict=True))
        for number, axis in zip(numbers[~is_made].tolist(), axes[~is_made].tolist(), strict=True):
            left[number] = left[number] | (np.arange(self._axes) == axis)
        if is_made.any():
            owner = np.repeat(np.arange(len(numbers)), size)
            begins = made.is_cut.copy()
            begins[state.starts] = True
            of_part = np.cumsum(begins) - 1
            moves = is_made[owner]
            parts, new = np.unique(of_part[moves], return_inverse=True)
            first = int(known.number.max()) + 1
            # Without an allowable cut in the whole, a part has none either, except for children of a taxonomy node and
            # requirements that a part may meet although the whole does not.
            monotone = self.policy.t is None and self.policy.diversity == "distinct"
            passed_on = exhausted & ~task.trees & monotone
            for part_number, place in enumerate(np.flatnonzero(begins)[parts].tolist()):
                left[first + part_number] = passed_on[owner[place]]
            self._part(numbers, axes, owner[moves], codes[order][moves], first + new)
        return self._look(left) if is_made.any() else replace(known, exhausted=np.array(list(left.values())))

    def _part(self, numbers: Ints, axes: Ints, owner: Ints, codes: Ints, part: Ints) -> None:
        """Give rows of some blocks their new block.

        One column is rewritten; other rows and columns stay unchanged. Comparisons are faster on the engine than a
        join.

        Parameters
        ----------
        numbers, axes
            (blocks,) number of each, rising, and the attribute by which it is cut.
        owner, codes, part
            (codes,) a block, one of its codes, and the block to which rows with that code go.
        """
        order = np.lexsort((codes, owner))
        owner, codes, part = owner[order], codes[order], part[order]
        cut, begin = np.unique(owner, return_index=True)
        choices = {}
        for block, first, end in zip(cut.tolist(), begin.tolist(), [*begin[1:].tolist(), len(owner)], strict=True):
            own, goes = codes[first:end], part[first:end]
            changes = np.flatnonzero(np.append(True, goes[1:] != goes[:-1]))
            answers = [leaf(number) for number in goes[changes].tolist()]
            choices[int(numbers[block])] = last_start(f"q{axes[block]}", own[changes].tolist(), answers)
        self._engine.relabel("coded", "block", choices, int(part.max()))

    def given_out(self, known: Blocks, folder: Path, file_format: str) -> Iterator[Block]:
        """Fetch the blocks from the engine, in the order of their lowest codes.

        A pass over the rows takes blocks of at most :data:`AT_ONCE` rows together.

        Parameters
        ----------
        known
            The blocks.
        folder, file_format
            Destination of the release of each.
        """
        order, number = np.lexsort(known.low[::-1]), 0
        passes = np.cumsum(known.rows[order]) // AT_ONCE
        for _, begin in zip(*np.unique(passes, return_index=True), strict=True):
            chosen = order[begin : begin + int((passes == passes[begin]).sum())]
            for codes, weight in self._rows_of(known.number[chosen], known.rows[chosen]):
                block = Block(self.domains, self.policy, codes, weight, folder, file_format, number)
                yield block
                number = block.files.stop

    def _rows_of(self, blocks: Ints, sizes: Ints) -> Iterator[tuple[Codes, Ints]]:
        """Codes and counts of some blocks in their order, by one pass over the rows."""
        columns = [*(f"q{number}" for number in range(self._axes)), "s", "n", "block"]
        batches = self._engine.stream(self._rows.filter(nw.col("block").is_in(blocks.tolist())).select(columns))
        *codes, weight, block = (column.to_numpy() for column in pa.Table.from_batches(batches).columns)
        place = np.empty(int(blocks.max()) + 1, dtype=np.int64)
        place[blocks] = np.arange(len(blocks))
        order = np.argsort(place[block], kind="stable")
        ends = np.cumsum(sizes)
        assert ends[-1] == len(order), "the engine gives all rows of the blocks"
        for begin, end in zip((ends - sizes).tolist(), ends.tolist(), strict=True):
            own = order[begin:end]
            yield np.stack([column[own].astype(np.int32) for column in codes]), weight[own].astype(np.int64)

    def forget(self) -> None:
        """Free the engine's memory; stored classes stay."""
        self._engine.drop("coded")


# ---- the whole job -----------------------------------------------------------------------------


def check_scope(schema: Schema, policy: Policy, algorithm: str) -> None:
    """Refuse settings that do not work block by block, or that the engine could not measure from the files.

    Raises
    ------
    ParameterError, PolicyError
        With what to choose.
    """
    if algorithm != "mondrian":
        raise ParameterError(
            "The distinct rows do not fit into memory, and the engine runs only Mondrian; choose mondrian, or "
            "use coarser values.",
            parameter="algorithm",
        )
    schema.need_one_sensitive("What does not fit into memory and is cut on the engine")
    if schema.missing != "category":
        raise ParameterError(
            "The distinct rows do not fit into memory, so missing values must be kept as a separate value; leave out "
            "such records first.",
            parameter="missing",
        )
    others = {model.symbol for model in policy.models} - {"k", "l", "t"}
    if others or policy.diversity == "recursive" or (policy.t is not None and policy.distance != "equal"):
        raise PolicyError(
            "The distinct rows do not fit into memory, so the engine measures only k, distinct and entropy l, "
            "and t with the equal distance; ask for only these.",
            parameter=next(iter(others), "diversity" if policy.diversity == "recursive" else "distance"),
        )


def release_by_blocks(
    there: OnEngine,
    words: ColumnLabels,
    schema: Schema,
    policy: Policy,
    output: Output,
    most: int | None = None,
    progress: Progress | None = None,
) -> WrittenRelease:
    """Release files with any number of distinct rows by strict Mondrian, and measure the output.

    Parameters
    ----------
    there, words
        The counted files, which the engine then drops, and their labels.
    schema, policy
        As accepted by :func:`check_scope`.
    output
        Destination of the release.
    most
        Distinct rows of a block, :data:`BLOCK` by default.
    progress
        Called with the share of the work done; may raise to cancel, and then nothing is there.

    Returns
    -------
    Written
        Also if ``output.keep`` refused it.

    Raises
    ------
    InfeasibleError
        If the whole table does not meet the policy.
    InputError, LimitError
        If the files were changed, or memory, disk or output do not suffice.

    Notes
    -----
    On the engine O(rounds x rows), some log2(rows / block) rounds; in memory at most 4,000,000 rows at a time. Rows are
    ordered block by block by their lowest values, and by the published cells within a block: this order follows from
    the cells.
    """
    if output.file_format not in FORMATS:
        raise ParameterError(f"The format must be one of {', '.join(FORMATS)}.", parameter="format")
    there.engine.check_path(output.folder)
    try:
        top = top_of(there, words, schema, policy)
        return _written(top, there, output, top.blocks(part(progress, 0.1, 0.4), most), part(progress, 0.4))
    except _NotKeptError as error:
        written: WrittenRelease = error.args[0]
        return written


class _NotKeptError(Exception):
    """Cancels the writing, so that nothing gets its final name; has the summary of what was written."""


def top_of(there: OnEngine, words: ColumnLabels, schema: Schema, policy: Policy) -> Top:
    """Load the rows of some files into one block, as codes of their labels."""
    encoded = replace(encode(words.table, schema), everybody=0)
    codes = [own[labels] for own, labels in zip([*encoded.codes, encoded.sensitive_codes], words.codes, strict=True)]
    return Top(there, encoded, policy, codes)


def _written(top: Top, there: OnEngine, output: Output, known: Blocks, progress: Progress | None) -> WrittenRelease:
    names = [domain.name for domain in top.domains.qids]
    sensitive, records, lost = top.domains.sensitive.name, int(known.records.sum()), 0.0
    classes, file = 0, output.classes
    with ExitStack() as stack:
        folder, *others = stack.enter_context(placed(*output.places))
        blocks = top.given_out(known, folder, output.file_format)
        workers = None if output.bounds is None else output.bounds.threads
        workers = workers if int(known.rows.sum()) > BLOCK else 1  # a worker takes a second to start
        # Closed explicitly: the end of the loop must end the workers before their folder is removed.
        dealt_out = stack.enter_context(closing(side_by_side(blocks, records, workers, part(progress, 0.0, 0.7))))
        for block, done in dealt_out:
            lost += done.lost
            if file is not None:
                top.remember(block, done, classes)
                classes += done.classes
        top.forget()
        if file is not None:
            rows = top.classes_of_rows(there, file.key)
            write_classes_of_files(there, rows, file, others.pop(0), records, part(progress, 0.7, 0.8))
        output.write_texts(others)
        there.source.files.check_unchanged()
        measured = measure_files(
            str(folder),
            names,
            sensitive,
            output.bounds,
            suppression=False,
            # Text is read by DuckDB alone.
            engine=there.engine if there.engine.reads_more and output.file_format == "parquet" else None,
            progress=part(progress, 0.8),
        )
        if measured.rows != records:
            # not tested: a disk that loses what was written.
            raise InputError("The files that were written do not hold as many records as those read; try again.")
        written = WrittenRelease(records, there.rows, len(known.number), top.rounds, lost / records, measured)
        if output.keep is not None and not output.keep(written):
            raise _NotKeptError(written)
    return written
