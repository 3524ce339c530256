"""Options of the command line and their help."""

from __future__ import annotations

import argparse
import csv
import math
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NoReturn

import shtab
from msgspec import inspect

from core.attack.intruder import KNOWS
from core.attack.updates import KNOWLEDGE
from core.base.errors import ParameterError
from core.base.json_files import fields_of
from core.base.metrics import requirable
from core.base.version import VERSION
from core.cli.outputs import show
from core.data.schemas.schema import MISSING, ONE_RECORD
from core.decision.scenario.questions import PlainChoices
from core.privacy.model import MODELS
from core.privacy.parameters import is_whole
from core.register import KINDS, LIMITED
from core.register.recipients import SHARES
from core.release.algorithm import ALGORITHMS, DEFAULT, MINE
from core.release.published.cell_reader import MARKS
from core.report import STRENGTHS
from core.study.hospitals import ORIGINS, PUBLISHED

STATUS = """exit status:
  0  every limit is met with its whole interval, or none is set
  1  a limit is broken, or met on average only (unless --on-average)
  2  an option or a file cannot be used; one sentence says why
  3  no limit is broken, but one has no number
  4  an unforeseen error, or too little memory; says nothing about limits"""

OF_REGISTER_STATUS = """exit status:
  0  every limit is met, or none is set
  1  a limit is broken
  2  an option or a file cannot be used; one sentence says why
  3  no limit is broken, but a publication is not assessed"""

COMMANDS = {
    "measure": "what my release guarantees and costs: k, l, t measured in the published table; information loss",
    "attack": "how many shared people are exposed once other hospitals publish too",
    "forecast": "what to expect before others publish, from my release alone",
    "report": "all of these, compared with the limits, as one HTML or JSON file",
    "counts": "make a table of counts of the data, attacked together with my release before it is written",
    "update": "how many new, removed and changed people an earlier version of the table gives away with this one",
    "frequency-table": "count the distinct rows of a table, or of a folder of files larger than memory, into one "
    "small file",
    "agree": "make an agreement from public data, by which several publishers form classes that hold together",
    "release": "release such a folder, a frequency table or a table into a folder of files, measured before it is "
    "written",
}
REGISTER = "register"
WITHOUT_DATA = {REGISTER: "what has been published, and what recipients conclude from it"}
"""Commands that are not about a table that is given."""
REGISTER_ACTIONS = {
    "add": "enter a publication, or with --entry more recipients of one, or its private copy; REGISTER is written",
    "check": "compare each recipient, and each pair who may collude, with the limits",
    "show": "list the publications, and what each recipient and each pair can conclude",
}
COMMON = {
    *("data", "before", "knows", "intruder", "scenario", "others", "limit", "on_average"),
    *("qids", "sensitive", "unmodified", "identifiers", "person", "drop_unassigned", "taxonomy"),
    *("k", "l", "t", "overlap", "algorithm", "releases", "their_k", "their_counts", "my_counts"),
    *("agreement", "least", "stable"),
    *("out", "json", "save_scenario", "evidence", "force", "format", "classes"),
}
"""Options that ``--help`` explains; ``--help-all`` explains every one."""
AGREED = ("agree",)
"""The command that makes an agreement."""
PUBLIC_DATA = {
    *("data", "delimiter", "encoding", "decimal", "sheet", "header_row", "columns", "qids", "sensitive"),
    *("rows_are_people", "drop_unassigned", "missing", "missing_tokens"),
    *("taxonomy", "hierarchies", "date_format", "date_unit", "json"),
    "k",
}
"""Options of all commands that it has, too."""
_FIRST = re.compile("[;:]")
ABOUT = "What a release reveals once another organisation has published too: a gate for a data pipeline."
COMPLETED = {"FILE": shtab.FILE, "FOLDER": shtab.DIRECTORY}
"""Shell completion of a file argument."""
ENGINES = ("duckdb", "spark")
WITH_OTHERS = ("attack", "report", "counts")
"""Commands that use the releases of others."""
WITH_ENGINE = [name for name in COMMANDS if name not in ("update", *AGREED)]
COUNTING_COMMANDS = ("frequency-table", "release")
"""Commands that count records instead of keeping them in memory."""
LONG = {
    "measure": (
        "With a scenario or -k, the data are raw records; they are released first and then measured. Otherwise the "
        "data are a published table, which is measured unchanged; --qids and --sensitive name its columns."
    ),
    "attack": "The data are raw records. They are released, and the sets of sensitive values of these and of other "
    "releases, simulated or from --others, are intersected.",
    "forecast": "The data are raw records. They are released, and the risk is estimated from that release alone.",
    "counts": (
        "The data are raw records. They are released and counted as --my-counts says, and both are attacked together. "
        "Without --overlap no other hospital publishes, and everyone in the data is attacked. A table of counts that "
        "breaks a limit is not written to --out."
    ),
    REGISTER: (
        "Keep a register of what has been published, by me and by others, and compute what each recipient can "
        "conclude, and each pair who may collude. It has digests, settings and numbers of people, and no cell."
    ),
    "report": "The verdict is printed, the report is written to --out (without --out, only the report is printed).",
    "update": (
        "Both versions are raw records, one per person, identified by --identifiers (or --person). Each is released. "
        "The values that both leave together are computed exactly; a limit on one_value_left is for new, removed and "
        "changed people. --keep-classes writes the remedy: a release that keeps the earlier classes."
    ),
    "frequency-table": (
        "Only the quasi-identifiers and the sensitive attribute are read. The frequency table contains their values, "
        "so protect it like the data."
    ),
    "agree": (
        "The data are public, such as a census extract: never the records that the agreement is to protect. Everyone "
        "who publishes gives the file to --agreement."
    ),
    "release": (
        "Mondrian and least loss need only the frequency table of the data. A release that breaks a limit "
        "is not written."
    ),
}


