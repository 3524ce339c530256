"""What the program shows and draws, as a file holds it: numbers, the data of charts, words by their digest.

``python -m tests.kept`` writes ``tests/kept.json`` anew, and says in how many lines numbers differ and in how many
words alone. A line is one thing that is shown: its kind, its numbers, and after # a digest of the whole of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from tests.source import ROOT

KEPT = ROOT / "tests/kept.json"
TESTS = ("tests/core/test_figures.py", "tests/pages")
"""Tests that hold something against it; their names have "as_kept" in them."""
WRITES = "COMPOSITION_WRITES_KEPT"
OF_A_SESSION = {"id", "url", "formId", "deferredFileId", "imgs", "pageScriptHash", "setValue", "queryParamKey"}
"""What an element of a page has that is no part of what it says."""
NUMBER = re.compile(r"\d[\d.,\u2009]*(?:e[+-]?\d+)?(?:\s?%)?")
CHANGING = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z]*)?|\b[0-9a-f]{40,64}\b")
"""Dates, and ids of files that hold a date."""
Kept = dict[str, dict[str, list[str]]]
"""By what is walked through, and its views, the lines."""


def plain(value: Any) -> Any:
    """A value as JSON writes it, numbers with as many digits as every machine agrees about."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict) and "bdata" in value:
        return plain(np.frombuffer(b64decode(value["bdata"]), value["dtype"]).tolist())
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items() if name not in OF_A_SESSION}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def line(kind: str, what: Any) -> str:
    """An element as it is kept."""
    text = CHANGING.sub("", what if isinstance(what, str) else json.dumps(plain(what), ensure_ascii=False, default=str))
    found = NUMBER.findall(text)
    numbers = " ".join(found) if len(found) <= 30 else f"{len(found)} numbers {digest(' '.join(found))}"
    return f"{kind} {numbers} #{digest(text)}"


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def kept() -> Kept:
    read: Kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return read


def compare(name: str, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Hold lines by view, each with what it stands for, against what is kept of them; or keep them."""
    whole = kept()
    if os.environ.get(WRITES):
        whole[name] = {view: list(lines) for view, lines in found.items()}
        KEPT.write_text(json.dumps(whole, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    assert list(found) == list(whole[name]) if name in whole else not found, "another view"
    for view, lines in found.items():
        others = [(line, what) for line, what in lines.items() if line not in whole[name][view]]
        assert not others, (view, "is not as kept; write it anew by python -m tests.kept", others[:3])
        assert list(lines) == whole[name][view], (view, "lacks what is kept, or has it elsewhere")


def main() -> None:
    """Write down what is shown now, and say what became of it."""
    before = kept()
    KEPT.unlink(missing_ok=True)
    tests = ["-q", "-p", "no:cacheprovider", "-k", "as_kept", *TESTS]
    subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT, env={**os.environ, WRITES: "1"}, check=True)
    now = kept()

    def told(of: Kept, end: str) -> Counter[str]:
        return Counter(
            f"{name} {view} {line.split(end)[0]}" for name in of for view in of[name] for line in of[name][view]
        )

    words, numbers = ((told(now, end) - told(before, end)).total() for end in ("\n", " #"))
    print(f"{numbers} lines have other numbers or are new, {words - numbers} other words alone.")


if __name__ == "__main__":
    main()
