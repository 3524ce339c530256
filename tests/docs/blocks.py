"""The blocks of Python that the guides show, run by a Python that has the library."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from tests.source import ROOT

GUIDES = (ROOT / "README.md", ROOT / "docs" / "library.md")
RUN = """
import json, sys
for block in json.load(sys.stdin):
    names = {}
    exec(block["text"], names)
    for expression, number in block["said"]:
        assert eval(expression, names) == int(number), expression
    for expression in block["by k"]:
        assert eval(expression, names)["k"].tolist() == [2, 5, 10, 25], expression
"""


def run_blocks(python: Path, folder: Path, variables: dict[str, str] | None = None) -> None:
    """Run every block by itself, and compare what it shows with what its comments say."""
    blocks = []
    for guide in GUIDES:
        found = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
        assert found, guide
        for text in found:
            said = re.findall(r"^(\S.*?)  # (\d+):", text, re.MULTILINE)
            by_k = re.findall(r"^(\S.*?)  # one row per k:", text, re.MULTILINE)
            blocks.append({"text": text, "said": said, "by k": by_k})
    assert any(block["said"] for block in blocks)
    assert any(block["by k"] for block in blocks)
    done = subprocess.run(
        [python, "-c", RUN],
        cwd=folder,
        env=variables,
        input=json.dumps(blocks),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
