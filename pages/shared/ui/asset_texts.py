"""Texts of the Method page and of the examples, read from assets."""

from __future__ import annotations

import math
import re

import streamlit as st

from core import examples
from core.algorithms.mdav import BLOCK_ROWS, EXACT_ROWS
from core.attack.risk.reidentification_risk import REGULATED_SIZE
from core.base.assets import ASSETS, asset, sections
from core.base.rates import MIN_REDRAWS
from core.data.tables.input_limits import DEFAULT_LIMITS
from core.privacy.policy import TOLERANCE
from core.release.region_text import FEW_LISTED, MOST_SET
from core.study.draw import MAX_RELEASES
from core.study.hospitals import MODEL_ERROR
from core.study.similar_people import FULL_SIZE, SCALES
from pages.shared.ui.text import count

_APP = "http://127.0.0.1:8501"
"""Address of the app in documents; a page links to itself."""
_LINKED = re.compile(rf"(?m)^!\[[^\]]*\]\([^)]*\)\n|\[([^\]]*)\]\((?!{re.escape(_APP)})[^)]*\)")


def overview() -> dict[str, str]:
    """Every text of the page Start by its heading, facts still to be filled in."""
    return sections(asset("overview.md"))


def document(name: str) -> str:
    """A text of docs below its title, without pictures and without links that the app cannot serve."""
    text = (ASSETS.parent / "docs" / f"{name}.md").read_text(encoding="utf-8")
    below = _LINKED.sub(lambda link: link[1] or "", text.partition("\n")[2]).replace(f"{_APP}/", "/")
    # Some colours of a shell's words are too pale to read.
    return below.replace("```sh", "```text")


def facts() -> dict[str, str]:
    """Constants of the program that the texts name, read where the program reads them."""
    limits = DEFAULT_LIMITS
    return {
        "tolerance": f"$10^{{{round(math.log10(TOLERANCE))}}}$",
        "min_redraws": str(MIN_REDRAWS),
        "max_releases": str(MAX_RELEASES),
        "narrow": " or ".join(str(narrow) for narrow, _ in SCALES),
        "wide": " or ".join(str(wide) for _, wide in SCALES),
        "scales": {2: "two", 3: "three"}[len(SCALES)],
        "full_size": count(FULL_SIZE),
        "model_error": f"{100 * MODEL_ERROR:g}",
        "regulated": str(REGULATED_SIZE),
        "ttl": str(st.get_option("server.disconnectedSessionTTL")),
        "megabytes": count(limits.bytes / 1_000_000),
        "rows": count(limits.rows),
        "columns": count(limits.columns),
        "cell": count(limits.cell),
        "exact_rows": count(EXACT_ROWS),
        "most_set": count(MOST_SET),
        "few_listed": count(FEW_LISTED),
        "block_rows": count(BLOCK_ROWS),
        **{f"erratum_{example.name}": example.erratum for example in examples.worked_examples()},
    }
