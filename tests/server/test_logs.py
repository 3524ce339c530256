"""The log of the server names the kind and the place of an error, and keeps its text to itself."""

from __future__ import annotations

import logging

import pytest

from pages.shared.ui import errors


@pytest.mark.parametrize("name", ["uvicorn.error", "asyncio", "streamlit.web.server"])
def test_the_text_of_an_error_is_not_logged(name: str, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger(name)
    errors.quiet_logs()
    before = logger.propagate
    logger.propagate = True
    try:
        raise ValueError("Jane Roe, HIV+")
    except ValueError:
        logger.exception("Exception in ASGI application\n")
    finally:
        logger.propagate = before
    assert "Jane" not in caplog.text
    assert "ValueError at test_the_text" in caplog.text
