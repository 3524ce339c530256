"""Pages are tested by way of app.py, as the server runs them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from streamlit.util import calc_hash

from tests import known
from tests.pages.drive import Session, in_place_of_streamlit, start


@pytest.fixture(autouse=True)
def through_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep AppTest from running a page of the folder pages/ alone, without app.py."""
    first = PagesManager.__init__

    def begin(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False
        first(self, *args, **kwargs)

    monkeypatch.setattr(PagesManager, "__init__", begin)


@pytest.fixture(autouse=True)
def without_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the thread of a run to end; AppTest asks a thousand times a second, on the processor that runs it."""

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            first(runner, 0)

    first = local_script_runner.require_widgets_deltas
    monkeypatch.setattr(local_script_runner, "require_widgets_deltas", wait)


@pytest.fixture(autouse=True)
def without_components(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep AppTest from reading the metadata of every installed package in each run: there are no components."""
    monkeypatch.setattr(BidiComponentManager, "discover_and_register_components", lambda self, **_: None)


@pytest.fixture(autouse=True)
def without_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every run of a page in which an error is not caught end the test."""
    run = AppTest._run

    def checked(app: AppTest, *given: Any, **named: Any) -> AppTest:
        run(app, *given, **named)
        assert not app.exception, [error.value for error in app.exception]
        return app

    monkeypatch.setattr(AppTest, "_run", checked)


@pytest.fixture(autouse=True)
def results_of_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take results of core from the tests before: what a page shows of them is what is tested."""
    known.share(monkeypatch)


@pytest.fixture(autouse=True, scope="session")
def page_by_its_folder() -> Iterator[None]:
    """Let AppTest find a page before the first run: it would take the file's name, and all are called page.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AppTest, "_resolve_page_hash", lambda self, path: calc_hash(Path(path).parent.name))
        yield


@pytest.fixture
def bare() -> Iterator[Session]:
    """An empty session in place of Streamlit's."""
    with in_place_of_streamlit(Session()) as state:
        yield state


@pytest.fixture
def started(bare: Session) -> Session:
    """A session in place of Streamlit's that has loaded the small table."""
    start(bare)
    return bare