PROGRAM = "composition-gate" if "composition_dashboard" in sys.modules else "python -m core"
"""Name of this program: in the repository, or installed."""


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one sentence, as the rest of the program does."""

    def error(self, message: str) -> NoReturn:
        """Refuse options in one sentence."""
        raise ParameterError(f"{message[:1].upper()}{message[1:]}; see {PROGRAM} {self._last()}--help-all.")

    def _print_message(self, message: str, *_: Any) -> None:
        show(message)  # help and version

    def _last(self) -> str:
        name = self.prog.rpartition(" ")[2]
        return f"{name} " if name in (*COMMANDS, *WITHOUT_DATA) else ""


class CommandOption:
    """An option, declared once: its spelling, its commands, and its arguments for argparse."""

    def __init__(self, *names: str, of: Sequence[str] = (), **how: Any) -> None:
        self.names, self.how = names, how
        self.of = of or [name for name in COMMANDS if name not in AGREED or self.key in PUBLIC_DATA]

    @property
    def key(self) -> str:
        """Its name among the parsed values."""
        return self.names[-1].strip("-").replace("-", "_")

    @property
    def is_common(self) -> bool:
        """Whether ``--help`` explains it."""
        return self.key in COMMON or any(name in self.of for name in WITHOUT_DATA)

    def add_to(self, group: argparse._ActionsContainer, in_full: bool) -> None:
        """Declare it to argparse, with the first clause of its help or all, and to the completion of a shell."""
        words = self.how["help"] if in_full or self.is_common else argparse.SUPPRESS
        action = group.add_argument(*self.names, **{**self.how, "help": words if in_full else _FIRST.split(words)[0]})
        if action.metavar in COMPLETED:
            action.complete = COMPLETED[action.metavar]  # type: ignore[attr-defined]


def names_of(text: str | None) -> tuple[str, ...]:
    """Column names of an option: separated by commas, a name with a comma in quotes."""
    if not text:
        return ()
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise ParameterError("The column names of an option are not separated by commas as in A,B.") from None
    return tuple(rows[0]) if rows else ()


def _no_salt(_: str) -> NoReturn:
    raise argparse.ArgumentTypeError(
        "a secret in the options can be read by everyone on this machine; give it with --salt-file or in the "
        f"environment variable {SALT_VARIABLE}"
    )


def _limit(text: str) -> tuple[str, float]:
    name, sign, number = text.partition("=")
    if not sign or name not in requirable():
        raise argparse.ArgumentTypeError(
            f"a limit is written NAME=NUMBER, with one of the names {', '.join(requirable())}"
        )
    return name, _number(number)


class _EachOnce(argparse.Action):
    """Collect limits; two for one number are a mistake."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, _option: Any = None) -> None:
        """Add one."""
        given = getattr(namespace, self.dest)
        if values[0] in dict(given):
            raise argparse.ArgumentError(self, f"{values[0]} is limited twice; give one limit of each number")
        setattr(namespace, self.dest, [*given, values])


