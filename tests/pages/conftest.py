"""Pages are tested by way of app.py, as the server runs them."""

from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager


@pytest.fixture(autouse=True)
def through_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep AppTest from running a page of the folder pages/ alone, without app.py."""
    first = PagesManager.__init__

    def begin(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False
        first(self, *args, **kwargs)

    monkeypatch.setattr(PagesManager, "__init__", begin)
