"""Every promise in claims.toml stands in its document, and its test exists."""

from __future__ import annotations

import ast
import tomllib

import pytest

from tests.source import ROOT

CLAIMS = tomllib.loads((ROOT / "tests" / "claims.toml").read_text(encoding="utf-8"))["claim"]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["says"][:60])
def test_a_promise_stands_in_its_document_and_has_a_test(claim: dict[str, str]) -> None:
    words = " ".join((ROOT / claim["in"]).read_text(encoding="utf-8").split())
    assert claim["says"] in words
    file, _, name = claim["test"].partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_of_security_has_an_entry() -> None:
    """Each point of *What is promised* holds the words of at least one claim."""
    promised = (ROOT / "SECURITY.md").read_text(encoding="utf-8").split("## What is promised")[1].split("\n## ")[0]
    points = [" ".join(point.split()) for point in promised.split("\n- ")[1:]]
    says = [claim["says"] for claim in CLAIMS if claim["in"] == "SECURITY.md"]
    assert [point for point in points if not any(words in point for words in says)] == []