def _register_limit(text: str) -> tuple[str, float]:
    name, sign, number = text.partition("=")
    if not sign or name not in LIMITED:
        raise argparse.ArgumentTypeError(f"a limit is written NAME=NUMBER, with one of the names {', '.join(LIMITED)}")
    is_percent = number.endswith("%") and name in SHARES
    limit = _number(number[:-1]) / 100 if is_percent else _number(number)
    most = math.inf if name == "epsilon" else 1.0
    if not 0 <= limit <= most:
        words = "at least 0" if most == math.inf else "from 0 to 100%" if name in SHARES else "from 0 to 1"
        raise argparse.ArgumentTypeError(f"a limit of {name} is {words}")
    return name, limit


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a day is needed, written YYYY-MM-DD") from None


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError("a number is needed")
    return number


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise argparse.ArgumentTypeError("a whole number is needed")
    return int(text)


SALT_VARIABLE = "COMPOSITION_SALT"
_ALONE = "These make the scenario; not together with --scenario."
_BY_ENGINE = (
    "Several files (--data with a folder, or a pattern in quotes such as 'lake/*.parquet') are counted by DuckDB, "
    "or by Spark on request."
)
NUMBERS = ("measure", "attack", "forecast", "report", "update", "counts")
"""Commands that result in numbers."""

