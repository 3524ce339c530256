"""The steps of the Dockerfile, run as a script: what it starts works without network, disk and privileges.

No container engine is needed: the kernel gives a process the same walls.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import rig
from tests.delivery import confined
from tests.delivery.starting import started
from tests.server.people import people
from tests.source import ROOT
from tests.visitor import Visitor

CONFINED = [sys.executable, confined.__file__]
STEPS = re.findall(
    r"^([A-Z]+) (.+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " "), re.MULTILINE
)


def steps(name: str) -> list[str]:
    return [words for step, words in STEPS if step == name]


def words_of(name: str, programs: Path, folder: Path) -> list[str]:
    """The command of a step, where the program is installed and the shared folder is here."""
    text = steps(name)[-1]
    words = json.loads(text[text.index("[") :])
    return [
        word.replace("/opt/composition/bin", str(programs)).replace("/run/composition", str(folder)) for word in words
    ]


def test_the_container_is_installed_by_the_bundle_and_runs_as_nobody() -> None:
    assert steps("RUN") == ["python /bundle/install.py /opt/composition"], "nothing else is done to it"
    assert steps("USER") == ["10001:10001"]
    assert not steps("EXPOSE"), "it has no network to publish"
    order = [name for name, _ in STEPS]
    assert order.index("USER") > order.index("RUN")
    assert order.index("USER") < order.index("ENTRYPOINT")


def test_the_base_of_the_container_is_pinned_by_its_digest() -> None:
    assert re.fullmatch(r"BASE=python:\S+@sha256:[0-9a-f]{64}", steps("ARG")[0])
    assert {words.partition(" ")[0] for words in steps("FROM")} == {"${BASE}"}


def test_the_bundle_has_what_the_container_is_made_of(bundle: Path) -> None:
    assert (bundle / "Dockerfile").read_bytes() == (ROOT / "Dockerfile").read_bytes()


def test_the_container_serves_its_person_without_network_disk_and_privileges(installed: Path, tmp_path: Path) -> None:
    """In come a table and clicks by way of a Unix socket, which is made a port of the loopback outside."""
    tried = subprocess.run([*CONFINED, tmp_path, "true"], check=False, capture_output=True, text=True)
    if tried.returncode == confined.NOT_HERE:
        pytest.skip(f"this system does not let a user confine a process: {tried.stderr.strip()}")
    look = (
        "import os, socket\nprint(open('/proc/self/status').read())\n"
        "for name in ('/usr/x', os.path.expanduser('~/x')):\n"
        "    try: open(name, 'w')\n"
        "    except OSError as error: print('refused', error.errno)\n"
        "print([name for _, name in socket.if_nameindex()])\n"
    )
    seen = subprocess.run([*CONFINED, tmp_path, sys.executable, "-c", look], check=True, capture_output=True, text=True)
    assert re.search(r"^CapEff:\s+0+$", seen.stdout, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", seen.stdout, re.MULTILINE)
    assert seen.stdout.count("refused") == 2
    assert "'eth" not in seen.stdout

    port, door = rig.free_port(), tmp_path / "app.sock"
    served = [
        *CONFINED,
        str(tmp_path),
        *words_of("ENTRYPOINT", installed, tmp_path),
        *words_of("CMD", installed, tmp_path),
    ]
    variables = dict(word.split("=") for word in steps("ENV")[0].split())
    with _port_to(door, port), started(served, tmp_path, port, variables) as app:
        assert door.stat().st_mode & 0o777 == 0o660
        with Visitor(app.url) as visitor:
            visitor.open("data")
            # Larger than what is read in the server's own process.
            assert visitor.upload("Load your own table", "people.csv", people(60_000)) == 204
            visitor.click("Use this table")
            assert any("60,000 records" in text for text in visitor.texts())
            for page in ("release", "attack", "method"):
                visitor.open(page)
                assert not any('type: "' in text and "Error" in text for text in visitor.texts()), page
        assert {path.name for path in tmp_path.iterdir()} == {"app.sock", "server.log"}, "nothing is written"
    assert not door.exists()


@contextlib.contextmanager
def _port_to(door: Path, port: int) -> Iterator[None]:
    """Pass on what comes to a port of the loopback to a Unix socket, and back, as socat does."""

    class Passing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as far, contextlib.suppress(OSError):
                far.connect(str(door))
                back = threading.Thread(target=_pass, args=(far, self.request))
                back.start()
                _pass(self.request, far)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", port), Passing) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while block := source.recv(1 << 16):
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)


def test_the_health_check_tells_a_server_that_answers_from_none(installed: Path, tmp_path: Path) -> None:
    port = rig.free_port()
    check = [*words_of("HEALTHCHECK", installed, tmp_path), "--port", str(port)]
    assert subprocess.run(check, check=False).returncode == 1
    with started([sys.executable, str(ROOT / "launch.py"), "--port", str(port)], tmp_path, port):
        assert subprocess.run(check, check=False).returncode == 0
