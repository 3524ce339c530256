"""What all tests share: the data sets, the profiles of hypothesis, and no network."""

import gc
import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks import data as public
from tests.guard import sitecustomize as guard
from tests.schedule import FULL_ONLY, TOGETHER, folder_of, pytest_xdist_make_scheduler

__all__ = ["pytest_xdist_make_scheduler"]


DATA_FIXTURES = {"data_folder", "adult_bytes", "ipums_bytes"}
BROWSER_FIXTURES = {"browser", "page", "app"}
LONG_FIXTURES = {"bundle", "installed", "papers_drawn", "wheel"}
"""What takes long to make: the bundle, the program it installs, the papers' figures, and the wheel."""
FIRST = (*TOGETHER, "pages")
"""Folders in the order in which `make test` begins them, the slowest first: a slow one at the end is waited for."""

guard.install()

# What a shell starts in the background ignores Ctrl-C, and so would the programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A run in CI is repeated to the letter; at a desk each run tries other examples.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("dev", **_COMMON)
settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("desk", max_examples=15, **_COMMON)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
settings.load_profile(PROFILE)


def pytest_xdist_auto_num_workers() -> int:
    """Return the processes of `make test`: two at least, as many tests wait, and no more than memory has room for."""
    return max(2, min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2, 4))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use; put the slow ones first, or last where there is one process."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        if used & DATA_FIXTURES:
            item.add_marker(pytest.mark.data)
        if used & BROWSER_FIXTURES:
            item.add_marker(pytest.mark.browser)
        if used & LONG_FIXTURES or item.nodeid.startswith(FULL_ONLY):
            item.add_marker(pytest.mark.long)
        if PROFILE == "desk":
            _with_few_examples(item)
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: FIRST.index(folder) if (folder := folder_of(item.nodeid)) in FIRST else len(FIRST))
    else:
        items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _with_few_examples(item: pytest.Item) -> None:
    """Let a property test that asks for more examples than the desk has time for take as many as the profile says."""
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > settings.default.max_examples:
        test._hypothesis_internal_use_settings = settings(asked, max_examples=settings.default.max_examples)


def pytest_collection_finish() -> None:
    """Leave modules and tests out of what Streamlit looks through for garbage after each run of a page."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the public data sets, or skip where there is none."""
    folder = public.folder()
    if folder is None:
        pytest.skip("the public data sets are not in ../shared/data or the folder that COMPOSITION_DATA names")
    return folder


@pytest.fixture(scope="session")
def adult_bytes(data_folder: Path) -> bytes:
    """Return UCI Adult (32,561 rows, 15 columns) with a header; its cells begin with a blank."""
    return public.adult_bytes(data_folder)


@pytest.fixture(scope="session")
def ipums_bytes(data_folder: Path) -> bytes:
    """Return the IPUMS Los Angeles table (70,187 rows, 10 columns; codes have leading zeros)."""
    content = public.ipums_bytes(data_folder)
    return content or pytest.skip("IPUMS is not in the folder of the data sets")