FILES = (
    CommandOption(
        "--data",
        required=True,
        metavar="FILE",
        help="the table (CSV, TSV, Parquet, Excel, Stata, SAS, SPSS), or a folder or pattern of files",
    ),
    CommandOption(
        "--before", of=["update", "report"], metavar="FILE", help="the earlier version of the table, as released before"
    ),
    CommandOption(
        "--knows",
        of=["update", "report"],
        choices=KNOWLEDGE,
        default="all",
        help="what the reader knows: " + "; ".join(f"{name}, {words}" for name, words in KNOWLEDGE.items()),
    ),
    CommandOption(
        "--keep-classes",
        of=["update"],
        metavar="FILE",
        help="write the release that keeps the classes of the earlier version; limits are then applied to it",
    ),
    CommandOption("--scenario", metavar="FILE", help="scenario file that the pages or --save-scenario wrote"),
    CommandOption(
        "--their-marks",
        of=WITH_OTHERS,
        choices=MARKS,
        help="what empty cells, NA and similar marks mean in releases of --others: withheld, any value, or missing "
        "(default withheld; required if my column also has missing values)",
    ),
    CommandOption(
        "--counts",
        of=WITH_OTHERS,
        metavar="RULES",
        help="the files of --others are tables of counts, and this is what their publisher says: absent=, blank= and "
        "mark= (zero, masked or either), below=5 if every masked count is, rounded=5, rounding= (nearest, up, down "
        "or random), zeros= (a 0 is rounded or exact), totals= (a "
        "person is in one, most one or several of the cells shown), total= (its word, or none), separated by commas "
        "(--count names the column)",
    ),
    CommandOption(
        "--others",
        nargs="+",
        default=[],
        metavar="FILE",
        help="files of other hospitals: those that the scenario names, by their content; without a scenario their "
        "columns and values are matched with mine, and the matches are listed",
    ),
    CommandOption("--marginals", metavar="FILE", help="population statistics: a table of column, value, share"),
    CommandOption(
        "--other-data", action="store_true", help="continue if a file is not the one that the scenario was made for"
    ),
    CommandOption(
        "--rows-are-people",
        action="store_true",
        default=None,
        help="every record is another person, although an identifier such as a name repeats; without this or --person "
        "such data are refused",
    ),
    CommandOption("--delimiter", help="of a text file; detected by default"),
    CommandOption("--encoding", help="of a text file; detected by default"),
    CommandOption("--decimal", choices=[".", ","], help="decimal mark of the data; detected by default"),
    CommandOption("--sheet", help="name or number of an Excel sheet; by default the first one that holds a table"),
    CommandOption(
        "--header-row",
        type=_whole,
        metavar="N",
        help="line, or row of a sheet, that names the columns; detected by default; lines above it are left out",
    ),
    CommandOption(
        "--columns",
        type=names_of,
        metavar="A,B",
        help="the columns to read; all by default; the others are not kept and may have any content and number",
    ),
)
COLUMNS = (
    CommandOption("--qids", metavar="A,B", help='quasi-identifiers, separated by commas; one with a comma in "quotes"'),
    CommandOption("--sensitive", metavar="A", help="the sensitive attribute; several, as A,B, are protected as one"),
    CommandOption("--unmodified", metavar="A,B", help="columns published as they are; they also link releases"),
    CommandOption(
        "--unmodified-same-value-rate",
        action="append",
        metavar="COLUMN=SHARE",
        help="share of shared people with the same value of such a column at another hospital (default 1)",
    ),
    CommandOption("--diverse", metavar="A,B", help="columns published as they are that must also meet l and t"),
    CommandOption(
        "--round", action="append", metavar="COLUMN=STEP", help="publish the numbers of such a column rounded"
    ),
    CommandOption("--identifiers", metavar="A,B", help="columns to drop before anything else"),
    CommandOption(
        "--person",
        metavar="A",
        help="column that identifies the person of each record; needed if persons have several; never published",
    ),
    CommandOption(
        "--one-record", choices=ONE_RECORD, help="keep one record per person; by default all, and classes count persons"
    ),
    CommandOption("--record-seed", type=_whole, help="of the random record (default 0)"),
    CommandOption("--provider", metavar="A", help="column that names who contributed a record"),
    CommandOption(
        "--drop-unassigned", action="store_true", default=None, help="leave out columns without a role; else an error"
    ),
    CommandOption("--missing", choices=MISSING, help="records with missing values (default category)"),
    CommandOption("--missing-tokens", metavar="A,B", help="cells that mean missing, in addition to the empty one"),
    CommandOption("--taxonomy", action="append", metavar="A=FILE", help="ARX hierarchy of a column; may be repeated"),
    CommandOption(
        "--hierarchies",
        metavar="A,B",
        help="columns to generalise by a suggested hierarchy: leading characters of codes, age bands, ICD chapters",
    ),
    CommandOption(
        "--date-format",
        action="append",
        metavar="COLUMN=FORMAT",
        help="date format of a column, such as %%d/%%m/%%Y, if the order of day and month is ambiguous",
    ),
    CommandOption(
        "--date-unit",
        action="append",
        metavar="COLUMN=UNIT",
        help="convert its dates to weeks, months, quarters or years first",
    ),
    CommandOption(
        "--agreement",
        metavar="FILE",
        help="a file made by agree that all publishers keep; classes are nodes of its trees, and a published table is "
        "checked against it",
    ),
)
HOSPITALS = (
    CommandOption(
        "--algorithm",
        choices=ALGORITHMS,
        metavar="NAME",
        help=f"of my release (default {MINE}): {', '.join(ALGORITHMS)}",
    ),
    CommandOption("--releases", type=_whole, help="number of publishers, including mine (default 2)"),
    CommandOption("--their-k", type=_whole, help="people per class at the others (default mine)"),
    CommandOption("--their-algorithm", choices=ALGORITHMS, help=f"of the others (default {DEFAULT})"),
    CommandOption(
        "--their-records",
        choices=[origin for origin in ORIGINS if origin != PUBLISHED],
        help="origin of the others' records: resampled (default), another hospital like mine; simulated, my "
        "table is divided among all, as in the papers",
    ),
    CommandOption(
        "--their-files",
        choices=["released", "mine"],
        help="content of the files of --others without a scenario: releases (default released); or, with --counts, "
        "mine, tables of counts of my own records",
    ),
    CommandOption(
        "--their-counts",
        metavar="HOW",
        help='the others publish tables of counts: as "age/10, sex, zip/3; below=5; zeros=shown; rounded=5"; '
        "columns with a width of bands, a number of leading characters, or a level of the taxonomy (zip/level1), then "
        "the threshold (default 5), zeros shown, absent or masked, a base of rounding, totals=hidden (no group sizes)",
    ),
    CommandOption(
        "--my-counts",
        metavar="HOW",
        help="a table of counts of my records is also published; written like --their-counts; without --overlap it is "
        "attacked with my release alone, for everyone",
    ),
    CommandOption("--their-size", type=_whole, help="records of each other hospital (default as many as mine)"),
    CommandOption(
        "--same-value-rate", type=_number, help="share of shared people with the same sensitive value there (default 1)"
    ),
    CommandOption(
        "--case-mix",
        type=_number,
        metavar="STRENGTH",
        help="how much the sensitive values of hospitals like mine differ from mine: 0 (default), as if they had the "
        "same patients; 1, it is not known how much",
    ),
)
COUNTING = (
    CommandOption(
        "--count",
        metavar="A",
        help="column of the data, or of a release of --others, with the number of records per row (by default "
        "the one named in a frequency table file); none: each row is one record (--counts says what masks mean)",
    ),
    CommandOption(
        "--engine",
        choices=ENGINES,
        help="also for one file, such as one larger than memory; spark for Parquet and with --work (default duckdb)",
    ),
    CommandOption(
        "--master",
        metavar="URL",
        help="of Spark: local, local[N], local[*], or spark://host:port for a cluster (default as many threads as "
        "--threads)",
    ),
    CommandOption(
        "--memory", of=WITH_ENGINE, default="4GB", metavar="SIZE", help="of the engine, as 500MB or 4GB (default 4GB)"
    ),
    CommandOption(
        "--threads",
        of=WITH_ENGINE,
        type=_whole,
        help="of the engine (default all processors); DuckDB uses at most one per 125 MB of memory",
    ),
    CommandOption(
        "--work",
        of=WITH_ENGINE,
        metavar="FOLDER",
        help="where the engine keeps rows that do not fit into its memory, in a subfolder that is removed at the end "
        "in any case; without it only the result is written to disk",
    ),
)
OUTPUT = (
    CommandOption(
        "--out",
        of=[name for name in NUMBERS if name != "counts"],
        metavar="FILE",
        help="write there instead of to standard output",
    ),
    CommandOption(
        "--out", of=["counts"], metavar="FILE", help="the table of counts as CSV; without it none is written"
    ),
    CommandOption(
        "--out", of=["frequency-table"], required=True, metavar="FILE", help="the Parquet file of the frequency table"
    ),
    CommandOption("--out", of=AGREED, required=True, metavar="FILE", help="the agreement"),
    CommandOption("--out", of=["release"], required=True, metavar="FOLDER", help="folder to create for the release"),
    CommandOption("--json", action="store_true", help="JSON instead of text, with unrounded numbers"),
    CommandOption("--save-scenario", of=NUMBERS, metavar="FILE", help="write the scenario that was used"),
    CommandOption(
        "--record",
        of=NUMBERS,
        metavar="FILE",
        help="write what was released and when, as an entry for the publication register",
    ),
    CommandOption("--recipient", of=NUMBERS, metavar="WHO", help="recipient of the release, for --record"),
    CommandOption("--force", of=[*NUMBERS, *AGREED], action="store_true", help="replace files that exist"),
    CommandOption("--force", of=COUNTING_COMMANDS, action="store_true", help="replace existing files or folders"),
    CommandOption(
        "--evidence", of=["attack", "report"], metavar="FILE", help="write the assessment as JSON for other programs"
    ),
    CommandOption(
        "--evidence-for",
        of=["attack", "report"],
        choices=["openmed"],
        help="write --evidence as the composition evidence of this program's gate (docs/evidence.md has the rule)",
    ),
    CommandOption(
        "--format", of=["report"], choices=["html", "json"], default="html", help="of the report (default html)"
    ),
    CommandOption("--format", of=["release"], choices=["parquet", "csv"], default="parquet", help="default parquet"),
    CommandOption(
        "--strength", of=["report"], choices=STRENGTHS, default="internal", help="external has only rounded aggregates"
    ),
    CommandOption(
        "--salt-file",
        of=["report"],
        metavar="FILE",
        help=f"its first line, at least 12 characters, salts the digests of the external strength; by default the "
        f"environment variable {SALT_VARIABLE}; without both there are no digests",
    ),
    CommandOption("--salt", of=["report"], type=_no_salt, help=argparse.SUPPRESS),
    CommandOption(
        "--register", of=["report"], metavar="FILE", help="publication register, for the internal report and --evidence"
    ),
    CommandOption("--question", of=["report"], default="", help="what was to be decided"),
    CommandOption("--limits-by", of=["report"], default="", help="source of the limits, such as the board"),
    CommandOption(
        "--decision",
        of=["report"],
        metavar="FILE",
        help='JSON with any of "what", "who", "when", "why", "until", "ends", and a list "accepted"',
    ),
    CommandOption(
        "--classes",
        of=["release"],
        metavar="FILE",
        help="also write the class of every row of the table, as .parquet or .csv; as secret as the data, only for "
        "the publisher",
    ),
    CommandOption(
        "--key",
        of=["release"],
        metavar="A",
        help="column that names each row in --classes; by default the row's number, from 1",
    ),
    CommandOption("--save-scenario", of=["release"], metavar="FILE", help="write the scenario that was used"),
)
AGREEING = (
    CommandOption(
        "--least",
        of=AGREED,
        type=_whole,
        metavar="N",
        help="values that remain for everyone, however many publish: those of each bucket (default 3)",
    ),
    CommandOption(
        "--stable",
        of=AGREED,
        metavar="A,B",
        help="public columns that never change, such as sex or year of birth; lists may differ by them",
    ),
    CommandOption(
        "--size",
        of=AGREED,
        type=_whole,
        metavar="N",
        help="records of the smallest publisher (default as many as the data)",
    ),
    CommandOption(
        "--rare",
        of=AGREED,
        type=_number,
        default=0.002,
        metavar="SHARE",
        help="values below this share of a region are published as one label (default 0.002)",
    ),
    CommandOption(
        "--level",
        of=AGREED,
        type=_whole,
        metavar="N",
        help="publish the sensitive values at this level of their taxonomy (0 is the root)",
    ),
)
INTRUDER = (
    CommandOption(
        "--intruder",
        of=["attack"],
        choices=KNOWS,
        metavar="WHO",
        help="also the claims of an adversary in one draw; by what they know: "
        + "; ".join(f"{name}, {words}" for name, words in KNOWS.items()),
    ),
    CommandOption(
        "--list-size",
        of=["attack"],
        type=_whole,
        metavar="N",
        help="people on a list that is made of my people, those of other hospitals and synthetic ones (default three "
        "times those in the tables)",
    ),
    CommandOption(
        "--population-list",
        of=["attack"],
        metavar="FILE",
        help="a list with columns named as in my table, in which --identifiers name my people; instead of one that is "
        "made",
    ),
    CommandOption(
        "--guess-by",
        of=["attack"],
        metavar="A,B",
        help="columns that a guesser without any release goes by (default those that make most guesses right)",
    ),
)
LIMITS = (
    CommandOption(
        "--limit",
        action=_EachOnce,
        default=[],
        type=_limit,
        metavar="NAME=NUMBER",
        help="such as one_value_left=0.1, in addition to or instead of that of the scenario; shares from 0 to 1",
    ),
    CommandOption(
        "--on-average",
        action="store_true",
        help="accept a limit that is met only on average: by the mean over redraws, not by its whole interval",
    ),
    CommandOption(
        "--doubts",
        of=["attack", "report"],
        choices=["tell", "fail"],
        help="test wrong assumptions about others; fail: exit status 1 if a plausible case "
        "breaks a limit that is met as assumed (default: attack does not test them, report tells)",
    ),
)
OF_REGISTER = (
    CommandOption("--file", of=[REGISTER], metavar="FILE", help="what was published"),
    CommandOption(
        "--kind", of=[REGISTER], choices=KINDS, help="; ".join(f"{name}, {words}" for name, words in KINDS.items())
    ),
    CommandOption("--date", of=[REGISTER], type=_day, metavar="DAY", help="YYYY-MM-DD; default that of --record"),
    CommandOption("--recipient", of=[REGISTER], action="append", metavar="NAME", help="who has it; may be repeated"),
    CommandOption("--public", of=[REGISTER], action="store_true", help="everyone has it"),
    CommandOption("--name", of=[REGISTER], metavar="TEXT", help="what it is called (default the name of the file)"),
    CommandOption(
        "--record",
        of=[REGISTER],
        metavar="FILE",
        help="its entry as other commands write it with --record; says all but the files",
    ),
    CommandOption("--qids", of=[REGISTER], metavar="A,B", help="without a record, its quasi-identifiers"),
    CommandOption("--sensitive", of=[REGISTER], metavar="A,B", help="without a record, its sensitive columns"),
    CommandOption("--unmodified", of=[REGISTER], metavar="A,B", help="without a record, columns published as they are"),
    CommandOption(
        "--count", of=[REGISTER], metavar="A", help="of a table of counts, its column of counts (default count)"
    ),
    CommandOption("--counts", of=[REGISTER], metavar="RULES", help="of a table of counts, as for attack"),
    CommandOption("--epsilon", of=[REGISTER], type=_number, help="of a noisy table"),
    CommandOption("--delta", of=[REGISTER], type=_number, help="of a noisy table (default 0)"),
    CommandOption("--version-of", of=[REGISTER], type=_whole, metavar="N", help="of a version, number of the earlier"),
    CommandOption(
        "--entry", of=[REGISTER], type=_whole, metavar="N", help="publication that gets recipients or its private copy"
    ),
    CommandOption(
        "--private",
        of=[REGISTER],
        metavar="FILE",
        help="its private copy with identifiers; of a table of counts, the group of each person; without it the "
        "publication is not assessed",
    ),
    CommandOption("--key", of=[REGISTER], metavar="A", help="column of the private copy that identifies the person"),
    CommandOption(
        "--files",
        of=[REGISTER],
        nargs="+",
        default=[],
        metavar="FILE",
        help="private copies of publications entered before, and tables of counts as they were published",
    ),
    CommandOption("--leave-open", of=[REGISTER], action="store_true", help="enter it even if files are lacking"),
    CommandOption("--try", of=[REGISTER], action="store_true", help="say what it would add, and write nothing"),
    CommandOption(
        "--limit",
        of=[REGISTER],
        action=_EachOnce,
        default=[],
        type=_register_limit,
        metavar="NAME=NUMBER",
        help=f"for each recipient and each pair: {', '.join(LIMITED)}; such as one_value_left=5%%",
    ),
    CommandOption("--json", of=[REGISTER], action="store_true", help="JSON instead of text"),
)


