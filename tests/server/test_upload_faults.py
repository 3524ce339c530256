"""Each allocation and each step of an upload that can fail is made to fail once: one sentence, and the old state."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from starlette import formparsers
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.types import Message
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette import starlette_routes

from pages.shared import server
from tests.files import SECRET

BOUNDARY = "b0undary"
OLD, NEW = b"a,b\n1,2\n", b"name\n" + SECRET.encode() * 500
CHUNK = 1_000


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """What the server keeps of uploads: one file of one session so far."""
    # The token that a page must show is Streamlit's own, and another subject.
    monkeypatch.setattr(starlette_routes, "is_xsrf_enabled", lambda: False)
    kept = MemoryUploadedFileManager("/upload")
    assert upload(kept, "old", OLD)[0] == 204
    return kept


def upload(manager: MemoryUploadedFileManager, file: str, content: bytes) -> tuple[int, bytes]:
    """Send a file through the middleware and the upload route; return the status and the body of the answer."""
    runtime = SimpleNamespace(is_active_session=lambda _: True)
    routes = starlette_routes.create_upload_routes(runtime, manager, None)  # type: ignore[arg-type]
    # Whose session it is is another subject, and there is none here.
    middleware = [layer for layer in server.MIDDLEWARE if layer.cls is not server.KnowsTheBrowser]
    app = Starlette(routes=routes, middleware=middleware)
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file}.csv"\r\n\r\n'.encode()
    body = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    chunks = [body[i : i + CHUNK] for i in range(0, len(body), CHUNK)]
    sent: list[Message] = []

    async def receive() -> Message:
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message: Message) -> None:
        sent.append(message)

    path = f"/_stcore/upload_file/mine/{file}"
    headers = {"host": "127.0.0.1", "content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    scope = {
        "type": "http",
        "method": "PUT",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("127.0.0.1", 80),
    }
    # In a thread: the browser tests leave an event loop in the main one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, app(scope, receive, send)).result()
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


class Failing:
    """Stands in for a function whose n-th call fails."""

    def __init__(self, real: Callable[..., Any], turn: int, error: Exception) -> None:
        self.real, self.left, self.error, self.failed = real, turn, error, False

    def __get__(self, owner: Any, _: type) -> Callable[..., Any]:
        return lambda *given, **named: self(owner, *given, **named)

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            self.failed = True
            raise self.error
        return self.real(*given, **named)


FULL = OSError(errno.ENOSPC, SECRET)
STEPS: dict[str, tuple[Any, str, Exception]] = {
    "the place of the file": (formparsers.SpooledTemporaryFile, "__init__", MemoryError()),
    "the place of the file, on a disk": (formparsers.SpooledTemporaryFile, "__init__", FULL),
    "a chunk of the body": (formparsers.MultiPartParser, "on_part_data", MemoryError()),
    "a write": (formparsers.SpooledTemporaryFile, "write", MemoryError()),
    "a write, on a disk": (formparsers.SpooledTemporaryFile, "write", FULL),
    "its beginning": (formparsers.SpooledTemporaryFile, "seek", FULL),
    "the whole": (UploadFile, "read", MemoryError()),
    "keeping it": (MemoryUploadedFileManager, "add_file", MemoryError()),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_that_can_fail_fails_once(
    step: str, manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    owner, name, error = STEPS[step]
    for turn in range(1, 50):
        with monkeypatch.context() as patch:
            failing = Failing(getattr(owner, name), turn, error)
            patch.setattr(owner, name, failing)
            status, said = upload(manager, "new", NEW)
        if not failing.failed:
            break
        assert (status, said) == (507, server.NO_ROOM.encode())
        assert [file.data for file in manager.get_files("mine", ["old", "new"])] == [OLD], "the old state"
    assert 1 < turn < 49, "the step is taken, and every time had its turn"
    assert (status, said) == (204, b"")
    assert [file.data for file in manager.get_files("mine", ["old", "new"])] == [OLD, NEW], "then it works"
    assert SECRET not in caplog.text
    assert "An upload was refused" in caplog.text


def test_other_errors_are_not_taken_for_a_lack_of_room(
    manager: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", Failing(None, 1, ValueError("a fault")))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a fault"):
        upload(manager, "new", NEW)
