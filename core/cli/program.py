"""From arguments to an exit status; every refusal is one sentence."""

from __future__ import annotations

import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from core.base.errors import CompositionError, MemoryShortError
from core.cli import agreeing, counting_commands, making_counts, registering, updating
from core.cli.arguments import AGREED, COUNTING_COMMANDS, REGISTER, parser
from core.cli.commands import Result, run
from core.cli.outputs import one_line, save, say, show

OF_COMMAND = {
    **dict.fromkeys(COUNTING_COMMANDS, counting_commands.run),
    **dict.fromkeys(AGREED, agreeing.run),
    "update": updating.run,
    "counts": making_counts.run,
    REGISTER: registering.run,
}
"""What runs a command; others look at one table."""
BAD = 2
UNFORESEEN = 4
STOPPED = 130


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
        of them has no number; 4 an unexpected error, or too little memory; 130 stopped from the
        keyboard.
    """
    with _Unforeseen():
        result = _run(arguments)
        if result.shown:
            show(result.shown)
        return result.status  # of outputs that were written: earlier ones could not name a limit
    return UNFORESEEN


def _run(arguments: Sequence[str] | None) -> Result:
    try:
        words = sys.argv[1:] if arguments is None else arguments
        options = parser(in_full="--help-all" in words).parse_args(words)
        result = _result(options)
        if result.scenario is not None and getattr(options, "save_scenario", None) is not None:
            result.saved[Path(options.save_scenario)] = result.scenario.to_json()
        if result.saved:
            save(result.saved, options.force)
    except SystemExit as end:  # after --help
        return Result("", int(end.code or 0))
    except MemoryShortError as error:
        say(one_line(f"{error.message} This says nothing about the limits."))
        return Result("", UNFORESEEN)
    except CompositionError as error:
        say(one_line(error.message))
        return Result("", BAD)
    except OverflowError:
        say("A number in the options or the scenario is too large to reckon with; give a smaller one.")
        return Result("", BAD)
    except KeyboardInterrupt:
        say("Stopped.")
        return Result("", STOPPED)
    return result


def _result(options: Namespace) -> Result:
    return OF_COMMAND.get(options.command, run)(options, say)


class _Unforeseen:
    """Turns any unhandled error into one sentence with its kind and place, but not its text.

    The text of an error may hold a cell. A pipeline must not take a traceback's status 1 for a
    broken limit.
    """

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Report an error, if there is one; let exceptions that end the process pass."""
        if error_class is None or not issubclass(error_class, Exception):
            return False
        if issubclass(error_class, MemoryError):
            words = "The memory of this machine does not suffice; give fewer records or values."
        elif issubclass(error_class, OSError):
            words = f"The result could not be given out ({error_class.__name__}); check standard output and the disk."
        else:
            last = traceback.extract_tb(trace)[-1]
            words = (
                f"An unexpected error ended the run ({error_class.__name__} in {last.name}, "
                f"{Path(last.filename).name}:{last.lineno}); please report it with the command."
            )
        say(f"{words} This says nothing about the limits.")
        return True
