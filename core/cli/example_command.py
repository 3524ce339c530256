"""The command ``example``: a folder of invented people."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core import engine
from core.base.wording import count, listed
from core.cli.commands import MET, Result
from core.cli.loading import Say
from core.cli.progress import bar


def run(options: Namespace, _: Say) -> Result:
    """Write the people.

    Raises
    ------
    CompositionError
        For numbers out of range, or a folder that cannot be written.
    """
    people, folder = range(options.first, options.first + options.rows), Path(options.out)
    with bar("Making people") as progress:
        columns = engine.write_example_rows(folder, people, options.places, force=options.force, progress=progress)
    return Result(f"{count(len(people))} invented people with the columns {listed([*columns])}.\n", MET)
