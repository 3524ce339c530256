"""Passes bytes between a port of 127.0.0.1 and a Unix socket, in either direction.

A container without a network (``--network none``) has no port to publish. Its folder that is
shared with the host can hold a Unix socket, though, and file systems cross the border that
networks do not. So one relay runs inside, from the socket to the app's own port, and one outside,
from a port of the host's loopback to the socket::

    python relay.py /run/composition/app.sock 127.0.0.1:8501     # inside
    python relay.py 127.0.0.1:8501 /run/composition/app.sock     # outside

The file needs nothing but Python 3.11 and can be copied alone. nginx, socat and
systemd-socket-proxyd can take the place of the one outside.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import stat
import sys
from collections.abc import Sequence

BLOCK = 1 << 16
MODE = 0o660
"""Of the socket: who may reach it beside its user is decided by the group of its folder."""

USAGE = "Usage: relay.py FROM TO, where one is 127.0.0.1:PORT and the other the path of a Unix socket."


class Place:
    """Where to listen or where to connect: a port of this machine, or a Unix socket."""

    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"127\.0\.0\.1:([0-9]{1,5})", text)
        self.port = int(found.group(1)) if found else 0
        self.path = "" if found else text
        if not (1 <= self.port <= 65535 if found else text.startswith("/")):
            raise ValueError(USAGE)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to it."""
        if self.path:
            return await asyncio.open_unix_connection(self.path)
        return await asyncio.open_connection("127.0.0.1", self.port)

    def listen(self) -> socket.socket:
        """Listen on it; a socket that an earlier run left behind gives way, anything else of its name does not.

        Raises
        ------
        OSError
            If it is taken, or its folder cannot be written.
        """
        if not self.path:
            return _bound(socket.AF_INET, ("127.0.0.1", self.port))
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(os.lstat(self.path).st_mode) and not _answers(self.path):
                os.unlink(self.path)  # noqa: PTH108 - the same call for what is no regular file
        before = os.umask(0o777 & ~MODE)
        try:
            return _bound(socket.AF_UNIX, self.path)
        finally:
            os.umask(before)


def _bound(family: int, address: tuple[str, int] | str) -> socket.socket:
    with contextlib.ExitStack() as undo:
        server = undo.enter_context(socket.socket(family))
        if family == socket.AF_INET:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        undo.pop_all()
    return server


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


async def relay(source: Place, target: Place) -> None:
    """Pass on every connection until the process is told to end."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await target.connect()
        except OSError:
            writer.close()  # the app is not up yet, or no more
            return
        # One half that ends leaves the other to end by itself, as in a connection without a relay.
        # Whoever is connected when the relay is told to end is cut off; asyncio would log that as an error.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(_pass(reader, far_writer), _pass(far_reader, writer))
        for one in (writer, far_writer):
            one.close()

    listening = source.listen()
    make = asyncio.start_unix_server if source.path else asyncio.start_server
    server = await make(serve, sock=listening)
    ended = asyncio.Event()
    for kind in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(kind, ended.set)
    async with server:
        await ended.wait()
    if source.path:
        with contextlib.suppress(OSError):
            os.unlink(source.path)  # noqa: PTH108


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while block := await reader.read(BLOCK):
            writer.write(block)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        return
    writer.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Relay until stopped; 2 for places that cannot be used."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if len(words) != 2:
            raise ValueError(USAGE)
        source, target = Place(words[0]), Place(words[1])
        if bool(source.path) == bool(target.path):
            raise ValueError(USAGE)
        asyncio.run(relay(source, target))
    except (ValueError, OSError) as error:
        # An error of the system is about the socket or the port alone.
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
