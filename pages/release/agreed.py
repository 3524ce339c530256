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
        ways = agreed.ways(encoded)
        way = st.radio("Where it comes from", ways, format_func=agreed.FROM.__getitem__, key="release:agreed:from")
        with errors.refusing():
            built = _found(way, encoded)
            if built is not None:
                _offer(built)


def _found(way: str, encoded: Encoded) -> AgreedList | None:
    tree = encoded.sensitive.taxonomy
    if way == agreed.TREE and tree is not None:
        level = st.number_input("Level, 0 is the root", 0, tree.height, min(1, tree.height), key="release:agreed:level")
        least = st.number_input(
            "Values in a bucket, at least",
            2,
            100,
            3,
            key="release:agreed:leaves",
            help="Nodes with more are cut. A bucket can be in no more classes than its rarest value has records, so "
            "large buckets cost much.",
        )
        return AgreedList.from_taxonomy(tree, int(level), int(least))
    raw = None
    if way != agreed.EXAMPLE:
        raw = st.file_uploader(
            "File", type=["csv", "txt", "tsv"], key="release:agreed:file", max_upload_size=agreed.MOST
        )
        if raw is None:
            return None
    if way == agreed.FILE and raw is not None:
        return AgreedList.from_file(raw.getvalue())
    least = int(st.number_input("Values in a bucket, at least", 2, 100, 3, key="release:agreed:least"))
    return agreed.from_example(least) if raw is None else agreed.from_shares(raw.getvalue(), least, encoded)


def _offer(offered: AgreedList) -> None:
    agreed.checked(offered)
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
