"""The agreed list: public buckets of the sensitive values that all publishers close their classes under."""

from __future__ import annotations

import streamlit as st

from core.algorithms.by_bucket import closable
from core.data.agreed import AgreedList, read_shares
from core.data.encoding import Encoded
from core.errors import ParameterError
from core.words import count
from pages.shared import errors, results, session
from pages.shared.text import safe

TREE, FILE, SHARES = "taxonomy", "file", "shares"
FROM = {
    TREE: "A level of its taxonomy",
    FILE: "A file: a value and its bucket a line",
    SHARES: "Published shares: a value and its share a line",
}
BY_BUCKET = "by-bucket"
MOST = 5
"""Megabytes of a list."""


def show(encoded: Encoded) -> None:
    """Offer a list, say which one is in use, and let it go again."""
    schema = session.workspace().schema
    listed = schema.agreed
    with st.expander(
        "Agreed list" if listed is None else f"Agreed list: {listed.in_words}", icon=":material/handshake:"
    ):
        st.caption(
            f"All publishers agree beforehand on buckets of values of **{safe(schema.sensitive)}**, from what is "
            "public. If every release holds whole buckets in every class, everybody in them keeps all values of a "
            "bucket, however many publish. If only one of them does so, nothing is promised."
        )
        if listed is not None:
            st.button("Without the list", key="release:agreed:off", on_click=_drop)
            return
        ways = [way for way in FROM if way != TREE or encoded.sensitive.taxonomy is not None]
        way = st.radio("Where it comes from", ways, format_func=FROM.__getitem__, key="release:agreed:from")
        with errors.refusing():
            found = _found(way, encoded)
            if found is not None:
                _offer(found)


def _found(way: str, encoded: Encoded) -> AgreedList | None:
    tree = encoded.sensitive.taxonomy
    if way == TREE and tree is not None:
        level = st.number_input("Level, 0 is the root", 0, tree.height, min(1, tree.height), key="release:agreed:level")
        return AgreedList.from_taxonomy(tree, int(level))
    raw = st.file_uploader("File", type=["csv", "txt", "tsv"], key="release:agreed:file", max_upload_size=MOST)
    if raw is None:
        return None
    if way == FILE:
        return AgreedList.from_file(raw.getvalue())
    least = st.number_input("Values in a bucket, at least", 2, 100, 3, key="release:agreed:least")
    mine = dict(zip(encoded.sensitive.labels, encoded.overall.tolist(), strict=True))
    return AgreedList.from_shares(read_shares(raw.getvalue()), int(least), mine)


def _offer(found: AgreedList) -> None:
    if found.least < 2:
        alone = sum(len(bucket) < 2 for bucket in found.buckets)
        raise ParameterError(
            f"{count(alone)} of the buckets have one value, which would be all that is left; choose another list.",
            parameter="agreed",
        )
    listed = results.encoded_as(session.workspace().schema.with_(agreed=found))
    out = len(listed) - len(closable(listed))
    gone = (
        f" {count(out)} of the {count(len(listed))} records have a value whose bucket is not complete in this table; "
        "they would be left out, and count as loss."
    )
    st.caption(f"{found.in_words[:1].upper()}{found.in_words[1:]}.{gone if out else ''}")
    if out == len(listed):
        raise ParameterError("No record could be published under this list; choose another.", parameter="agreed")
    st.button(
        "Use it, here and at all other hospitals",
        key="release:agreed:use",
        on_click=_use,
        args=(found,),
        type="primary",
    )


def _use(found: AgreedList) -> None:
    session.change_schema(session.workspace().schema.with_(agreed=found))
    session.put("agreed_list", True)
    session.put("agreed", float(found.least))
    session.put("my_algorithm", BY_BUCKET)
    session.put("their_algorithm", BY_BUCKET)
    session.put("their_models", True)


def _drop() -> None:
    session.change_schema(session.workspace().schema.with_(agreed=None))
