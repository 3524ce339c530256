"""Every test, in parts side by side: the browser's first, the others as processors come free.

``make test`` runs this; with arguments it runs pytest once instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = 8
"""Of the tests without a browser: enough for the last ones to end together, few enough to start quickly."""
NO_TESTS = 5
"""What pytest returns where a part holds none of the tests asked for."""


def parts() -> dict[str, list[str]]:
    """Return the arguments of each part; every file of tests is in one part, its browser tests in the first."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    found = {"with a browser": ["-m", "browser"]}
    for i in range(PARTS):
        found[f"{i + 1} of {PARTS} without"] = ["-m", "not browser", *files[i::PARTS]]
    return found


def run(arguments: list[str]) -> tuple[bool, str]:
    """Run one part; say whether all is well, and what pytest said."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    return done.returncode in (0, NO_TESTS), done.stdout


def main() -> int:
    """Run all parts, two at least at a time; show a line of those that pass and all of those that fail."""
    workers = max(2, min(os.cpu_count() or 2, 4))
    todo = parts()
    print(f"{len(todo)} parts, {workers} at a time; a part is told of when it has ended.", flush=True)
    begun, failed = time.monotonic(), []
    with ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(run, arguments): name for name, arguments in todo.items()}
        try:
            for part in as_completed(waiting):
                passed, said = part.result()
                name, said = waiting[part], said.rstrip()
                if not passed:
                    failed.append(name)
                    print(said, flush=True)
                print(f"{time.monotonic() - begun:5.0f} s  {name}: {said.splitlines()[-1].strip('= ')}", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    print(f"Failed: {', '.join(failed)}." if failed else "Every test passed or was skipped for the reason given.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
