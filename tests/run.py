"""Every test, those with a browser beside the others: two processes take little more than half the time of one.

``make test`` runs this; with arguments it runs pytest once instead.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile


def main() -> int:
    """Run both parts, show what the first says at once and the second when it has ended; 0 where both pass."""
    pytest = [sys.executable, "-m", "pytest"]
    print("Tests with a browser run beside the others; what they say is shown at the end.", flush=True)
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            [*pytest, "-m", "browser", "-p", "no:cacheprovider"], stdout=said, stderr=subprocess.STDOUT
        ) as browser:
            try:
                others = subprocess.run([*pytest, "-m", "not browser"], check=False).returncode
                with_browser = browser.wait()
            except KeyboardInterrupt:
                browser.terminate()
                raise
        said.seek(0)
        sys.stdout.write(said.read().decode(errors="replace"))
    return others or with_browser


if __name__ == "__main__":
    sys.exit(main())
