"""Files that cost more than they say are read apart: one sentence in time, and nothing else has changed."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

from core import CompositionError, Taxonomy, read_table
from core.base.errors import InputError, LimitError, ParameterError, TaxonomyError
from core.data.reading import Request, apart, read_hierarchy, wire
from core.data.tables.input_limits import InputLimits
from tests.files import HEADER, SECRET, everything_said, parquet, parts, rows_of, workbook

LEAN = InputLimits(memory=60_000_000, seconds=60)
"""Enough for any small file; the hostile ones here need far more, and are small to make."""


def refusal(content: Any, limits: InputLimits = LEAN, **options: Any) -> CompositionError:
    with pytest.raises(CompositionError) as caught:
        read_table(content, limits=limits, **options)
    message = str(caught.value)
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert len(message) < 400
    assert not any(SECRET in said for said in everything_said(caught.value))
    return caught.value


def children() -> set[str]:
    """Processes that this one has started and that still run."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found |= set((task / "children").read_text(encoding="ascii").split())
    return found


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    threads, processes = threading.active_count(), children()
    yield
    assert threading.active_count() == threads
    assert children() == processes


# ---- the same answer ------------------------------------------------------------------------

ROWS = [["name", "n"], ['Zoë, "x"', "1"], ["", "2"], ["𝔘 a\nb", "3"], ["naïve", "-1"]]


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b'name,n\n"a, b",1\nc,2\n'),
        workbook([list(row) for row in ROWS]),
        parquet(dict(zip(ROWS[0], zip(*ROWS[1:], strict=True), strict=True))),
    ],
    ids=["gzip", "Excel", "Parquet"],
)
def test_a_file_read_apart_is_the_table_read_here(content: bytes) -> None:
    there, here = read_table(content), read_table(content, limits=InputLimits(isolated=False))
    assert there.content_id == here.content_id
    assert dict(there.read_info) == dict(here.read_info)
    assert all(isinstance(column.labels, tuple) and not column.codes.flags.writeable for column in there.columns)


ASKED: dict[str, tuple[bytes, Any]] = {
    "delimiter": (gzip.compress(b"a,b|c\n1,2|3\n4,5|6\n"), ";"),
    "encoding": (gzip.compress("a,b\né,1\n".encode()), "latin-1"),
    "decimal": (gzip.compress(b"a;b\n1,5;x\n2,5;y\n"), "."),
    "sheet": (workbook([["a"], [1]]), 1),
    "header_row": (gzip.compress(b"a,b\nc,d\nx,y\n"), 2),
    "columns": (gzip.compress(b"a,b,c\n1,2,3\n"), ("c", "a")),
}


@pytest.mark.parametrize("name", [field.name for field in fields(Request)])
def test_how_a_file_is_to_be_read_is_handed_on(name: str) -> None:
    """A new field of the request needs a file that is read in another way with it."""
    content, value = ASKED[name]
    tables = [
        read_table(content, limits=limits, **{name: value}) for limits in (InputLimits(), InputLimits(isolated=False))
    ] + [read_table(content, limits=InputLimits(isolated=False))]
    there, here, plain = ((table.content_id, table.decimal, dict(table.read_info)) for table in tables)
    assert there == here
    assert name == "sheet" or here != plain


def test_a_long_text_goes_apart_and_a_short_one_does_not(tmp_path: Any) -> None:
    with mock.patch.object(apart, "ask", side_effect=InputError("asked.")) as ask:
        read_table(b"a,b\n1,2\n")
        assert not ask.called
        for content, options in [
            (b"a,b\n" + b"1,2\n" * 250_000, {}),
            (gzip.compress(b"a,b\n1,2\n"), {}),
            (workbook([["a"], [1]]), {}),
            (b"a,b\n1,2\n", {"encoding": "punycode"}),
        ]:
            with pytest.raises(InputError, match="asked"):
                read_table(content, **options)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 250_000)
    assert len(read_table(path)) == 250_000


def test_many_texts_pass_in_chunks() -> None:
    rng = np.random.default_rng(1)
    texts = [f"{i} {'ü' * int(rng.integers(3))}" for i in range(wire.CHUNK * 2 + 7)]
    table = read_table(gzip.compress(("t,u\n" + "".join(f"{text},x\n" for text in texts)).encode()))
    assert table.column("t").texts().tolist() == texts


def test_refusals_come_back_as_they_are() -> None:
    assert isinstance(refusal(workbook([["a"], [1]]), sheet="none"), ParameterError)
    error = refusal(parquet({"a": ["x" * 20] * 3}), replace(LEAN, cell=5))
    assert (type(error), error.parameter, error.choices) == (LimitError, "columns", ("a",))


