"""No connection leaves this machine, from the moment Python starts; and what is written to disk is seen.

Python imports a module of this name by itself when its folder is on PYTHONPATH: that is how
the browser tests watch the app's server. ``tests/conftest.py`` installs the same guard for
the tests themselves.
"""

import os
import sys


class OutsideError(PermissionError):
    """Something tried to reach another host."""


def is_inside(host: object) -> bool:
    """Tell whether a host, as a socket call names it, is this machine."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost", "::1"):
        return True
    return isinstance(host, str) and host.startswith("127.") and host.replace(".", "").isdigit()


def named_host(event: str, args: tuple) -> object:
    """Return the host that an audit event of the socket module is about; "" when there is none."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        return args[0]
    if event in ("socket.connect", "socket.sendto"):
        address = args[1]
        # Anything but a tuple is a socket in the file system.
        return address[0] if isinstance(address, tuple) else ""
    return ""


def install(record: str | None = None) -> None:
    """Refuse every connection and every look-up of another host; note them in the file `record`."""

    def audit(event: str, args: tuple) -> None:
        if not event.startswith("socket."):
            return
        host = named_host(event, args)
        if is_inside(host):
            return
        if record is not None:
            with open(record, "a", encoding="utf-8") as file:  # noqa: PTH123 - imports as little as it can
                file.write(f"{event} {host!r}\n")
        raise OutsideError(f"{event}: {host!r} is not this machine")

    sys.addaudithook(audit)


def watch_files(record: str) -> None:
    """Note every file that is opened to be written, in the file `record`."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | getattr(os, "O_TMPFILE", 0) & ~getattr(os, "O_DIRECTORY", 0)

    def audit(event: str, args: tuple) -> None:
        if event != "open" or isinstance(args[0], int) or not isinstance(args[2], int) or not args[2] & writing:
            return  # a number is the end of a pipe, or a file that was opened before
        name = os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else repr(args[0])
        noted = os.environ.get("COMPOSITION_RAISED", record)
        if not name.startswith((record, noted)) and name not in (os.devnull, os.environ.get("COMPOSITION_OUTSIDE_LOG")):
            with open(record, "a", encoding="utf-8") as file:  # noqa: PTH123
                file.write(f"{name}\n")

    sys.addaudithook(audit)


def limit_files(size: int) -> None:
    """Let no file of this process grow beyond so many bytes, as on a disk that is full."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


if os.environ.get("COMPOSITION_OUTSIDE_LOG"):
    install(os.environ["COMPOSITION_OUTSIDE_LOG"])
if os.environ.get("COMPOSITION_WRITTEN_LOG"):
    watch_files(os.environ["COMPOSITION_WRITTEN_LOG"])
if os.environ.get("COMPOSITION_RAISED"):
    import raised

    raised.install()
if os.environ.get("COMPOSITION_FILE_LIMIT"):
    limit_files(int(os.environ["COMPOSITION_FILE_LIMIT"]))
