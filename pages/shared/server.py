"""Promises of the server beyond Streamlit's settings; app.py passes them to the server.

No part of an upload is written to disk, no other host is contacted, and no page of another origin reads or frames the
app. A session whose tab was closed is forgotten in time, with or without other visitors. Streamlit 1.67 has no settings
for these, so this module changes Streamlit's server if it must. Each place is looked up by name when the server starts,
and a Streamlit without it does not start. ``tests/server`` shows each promise from outside.

Freed memory is overwritten by the C library if ``launch.py`` has requested it: see :data:`ENVIRONMENT`. A running
process cannot request it, so a server that was started in another way says so (:func:`wipes_memory`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import importlib
import os
import pkgutil
import platform
import re
import secrets
import socket
import sys
import threading
import tomllib
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from types import CoroutineType
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, net_util
from streamlit.config_option import ConfigOption
from streamlit.runtime import Runtime, RuntimeState, exists, get_instance, state
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.session_manager import SessionInfo, SessionStorage
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

import pages

ENVIRONMENT = {
    # Python overwrites each object as it is freed. The C library alone would leave the last eight bytes of a block,
    # where texts of up to seven letters lie.
    "PYTHONMALLOC": "pymalloc_debug",
    # The C library overwrites memory of other users, and no blocks go to the cache of a thread, where those up to 1,032
    # bytes would stay unchanged.
    "MALLOC_PERTURB_": "165",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    # Arrow does the same; it otherwise has its own allocator.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Variables that `launch.py` sets, in addition to the user's tunables. GNU's C library obeys the second and third;
others leave freed memory as it was.
"""

DOOR = "COMPOSITION_DOOR"
"""Variable in which `launch.py` names an open Unix socket by its number."""

CONFIG = Path(pages.__file__).parent.parent / ".streamlit" / "config.toml"
"""The app's own settings, next to app.py. Promises depend on them, and on Streamlit's defaults for all others."""
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}|(?:rgb|hsl)a?\([0-9.,%/ ]{1,60}\)")
MAY_DIFFER: dict[str, Callable[[Any], bool]] = {
    "server.port": lambda value: isinstance(value, int),
    "server.headless": lambda value: isinstance(value, bool),
    # Only this machine can connect.
    "server.address": lambda value: value in ("127.0.0.1", "localhost", "::1"),
    "server.allowedHosts": lambda value: bool(value) and not any("*" in host for host in value),
    # Forgetting sooner is also safe.
    "server.disconnectedSessionTTL": lambda value: 0 < value <= 60,
    "client.showErrorDetails": lambda value: value == "none",
    "logger.level": lambda value: value in ("info", "warning", "error", "critical"),
    # Streamlit fetches an address before it can be refused here; launch.py refuses it before that.
    "theme.base": lambda value: value in ("light", "dark"),
}
"""Options that may differ from the app's own value, and the values allowed; colours of the theme may differ, too."""

THEME_FILE = ("base theme file", "default light theme")
"""Beginnings of what Streamlit notes as the origin of `theme.base` once it has read a theme from a file or an address
and put ``light`` or ``dark`` in its place.
"""

SESSIONS_KEPT = 32
"""Sessions of closed tabs that wait for their tab to come back; the oldest goes first."""
SWITCH = 0.0005
"""Seconds after which a computing run lets another one continue; with Python's default of 0.005, details delay others'
answers.
"""
WORK = tuple(
    __name__.rsplit("pages.", 1)[0] + f"core.{name}"
    for name in ("study.sweep", "dp.equal_protection", "decision.review.doubts", "report.document")
)
"""Modules of the functions that workers call, named as in the installed package, too."""
TIDY_AFTER = (0.5, 3.0, 15.0, 60.0)
"""Seconds after which memory is tidied: a script may still be using what was forgotten."""

# The page contacts only this server, and no other page frames it. Vega and Streamlit
# make functions from texts and put styles into elements.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


# ---- only from here ----------------------------------------------------------------------