def test_hierarchies() -> None:
    lines = [f"{i};{i // 10};{i // 100};*" for i in range(90_000)]
    data = "\n".join(lines).encode()
    assert read_hierarchy(data) == Taxonomy.from_levels(line.split(";") for line in lines)
    with pytest.raises(TaxonomyError, match="levels but row 1 has"):
        read_hierarchy(data + b"\nx;y\n")
    with pytest.raises(LimitError, match="20 MB"):
        read_hierarchy(b"x" * 20_000_001)


# ---- hostile files ----------------------------------------------------------------------------


def delta_columns() -> bytes:
    """What a file of 270 kB was that took 11 GB: each value of each column is one more than the one before."""
    names = [f"c{i}" for i in range(100)]
    column = pa.array(np.arange(100_000))
    return parquet(
        pa.table(dict.fromkeys(names, column)),
        use_dictionary=False,
        compression="zstd",
        column_encoding=dict.fromkeys(names, "DELTA_BINARY_PACKED"),
        write_statistics=False,
    )


def repeated_page() -> bytes:
    """Every text is nearly all of its page."""
    texts = ["x" * 9_000 + str(i) for i in range(10_000)]
    return parquet({"t": texts}, use_dictionary=False, compression="zstd", column_encoding={"t": "DELTA_BYTE_ARRAY"})


def distinct_cells() -> bytes:
    lines = (",".join([f"{i:x}"] * 100) for i in range(20_000))
    return gzip.compress("\n".join([",".join(f"c{i}" for i in range(100)), *lines]).encode(), compresslevel=9)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "Parquet, delta-encoded columns": delta_columns,
    "Parquet, texts as long as a page": repeated_page,
    "Parquet, one page of nulls": lambda: parquet({f"c{i}": pa.nulls(1_999_999, pa.int64()) for i in range(40)}),
    "gzip, distinct cells": distinct_cells,
    "Excel, two cells far apart": lambda: parts(
        f"<worksheet>{HEADER}<row r='1048576'><c r='XFD1048576'><v>1</v></c></row></worksheet>"
    ),
    "Excel, texts that no cell has": lambda: parts(
        f"<worksheet>{HEADER}</worksheet>", "<sst>" + "<si><t>a</t></si>" * 2_000_000
    ),
    "Excel, one long text": lambda: parts(f"<worksheet>{HEADER}<row><c t='str'><v>" + "x" * 45_000_000),
}