def with_option() -> dict[str, Any]:
    """Return the choices of a scenario that have an option, by their names, with their type and its description."""
    return {
        name: field_type
        for name, field_type in fields_of(PlainChoices).items()
        if isinstance(field_type, inspect.Metadata)
    }


def _declared() -> Iterator[CommandOption]:
    """Options of the parameters of the models, and of the choices of a scenario."""
    for model in MODELS.values():
        for parameter in model.parameters:
            names = ["-k", "--k"] if parameter.name == "k" else [f"--{parameter.name}"]
            choices = [option.name for option in parameter.options]
            yield _of_value(*names, choices=choices, whole=is_whole(model, parameter), words=parameter.about)
    for name, declared in with_option().items():
        field_type, words = declared.type, declared.extra_json_schema["description"]
        whole = isinstance(field_type, inspect.IntType)
        yield _of_value(f"--{name}", choices=getattr(field_type, "values", ()), whole=whole, words=words)


def _of_value(*names: str, choices: Sequence[str], whole: bool, words: str) -> CommandOption:
    """Return an option with fixed texts, or with a number."""
    how = {"choices": choices} if choices else {"type": _whole if whole else _number}
    return CommandOption(*names, **how, help=words)


def building() -> tuple[str, ...]:
    """Return the names of all options that define a scenario; an unused one is parsed as ``None``."""
    return tuple(option.key for option in (*COLUMNS, *_declared(), *HOSPITALS))


