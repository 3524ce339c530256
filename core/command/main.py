"""From arguments to an exit status; every refusal is one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from core.command.arguments import parser
from core.command.outputs import one_line, save, say, show
from core.command.runs import BROKEN, MET, OPEN, run
from core.errors import CompositionError

BAD = 2
STOPPED = 130

__all__ = ["BAD", "BROKEN", "MET", "OPEN", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments
        Without the name of the program; those of the process by default.

    Returns
    -------
    int
        0 all limits met, or none set; 1 a limit broken; 2 bad input; 3 no limit broken, but one
        of them has no number; 130 stopped from the keyboard.
    """
    try:
        options = parser().parse_args(arguments)
        found = run(options, say)
        for path, content in found.saved.items():
            save(path, content, options.force)
    except SystemExit as end:  # after --help
        return int(end.code or 0)
    except CompositionError as error:
        say(one_line(error.message))
        return BAD
    except OverflowError:
        say("A number in the options or the scenario is too large to reckon with; give a smaller one.")
        return BAD
    except KeyboardInterrupt:
        say("Stopped.")
        return STOPPED
    try:
        show(found.shown)
    except BrokenPipeError:
        # Whoever reads has seen enough; without this Python complains once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return found.status
