"""Progress of a long command, only on a terminal, so that a pipeline's log does not change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from core.base.arrays import Progress

DELAY = 1.0
"""Seconds before a bar is shown: most commands have ended by then."""
LINE = "{desc} {percentage:3.0f}% |{bar:30}| {elapsed}"


@contextmanager
def bar(words: str) -> Iterator[Progress | None]:
    """Show a bar on standard error while the block runs, and remove it at the end.

    Parameters
    ----------
    words
        What is done; no name of a column or file.

    Yields
    ------
    Progress, optional
        ``None`` if standard error is no terminal, or tqdm is not installed.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # none where it is closed
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=100, desc=words, bar_format=LINE, leave=False, delay=DELAY, file=sys.stderr) as shown:
        yield lambda share: shown.update(max(0.0, 100 * share - shown.n))