def groups() -> tuple[tuple[str, str, Sequence[CommandOption]], ...]:
    """Return the option groups: title, description in ``--help-all``, options.

    Models, fields and numbers may have been declared since this module was loaded.
    """
    return (
        ("files", "", FILES),
        (
            "limits",
            f"A limit is an upper bound, or a lower bound if more is better: {', '.join(requirable())}.",
            LIMITS,
        ),
        ("without a scenario file", _ALONE, (*COLUMNS, *_declared(), *HOSPITALS)),
        ("counting", _BY_ENGINE, COUNTING),
        ("agreement", "", AGREEING),
        ("output", "", OUTPUT),
        ("motivated intruder", "", INTRUDER),
    )


class _Complete(argparse.Action):
    """Prints the completion script of a shell."""

    def __call__(self, top: argparse.ArgumentParser, _namespace: Any, shell: Any, _option: Any = None) -> NoReturn:
        show(shtab.complete(parser(in_full=True, program="composition-gate"), shell))
        top.exit()


def parser(in_full: bool = False, program: str = PROGRAM) -> Parser:
    """Return the parser of all commands; ``in_full``, its help explains every option."""
    how: dict[str, Any] = {
        "epilog": STATUS,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
        "add_help": False,
    }
    top = Parser(prog=program, description=ABOUT, **how)
    top.add_argument("-h", "--help", "--help-all", action="help", help="show this, or with a command its options")
    top.add_argument("--version", action="version", version=f"{program} {VERSION}", help="show the version")
    top.add_argument(
        "--print-completion",
        action=_Complete,
        choices=shtab.SUPPORTED_SHELLS,
        metavar="SHELL",
        help=f"print the completion script of this command for {', '.join(shtab.SUPPORTED_SHELLS)}",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, words in COMMANDS.items():
        about = f"{words[:1].upper()}{words[1:]}. {LONG[name]}"
        usage = f"{program} {name} --data FILE [options]"
        command = commands.add_parser(name, help=words, description=_filled(about), usage=usage, **how)
        command.add_argument("-h", "--help", action="help", help="show the options that are used most")
        command.add_argument("--help-all", action="help", help="show every option in full")
        for title, about, options in groups():
            offered = [option for option in options if name in option.of]
            rare = sum(not option.is_common and option.how["help"] != argparse.SUPPRESS for option in offered)
            more = f" ({rare} more: --help-all)" if rare and not in_full else ""
            group = command.add_argument_group(title + more, _filled(about) if in_full and about else None)
            for option in offered:
                option.add_to(group, in_full)
    command = _without_data(
        commands,
        REGISTER,
        f"{program} {REGISTER} {{{','.join(REGISTER_ACTIONS)}}} REGISTER",
        OF_REGISTER,
        {**how, "epilog": OF_REGISTER_STATUS},
    )
    actions = "; ".join(f"{name}, {words}" for name, words in REGISTER_ACTIONS.items())
    command.add_argument("action", choices=tuple(REGISTER_ACTIONS), metavar="ACTION", help=actions)
    command.add_argument("register", metavar="REGISTER", help="the file of the register").complete = shtab.FILE  # type: ignore[attr-defined]
    command.set_defaults(force=True)
    return top


def _without_data(
    commands: Any, name: str, usage: str, options: Sequence[CommandOption], how: dict[str, Any]
) -> Parser:
    """Declare a command of :data:`WITHOUT_DATA`; all of its options are explained."""
    command: Parser = commands.add_parser(
        name, help=WITHOUT_DATA[name], usage=f"{usage} [options]", description=_filled(LONG[name]), **how
    )
    command.add_argument("-h", "--help", "--help-all", action="help", help="show this")
    for option in options:
        option.add_to(command, True)
    return command


def _filled(text: str) -> str:
    return textwrap.fill(text, 78)