class OnlyFromHere:
    """Answer only requests that name this server, from its own pages, and say what the browser may do with them.

    Streamlit checks only the host of a WebSocket, and compares a foreign origin with the public address of this
    machine, which it requests from another host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif not is_ours(Headers(scope=scope)):
            await _refuse(scope, receive, send)
        else:
            await self.app(scope, receive, _with_headers(scope["path"], send))


def is_ours(headers: Headers) -> bool:
    """Whether a request names an allowed host and, if it has an origin, comes from this server's own page."""
    host, origin = headers.get("host"), headers.get("origin")
    if not is_host_allowed(host):
        return False
    return origin is None or urlsplit(origin).netloc == host or is_allowed_origin(origin)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse("This server answers its own pages only.", 403)(scope, receive, send)


def _with_headers(path: str, send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            # Downloads hold data: the browser keeps no copy of them on disk.
            if re.search(r"/media/|/_stcore/", path):
                headers["Cache-Control"] = "no-store"
        await send(message)

    return answer


# ---- a session belongs to its browser -------------------------------------------------------

BROWSER = "x-composition-browser"
"""Header that this module sets, and Streamlit compares when a session is resumed: `trustedUserHeaders`."""


class KnowsTheBrowser:
    """Keep other browsers from resuming a session, or changing its uploads, even if they know its identity.

    A browser is known by the cookie against forged requests; one without a cookie is new every time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and tell Streamlit which browser begins or resumes a session."""
        if scope["type"] == "websocket":
            kept = [(name, value) for name, value in scope["headers"] if name != BROWSER.encode()]
            scope = {**scope, "headers": [*kept, (BROWSER.encode(), browser_of(scope).encode())]}
        elif upload := re.search(r"/_stcore/upload_file/([^/]+)/", scope.get("path", "")):
            info = get_instance()._session_mgr.get_session_info(upload[1])  # noqa: SLF001
            if info is not None and not info.session.matches_user_info({"browser": browser_of(scope)}):
                await _refuse(scope, receive, send)
                return
        await self.app(scope, receive, send)


def browser_of(scope: Scope) -> str:
    """Return the identity of a browser."""
    cookie = HTTPConnection(scope).cookies.get(XSRF_COOKIE_NAME, "")
    token, _ = decode_xsrf_token_string(cookie)
    return token.hex() if token else secrets.token_hex()


MIDDLEWARE = [Middleware(OnlyFromHere), Middleware(KnowsTheBrowser)]


# ---- forgetting --------------------------------------------------------------------------


class ClosedTabs(SessionStorage):
    """Sessions whose tab was closed, until the tab returns or the time is up.

    Streamlit's own storage checks the time only when another session is stored. All methods are called on the server's
    event loop.

    Parameters
    ----------
    runtime
        Runtime that ends a session.
    seconds
        Time for the tab to return, for example after a moment without network.
    """

    def __init__(self, runtime: Runtime, seconds: float) -> None:
        self._runtime, self._seconds = runtime, seconds
        self._kept: dict[str, tuple[SessionInfo, asyncio.TimerHandle]] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        """Return a waiting session, if there is one."""
        entry = self._kept.get(session_id)
        return None if entry is None else entry[0]

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session until its time is up."""
        name = session_info.session.id
        self.delete(name)
        timer = asyncio.get_running_loop().call_later(self._seconds, self._end, name)
        self._kept[name] = (session_info, timer)
        if len(self._kept) > SESSIONS_KEPT:
            self._end(next(iter(self._kept)))

    def delete(self, session_id: str) -> None:
        """Stop waiting for a tab."""
        entry = self._kept.pop(session_id, None)
        if entry is not None:
            entry[1].cancel()

    def list(self) -> list[SessionInfo]:
        """Return all sessions that wait."""
        return [info for info, _ in list(self._kept.values())]

    def _end(self, name: str) -> None:
        self._runtime.close_session(name)
        self.delete(name)
        _let_go_of_the_last(self._runtime)
        tidy_soon()


def _let_go_of_the_last(runtime: Runtime) -> None:
    """Clear the variables in which the idle sending loop still holds the last session."""
    if runtime.state is not RuntimeState.NO_SESSIONS_CONNECTED:
        runtime._enqueued_some_message()  # noqa: SLF001 - it looks at those that are left
        return
    task = runtime._loop_coroutine_task  # noqa: SLF001
    coroutine = None if task is None else task.get_coro()
    assert isinstance(coroutine, CoroutineType), "a runtime without sessions waits in its loop"
    frame = coroutine.cr_frame
    if frame is None:
        return
    for name in ("active_session_info", "msg_list", "msg"):
        if name in frame.f_locals:
            frame.f_locals[name] = None
            # Until Python 3.13 the line above changes a copy, and this one the variable.
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


_loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
_door: Path | None = None


def tidy_soon() -> None:
    """Tidy memory shortly, and again when running scripts have ended; from any thread."""
    loop = None if _loop is None else _loop()
    if loop is not None and loop.is_running():
        for seconds in TIDY_AFTER:
            loop.call_soon_threadsafe(loop.call_later, seconds, _tidy_apart, loop)


def _tidy_apart(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_in_executor(None, tidy)


def tidy() -> None:
    """Collect garbage, and return freed memory to the system if it supports that."""
    re.purge()  # patterns made from names of columns
    gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def is_guarded() -> bool:
    """Whether this module was loaded when the server started; true without a server, as in a test."""
    return _loop is not None or not (exists() and type(get_instance()) is Runtime)


def wipes_memory() -> bool:
    """Whether freed memory is overwritten, by a C library that was configured at the start."""
    set_so = all(value in os.environ.get(name, "").split(":") for name, value in ENVIRONMENT.items())
    return set_so and platform.libc_ver()[0] == "glibc"


# ---- starting ----------------------------------------------------------------------------


def check_settings() -> None:
    """Refuse to start if an option differs from the app's own and could break a promise, however it was set.

    Variables and options of the command line take precedence over the file next to app.py, and that over the user's own
    file.
    """
    own = _flat(tomllib.loads(CONFIG.read_text(encoding="utf-8")))
    for name, option in config.get_config_options().items():
        if name == "theme.base" and option.where_defined.startswith(THEME_FILE):
            _refuse_to_start(name, option)
        is_default = option.where_defined == ConfigOption.DEFAULT_DEFINITION
        if name in own and option.value == own[name]:
            continue
        if name not in own and (is_default or option.value == option.default_val):
            continue
        if not _may_differ(name, option.value):
            _refuse_to_start(name, option)


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Values of a config file by the names of their options."""
    known, flat = config.get_config_options(), dict[str, Any]()
    for name, value in table.items():
        full = f"{prefix}{name}"
        flat |= {full: value} if full in known or not isinstance(value, dict) else _flat(value, f"{full}.")
    return flat


def _may_differ(name: str, value: Any) -> bool:
    if name in MAY_DIFFER:
        return MAY_DIFFER[name](value)
    texts = value if isinstance(value, list) else [value]
    is_colour = name.startswith("theme.") and re.search(r"Colors?$", name) is not None
    return is_colour and all(isinstance(text, str) and COLOUR.fullmatch(text) is not None for text in texts)


def _refuse_to_start(name: str, option: ConfigOption) -> None:
    sys.exit(
        f"Composition does not start: the setting {name} must stay as the app sets it; take it off the command line, "
        f"out of the environment ({option.env_var}) or out of the file config.toml that sets it (docs/serving.md says "
        "which settings may differ, and how others reach the app)."
    )


@contextlib.asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Prepare everything that the first request needs, import the pages and start the workers."""
    global _loop  # noqa: PLW0603 - one server a process
    _loop = weakref.ref(asyncio.get_running_loop())
    sys.setswitchinterval(SWITCH)
    send_at_once()
    look_nobody_up()
    keep_uploads_in_memory()
    leave_no_core_dump()
    # Only app.py declares pages; otherwise the first session would search the folder pages/ for them.
    _replace(PagesManager, "uses_pages_directory", False)
    lock_each_session_once()
    runtime = get_instance()
    seconds = float(config.get_option("server.disconnectedSessionTTL"))
    _replace(runtime._session_mgr, "_session_storage", ClosedTabs(runtime, seconds))  # noqa: SLF001
    import_package(pages.__name__)
    from pages.shared.compute import work_queue
    from pages.shared.ui import errors

    errors.quiet_logs()
    work_queue.employ(WORK)
    # Imported modules stay until the process ends, so the collector need not search them.
    gc.collect()
    gc.freeze()
    yield
    work_queue.dismiss()
    if _door is not None:
        _door.unlink(missing_ok=True)


def answer_at_door() -> None:
    """Let the server answer at the Unix socket of `launch.py --socket`, if there is one, as it does at its port.

    Streamlit opens no Unix socket by itself, and uvicorn listens wherever it is told.
    """
    global _door  # noqa: PLW0603 - one server a process
    number = os.environ.pop(DOOR, None)
    if number is None:
        return
    try:
        door = socket.socket(fileno=int(number))
        _door = Path(door.getsockname())
        listens = door.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except (OSError, OverflowError, TypeError, ValueError):  # TypeError: the name of another kind of socket is no path
        listens = 0
    if not listens:
        sys.exit(
            f"Composition does not start: the variable {DOOR} names no Unix socket that listens; unset it, and use "
            "composition --socket PATH, which sets it."
        )
    start = uvicorn.Server.startup

    async def start_with_door(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        await start(server, [*sockets, door])

    _replace(uvicorn.Server, "startup", start_with_door)


def send_at_once() -> None:
    """Let a connection send each part of an answer immediately.

    The system holds back a small part until the browser has acknowledged the one before, which takes up to 40 ms: the
    200 files of the app then take seconds. asyncio switches this off, but only on sockets that name their protocol, and
    Streamlit's does not.
    """

    def at_once(line: socket.socket) -> None:
        if line.family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    _replace(asyncio.base_events, "_set_nodelay", at_once)


def look_nobody_up() -> None:
    """Give Streamlit the addresses of this machine that it would otherwise look up on the network."""
    for name in ("_internal_ip", "_external_ip"):
        _replace(net_util, name, "127.0.0.1")


def keep_uploads_in_memory() -> None:
    """Let the parser of forms keep a file in memory up to the largest upload; by itself it spools beyond 1 MB."""
    most = (int(config.get_option("server.maxUploadSize")) + 2) * 1024 * 1024
    _replace(MultiPartParser, "spool_max_size", most)


class OneLock(SessionState):
    """State of a session, with one lock for all its runs."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()


def lock_each_session_once() -> None:
    """Make all runs of a session share one lock on its state.

    A run that is about to end and the next one have the same state, and Streamlit 1.67 gives each a separate lock:
    cleanup by one could end the other with an error.
    """
    begin = SafeSessionState.__init__

    def with_one_lock(self: SafeSessionState, held: SessionState, yield_callback: Callable[[], None]) -> None:
        begin(self, held, yield_callback)
        if isinstance(held, OneLock):
            object.__setattr__(self, "_lock", held.lock)

    _replace(state, "SessionState", OneLock)
    _replace(SafeSessionState, "__init__", with_one_lock)


def import_package(name: str) -> None:
    """Import all modules of a package except the pages, which are scripts, so that no visitor waits for this."""
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.endswith(".page"):
            importlib.import_module(module.name)


def leave_no_core_dump() -> None:
    """Disable core dumps, so that a crash leaves no memory on disk."""
    try:
        import resource
    except ImportError:  # there are none on Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _replace(owner: Any, name: str, value: Any) -> None:
    """Replace an attribute of Streamlit; a missing name is an error, because the promise would be empty."""
    if not hasattr(owner, name):
        # not tested: another Streamlit.
        raise RuntimeError(f"This version of Streamlit has no {name}, which the server's promises need; see server.py.")
    setattr(owner, name, value)
