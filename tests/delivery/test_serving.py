"""The proxy of docs/serving.md as written there, with ports and paths replaced: nginx, TLS, a login, a browser."""

from __future__ import annotations

import base64
import contextlib
import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.browser import ensure_browser, rig
from tests.source import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")

NAME = "composition.example.org"
USER, PASSWORD, STRANGER = "one", "a password of one", "somebody"
TYPED = "a-password-typed-as-a-name"


@dataclass(frozen=True)
class Proxy:
    """A proxy before one app.

    Parameters
    ----------
    secure, plain
        Its ports with and without TLS.
    folder
        Where it may write.
    """

    secure: int
    plain: int
    folder: Path

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.secure}"

    def ask(self, path: str = "/", login: str = "", **headers: str) -> tuple[int, Message]:
        """Status and headers of the answer to one request."""
        given = {"Host": f"{NAME}:{self.secure}", **headers}
        if login:
            given["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        context = ssl._create_unverified_context()
        return answered(HTTPSConnection("127.0.0.1", self.secure, timeout=30, context=context), path, given)


def answered(connection: HTTPConnection, path: str, headers: Mapping[str, str]) -> tuple[int, Message]:
    """Ask once."""
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers


def program() -> str:
    """Find nginx, or install Debian's where that can be done."""
    if shutil.which("nginx") is None and ensure_browser.is_root() and ensure_browser.is_debian():
        ensure_browser.run(["apt-get", "update", "-qq"])
        ensure_browser.run(["apt-get", "install", "-qq", "--yes", "--no-install-recommends", "nginx-light", "openssl"])
    return shutil.which("nginx") or pytest.skip("nginx is not installed, and this machine cannot install Debian's")


def example() -> str:
    (block,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(encoding="utf-8"), re.DOTALL)
    return block


def replaced(folder: Path, secure: int, plain: int) -> str:
    """The example with other ports and paths, and nothing else."""
    places = {
        "/run/composition/one/app.sock": folder / "app.sock",
        "/run/composition/two/app.sock": folder / "two.sock",
        "/run/composition/nobody.sock": folder / "nobody.sock",
        "/etc/ssl/composition.pem": folder / "cert.pem",
        "/etc/ssl/composition.key": folder / "cert.key",
        "/etc/nginx/composition.users": folder / "users",
        "listen 443": f"listen 127.0.0.1:{secure}",
        "listen 80": f"listen 127.0.0.1:{plain}",
        f"https://{NAME}": f"https://{NAME}:{secure}",
    }
    text = example()
    for old, new in places.items():
        assert old in text
        text = text.replace(old, str(new))
    return text


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    nginx, folder = program(), tmp_path_factory.mktemp("proxy")
    secure, plain, port = rig.free_port(), rig.free_port(), rig.free_port()
    certificate = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    made = ["openssl", "req", *certificate, "-keyout", str(folder / "cert.key"), "-out", str(folder / "cert.pem")]
    subprocess.run(made, check=True, capture_output=True)
    hashed = subprocess.run(["openssl", "passwd", "-apr1", PASSWORD], check=True, capture_output=True, text=True)
    (folder / "users").write_text("".join(f"{name}:{hashed.stdout.strip()}\n" for name in (USER, STRANGER)))
    temporary = "\n".join(
        f"{name}_temp_path {folder / name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"{'user root;' if ensure_browser.is_root() else ''} daemon off; pid {folder / 'pid'};\n"
        f"error_log {folder / 'error.log'} info; events {{}}\n"
        f"http {{ access_log {folder / 'access.log'}; {temporary}\n{replaced(folder, secure, plain)} }}\n"
    )
    command = [sys.executable, str(ROOT / "launch.py"), "--port", str(port)]
    command += ["--socket", str(folder / "app.sock"), "--allow-host", NAME]
    with rig.served(command, folder, port, {"HOME": str(folder)}, folder) as app, _running(nginx, folder):
        yield Proxy(secure, plain, folder)
    assert app.complaints() == []


@contextlib.contextmanager
def _running(nginx: str, folder: Path) -> Iterator[None]:
    process = subprocess.Popen(
        [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")],
        stderr=subprocess.PIPE,
    )
    for _ in range(100):
        if (folder / "pid").exists() and (folder / "app.sock").exists():
            break
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.1)
    try:
        yield
    finally:
        process.terminate()
        process.communicate(timeout=10)


@pytest.fixture(scope="module")
def outsider() -> Iterator[Browser]:
    """Start a browser that knows the name of the proxy."""
    with sync_playwright() as playwright:
        rules = "--host-resolver-rules="
        knows = [word.replace(rules, f"{rules}MAP {NAME} 127.0.0.1, ") for word in ensure_browser.ARGUMENTS]
        browser = ensure_browser.open_browser(playwright, knows)
        assert browser is not None
        yield browser
        browser.close()


def test_a_browser_is_asked_for_a_login_and_then_works(proxy: Proxy, outsider: Browser) -> None:
    # A browser whose question for a login nobody answers gives up in these words.
    refused = pytest.raises(Error, match="ERR_INVALID_AUTH_CREDENTIALS")
    with outsider.new_context(ignore_https_errors=True) as context, refused:
        context.new_page().goto(proxy.origin)
    assert proxy.ask()[1]["WWW-Authenticate"].startswith("Basic")
    login = {"username": USER, "password": PASSWORD}
    with outsider.new_context(ignore_https_errors=True, http_credentials=login) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{proxy.origin}/data")
        uploader = page.locator("[data-testid=stFileUploader] input[type=file]").first
        uploader.wait_for(state="attached")
        content = "age,sex,diagnosis\n" + "\n".join(f"{20 + i % 40},{'fm'[i % 2]},{'abc'[i % 3]}" for i in range(300))
        uploader.set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": content.encode()})
        page.get_by_role("button", name="Use this table").wait_for()
        (cookie,) = (cookie for cookie in context.cookies() if "xsrf" in cookie["name"])
        assert (cookie["secure"], cookie["sameSite"]) == (True, "Strict")


def test_who_is_let_through(proxy: Proxy) -> None:
    own, login = proxy.origin, f"{USER}:{PASSWORD}"
    assert proxy.ask(login=login)[0] == 200
    assert proxy.ask(login=login, Origin=own)[0] == 200
    assert proxy.ask()[0] == 401
    assert proxy.ask(login=f"{USER}:wrong")[0] == 401
    assert proxy.ask(login=f"{STRANGER}:{PASSWORD}")[0] == 403, "a login, and no app"
    assert proxy.ask("/_stcore/metrics", login=login)[0] == 404
    for origin in (own.replace("https", "http"), "https://evil.example", "null"):
        assert proxy.ask(login=login, Origin=origin)[0] == 403
    for host in ("localhost", f"localhost:{proxy.secure}", "127.0.0.1", "evil.example"):
        with pytest.raises((ConnectionError, OSError)):
            proxy.ask(login=login, Host=host)


def test_browsers_stay_with_tls(proxy: Proxy) -> None:
    assert proxy.ask(login=f"{USER}:{PASSWORD}")[1]["Strict-Transport-Security"] == "max-age=31536000"
    plain = HTTPConnection("127.0.0.1", proxy.plain, timeout=30)
    status, headers = answered(plain, "/attack?k=5", {"Host": NAME})
    assert (status, headers["Location"]) == (301, f"{proxy.origin}/")


def test_no_address_and_no_name_is_logged(proxy: Proxy) -> None:
    login = f"{USER}:{PASSWORD}"
    for name in (login, f"{TYPED}:x", f"{USER}:wrong", f"{STRANGER}:{PASSWORD}", ""):
        proxy.ask("/attack?k=5&secret-setting=1", login=name)
        proxy.ask("/_stcore/upload_file/secret-session/x", login=name)
    with contextlib.suppress(OSError):
        proxy.ask("/attack?secret-setting=1", Host="localhost")
    written = "".join(path.read_text(errors="replace") for path in proxy.folder.glob("*.log"))
    assert not re.search(rf"secret|attack|upload_file|{TYPED}|{STRANGER}", written)
    assert not [
        path for name in ("proxy", "client_body") for path in (proxy.folder / name).rglob("*") if path.is_file()
    ]
