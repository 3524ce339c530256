"""The command line: measure, attack, forecast, report, with the numbers of the pages and a status for a pipeline.

- :mod:`~core.cli.arguments`: options and help;
- :mod:`~core.cli.inputs`: files and options in, a scenario on its data out;
- :mod:`~core.cli.commands`: the four commands;
- :mod:`~core.cli.outputs`: text, JSON, files.
"""

from core.cli.commands import BROKEN, MET, OPEN
from core.cli.program import BAD, UNFORESEEN, main

__all__ = ["BAD", "BROKEN", "MET", "OPEN", "UNFORESEEN", "main"]
