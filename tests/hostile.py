"""Names and values that nobody should call anything: the one list, for all that shows, keeps or writes such text."""

from __future__ import annotations

IMAGE = "![x](http://evil.example/a.png)"
SCRIPT = "<script>alert(1)</script>"
FETCHED = '<script src="http://evil.example/x.js">alert(1)</script>'
BROKEN_OUT = '"><img src=x onerror=alert(1)> & http://evil.example'
HTML = "<a href='http://evil.example'>%{x}</a><b>"
FORMULA = "=1+1"
MATHS = "$x$ and $y$"
COLOUR = ":red[danger]"
PATH = "a.b[0]\\.c"
LONG = "x" * 300
VERY_LONG = "x" * 10_000

TRICK = f"{IMAGE} {SCRIPT} $x$ :red[y]"
"""Several in one."""

TRICKS = (
    IMAGE,
    SCRIPT,
    FORMULA,
    MATHS,
    COLOUR,
    "[link](http://evil.example)",
    "www.evil.example",
    "someone@evil.example",
)
"""What Markdown or a spreadsheet would make something of."""

HOSTILE = [
    "a.b",
    "a[0]",
    "a\\.b",
    "it's",
    'say "x"',
    "a:Q",
    "constructor",
    SCRIPT,
    IMAGE,
    '=HYPERLINK("http://evil.example")',
    "https://evil.example/x.csv",
    "__proto__",
    "${x}",
    "{{x}}",
    "\n\t",
    "ä 漢字",
    LONG,
    HTML,
    BROKEN_OUT,
]
"""What a chart, a report or a browser would make something of."""

CELLS = [
    FORMULA,
    "+x",
    "-y",
    "@z",
    "a,b",
    'a"b',
    "a\nb",
    "a;b",
    "a|b",
    "a\tb",
    "trail ",
    "é",
    "'q",
    "{x}",
    "*",
    "-5",
    "1.5",
    "TRUE",
    "NA",
    "nan",
    "None",
    "0012",
    "[1-2]",
    "<b>",
    "`code`",
    '=HYPERLINK("http://x")',
]
"""What a reader of CSV, a spreadsheet or the words of a release would take for something else."""
