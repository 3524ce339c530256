"""Source of an agreed list: a level of the taxonomy, a file, published shares; never the user's own table."""

from __future__ import annotations

import hashlib

import streamlit as st

from core import examples
from core.base.errors import ParameterError
from core.base.wording import count
from core.data.encoding.encoded import Encoded
from core.data.schemas.agreed_list import AgreedList, read_shares
from pages.shared.compute import cache, data_results
from pages.shared.state import session
from pages.shared.ui import widgets

TREE, FILE, SHARES, EXAMPLE = "taxonomy", "file", "shares", "example"
FROM = {
    TREE: "A level of its taxonomy",
    FILE: "A file (value; bucket)",
    SHARES: "A file (value; share)",
    EXAMPLE: "Statistics of another city",
}
"""Where a list comes from, in words."""
PLACE, _FILE = "hold", "hold:agreed:file"
MOST = 5
"""Largest size of a list in megabytes."""
NEIGHBOURS, NEIGHBOUR = 300_000, 1
"""Residents and seed of the other city, whose shares serve as published statistics for the built-in example."""


def ways(encoded: Encoded) -> list[str]:
    """Sources available for a list of the present table."""
    tree = encoded.sensitive.taxonomy is not None
    return [way for way in FROM if (way != TREE or tree) and (way != EXAMPLE or session.workspace().example)]


def _source(encoded: Encoded) -> str:
    """Source of the list; the first available one if the choice is not available."""
    able, wanted = ways(encoded), str(session.get("hold_from"))
    return wanted if wanted in able else able[0]


def ask(encoded: Encoded) -> None:
    """Ask for the source of the list and the size of its buckets."""
    widgets.pick("hold_from", PLACE, ways(encoded), FROM.__getitem__)
    source, tree = _source(encoded), encoded.sensitive.taxonomy
    if source == TREE and tree is not None:
        widgets.slider("hold_level", PLACE, high=tree.height)
    elif source in (FILE, SHARES):
        types = ["csv", "txt", "tsv"]
        st.file_uploader("File of the list", type=types, key=_FILE, max_upload_size=MOST)
    if source != FILE:
        widgets.slider("hold_least", PLACE)


def chosen(encoded: Encoded) -> AgreedList | None:
    """The requested list; the one in use, if any, while its file is not loaded.

    Raises
    ------
    CompositionError
        If it is not a list, or leaves one value.
    """
    session.workspace().schema.need_one_sensitive("An agreed list", "agreed")
    source, tree, least = _source(encoded), encoded.sensitive.taxonomy, int(session.get("hold_least"))
    if source == TREE and tree is not None:
        return _checked(AgreedList.from_taxonomy(tree, min(int(session.get("hold_level")), tree.height), least))
    if source == EXAMPLE:
        return _checked(_from_example(least))
    file = st.session_state.get(_FILE)
    if file is None:
        return session.workspace().schema.agreed
    raw = file.getvalue()
    key = ("agreed list", *data_results.data_key(), source, least, hashlib.sha256(raw).hexdigest())
    return cache.cached(
        key, lambda: _checked(AgreedList.from_file(raw) if source == FILE else _from_shares(raw, least, encoded))
    )


def _from_shares(raw: bytes | str, least: int, encoded: Encoded) -> AgreedList:
    """Buckets of neighbours in published shares; shares of the table itself are refused."""
    counts = dict(zip(encoded.sensitive.labels, encoded.overall.tolist(), strict=True))
    return AgreedList.from_shares(read_shares(raw), least, counts)


def _from_example(least: int) -> AgreedList:
    """Buckets of neighbours in the shares of another synthetic city."""

    def shares() -> dict[str, float]:
        column = examples.city(NEIGHBOURS, seed=NEIGHBOUR).column(session.workspace().schema.sensitive)
        return {label: float(many) for label, many in zip(column.labels, column.counts.tolist(), strict=True)}

    return AgreedList.from_shares(cache.cached(("shares of the other city",), shares), least)


def _checked(agreed: AgreedList) -> AgreedList:
    """Refuse a list that leaves one value.

    Raises
    ------
    ParameterError
        With the number of buckets that have one.
    """
    alone = sum(len(bucket) < 2 for bucket in agreed.buckets)
    if alone:
        raise ParameterError(
            f"{count(alone)} of the buckets have one value, so it would be the only value left; choose another list.",
            parameter="agreed",
        )
    return agreed
