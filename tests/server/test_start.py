"""`streamlit run` starts what keeps its promises, wherever it is called and whatever else is set, or nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser import rig
from tests.server.people import APP
from tests.visitor import Visitor

CONFIG = APP.parent / ".streamlit" / "config.toml"
"""A file with a theme, in place of one at an address."""
HOSTILE = """
[global]
developmentMode = true
[server]
address = "0.0.0.0"
allowedHosts = ["*"]
enableXsrfProtection = false
[browser]
gatherUsageStats = true
[client]
showErrorDetails = "full"
"""


def test_it_starts_from_another_folder_with_its_own_settings(tmp_path: Path) -> None:
    """The very first session of a server may begin with any page, by its address."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(HOSTILE)
    with rig.running(APP, tmp_path, working_folder=tmp_path) as app:
        with Visitor(app.url, "attack") as visitor:
            assert visitor.missed == []
            assert visitor.widget("People per class (k)")
            assert visitor.ask("GET", "/", Host="example.com")[0] == 403
        with socket.socket() as probe:
            # A server that listens on every address would answer here, too.
            assert probe.connect_ex(("127.0.0.2", urlsplit(app.url).port)) != 0
        assert app.complaints() == []


@pytest.mark.parametrize(
    ("option", "value", "by_variable"),
    [
        ("server.address", "0.0.0.0", False),
        ("server.address", "::", True),
        ("server.allowedHosts", "*", False),
        ("server.corsAllowedOrigins", "https://example.com", True),
        ("global.e2eTest", "true", False),
        ("server.enableXsrfProtection", "false", True),
        ("theme.base", str(CONFIG), False),
        ("theme.base", str(CONFIG), True),
    ],
)
def test_a_setting_that_breaks_a_promise_ends_the_start(
    option: str, value: str, by_variable: bool, tmp_path: Path
) -> None:
    variable = "STREAMLIT_" + "".join(f"_{c}" if c.isupper() else c for c in option.replace(".", "_")).upper()
    port = rig.free_port()
    words = [sys.executable, "-m", "streamlit", "run", str(APP), f"--server.port={port}"]
    ended = subprocess.run(
        words if by_variable else [*words, f"--{option}={value}"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), **({variable: value} if by_variable else {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert f"does not start: the setting {option} must stay as the app sets it" in ended.stderr
    assert "Traceback" not in ended.stderr
