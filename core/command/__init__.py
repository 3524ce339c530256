"""The command line: measure, attack, forecast, report, with the numbers of the pages and a status for a pipeline.

- :mod:`~core.command.arguments`: options and help;
- :mod:`~core.command.inputs`: files and options in, a scenario on its data out;
- :mod:`~core.command.runs`: the four commands;
- :mod:`~core.command.outputs`: text, JSON, files.
"""

from core.command.main import BAD, BROKEN, MET, OPEN, main

__all__ = ["BAD", "BROKEN", "MET", "OPEN", "main"]
