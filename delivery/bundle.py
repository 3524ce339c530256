"""Makes a folder that installs Composition on a machine without a network: ``make bundle``.

It holds the wheels of every package of requirements.lock and of this program, the installer,
a list of what is in it with licences (CycloneDX), and the digests of all files.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

from packaging.markers import Marker, default_environment
from packaging.tags import platform_tags

import launch
from delivery import build_hook
from delivery.install import SUMS

ROOT = Path(__file__).resolve().parents[1]
SBOM = "sbom.cdx.json"
CARRIED = ("LICENSE", "Dockerfile")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")

ABOUT = """Composition {version}, to be installed without a network.

    python3 install.py [FOLDER]      installs; FOLDER is ~/.local/share/composition by default
    FOLDER/bin/composition --open    starts the app on this machine
    FOLDER/bin/composition-gate      the command line for pipelines

Dockerfile makes a container of this folder and says how; socat or a proxy on the host is the way into it.

For {systems} on {machine} with Python {pythons}.

{sbom} lists every package with its version and licence (CycloneDX). The installer holds all files
against {sums}. Whoever can change a file can change {sums} too: compare its own SHA-256 digest
with the one that you were given in another way.
"""


class BundleError(RuntimeError):
    """Why there is no bundle, in a sentence."""


class FetchError(BundleError):
    """The packages could not be fetched."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the bundle; 2 where that is not possible."""
    top = argparse.ArgumentParser(prog="python -m delivery.bundle", description=__doc__, allow_abbrev=False)
    top.add_argument("--out", type=Path, default=ROOT / "dist", help="folder to make it in (default dist)")
    top.add_argument(
        "--python",
        action="append",
        default=[],
        type=_python,
        metavar="3.N",
        help="a further Python than the one that runs this, same system; may be repeated",
    )
    options = top.parse_args(arguments)
    try:
        folder = make(options.out, options.python)
    except BundleError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    sys.stdout.write(f"{folder}: {size / 1e6:.0f} MB.\nSHA-256 of its {SUMS}, to be told in another way:\n")
    sys.stdout.write(f"{digest_of(folder / SUMS)}\n")
    return 0


def _python(text: str) -> str:
    if not re.fullmatch(r"3\.1[1-9]", text):
        raise argparse.ArgumentTypeError("a Python is written 3.12; 3.11 is the first that will do")
    return text


def make(out: Path, pythons: Sequence[str] = ()) -> Path:
    """Make the bundle and return its folder; one of the same name is replaced.

    Raises
    ------
    BundleError
        If the packages cannot be fetched or the wheel cannot be built.
    """
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    every = [own, *(name for name in dict.fromkeys(pythons) if name != own)]
    folder = out / f"composition-{launch.version()}-{platform.system().lower()}-{platform.machine().lower()}"
    shutil.rmtree(folder, ignore_errors=True)
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    wheel = build(wheels)
    for python in every:
        fetch(wheels, "" if python == own else python)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    mine = f"composition-dashboard=={launch.version()} \\\n    --hash=sha256:{digest_of(wheel)}\n"
    (folder / "requirements.txt").write_text(f"{lock}{mine}", encoding="utf-8")
    for source in (ROOT / "delivery" / "install.py", *(ROOT / name for name in CARRIED)):
        shutil.copy(source, folder)
    words = {"version": launch.version(), "pythons": ", ".join(every), "sbom": SBOM, "sums": SUMS}
    about = ABOUT.format(**words, systems=platform.system(), machine=platform.machine())
    (folder / "bundle.txt").write_text(about, encoding="utf-8")
    write_sbom(wheels, folder / SBOM)
    write_sums(folder)
    return folder


def build(folder: Path) -> Path:
    """Build the wheel of this program.

    The tools for that come from this environment, where requirements-dev.lock has put them.
    """
    _run([*PIP, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)], "wheel")
    return next(folder.glob(f"{build_hook.PACKAGE}-*.whl"))


def fetch(folder: Path, python: str = "") -> None:
    """Fetch the wheels of requirements.lock, for this Python or for another on the same system."""
    other = []
    if python:
        tags = [f"--platform={tag}" for tag in platform_tags()]
        other = [f"--python-version={python}", "--implementation=cp", *tags]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        asked = Path(name) / "requirements.txt"
        asked.write_text(of_python(lock, python) if python else lock, encoding="utf-8")
        _run(
            [
                *(*PIP, "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", *other),
                *("-d", str(folder), "-r", str(asked)),
            ],
            "packages",
            FetchError,
        )


def of_python(lock: str, python: str) -> str:
    """Return the part of a lock that is for one Python on this system; pip would go by the Python that runs it."""
    there = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    environment = {name: str(value) for name, value in there.items()}
    kept = []
    for name, marker, hashes in re.findall(
        r"^(\S+==[^ \n]+)(?: ; ([^\\\n]+))?((?: \\\n +--hash=\S+)+)", lock, re.MULTILINE
    ):
        if not marker or Marker(marker).evaluate(environment):
            kept.append(f"{name}{hashes}\n")
    return "".join(kept)


def _run(command: list[str], what: str, error_class: type[BundleError] = BundleError) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - pip and our tools
    if done.returncode != 0:
        raise error_class(f"No bundle: the {what} could not be had.\n{done.stderr.strip()[-2000:]}")


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_sbom(wheels: Path, path: Path) -> None:
    """Write what is in the wheels, with licences, as CycloneDX 1.6.

    The tool reads an environment; this one holds nothing but what the wheels say of themselves,
    so it lists what is carried, not what happens to be installed here.
    """
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "env"
        venv.create(place, with_pip=False)
        library = next(place.glob("lib/python3.*/site-packages"), None) or place / "Lib" / "site-packages"
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                about = [part for part in archive.namelist() if part.partition("/")[0].endswith(".dist-info")]
                archive.extractall(library, about)
        project = Path(name) / "pyproject.toml"
        settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        # The tool takes the version from here alone.
        project.write_text(
            settings.replace('dynamic = ["version"]', f'version = "{launch.version()}"'), encoding="utf-8"
        )
        _run(
            [
                *(sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", str(project)),
                *(
                    "--mc-type",
                    "application",
                    "--spec-version",
                    "1.6",
                    "--output-reproducible",
                    "--gather-license-texts",
                ),
                *("--output-format", "JSON", "-o", str(path), str(place)),
            ],
            "list of packages",
        )


def write_sums(folder: Path) -> None:
    """Write the digests of all files, as ``sha256sum --check`` reads them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{digest_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