FIRST = {"Parquet, delta-encoded columns", "gzip, distinct cells", "Excel, two cells far apart"}
"""Of each format one; the others come with `make test-all`."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in FIRST else pytest.mark.long) for name in HOSTILE]
)
def test_what_fills_the_memory_is_refused_in_one_sentence(name: str) -> None:
    content = HOSTILE[name]()
    assert len(content) < 1_500_000
    error = refusal(content)
    assert isinstance(error, InputError)
    assert "memory that is accepted (0.06 GB)" in str(error) or "more memory than is accepted (0.06 GB)" in str(error)
    assert rows_of(read_table(gzip.compress(b"a\n1\n"))) == [["1"]]


def test_text_over_the_limit_of_memory_is_a_plain_refusal() -> None:
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (i, -i) for i in range(500_000))
    assert "more memory than is accepted (0.03 GB)" in str(refusal(content, replace(LEAN, memory=30_000_000)))


@pytest.mark.parametrize(
    "content",
    [
        parts(f"<worksheet>{HEADER}" + "<row><c/><c/></row>" * 5_000_000),
        gzip.compress(b"a,b\n" + b'"x\n",1\n' * 5_000_000, compresslevel=1),
    ],
    ids=["Excel", "gzip"],
)
def test_what_takes_its_time_is_refused_in_time(content: bytes) -> None:
    began = time.monotonic()
    message = str(refusal(content, InputLimits(seconds=1.5)))
    assert "takes more than 1.5 seconds" in message
    assert time.monotonic() - began < 8


@pytest.mark.long
def test_an_encoding_that_takes_its_time() -> None:
    # Each character is put in front of all others: 400,000 take 13 s on a quiet machine.
    slow = b"a" * 200_000 + b"-" + b"a" * 200_000
    assert "takes more than 2 seconds" in str(refusal(slow, InputLimits(seconds=2), encoding="punycode"))


@pytest.mark.long
def test_the_time_of_a_processor_ends_a_reader_that_nobody_watches() -> None:
    """The parent is gone or stuck: the reader still ends by itself."""
    with mock.patch.object(apart, "time", SimpleNamespace(monotonic=lambda: 0.0)):
        content = parts(f"<worksheet>{HEADER}" + "<row><c/><c/></row>" * 10_000_000)
        assert "takes more than 1 seconds" in str(refusal(content, InputLimits(seconds=1)))


@pytest.mark.parametrize(
    "sheet",
    [
        f"<worksheet>{'<a>' * 200_000}{HEADER}</worksheet>",
        f'<worksheet>{HEADER}<row r="4000000000"><c><v>1</v></c></row></worksheet>',
        f'<worksheet>{HEADER}<row r="2"><c r="ZZZZZZZZ2"><v>1</v></c></row></worksheet>',
        "<worksheet><row>" + "<c/>" * 20_000 + "</row></worksheet>",
        f"<!DOCTYPE x [<!ENTITY e 'y'>]><worksheet>{HEADER}<row><c t='str'><v>&e;</v></c></row></worksheet>",
        f'<worksheet x="{"y" * 9_000_000}">{HEADER}</worksheet>',
        f'<worksheet>{HEADER}<row r="2"><c r="A2" t="s"><v>-1</v></c></row></worksheet>',
        f'<worksheet>{HEADER}<row r="2"><c r="A2" t="s"><v>5</v></c></row></worksheet>',
        f'<worksheet>{HEADER}<row r="2"><c r="A2"><v>1e999</v></c></row></worksheet>',
        f'<worksheet>{HEADER}<row r="2"><c r="A2" t="inlineStr"><is><t>a_x0000_b</t></is></c></row></worksheet>',
    ],
    ids=["depth", "row", "column", "cells", "entity", "long tag", "text -1", "text 5", "infinity", "NUL"],
)
def test_workbooks_made_to_do_harm_are_refused(sheet: str) -> None:
    refusal(parts(sheet, "<sst><si><t>secret</t></si></sst>"))


# ---- what stays as it was ----------------------------------------------------------------------


def test_other_threads_do_not_wait() -> None:
    """A move of somebody else, here a millisecond's sleep, is not held up while a large table comes in."""
    content = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7) for i in range(400_000)), compresslevel=1)
    waits, stop = [], threading.Event()

    def move() -> None:
        while not stop.wait(0.001):
            began = time.perf_counter()
            sum(range(1000))
            waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=move)
    thread.start()
    try:
        assert len(read_table(content)) == 400_000
    finally:
        stop.set()
        thread.join()
    assert max(waits) < 0.5


def test_progress_is_told_and_can_stop_the_reading() -> None:
    content = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7) for i in range(1_000_000)), compresslevel=1)
    shares: list[float] = []

    def stop(share: float) -> None:
        shares.append(share)
        if share > 0:
            raise KeyboardInterrupt  # as Streamlit's own: no ordinary exception

    with pytest.raises(KeyboardInterrupt):
        read_table(content, progress=stop)
    assert 0 < shares[-1] < 1


def test_no_more_files_are_read_at_once_than_there_are_turns() -> None:
    held = []
    while apart._turns.acquire(blocking=False):
        held.append(1)
    ticks: list[float] = []

    def release(share: float) -> None:
        ticks.append(share)
        if len(ticks) == 2:
            apart._turns.release()
            held.pop()

    try:
        assert rows_of(read_table(gzip.compress(b"a\n1\n"), progress=release)) == [["1"]]
        assert len(ticks) >= 2
    finally:
        for _ in held:
            apart._turns.release()


def test_a_reader_leaves_no_core_dump_and_says_nothing_on_standard_error() -> None:
    import inspect

    from core.data.reading import child

    assert "RLIMIT_CORE: 0" in inspect.getsource(child._confine)
    ran = subprocess.run(
        [sys.executable, "-m", "core.data.reading.child"],
        input=b"{}\n" + SECRET.encode(),
        capture_output=True,
        check=False,
        cwd=apart.ROOT,
    )
    assert ran.returncode != 0
    assert SECRET.encode() not in ran.stdout + ran.stderr


def test_a_reader_loads_what_files_need_before_its_limits_count_and_no_more() -> None:
    says = """if True:
        import os, sys
        from core.data.reading import child
        def confine(limits):
            there = {name.partition(".")[0] for name in sys.modules}
            rooms = {name.split(".")[1] for name in sys.modules if name.startswith("core.")}
            print(*sorted({"pandas", "pyarrow", "streamlit"} & there), "|", *sorted(rooms), flush=True)
            os._exit(0)
        child._confine = confine
        child.main()
    """
    ran = subprocess.run(
        [sys.executable, "-c", says], input=b'{"limits": {}}\n', capture_output=True, check=True, cwd=apart.ROOT
    )
    assert ran.stdout.decode().strip() == "pandas pyarrow | base data"


