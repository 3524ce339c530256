"""Starts the app: the command ``composition``, and what `make run` runs.

It needs nothing but Python's own library until the server starts: settings of other programs are
taken out of the environment, freed memory is to be overwritten, and a taken port is refused. Then
this process becomes the server.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import socket
import stat
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
"""The folder of app.py, its pages and its settings."""
PORT = 8501
DEMO = "attack?example=city"
"""The address within the app that opens the synthetic city."""

DOOR = "COMPOSITION_DOOR"
"""Variable that names an open Unix socket to the server by its number; pages/shared/server.py answers there."""
DOOR_MODE = 0o660
"""Of the socket: who may reach it beside its user is decided by the group of its folder."""

# Freed memory is overwritten; pages/shared/server.py says how, and looks whether it is so.
WIPING = {
    "PYTHONMALLOC": "pymalloc_debug",
    "MALLOC_PERTURB_": "165",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
UNDOING = ("glibc.malloc.perturb=", "glibc.malloc.tcache_count=")
"""Tunables that would take it back; any others of the user are kept."""

START_SECONDS = 60.0
TICK = 0.1
BAD = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the app.

    Parameters
    ----------
    arguments
        Without the name of the program; those of the process by default.

    Returns
    -------
    int
        2 for an option that cannot be used; otherwise what the server ends with, if this
        process has not become the server.
    """
    options = parser().parse_args(arguments)
    if options.when_ready:
        return open_when_ready(options.when_ready)
    if options.print_completion:
        return _complete(options.print_completion)
    if options.healthy:
        return 0 if wait_until_healthy(f"http://127.0.0.1:{options.port}", 0.0) else 1
    if is_taken(options.port):
        return _refuse(
            f"Port {options.port} is taken by another program: name another with --port "
            f"(with make: PORT={other_than(options.port)} make run)."
        )
    if (theme := foreign_theme(Path.home())) is not None:
        return _refuse(f"{theme} takes its theme from another file or address; set theme.base to light or dark there.")
    if options.socket is not None:
        return _with_door(options)
    page = DEMO if options.demo else ""
    address = f"http://127.0.0.1:{options.port}/{page}"
    sys.stdout.write(f"Composition starts at {address} (Ctrl+C stops it). Only this machine can reach it.\n")
    sys.stdout.flush()
    if options.open:
        subprocess.Popen(  # noqa: S603 - this file under this interpreter
            [sys.executable, str(Path(__file__).resolve()), "--when-ready", address], stdin=subprocess.DEVNULL
        )
    return _become(command(options.port, options.allow_host), environment())


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="composition",
        description="Starts the app: what a release of patient data gives away once others publish too.",
        epilog="The data stay on this machine. The command line without the app is composition-gate, or python -m core "
        "in the repository.",
        allow_abbrev=False,
    )
    top.add_argument("--port", type=_port, default=PORT, help=f"of 127.0.0.1 (default {PORT})")
    top.add_argument("--open", action="store_true", help="open the browser when the app answers")
    top.add_argument("--demo", action="store_true", help="begin with the synthetic city on the attack page")
    top.add_argument(
        "--allow-host",
        action="append",
        default=[],
        type=_host,
        metavar="NAME",
        help="name under which a proxy with TLS and a login of its own serves this app; may be repeated",
    )
    top.add_argument(
        "--socket",
        type=Path,
        metavar="PATH",
        help="also answer at this Unix socket: for a container without network, whose proxy outside connects there",
    )
    top.add_argument("--healthy", action="store_true", help="only ask whether the app on this port is well: 0 or 1")
    top.add_argument("--version", action="version", version=f"composition {version()}")
    top.add_argument("--print-completion", metavar="SHELL", help="print what completes this command in bash, zsh, ...")
    top.add_argument("--when-ready", metavar="ADDRESS", help=argparse.SUPPRESS)
    return top


def _complete(shell: str) -> int:
    import shtab  # noqa: PLC0415 - of the environment of the server

    if shell not in shtab.SUPPORTED_SHELLS:
        return _refuse(f"A completion is printed for one of {', '.join(shtab.SUPPORTED_SHELLS)}.")
    sys.stdout.write(shtab.complete(parser(), shell))
    return 0


