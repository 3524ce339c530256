"""Start the app as `streamlit run` does, results of core made once for all sessions, see `tests/known.py`.

Each browser test has a session of its own, most of them on the city. The sessions still show what is ready, wait for
the rest and draw again; only what core returns for the same key comes from the test before.
"""

from __future__ import annotations

import sys

from streamlit.web.cli import main

from pages.shared.compute import cache
from tests import known

if __name__ == "__main__":
    cache.cached = known.shared(cache.cached, known.WHERE_NOTHING_IS_SET)
    main(["run", *sys.argv[1:]], prog_name="streamlit")
