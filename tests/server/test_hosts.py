"""Only its own pages can talk with the server, and nobody makes it ask another host.

The guard of the tests refuses and notes every connection and every look-up of another host, as on a
machine without a network; the fixture `watched` fails on the first.
"""

from __future__ import annotations

import base64
import http.client
import time
from urllib.parse import urlsplit

import pytest
from starlette.datastructures import Headers
from streamlit import net_util
from streamlit.web.server import server_util

from pages.shared import server
from tests.browser import rig
from tests.visitor import Visitor, get

FOREIGN = ("http://example.com", "https://evil.example", "http://127.0.0.1.example.com", "http://127.0.0.1:1", "null")


def stream(app: rig.App, origin: str | None, host: str | None = None) -> int:
    """Ask for a WebSocket; return the status of the answer, 101 if it is granted."""
    netloc = urlsplit(app.url).netloc
    given = {"Host": netloc if host is None else host} | ({} if origin is None else {"Origin": origin})
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(),
    }
    connection = http.client.HTTPConnection(netloc, timeout=30)
    connection.putrequest("GET", "/_stcore/stream", skip_host=True)
    for name, value in {**given, **upgrade}.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_gets_no_connection_and_makes_nobody_wait(watched: rig.App, origin: str) -> None:
    began = time.monotonic()
    assert stream(watched, origin) == 403
    assert get(watched.url, "/", Origin=origin).status == 403
    assert get(watched.url, "/_stcore/health").body == b"ok"
    assert time.monotonic() - began < 5
    assert watched.complaints() == []


def test_uploads_of_a_foreign_page_are_refused(watched: rig.App) -> None:
    with Visitor(watched.url) as visitor:
        status, _ = visitor.ask("PUT", f"/_stcore/upload_file/{visitor.session}/x", b"", Origin=FOREIGN[0])
        assert status == 403


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1.example.com", "", "localhost@example.com"])
def test_a_foreign_host_is_refused_by_http_too(watched: rig.App, host: str) -> None:
    assert stream(watched, None, host) == 403
    for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/data"):
        assert get(watched.url, path, Host=host).status == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_this_machine_is_served_by_both_names(watched: rig.App, host: str) -> None:
    place = f"{host}:{urlsplit(watched.url).port}"
    for path in ("/", "/attack", "/data"):
        assert get(watched.url, path, Host=place, Origin=f"http://{place}").status == 200
    assert stream(watched, f"http://{place}", place) == 101


def test_streamlit_looks_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a foreign origin reach Streamlit after all: the guard of the tests refuses any look-up."""
    for name in ("_internal_ip", "_external_ip"):
        monkeypatch.setattr(net_util, name, None)
    server.look_nobody_up()
    assert not server_util.is_url_from_allowed_origins("http://example.com")


def test_an_origin_is_ours_only_under_the_same_name() -> None:
    assert server.is_ours(Headers({"host": "127.0.0.1:8501"}))
    assert not server.is_ours(Headers({"host": "127.0.0.1:8501", "origin": "http://localhost:8501"}))
    assert not server.is_ours(Headers({"origin": "http://127.0.0.1:8501"}))
