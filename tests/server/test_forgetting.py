"""What is forgotten is not in the memory of the process any more: it is read from outside and searched.

Freed memory counts: what was there must be overwritten or given back. That needs GNU's C library,
and a kernel that shows one process the memory of another.
"""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, call

import pytest
from streamlit.runtime.session_manager import SessionInfo

from pages.shared import server
from tests.browser import rig
from tests.server.people import APP, MARKER, people
from tests.visitor import Visitor

SECONDS = 3
RECORDS = 20_000

can_look = pytest.mark.skipif(
    platform.system() != "Linux" or platform.libc_ver()[0] != "glibc",
    reason="freed memory is overwritten by GNU's C library, and read through Linux's /proc",
)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rig.App]:
    """Run the app with sessions that are forgotten three seconds after their tab was closed, instead of a minute."""
    with rig.running(APP, tmp_path_factory.mktemp("quick"), [f"--server.disconnectedSessionTTL={SECONDS}"]) as app:
        yield app
    assert not app.complaints()


CODINGS = ("latin-1", "utf-16-le", "utf-32-le")
"""A character takes one, two or four bytes."""


def found(app: rig.App, *markers: str) -> int:
    """How often markers stand in the memory of the server and its workers."""
    patterns = [re.compile(re.escape(marker.encode(coding))) for marker in markers for coding in CODINGS]
    count = 0
    for process in family(app.process):
        try:
            count += found_in(process, patterns)
        except (FileNotFoundError, ProcessLookupError):  # a worker that has ended has nothing any more
            continue
    return count


def family(process: int) -> list[int]:
    """A process, and those that it started."""
    children: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        children += map(int, task.read_text().split())
    return [process, *(member for child in children for member in family(child))]


def found_in(process: int, patterns: list[re.Pattern[bytes]]) -> int:
    """How often patterns stand in the memory of one process."""
    count = 0
    with Path(f"/proc/{process}/maps").open() as areas, Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in areas:
            bounds, rights = line.split()[:2]
            low, high = (int(part, 16) for part in bounds.split("-"))
            if rights[0] != "r" or line.rstrip().endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            memory.seek(low)
            try:
                content = memory.read(high - low)
            except OSError:  # gone since it was listed
                continue
            count += sum(len(pattern.findall(content)) for pattern in patterns)
    return count


def loaded(app: rig.App, marker: str = MARKER, records: int = RECORDS) -> Visitor:
    """Somebody who loaded a table and looked at it on several pages."""
    visitor = Visitor(app.url)
    visitor.open("data")
    visitor.upload("Load your own table", "people.csv", people(records, marker))
    visitor.click("Use this table")
    for page in ("release", "attack", "data"):
        visitor.open(page)
    assert found(app, marker) >= records, "the search would see it"
    return visitor


def leaves_nothing(app: rig.App, *markers: str, closed_tab: bool = False) -> None:
    """Look from the first tidying until past the second, the last that is waited for, whether markers are gone.

    Once gone it stays away: only what still holds it could bring it back.
    """
    begun = time.monotonic() + SECONDS * closed_tab
    time.sleep(begun + server.TIDY_AFTER[0] + 0.5 - time.monotonic())
    last = begun + server.TIDY_AFTER[1] + 1 + closed_tab
    while (left := found(app, *markers)) and time.monotonic() < last:
        time.sleep(0.5)
    assert left == 0


@can_look
def test_forget_leaves_nothing_in_memory(quick: rig.App) -> None:
    """Neither of the table nor of the one before it."""
    with loaded(quick, "FORMERLY") as visitor:
        assert not any("Only a server started by" in text for text in visitor.texts()), "this one overwrites"
        visitor.upload("Load your own table", "people.csv", people(500))
        visitor.click("Use this table")
        visitor.open("attack")
        assert found(quick, "FORMERLY") < 50, "what waits for a collection of cycles"
        visitor.open("data")
        visitor.click("Forget this data")
        visitor.click("Forget it all")
        leaves_nothing(quick, MARKER, "FORMERLY")


@can_look
def test_a_closed_tab_leaves_nothing_though_nobody_else_comes(quick: rig.App) -> None:
    """Of a table, of one that was only offered, and of a small file with short values.

    The C library keeps small blocks for itself when they are freed, and does not overwrite those.
    """
    tabs = [loaded(quick), loaded(quick, "Wqxzj", 28), Visitor(quick.url)]
    tabs[-1].open("data")
    tabs[-1].upload("Load your own table", "people.csv", people(RECORDS, "OFFERXQ"))
    for tab in tabs:
        tab.close()
    leaves_nothing(quick, MARKER, "Wqxzj", "OFFERXQ", closed_tab=True)


# ---- the storage -------------------------------------------------------------------------


class Clock:
    """Stands in for the event loop: what it would do, with the seconds until then, by the name of a session."""

    def __init__(self) -> None:
        self.due: dict[str, tuple[float, Callable[[], None]]] = {}

    def call_later(self, seconds: float, end: Callable[[str], None], name: str) -> SimpleNamespace:
        self.due[name] = (seconds, lambda: end(name))
        return SimpleNamespace(cancel=lambda: self.due.pop(name, None))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(server, "asyncio", SimpleNamespace(get_running_loop=lambda: clock))
    return clock


def waiting(name: str) -> SessionInfo:
    return SessionInfo(client=None, session=SimpleNamespace(id=name))


def test_time_ends_a_session_that_waits(clock: Clock) -> None:
    runtime = Mock(state=None)
    tabs = server.ClosedTabs(runtime, 60)
    for name in ("one", "two", "one"):
        tabs.save(waiting(name))
    assert {info.session.id for info in tabs.list()} == {"one", "two"}
    assert tabs.get("one") is not None
    tabs.delete("two")  # its tab is back
    tabs.delete("three")
    ((seconds, end),) = clock.due.values()
    assert seconds == 60
    runtime.close_session.assert_not_called()
    end()
    assert runtime.close_session.mock_calls == [call("one")]
    assert tabs.get("one") is None
    assert tabs.list() == []


def test_of_too_many_that_wait_the_oldest_ends(clock: Clock) -> None:
    runtime = Mock(state=None)
    tabs = server.ClosedTabs(runtime, 60)
    for number in range(server.SESSIONS_KEPT + 2):
        tabs.save(waiting(str(number)))
    assert runtime.close_session.mock_calls == [call("0"), call("1")]
    assert len(tabs.list()) == len(clock.due) == server.SESSIONS_KEPT


# ---- said on the page --------------------------------------------------------------------


def test_a_server_without_these_promises_says_so(tmp_path: Path) -> None:
    """Streamlit's own start of a script, which never hands the app to this module, and overwrites nothing."""
    script = tmp_path / "start.py"
    script.write_text(
        "import sys\n"
        "from streamlit import config\n"
        "from streamlit.web import bootstrap\n"
        f"config._main_script_path = {str(APP)!r}\n"
        "options = dict(arg[2:].split('=', 1) for arg in sys.argv[1:])\n"
        "options = {name.replace('.', '_'): value for name, value in options.items()}\n"
        "bootstrap.load_config_options(options)\n"
        f"bootstrap.run({str(APP)!r}, False, [], options)\n"
    )
    plain = {name: "" for name in server.ENVIRONMENT if name != "PYTHONMALLOC"}
    with rig.running(APP, tmp_path, command=[str(script)], environment=plain) as app, Visitor(app.url) as visitor:
        assert any("was not started by" in text for text in visitor.texts())
        visitor.open("data")
        assert any("Only a server started by `composition`" in text for text in visitor.texts())
