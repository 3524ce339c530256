"""What the app needs is imported while a browser loads it: sessions wait, and the first page needs nothing else."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from starlette.types import Receive, Scope, Send

from pages.shared import server, turns
from tests.source import ROOT

WAIT = 30.0


async def nothing_comes() -> dict[str, object]:
    return {"type": "websocket.connect"}


async def nobody_listens(message: object) -> None: ...


def answered_by(passed: list[str]) -> server.WaitsForTheProgram:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    return server.WaitsForTheProgram(app)


def test_sessions_wait_until_the_program_is_there_and_the_app_is_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []

    async def visit() -> None:
        program = SimpleNamespace(ready=asyncio.Event())
        monkeypatch.setattr(server, "_program", program)
        app = answered_by(passed)
        session = asyncio.create_task(app({"type": "websocket"}, nothing_comes, nobody_listens))
        await app({"type": "http"}, nothing_comes, nobody_listens)
        await asyncio.sleep(0)
        assert passed == ["http"]
        program.ready.set()
        await session
        await app({"type": "websocket"}, nothing_comes, nobody_listens)

    asyncio.run(visit())
    assert passed == ["http", "websocket", "websocket"]


def imported(
    monkeypatch: pytest.MonkeyPatch, first: Callable[[], None], visit: Callable[[server.Program], None]
) -> str:
    """Which parts of the program were imported, where it is ended after a visit."""
    did: list[str] = []

    def part() -> None:
        first()
        did.append("first page")

    monkeypatch.setattr(server, "import_first_page", part)
    monkeypatch.setattr(server, "import_rest", lambda: did.append("rest"))
    monkeypatch.setattr(server, "REST_AFTER", WAIT)
    monkeypatch.setattr(turns, "dismiss", lambda: None)
    monkeypatch.setattr(signal, "raise_signal", lambda number: did.append(f"ended by {signal.Signals(number).name}"))

    async def serve() -> None:
        program = server.Program()
        program.start()
        await asyncio.wait_for(program.ready.wait(), WAIT)
        visit(program)
        program.stop()

    asyncio.run(serve())
    return ", ".join(did)


def test_the_rest_comes_when_the_first_page_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_of_a_script(program: server.Program) -> None:
        monkeypatch.setattr(server, "_program", program)
        server._NowAndThen().collect()
        program.join(WAIT)

    assert imported(monkeypatch, lambda: None, run_of_a_script) == "first page, rest"


def test_a_server_that_ends_imports_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert imported(monkeypatch, lambda: None, lambda program: None) == "first page"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_server_whose_app_cannot_be_imported_says_so_and_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ModuleNotFoundError("No module named 'pandas'")

    assert imported(monkeypatch, broken, lambda program: program.join(WAIT)) == "ended by SIGTERM"
    assert "cannot be imported" in caplog.text


NEEDS = """
import sys
from streamlit.testing.v1 import AppTest
from pages.shared import server
light = {name for name in sys.modules if name.partition(".")[0] in ("core", "pandas", "plotly.graph_objs")}
server.import_first_page()
there = set(sys.modules)
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception and app.title[0].value
late = {name for name in set(sys.modules) - there if name.partition(".")[0] in ("core", "pages")}
print(sorted(light), sorted(late))
"""


def test_the_server_starts_without_the_app_and_the_first_page_needs_nothing_that_comes_later() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NEEDS], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.stdout.strip() == "[] []", ended.stderr[-2000:]


def test_what_was_left_out_of_collections_is_looked_through_when_a_session_ends() -> None:
    class Line: ...

    def line_in_a_circle() -> weakref.ref[Line]:
        line = Line()
        line.itself = line  # type: ignore[attr-defined]
        gc.freeze()
        return weakref.ref(line)

    left = line_in_a_circle()
    try:
        gc.collect()
        assert left() is not None
        server.tidy()
        assert left() is None
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("protocol", [0, socket.IPPROTO_TCP])
def test_a_line_sends_each_part_at_once(protocol: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.base_events, "_set_nodelay", asyncio.base_events._set_nodelay)  # type: ignore[attr-defined]
    server.send_at_once()
    found: list[int] = []

    class Visit(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            line = transport.get_extra_info("socket")
            found.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    async def serve() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as bound:
            bound.bind(("127.0.0.1", 0))
            listening = await asyncio.get_running_loop().create_server(Visit, sock=bound)
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            await reader.read()
            writer.close()
            listening.close()

    asyncio.run(serve())
    assert all(found)
    assert found


def test_a_line_that_is_no_tcp_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.base_events, "_set_nodelay", asyncio.base_events._set_nodelay)  # type: ignore[attr-defined]
    server.send_at_once()
    if hasattr(socket, "AF_UNIX"):
        one, other = socket.socketpair()
        with one, other:
            asyncio.base_events._set_nodelay(one)  # type: ignore[attr-defined]