def version() -> str:
    """Return the version, from the file that has it; nothing else of core is loaded."""
    text = (HERE / "core" / "base" / "version.py").read_text(encoding="utf-8")
    match = re.search(r'^VERSION = "([^"]+)"$', text, re.MULTILINE)
    assert match is not None, "core/base/version.py has the version"
    return match.group(1)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def _host(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", text):
        raise argparse.ArgumentTypeError("a host is written as composition.example.org, without address or port")
    return text


def _refuse(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return BAD


def is_taken(port: int) -> bool:
    """Whether somebody listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def foreign_theme(home: Path) -> Path | None:
    """The user's own settings of Streamlit if they take the theme from elsewhere: it is fetched as Streamlit starts."""
    path = home / ".streamlit" / "config.toml"
    try:
        theme = tomllib.loads(path.read_text(encoding="utf-8")).get("theme", {})
    except (OSError, ValueError):
        return None  # absent, or Streamlit says what is wrong
    return path if isinstance(theme, dict) and theme.get("base") not in (None, "light", "dark") else None


def other_than(port: int) -> int:
    """Return a port to propose instead."""
    return 8600 if port != 8600 else 8601


def environment() -> dict[str, str]:
    """Return the variables of the server: no settings of other Streamlit apps, no old door, memory overwritten."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", DOOR))}
    tunables = [text for text in kept.get("GLIBC_TUNABLES", "").split(":") if text and not text.startswith(UNDOING)]
    return kept | WIPING | {"GLIBC_TUNABLES": ":".join([*tunables, WIPING["GLIBC_TUNABLES"]])}


def command(port: int, hosts: Sequence[str] = ()) -> list[str]:
    """Return the command of the server.

    Settings are those of ``.streamlit/config.toml`` beside app.py, which wins over the one of the
    working folder and of the home folder. What keeps the data here is said once more: the command
    line wins over everything.
    """
    allowed = [f"--server.allowedHosts={name}" for name in ("localhost", "127.0.0.1", *hosts)] if hosts else []
    return [
        *(sys.executable, "-P", "-m", "streamlit", "run", str(HERE / "app.py")),
        *("--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"),
        *("--browser.gatherUsageStats=false", *allowed),
    ]


def _become(words: list[str], variables: dict[str, str]) -> int:
    os.chdir(HERE)  # no settings of the working folder
    if sys.platform != "win32":
        os.execve(words[0], words, variables)  # noqa: S606 - there is no shell in this
    return subprocess.run(words, env=variables, check=False).returncode  # noqa: S603 - our own server


# ---- the browser -----------------------------------------------------------------------------


def open_when_ready(address: str) -> int:
    """Wait until the server answers, then open the browser; give up after a minute."""
    if wait_until_healthy(address, START_SECONDS):
        webbrowser.open(address)
        return 0
    return 1


def wait_until_healthy(address: str, seconds: float) -> bool:
    """Ask the server of an address until it says that it is well, or so many seconds are over; once at least."""
    server = re.sub(r"^(http://[^/]+).*", r"\1", address)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + seconds
    while True:
        try:
            with opener.open(f"{server}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return True
        except (urllib.error.URLError, OSError):
            pass
        if time.monotonic() >= end:
            return False
        time.sleep(TICK)


# ---- a Unix socket ---------------------------------------------------------------------------


def _with_door(options: argparse.Namespace) -> int:
    """Become a server that answers at a Unix socket, too."""
    if sys.platform == "win32":
        return _refuse("--socket needs Unix sockets, which Python on Windows does not have; omit it.")
    with socket.socket(socket.AF_UNIX) as door:
        try:
            listen_at(options.socket.absolute(), door)
        except OSError as error:
            return _refuse(str(error))
        return _become(command(options.port, options.allow_host), environment() | {DOOR: str(door.fileno())})


def listen_at(path: Path, door: socket.socket) -> None:
    """Listen at the path of a Unix socket; one that an earlier run left behind gives way, anything else does not.

    Whoever connects before the server answers waits. Raises OSError if the path is taken or its folder
    cannot be written.
    """
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode) and not _answers(path):
            path.unlink()
    before = os.umask(0o777 & ~DOOR_MODE)
    try:
        door.bind(str(path))
    finally:
        os.umask(before)
    door.listen()
    door.set_inheritable(True)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


if __name__ == "__main__":
    sys.exit(main())
