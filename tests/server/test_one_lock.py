"""All runs of a session take turns at its state."""

from __future__ import annotations

import threading

import pytest
from streamlit.runtime import state as states
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

from pages.shared import server


@pytest.fixture(autouse=True)
def locked(monkeypatch: pytest.MonkeyPatch) -> None:
    # What the server sets for as long as it lives is put back for the tests after.
    monkeypatch.setattr(SafeSessionState, "__init__", SafeSessionState.__init__)
    monkeypatch.setattr(states, "SessionState", states.SessionState)
    server.lock_each_session_once()


def run_of(state: SessionState) -> SafeSessionState:
    return SafeSessionState(state, lambda: None)


def test_a_run_that_ends_waits_for_the_next_one_that_reads() -> None:
    """Looking for a key is stopped half-way: nothing of another run gets between."""
    state = states.SessionState()
    ending, reading = run_of(state), run_of(state)
    writing = threading.Thread(target=ending.__setitem__, args=("b", 2))
    there: list[bool] = []
    find = state._get_widget_id

    def interrupted(key: str) -> str:
        if not writing.ident:
            writing.start()
            writing.join(0.2)
            there.append(writing.is_alive())
        return find(key)

    reading["a"] = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(state), "_get_widget_id", lambda self, key: interrupted(key))
        assert reading.filtered_state == {"a": 1}
    writing.join()
    assert there == [True]
    assert reading.filtered_state == {"a": 1, "b": 2}


def test_sessions_do_not_wait_for_each_other() -> None:
    one, other = (run_of(states.SessionState()) for _ in range(2))
    assert one._lock is not other._lock