# ---- a reader that is not to be trusted ---------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\n",
        b"[]\n",
        b"{}\n",
        b'{"parts": 1}\n',
        b'{"parts": [[1]]}\n',
        b'{"parts": [[-1, 5]]}\n',
        b'{"parts": [[1, 1]]}\n',
        b'{"parts": [[1, 1]]}\n[]\n[]\n',
        b'{"parts": [[1, 1]]}\n[1]\n\x00\x00\x00\x00',
        b'{"parts": [[1, 1]]}\n["x"]\n\x00',
        b'{"parts": [[1, 1]]}\n["\xff"]\n\x00\x00\x00\x00',
        b'{"parts": [[1000000000, 1000000000]]}\n',
        b'{"parts": [[0, 1000000000]]}\n',
        b"[" * 100_000 + b"\n",
        b'{"at": "x"}\n',
        b"\x80\x04\x95pickle",
        b'{"names": ["a"], "parts": [[1, 1]]}\n["x"]\n\x05\x00\x00\x00',
        b'{"names": ["a"], "parts": [[1, 1]]}\n["x"]\n\xff\xff\xff\xff',
        b'{"names": ["a"], "parts": [[1, 1]]}\n["x", "y"]\n\x00\x00\x00\x00',
        b'{"names": ["a"]}\n',
        b'{"names": [1], "parts": [[1, 1]]}\n["x"]\n\x00\x00\x00\x00',
        b'{"refused": [1]}\n',
    ],
    ids=str,
)
def test_what_a_broken_reader_says_is_not_believed(said: bytes) -> None:
    command = (sys.executable, "-c", f"import sys; sys.stdin.buffer.read(); sys.stdout.buffer.write({said!r})")
    with mock.patch.object(apart, "COMMAND", command):
        assert isinstance(refusal(gzip.compress(b"a\n1\n")), InputError)


@pytest.mark.parametrize("sizes", [(40, 0), (0, 100)], ids=["texts", "numbers"])
def test_an_answer_is_no_larger_than_the_memory_of_who_gives_it(sizes: tuple[int, int]) -> None:
    out = io.BytesIO()
    with mock.patch.object(wire, "CHUNK", 1):
        wire.send(out, wire.Head(), [(["a text"] * sizes[0], np.zeros(sizes[1], dtype=np.int32))])
    assert wire.receive(io.BytesIO(out.getvalue()), InputLimits(memory=1000))[0].parts == [sizes]
    with pytest.raises(wire.Ended):
        wire.receive(io.BytesIO(out.getvalue()), InputLimits(memory=300))


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), 9)", "os._exit(3)", "os._exit(77)", "1/0"])
def test_a_reader_that_ends_is_one_sentence(end: str) -> None:
    with mock.patch.object(apart, "COMMAND", (sys.executable, "-c", f"import os; {end}")):
        assert "memory" in str(refusal(gzip.compress(b"a\n1\n")))


# ---- whatever can fail fails once ----------------------------------------------------------------


FAILING = {
    "a process": (apart.subprocess, "Popen", OSError(11, SECRET)),
    "a thread": (threading.Thread, "start", RuntimeError(SECRET)),
    "memory for numbers": (wire.np, "frombuffer", MemoryError()),
    "memory for texts": (wire.msgspec.json, "decode", MemoryError()),
}


@pytest.mark.parametrize("what", FAILING)
def test_each_step_that_can_fail_fails_in_a_sentence(what: str) -> None:
    owner, name, error = FAILING[what]
    with mock.patch.object(owner, name, side_effect=error):
        assert re.search("process|memory", str(refusal(gzip.compress(b"a,b\n1,2\n3,4\n"))))


class Failing(io.BytesIO):
    """A file that can be read so often."""

    def __init__(self, content: bytes, turn: int) -> None:
        super().__init__(content)
        self.turn = turn

    def read(self, size: int | None = -1) -> bytes:
        self.turn -= 1
        if self.turn < 0:
            raise OSError(5, SECRET)
        return super().read(size)


@pytest.mark.parametrize("content", [gzip.compress(b"a\n1\n"), b"a,b\n1,2\n"], ids=["gzip", "text"])
@pytest.mark.parametrize("turn", [1, 2])
def test_a_file_that_cannot_be_read_to_its_end(content: bytes, turn: int) -> None:
    assert "copy" in str(refusal(Failing(content, turn)))
