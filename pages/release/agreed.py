"""The agreed list: public buckets of the sensitive values that all publishers close their classes under."""

from __future__ import annotations

import streamlit as st

from core.algorithms.by_bucket import closable
from core.base.errors import ParameterError
from core.base.words import count
from core.data.agreed import AgreedList
from core.data.encoding import Encoded
from pages.shared import agreed, errors, leftovers, results, session
from pages.shared.text import safe

BY_BUCKET = "by-bucket"


def show(encoded: Encoded) -> None:
    """Offer a list, say which one is in use, and let it go again."""
    schema = session.workspace().schema
    listed = schema.agreed
    with st.expander(
        "Agreed list" if listed is None else f"Agreed list: {listed.in_words}", icon=":material/handshake:"
    ):
        st.caption(
            f"All publishers agree beforehand on buckets of values of **{safe(schema.sensitive)}**, made from what is "
            f"public. If every class of every release holds whole buckets, all values of a bucket stay possible for "
            f"everybody, however many publish. If only one publisher does so, nothing is promised."
        )
        if encoded.weight is not None:
            st.caption("The algorithm that closes classes needs the records themselves. Load the table, not its tally.")
            return
        if listed is not None:
            st.button("Without the list", key="release:agreed:off", on_click=_drop)
            return
        agreed.ask("release", encoded)
        with errors.refusing():
            offered = agreed.chosen("release", encoded)
            if offered is not None:
                _offer(offered)


def _offer(offered: AgreedList) -> None:
    listed = results.encoded_as(session.workspace().schema.with_(agreed=offered))
    whole = len(closable(listed))
    out = listed.records - whole
    if not whole:
        raise ParameterError(
            "No bucket is complete in this table, so no record could be published under this list. Choose another.",
            parameter="agreed",
        )
    gone = (
        f" {count(out)} of the {count(listed.records)} records have a value whose bucket is not complete in this "
        f"table. They would be left out, which counts as loss."
        if out
        else ""
    )
    st.caption(f"{offered.in_words[:1].upper()}{offered.in_words[1:]}.{gone}")
    st.button(
        "Use it, at mine and at all other hospitals",
        key="release:agreed:use",
        on_click=_use,
        args=leftovers.leave("release:agreed", offered),
        type="primary",
    )


def _use(name: str) -> None:
    offered: AgreedList = leftovers.left(name)
    session.change_schema(session.workspace().schema.with_(agreed=offered))
    session.put("agreed_list", True)
    session.put("agreed", float(offered.least))
    session.put("my_algorithm", BY_BUCKET)
    session.put("their_algorithm", BY_BUCKET)
    session.put("their_models", True)


def _drop() -> None:
    session.change_schema(session.workspace().schema.with_(agreed=None))
