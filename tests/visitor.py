"""A person at the app without a browser: the messages that a browser tab exchanges with the server.

A browser takes a processor of its own; twenty of them measure browsers. This speaks the same
WebSocket and HTTP as a tab of Streamlit 1.67, names widgets by their label, and remembers when
each message came. ``tests/server`` and ``benchmarks/people.py`` use it.
"""

from __future__ import annotations

import contextlib
import http.client
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any, Self
from urllib.parse import urlsplit

from google.protobuf import text_format
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.VegaLiteChart_pb2 import VegaLiteChart
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

SECONDS = 60.0
_PLAIN = {0xA0: " ", 0x202F: " "}


@dataclass(frozen=True)
class Answer:
    """What came back of one request."""

    status: int
    headers: Message
    body: bytes


def get(url: str, path: str, **headers: str) -> Answer:
    """Send one GET request to a server, with any header."""
    return request(url, "GET", path, None, headers)


def request(url: str, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
    """Send one request to a server."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    complete = Answer(answer.status, answer.headers, answer.read())
    connection.close()
    return complete


class Visitor:
    """One tab: connected from the first line on, until it is closed.

    Parameters
    ----------
    url
        Where the app answers, as "http://127.0.0.1:8501".
    page
        Path of the page to open first; "" is the first page.
    seconds
        How long to wait for anything.
    session, cookie
        Of another tab, to take its session up; none, to begin one with a cookie of its own.
    """

    def __init__(
        self, url: str, page: str = "", seconds: float = SECONDS, session: str = "", cookie: str | None = None
    ) -> None:
        self._seconds = seconds
        self.url, self._page_name, self._page_hash = url, page, ""
        self.host = urlsplit(url).netloc
        self.cookie = self._xsrf() if cookie is None else cookie
        self.session = ""
        self.elements: dict[str, Any] = {}
        """Every widget seen, by its id."""
        self.missed: list[str] = []
        """Addresses that were answered by 'page not found'."""
        self._shown: dict[tuple[int, ...], Any] = {}
        self._states: dict[str, WidgetState] = {}
        self._pages: dict[str, str] = {}
        self._cached: set[str] = set()
        self._stack = contextlib.ExitStack()
        self._socket: ClientConnection = self._stack.enter_context(
            connect(
                f"ws://{self.host}/_stcore/stream",
                origin=url,
                additional_headers={"Cookie": f"_streamlit_xsrf={self.cookie}"},
                subprotocols=["streamlit", self.cookie or "none", *([session] if session else [])],
                max_size=None,
                compression=None,
                open_timeout=seconds,
                ping_interval=None,
                # The server does not read on while it is busy: what it sent meanwhile is not waited for.
                close_timeout=1,
                proxy=None,
            )
        )
        self.rerun()

    def __enter__(self) -> Self:
        """Be there."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the tab."""
        self.close()

    def close(self) -> None:
        """Close the tab."""
        self._stack.close()

    # ---- messages ------------------------------------------------------------------------

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """Send one HTTP request with the tab's cookie; return the status and the body of the answer."""
        own = {"Cookie": f"_streamlit_xsrf={self.cookie}", "X-Xsrftoken": self.cookie}
        answer = request(self.url, method, path, body, {**own, **headers})
        return answer.status, answer.body

    def _xsrf(self) -> str:
        cookie = get(self.url, "/_stcore/health").headers["Set-Cookie"]
        return cookie.split(";")[0].split("=", 1)[1]

    def send(self, triggers: tuple[WidgetState, ...] = (), fragment: str = "") -> None:
        """Ask for a run of the script with the present values of the widgets."""
        message = BackMsg()
        state = message.rerun_script
        state.widget_states.widgets.extend([*self._states.values(), *triggers])
        state.page_script_hash, state.page_name = self._page_hash, self._page_name
        state.fragment_id = fragment
        state.context_info.timezone, state.context_info.locale = "UTC", "en-GB"
        state.context_info.url = f"{self.url}/{self._page_name}"
        self._socket.send(message.SerializeToString())

    def messages(self, until: float | None = None) -> Iterator[ForwardMsg]:
        """Yield messages as they come, noted; end at a time of the monotonic clock, or when none comes for long."""
        while True:
            left = self._seconds if until is None else until - time.monotonic()
            try:
                data = self._socket.recv(timeout=max(0.0, left))
            except TimeoutError:
                return
            message = ForwardMsg()
            message.ParseFromString(data)
            self._note(message)
            yield message

    def _note(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
            self._page_hash = message.new_session.page_script_hash
        elif kind == "page_not_found":
            self.missed.append(self._page_name)
        elif kind == "navigation":
            self._pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            name = element.WhichOneof("type")
            inner = getattr(element, name) if name else None
            if getattr(inner, "id", ""):
                self.elements[inner.id] = inner
            self._shown[tuple(message.metadata.delta_path)] = inner
        elif kind == "delta" and message.delta.add_block.expandable.id:
            fold = message.delta.add_block.expandable
            self.elements[fold.id] = fold

    def wait(self, seen: Callable[[ForwardMsg], None] | None = None) -> float:
        """Read until the run that was asked for has ended; return the seconds that took."""
        began = time.perf_counter()
        for message in self.messages():
            if seen is not None:
                seen(message)
            # A run that a newer one ended says so as well, and the newer one follows.
            if message.WhichOneof("type") == "script_finished" and message.script_finished != 2:
                return time.perf_counter() - began
        raise TimeoutError(f"the run did not end within {self._seconds:g} s")

    def rerun(self, *triggers: WidgetState) -> float:
        """Run the script and read until it has ended; return the seconds that took."""
        self.send(triggers)
        return self.wait()

    # ---- as a person would say it --------------------------------------------------------

    def open(self, page: str, seen: Callable[[ForwardMsg], None] | None = None) -> float:
        """Open a page by its address, as its link in the sidebar does."""
        self._page_name, self._page_hash = page, self._pages[page]
        self._shown.clear()
        self.send()
        return self.wait(seen)

    @property
    def page_hash(self) -> str:
        """What marks the messages of the open page."""
        return self._page_hash

    def texts(self) -> list[str]:
        """Return what stands on the page, element by element, as text with plain spaces."""
        return [
            text_format.MessageToString(element, as_utf8=True).translate(_PLAIN) for element in self._shown.values()
        ]

    def place_of_chart(self) -> tuple[int, ...]:
        """Return where the page draws its first chart."""
        charts = [place for place, shown in self._shown.items() if isinstance(shown, VegaLiteChart)]
        assert charts, "the page shows no chart"
        return min(charts)

    def widget(self, label: str) -> Any:
        """Return the last widget seen with this label."""
        for found in reversed(self.elements.values()):
            if getattr(found, "label", None) == label:
                return found
        raise AssertionError(f"there is no widget '{label}'")

    def set(self, label: str, value: float | bool | str) -> WidgetState:
        """Set a slider, a switch or a field, without running the script yet."""
        widget = self.widget(label)
        state = WidgetState(id=widget.id)
        if not isinstance(value, bool | str) and getattr(widget, "options", ()):
            # A slider made of options goes by their texts; "4" stands for 4.0.
            assert f"{value:g}" in widget.options, f"'{label}' has no stop {value:g}"
            state.string_array_value.data.append(f"{value:g}")
        elif isinstance(value, bool):
            state.bool_value = value
        elif isinstance(value, str):
            state.string_value = value
        else:
            state.double_array_value.data.append(value)
        self._states[state.id] = state
        return state

    def click(self, label: str) -> float:
        """Press a button."""
        return self.rerun(WidgetState(id=self.widget(label).id, trigger_value=True))

    def upload(self, label: str, name: str, content: bytes) -> int:
        """Send a file as an uploader does, and tell the script; return the status of the answer."""
        message = BackMsg()
        asked = message.file_urls_request
        asked.request_id, asked.session_id = uuid.uuid4().hex, self.session
        asked.file_names.append(name)
        self._socket.send(message.SerializeToString())
        for answer in self.messages():
            if answer.WhichOneof("type") == "file_urls_response":
                urls = answer.file_urls_response.file_urls[0]
                break
        status, _ = self.put(urls.upload_url, name, content)
        if status == 204:
            state = WidgetState(id=self.widget(label).id)
            file = FileUploaderState().uploaded_file_info.add(name=name, size=len(content), file_id=urls.file_id)
            file.file_urls.CopyFrom(urls)
            state.file_uploader_state_value.uploaded_file_info.append(file)
            self._states[state.id] = state
            self.rerun()
        return status

    def put(self, path: str, name: str, content: bytes) -> tuple[int, bytes]:
        """Send a file to an address of the upload route; return the status and the body of the answer."""
        boundary = uuid.uuid4().hex
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: text/csv\r\n\r\n"
        )
        body = b"".join((head.encode(), content, f"\r\n--{boundary}--\r\n".encode()))
        kind = f"multipart/form-data; boundary={boundary}"
        return self.ask("PUT", path if path.startswith("/") else f"/{path}", body, **{"Content-Type": kind})
