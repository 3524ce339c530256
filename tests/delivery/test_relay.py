"""Bytes pass between a port and a Unix socket, both ways, unchanged."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import relay
from tests.browser import rig
from tests.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")


@contextlib.contextmanager
def relaying(source: str, target: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, str(ROOT / "relay.py"), source, target])
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(10) == 0


def connect(address: tuple[str, int] | str) -> socket.socket:
    for _ in range(200):
        one = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        one.settimeout(20)
        try:
            one.connect(address)
        except OSError:
            one.close()
            time.sleep(0.05)
        else:
            return one
    raise TimeoutError(address)


@contextlib.contextmanager
def echoing() -> Iterator[int]:
    """Answer each connection, when it has said all, with the digest of it and then with all of it."""

    class Echo(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            heard = self.rfile.read()
            with contextlib.suppress(OSError):  # cut off
                self.wfile.write(hashlib.sha256(heard).digest() + heard)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_both_relays_pass_everything_on(tmp_path: Path) -> None:
    door, port = str(tmp_path / "app.sock"), rig.free_port()
    with echoing() as app, relaying(door, f"127.0.0.1:{app}"), relaying(f"127.0.0.1:{port}", door):
        connect(door).close()
        assert Path(door).stat().st_mode & 0o777 == relay.MODE
        for size in (0, 1, 3_000_000):
            said = os.urandom(size)
            with connect(("127.0.0.1", port)) as one:
                writer = threading.Thread(
                    target=lambda one=one, said=said: (one.sendall(said), one.shutdown(socket.SHUT_WR))
                )
                writer.start()
                heard = b"".join(iter(lambda one=one: one.recv(1 << 16), b""))
                writer.join(20)
            assert heard == hashlib.sha256(said).digest() + said
    assert not Path(door).exists()


def test_where_nobody_answers_the_connection_ends(tmp_path: Path) -> None:
    door = str(tmp_path / "app.sock")
    with relaying(door, f"127.0.0.1:{rig.free_port()}"), connect(door) as one:
        assert one.recv(1) == b""


def test_a_socket_left_behind_gives_way_and_a_file_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    door = tmp_path / "app.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(door))
    relay.Place(str(door)).listen().close()
    other = tmp_path / "letter"
    other.write_text("mine")
    assert relay.main([str(other), "127.0.0.1:1"]) == 2
    assert other.read_text() == "mine"
    assert "in use" in capsys.readouterr().err


def test_other_places_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["/a"],
        ["/a", "/b"],
        ["127.0.0.1:1", "127.0.0.1:2"],
        ["0.0.0.0:8501", "/a"],
        ["/a", "127.0.0.1:0"],
        ["/a", "127.0.0.1:70000"],
        ["a", "127.0.0.1:1"],
    ):
        assert relay.main(words) == 2
        assert "Usage" in capsys.readouterr().err


def test_whoever_is_connected_at_the_end_is_cut_off_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    door = str(tmp_path / "app.sock")
    with echoing() as app, relaying(door, f"127.0.0.1:{app}"):
        one = connect(door)
        one.sendall(b"begun")
        time.sleep(0.5)
    one.close()
    assert capfd.readouterr().err == ""
