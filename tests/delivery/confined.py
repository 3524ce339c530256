"""Runs a command as a container with no network, a read-only root and no capabilities would.

``python confined.py FOLDER COMMAND...``: FOLDER alone can be written. The status is 77 where this
system does not let a user do so. The network has nothing but a loopback of its own.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

NOT_HERE = 77
_NEWNS, _NEWUSER, _NEWNET = 0x20000, 0x10000000, 0x40000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_NO_NEW_PRIVILEGES, _CAPABILITIES_3 = 38, 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _check(status: int) -> None:
    if status != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def confine(folder: str) -> None:
    """Leave behind every network, the right to write anywhere but in a folder, and all privileges."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEWNET | _NEWNS) != 0:
        _check(_libc.unshare(_NEWUSER | _NEWNET | _NEWNS))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lo:
        asked = fcntl.ioctl(lo, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", asked)[1]
        fcntl.ioctl(lo, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
    own = os.fsencode(folder)
    _check(_libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None))
    _check(_libc.mount(own, own, None, _BIND, None))
    for place, recursive, added, cleared in ((b"/", _AT_RECURSIVE, _READ_ONLY, 0), (own, 0, 0, _READ_ONLY)):
        attributes = struct.pack("QQQQ", added, cleared, 0, 0)
        _check(_libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, place, recursive, attributes, len(attributes)))
    _check(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    for number in range(64):
        _libc.prctl(24, number, 0, 0, 0)  # out of the bounding set, for root would get them back
    _check(_libc.capset(struct.pack("Ii", _CAPABILITIES_3, 0), struct.pack("6I", *(0,) * 6)))


if __name__ == "__main__":
    try:
        confine(sys.argv[1])
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NOT_HERE)
    os.execvp(sys.argv[2], sys.argv[2:])
