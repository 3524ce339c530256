"""No connection leaves this machine, from the moment Python starts.

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


if os.environ.get("COMPOSITION_OUTSIDE_LOG"):
    install(os.environ["COMPOSITION_OUTSIDE_LOG"])
