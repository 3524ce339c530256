"""What all tests share: the data sets, the profiles of hypothesis, and no network."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.data import ADULT_COLUMNS
from tests.guard import sitecustomize as guard

ROOT = Path(__file__).resolve().parents[1]

DATA_FIXTURES = {"data_folder", "adult_bytes", "ipums_bytes"}
BROWSER_FIXTURES = {"browser", "page", "app"}
"""They share one Chromium and one server of the app."""
SERVER_FIXTURES = {"watched"}
"""They share one server of the app that is watched."""
BUNDLE_FIXTURES = {"bundle", "installed"}
"""They share one bundle of the program, and what was installed from it."""

guard.install()

# A run in CI is repeated to the letter; at a desk each run tries other examples.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("dev", **_COMMON)
settings.register_profile("ci", derandomize=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_xdist_auto_num_workers() -> int:
    """Return the processes of `make test`: two at least, as many tests wait, and no more than memory has room for."""
    return max(2, min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2, 4))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, and keep together in one process what shares something costly to make."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        if used & DATA_FIXTURES:
            item.add_marker(pytest.mark.data)
        if used & BROWSER_FIXTURES:
            item.add_marker(pytest.mark.browser)
        if (group := _group(item, used)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    # In one process, the slow ones last.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _group(item: pytest.Item, used: set[str]) -> str | None:
    """Return what a test shares with others: browser, server, installed program, or the fixtures of its module."""
    if used & BROWSER_FIXTURES:
        return "browser"
    if used & SERVER_FIXTURES:
        return "server"
    if used & BUNDLE_FIXTURES:
        return "bundle"
    definitions = item._fixtureinfo.name2fixturedefs
    scopes = {definition.scope for name in used for definition in definitions.get(name, ())[-1:]}
    return item.nodeid.split("::")[0] if "module" in scopes else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the public data sets, or skip where there is none."""
    named = os.environ.get("COMPOSITION_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        where = "COMPOSITION_DATA names no folder" if named else "../shared/data is absent"
        pytest.skip(f"the public data sets are not here: {where}")
    return folder


@pytest.fixture(scope="session")
def adult_bytes(data_folder: Path) -> bytes:
    """Return UCI Adult (32,561 rows, 15 columns) with a header; its cells begin with a blank."""
    rows = gzip.decompress(_required(data_folder / "adult" / "adult.data.gz"))
    return ", ".join(ADULT_COLUMNS).encode() + b"\n" + rows


@pytest.fixture(scope="session")
def ipums_bytes(data_folder: Path) -> bytes:
    """Return the IPUMS Los Angeles table (70,187 rows, 10 columns; codes have leading zeros)."""
    return gzip.decompress(_required(data_folder / "ipums-la" / "ipums-la-97.csv.gz"))


def _required(path: Path) -> bytes:
    if not path.is_file():
        pytest.skip(f"{path.name} is not in the folder of the data sets")
    return path.read_bytes()
