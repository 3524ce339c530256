"""The folder for a stick installs where there is no network, and what it installs works there."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import launch
from delivery import bundle as making
from delivery import install
from tests.browser import rig
from tests.delivery.starting import outsiders, started
from tests.docs.blocks import run_blocks
from tests.source import ROOT
from tests.visitor import Visitor

RAW = ROOT / "assets" / "examples" / "hospitals_a_and_b_raw_a.csv"


# ---- what is in it -----------------------------------------------------------------------------


def test_the_bundle_has_a_wheel_of_every_locked_package_and_names_no_place_of_its_making(bundle: Path) -> None:
    names = {path.name.partition("-")[0].lower().replace("_", "-") for path in (bundle / "wheels").iterdir()}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = making.of_python(lock, f"{sys.version_info.major}.{sys.version_info.minor}")
    wanted = {name.lower().replace("_", "-") for name in re.findall(r"^([\w.-]+)==", pins, re.MULTILINE)}
    assert len(wanted) > 30
    assert names == wanted | {"composition-dashboard"}
    assert all(path.suffix == ".whl" for path in (bundle / "wheels").iterdir())
    for path in filter(Path.is_file, bundle.iterdir()):
        text = path.read_text(encoding="utf-8")
        assert not [place for place in (str(ROOT), str(Path.home()) + os.sep) if place in text], path.name


def test_the_list_of_packages_has_their_versions_and_licences(bundle: Path) -> None:
    listed = json.loads((bundle / making.SBOM).read_text(encoding="utf-8"))
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    program = listed["metadata"]["component"]
    assert (program["name"], program["version"]) == ("composition-dashboard", launch.version())
    parts = {re.sub("[_.]", "-", part["name"].lower()): part for part in listed["components"]}
    wheels = {re.sub("[_.]", "-", path.name.partition("-")[0].lower()) for path in bundle.rglob("*.whl")}
    assert set(parts) == wheels - {"composition-dashboard"}
    assert parts["streamlit"]["version"] == "1.67.0"
    licences = [part.get("licenses") or part.get("evidence", {}).get("licenses") for part in parts.values()]
    assert all(licences)


def test_the_sums_are_those_that_sha256sum_checks(bundle: Path) -> None:
    install.check_files(bundle)
    if shutil.which("sha256sum") is None:
        pytest.skip("this system has no sha256sum")
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", making.SUMS], cwd=bundle, check=True)


# ---- the installer refuses ---------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A bundle of two files."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "a.whl").write_bytes(b"a")
    (folder / "b.txt").write_bytes(b"b")
    making.write_sums(folder)
    install.check_files(folder)
    return folder


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda folder: (folder / "a.whl").write_bytes(b"A"), "a.whl is damaged"),
        (lambda folder: (folder / "b.txt").unlink(), "b.txt is missing"),
        (lambda folder: (folder / "c.whl").write_bytes(b"c"), "c.whl does not belong"),
    ],
)
def test_a_bundle_that_was_changed_is_refused(small: Path, change, words: str) -> None:
    change(small)
    with pytest.raises(install.RefusedError, match=words):
        install.check_files(small)


def test_a_bundle_for_another_python_says_so_at_once(small: Path) -> None:
    (small / "wheels").mkdir()
    for name in ("a-1-py3-none-any.whl", "b-1-cp39-abi3-linux_x86_64.whl"):
        (small / "wheels" / name).touch()
    install.check_python(small)
    (small / "wheels" / "c-1-cp399-cp399-linux_x86_64.whl").touch()
    with pytest.raises(install.RefusedError, match=r"is for Python 3.99, and this is Python 3.1\d: start it with"):
        install.check_python(small)


def test_a_folder_that_holds_something_else_is_left_alone(small: Path, tmp_path: Path, capsys) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("mine")
    assert install.main([str(taken)]) == install.BAD
    assert "holds something else" in capsys.readouterr().err
    assert (taken / "letter.txt").read_text() == "mine"


def test_a_lock_for_another_python_is_its_part(tmp_path: Path) -> None:
    lock = (
        "a==1 ; python_full_version < '3.12' \\\n    --hash=sha256:1\n    # via b\n"
        "a==2 ; python_full_version >= '3.12' \\\n    --hash=sha256:2 \\\n    --hash=sha256:3\n"
        "b==1 \\\n    --hash=sha256:4\n"
    )
    assert making.of_python(lock, "3.11") == "a==1 \\\n    --hash=sha256:1\nb==1 \\\n    --hash=sha256:4\n"
    assert making.of_python(lock, "3.13").startswith("a==2 \\\n    --hash=sha256:2 \\\n    --hash=sha256:3\nb==1")


# ---- installed ---------------------------------------------------------------------------------


def test_nothing_called_core_or_pages_can_be_imported(installed: Path, tmp_path: Path) -> None:
    script = (
        "import importlib.util as u, composition_dashboard.core as c\n"
        "assert u.find_spec('core') is None and u.find_spec('pages') is None\n"
        "assert u.find_spec('launch') is None and u.find_spec('app') is None\n"
        "print(c.Policy(k=5).signs, c.__version__)\n"
    )
    done = subprocess.run(
        [installed / "python", "-c", script],
        cwd=tmp_path,
        env=outsiders(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["k", "=", "5", launch.version()]


def test_python_for_scripts_runs_where_the_program_is_installed(installed: Path, tmp_path: Path) -> None:
    run_blocks(installed / "python", tmp_path, outsiders(tmp_path))


def test_the_gate_gives_the_numbers_of_the_repository(installed: Path, tmp_path: Path) -> None:
    """The options make it read the file in a process of its own, too."""
    words = ["attack", "--data", str(RAW), "--qids", "Age,Sex,Zip Code", "--sensitive", "Diagnosis"]
    words += ["--identifiers", "Name", "-k", "4", "--overlap", "4", "--json", "--limit", "breach_correct=0.5"]
    expected = subprocess.run([sys.executable, "-m", "core", *words], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    gate = functools.partial(
        subprocess.run, cwd=tmp_path, env=outsiders(tmp_path), capture_output=True, text=True, check=False
    )
    done = gate([installed / "composition-gate", *words])
    assert done.returncode == expected.returncode == 1, done.stderr
    assert json.loads(done.stdout) == json.loads(expected.stdout)
    usage = gate([installed / "composition-gate", "--nothing"])
    assert usage.returncode == 2
    assert "composition-gate" in usage.stderr
    assert "-m core" not in usage.stderr


def test_the_app_starts_with_its_own_settings_wherever_it_is_started(installed: Path, tmp_path: Path) -> None:
    """Settings of other apps stand in the folder, in the home folder and in the environment."""
    hostile = (
        '[client]\ntoolbarMode = "developer"\nallowedOrigins = ["https://example.com"]\n[server]\naddress = "0.0.0.0"\n'
        'allowedHosts = ["*"]\n[browser]\ngatherUsageStats = true\n[theme]\nprimaryColor = "#123456"\n'
    )
    for folder in (tmp_path, tmp_path / "work"):
        (folder / ".streamlit").mkdir(parents=True)
        (folder / ".streamlit" / "config.toml").write_text(hostile)
    others = {
        "STREAMLIT_SERVER_ADDRESS": "0.0.0.0",
        "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true",
        "STREAMLIT_CLIENT_TOOLBAR_MODE": "developer",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "*",
        "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",
    }
    port = rig.free_port()
    command = [str(installed / "composition"), "--port", str(port)]
    with started(command, tmp_path, port, others, tmp_path / "work") as app:
        assert wipes(app.process), "the server is this process, with freed memory overwritten"
        listening = Path("/proc/net/tcp").read_text()
        assert f"0100007F:{port:04X} 00000000:0000 0A" in listening
        assert f"00000000:{port:04X} " not in listening
        with Visitor(app.url) as visitor:
            assert visitor.ask("GET", "/", Host="example.com")[0] == 403
            assert json.loads(visitor.ask("GET", "/_stcore/host-config")[1])["allowedOrigins"] == []
            first = []
            visitor.send()
            visitor.wait(first.append)
            begun = next(message.new_session for message in first if message.WhichOneof("type") == "new_session")
            assert not begun.config.gather_usage_stats
            assert begun.config.toolbar_mode == begun.config.ToolbarMode.VIEWER
            assert begun.custom_theme.light.primary_color == "#2B4C9B"
            assert not any("was not started by" in text for text in visitor.texts())


def wipes(process: int) -> bool:
    variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    return all(f"{name}={value}".encode() in variables for name, value in launch.WIPING.items())
