"""The rig does what it says, and notices what must not happen."""

import socket
from pathlib import Path

import pytest

from tests.browser import rig
from tests.guard import sitecustomize as guard

# These test what other tests are driven by, not the app.


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    script = rig.ROOT / "tests" / "browser" / "rig_app" / "app.py"
    with rig.running(script, tmp_path_factory.mktemp("rig")) as running:
        yield running


@pytest.fixture
def watched(browser, app):
    """A page whose complaints are read by the test instead of failing it."""
    watch = rig.Watch()
    context = browser.new_context()
    page = context.new_page()
    with watch.over(page):
        rig.visit(page, app)
        yield page, watch
    page.evaluate("console.error('too late')")
    context.close()
    assert not any("too late" in text for text in watch.complaints()), "tests that share a page are watched apart"


def test_a_request_to_another_host_and_an_error_are_noticed(watched, app):
    page, watch = watched
    assert watch.complaints() == []
    assert any(url.startswith("ws://127.0.0.1:") for url in watch.requests)
    rig.open_page(page, "Outside")
    wanted = "the page asked another host: http://example.com/picture.png"
    for _ in range(100):
        if wanted in watch.complaints():
            break
        page.wait_for_timeout(100)
    assert wanted in watch.complaints()
    # Last: the log of this app stays spoiled. The message of an error is not shown.
    assert app.complaints() == []
    rig.open_page(page, "Failing")
    page.get_by_test_id("stException").wait_for()  # on a busy machine it is drawn after the log has it
    assert "ValueError" in app.complaints()[0]
    watch.look(page)
    assert any("ValueError" in text for text in watch.complaints())
    assert "on purpose" not in page.inner_text("body")


@pytest.mark.parametrize(
    "url, here",
    [
        ("http://127.0.0.1:8501/x", True),
        ("ws://localhost:8501/_stcore/stream", True),
        ("data:image/png;base64,AAAA", True),
        ("blob:http://127.0.0.1/1", True),
        ("https://fonts.example.com/a.woff2", False),
        ("http://127.0.0.1.example.com/", False),
        ("http://localhost@example.com/", False),
        ("file:///etc/hosts", False),
    ],
)
def test_which_requests_stay_here(url, here):
    assert rig.stays_here(url) is here


def test_these_tests_cannot_reach_another_host_either():
    with pytest.raises(guard.OutsideError):
        socket.getaddrinfo("example.com", 80)
    with socket.socket() as outward, pytest.raises(guard.OutsideError):
        outward.connect(("192.0.2.1", 80))


def test_a_browser_that_leaves_while_it_connects_is_no_error(tmp_path: Path) -> None:
    left = (
        'Traceback (most recent call last):\n  File "websockets.py", line 131, in receive_bytes\n    raise X\n'
        'starlette.websockets.WebSocketDisconnected: WebSocket is not connected. Need to call "accept" first.\n'
    )
    more = "\nDuring handling of the above exception, another exception occurred:\n\n"
    ours = left.replace("starlette.websockets.WebSocketDisconnected", "ValueError")
    app = rig.App(url="", log=tmp_path / "server.log", outside=tmp_path / "outside.log")
    for text, wrong in ((left + more + left, False), (left + more + ours, True), (ours + more + left, True)):
        app.log.write_text(f"Started\nERROR: Exception in ASGI application\n{text}Stopped\n", encoding="utf-8")
        assert bool(app.complaints()) is wrong, text
