"""The command `composition`, from the repository: ports, browser, environment."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import core
import launch
from benchmarks.processes import family
from pages.shared import server
from pages.shared.state import links
from tests.browser import rig
from tests.delivery.starting import started
from tests.source import ROOT
from tests.visitor import Visitor
from tests.waiting import wait_for

COMMAND = [sys.executable, str(ROOT / "launch.py")]


def test_freed_memory_is_overwritten_as_the_server_looks_for_it() -> None:
    assert launch.WIPING == server.ENVIRONMENT
    assert launch.DOOR == server.DOOR


def test_the_version_is_that_of_core() -> None:
    assert launch.version() == core.__version__
    said = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"composition {core.__version__}\n"


def test_a_taken_port_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert launch.main(["--port", str(port)]) == launch.BAD
    shown = capsys.readouterr()
    assert shown.err.startswith(f"Port {port} is taken by another program: name another")
    assert not shown.out


@pytest.mark.parametrize(
    "words",
    [
        ["--port", "0"],
        ["--port", "65536"],
        ["--port", "٣"],
        ["--port", "8501.0"],
        ["--allow-host", "*"],
        ["--allow-host", "a.example:80"],
        ["--allow-host", "--server.address=0.0.0.0"],
        ["--nothing"],
    ],
)
def test_options_that_cannot_be_used_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        launch.main(words)
    assert ended.value.code == launch.BAD


def test_a_shell_can_complete_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert launch.main(["--print-completion", "none"]) == launch.BAD
    assert launch.main(["--print-completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert "--allow-host" in script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_settings_of_other_apps_are_left_out_and_memory_is_overwritten_whatever_the_c_library_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")
    monkeypatch.setenv("MALLOC_PERTURB_", "0")
    monkeypatch.setenv(launch.DOOR, "7")
    variables = launch.environment()
    assert not any(name.startswith(("STREAMLIT_", launch.DOOR)) for name in variables)
    assert {name: variables[name] for name in launch.WIPING} == launch.WIPING
    given = "glibc.malloc.perturb=0:glibc.malloc.tcache_count=7:glibc.malloc.arena_max=2"
    monkeypatch.setenv("GLIBC_TUNABLES", given)
    assert launch.environment()["GLIBC_TUNABLES"] == "glibc.malloc.arena_max=2:glibc.malloc.tcache_count=0"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the browser")
def test_the_browser_opens_on_the_city_when_the_app_answers(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {seen}\n')
    browser.chmod(0o700)
    port = rig.free_port()
    command = [*COMMAND, "--port", str(port), "--open", "--demo", "--allow-host", "composition.example.org"]
    with started(command, tmp_path, port, {"BROWSER": f"{browser} %s"}) as app:
        wait_for(lambda: seen.exists() and seen.read_text().endswith("\n"))
        assert seen.read_text().split() == [f"{app.url}/{launch.DEMO}"]
        assert f"starts at {app.url}/{launch.DEMO}" in app.log.read_text()
        command_line = Path(f"/proc/{app.process}/cmdline")
        if command_line.exists():
            assert b"streamlit" in command_line.read_bytes(), "whoever stops the process stops the server"
        with Visitor(app.url) as visitor:
            for host, status in (("composition.example.org", 200), ("example.org", 403), ("127.0.0.1", 200)):
                assert visitor.ask("GET", "/", None, Host=host)[0] == status, host


@pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")
def test_a_socket_left_behind_gives_way_and_nothing_else_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "app.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place))
    with socket.socket(socket.AF_UNIX) as door, socket.socket(socket.AF_UNIX) as early:
        launch.listen_at(place, door)
        assert place.stat().st_mode & 0o777 == launch.DOOR_MODE
        early.connect(str(place))
        assert door.get_inheritable()
        assert launch.main(["--port", str(rig.free_port()), "--socket", str(place)]) == launch.BAD, "it answers"
    letter = tmp_path / "letter"
    letter.write_text("mine")
    assert launch.main(["--port", str(rig.free_port()), "--socket", str(letter)]) == launch.BAD
    assert letter.read_text() == "mine"
    assert capsys.readouterr().err.count("in use") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
def test_a_door_that_is_none_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(tmp_path / "app.sock"))
    # The server ends with what it was given.
    inherited = [socket.create_server(("127.0.0.1", 0)), silent, *socket.socketpair(), (tmp_path / "app").open("wb", 0)]
    numbers = [str(os.dup(each.fileno())) for each in inherited]
    for each in inherited:
        each.close()
    for number in (*numbers, "65000", "-1", "seven", "", "9" * 30, "9" * 5000):
        monkeypatch.setenv(server.DOOR, number)
        with pytest.raises(SystemExit, match="names no Unix socket that listens; unset it"):
            server.answer_at_door()


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("make"), reason="there is no make")
def test_whoever_ends_make_run_ends_the_server(tmp_path: Path) -> None:
    port = rig.free_port()
    # This interpreter in place of .venv, and a file that is there in place of what notes its installation.
    command = ["make", "run", "-o", "app.py", "FOR_RUN=app.py", f"PY={sys.executable}", f"PORT={port}", "ARGS="]
    with started(command, tmp_path, port, within=ROOT) as app:
        processes = family(app.process)
    try:
        wait_for(lambda: not launch.is_taken(port))
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def test_the_demo_is_a_link_that_the_pages_understand() -> None:
    page, _, query = launch.DEMO.partition("?")
    assert query == f"example={links.CITY}", "as the app begins"
    assert (ROOT / "pages" / page / "page.py").is_file()
