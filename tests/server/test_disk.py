"""Nothing of an upload is written to disk: the parser of forms, the pages and their libraries are watched.

The server of these tests can write no file beyond 64 kB, as on a full disk, and each file that it
opens to write is noted.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.formparsers import MultiPartParser
from streamlit import config

from pages.shared import server
from tests.browser import rig
from tests.server.people import people
from tests.visitor import Visitor

PAGES = ("release", "attack", "hold", "noise", "review", "data")


def opened(written: Path) -> str:
    """Names of the files that were opened to be written."""
    return written.read_text() if written.exists() else ""


def test_a_large_upload_is_kept_in_memory(watched: rig.App, written: Path) -> None:
    table = people(250_000)
    assert len(table) > 8_000_000
    with Visitor(watched.url, "data") as visitor:
        assert visitor.upload("Load your own table", "people.csv", table) == 204
        visitor.click("Use this table")
        assert any("250,000 records" in text for text in visitor.texts())
    assert opened(written) == ""


def test_all_pages_write_nothing(watched: rig.App, written: Path) -> None:
    with Visitor(watched.url, "data") as visitor:
        visitor.upload("Load your own table", "people.csv", people(2_000))
        visitor.click("Use this table")
        for page in PAGES:
            visitor.open(page)
        visitor.click("Forget this data")
        visitor.click("Forget it all")
    assert opened(written) == ""


def test_more_than_the_limit_is_refused_and_not_spooled(watched: rig.App, written: Path) -> None:
    limit = config.get_option("server.maxUploadSize") * 1024 * 1024
    with Visitor(watched.url) as visitor:
        path, size = f"/_stcore/upload_file/{visitor.session}/x", {"Content-Length": str(limit + 2_000_000)}
        assert visitor.ask("PUT", path, b"", **size) == (413, b"File too large")
    assert opened(written) == ""


def test_the_watch_sees_a_file_that_is_written(tmp_path: Path) -> None:
    """The tests above can fail: a spooled file is noticed, and cannot grow."""
    script = (
        "import tempfile\n"
        "with tempfile.SpooledTemporaryFile(max_size=10) as file:\n"
        "    try:\n"
        "        file.write(bytes(100_000)); file.flush()\n"
        "    except OSError as error:\n"
        "        print(error.strerror)\n"
    )
    environment = {
        "PYTHONPATH": str(rig.GUARD),
        "COMPOSITION_WRITTEN_LOG": str(tmp_path / "written.log"),
        "COMPOSITION_FILE_LIMIT": "64000",
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, cwd=rig.ROOT
    )
    assert done.stdout.strip() == "File too large"
    assert str(tmp_path) in opened(tmp_path / "written.log")


def test_the_parser_keeps_whole_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    server.keep_uploads_in_memory()
    assert MultiPartParser.spool_max_size > config.get_option("server.maxUploadSize") * 1024 * 1024


def test_a_crash_leaves_no_core_dump(watched: rig.App) -> None:
    limits = Path(f"/proc/{watched.process}/limits")
    if not limits.exists():
        pytest.skip("this system does not tell the limits of a process")
    line = next(line for line in limits.read_text().splitlines() if line.startswith("Max core file size"))
    assert line.split()[4:6] == ["0", "0"]
