"""The document: data to HTML, every text escaped, nothing fetched, made for A4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from core import words
from core.metrics import MET, NOT_MET, ON_AVERAGE
from core.report.charts import vector
from core.report.rounding import Facts
from core.report.style import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
GROUPS = {
    "guarantee": "What the release guarantees",
    "anticipated": "Anticipated before publication",
    "cost": "What it costs",
}
OTHERS = ("value", "n", "better")
NO_RANGE = (
    "A dash under 95 % interval: the number is exact for these people and settings, or there were too few redraws "
    "for an interval."
)
BASELINES = (
    "Beside a share stands what it must be compared with. Wrongly: the part, of all shared people, that is accused of "
    "something that is not so. Best single release: the same number from the most telling release alone. Guessing: how "
    "often naming the commonest value for everybody is right, beside hit rates, because only these count who is right."
)
ANNEX = '<h1 class="annex">Annex: every number, and what it rests on</h1>'
"""What stands before it is what a meeting reads."""
WIDE, LEADING = 11, 3
"""Columns of a chart's table that fit side by side, and those that every part of a wider one begins with."""
ABREAST = 5
"""Candidates that fit beside each other on paper; further ones get a table below."""
MARKS = {MET: "✓", ON_AVERAGE: "≈", NOT_MET: "✗"}
"""Before each verdict; a question mark where there is none."""


def page(data: Facts) -> str:
    """Write a report as one HTML file.

    Parameters
    ----------
    data
        Of :class:`core.report.Report`.

    Returns
    -------
    str
        HTML without script, link, image file or request; inline SVG and styles only.
    """
    sections = [_top(data), _requirements(data), _decision(data), ANNEX, _numbers(data)]
    sections += [_figure(figure, number) for number, figure in enumerate(data["figures"], 1)]
    sections += [_candidates(data), _assumptions(data), _settings(data), _origin(data), _limits(data)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Composition report, {data['strength']}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


# ---- pieces -----------------------------------------------------------------------------


def _text(text: object) -> str:
    return escape(str(text), quote=True)


def _lines(text: str) -> str:
    return "<br>".join(_text(line) for line in text.split("\n"))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = (), name: str = "") -> str:
    """A table whose cells are escaped already; columns of numbers stand at the right."""
    right = set(numeric)

    def cells(tag: str, row: Sequence[str]) -> str:
        of = [' class="n"' if i in right else "" for i in range(len(row))]
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(f"<{tag}{scope}{of[i]}>{cell}</{tag}>" for i, cell in enumerate(row))

    caption = f"<caption>{_text(name)}</caption>" if name else ""
    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    top = (
        f"<thead><tr>{cells('th', [f'<span>{_text(title)}</span>' for title in head])}</tr></thead>\n"
        if any(head)
        else ""
    )
    return f"<table>{caption}{top}<tbody>\n{body}\n</tbody></table>"


def _section(title: str, *parts: str) -> str:
    return f"<section>\n<h2>{_text(title)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"


def _small(text: str) -> str:
    return f'<br><span class="small">{_text(text)}</span>' if text else ""


def _marked(verdict: str | None) -> str:
    return f'<span aria-hidden="true">{MARKS.get(verdict or "", "?")}</span>'


def _note(text: str) -> str:
    return f'<p class="note">{_text(text)}</p>' if text else ""


def _list(sentences: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{_lines(sentence)}</li>" for sentence in sentences) + "\n</ul>"


# ---- sections ---------------------------------------------------------------------------


def _top(data: Facts) -> str:
    verdict = data["verdict"]
    mark = MARKS.get(verdict["verdict"], "?") if verdict["verdict"] != "none" else "–"
    kind = {MET: "met", NOT_MET: "broken"}.get(verdict["verdict"], "open")
    sentences = "\n".join(f"<p>{_text(sentence)}</p>" for sentence in verdict["sentences"])
    return (
        f'<header>\n<p class="kind">{_text(data["about"])}</p>\n'
        f"<h1>{_lines(data['question'])}</h1>\n{_note(data['question_note'])}\n"
        f'<div class="verdict {kind}"><p class="headline"><span aria-hidden="true">{mark}</span> Verdict: '
        f"{_text(verdict['headline'])}</p>\n{sentences}\n</div>\n{_card(data['card'])}\n</header>"
    )


CARD = {
    "exposed": "Who is exposed",
    "baseline": "Compared with",
    "cost": "What it costs",
    "hangs_on": "What it hangs on",
    "untried": "What was tried",
}


def _card(card: Facts) -> str:
    """The card as a table of two columns: what is said, and the sentence."""

    def said(value: Any) -> str:
        return _list(value) if isinstance(value, list) else _text(value)

    return _table(("", ""), [[f"<strong>{title}</strong>", said(card[name])] for name, title in CARD.items()])


def _requirements(data: Facts) -> str:
    rows = data["requirements"]
    if not rows:
        return _section("Requirements", "<p>None were set.</p>")
    head = ("Required of", "Limit", "Found", "95 % interval", "Of", "Verdict", "Worst, if I am wrong")
    cells = [
        [
            _text(row["words"]),
            *(_text(row["shown"][name]) for name in ("asks", "value", "interval", "n")),
            f"<strong>{_marked(row['verdict'])} {_text(row['shown']['met'])}</strong>",
            _text(", ".join(filter(None, (row["shown"]["worst"], row["shown"]["survives"]))))
            + _small(row["worst_at"] if row["shown"]["survives"] == "not met" else ""),
        ]
        for row in rows
    ]
    return _section("Requirements", _table(head, cells, (1, 2, 3, 4)))


def _numbers(data: Facts) -> str:
    rows, absent = data["numbers"], data["not_assessed"]
    head = (
        "Exposure of shared people",
        "Number",
        "95 % interval",
        "Of these wrongly",
        "Best single release",
        "Guessing",
        "Of",
    )
    names = ("value", "interval", "wrong", "single", "guess", "n")
    parts = [_table(head, _number_cells(rows, "exposure", names), range(1, 7)), _note(NO_RANGE), _note(BASELINES)]
    for group, title in GROUPS.items():
        parts.append(_table((title, "Number", "Of", "Better is"), _number_cells(rows, group, OTHERS), range(1, 4)))
    if absent:
        parts += ["<h3>What was not assessed</h3>", _list(f"{row['words']}: {row['why']}" for row in absent)]
    return _section("Numbers", *parts)


def _number_cells(rows: Sequence[Facts], group: str, names: Sequence[str]) -> list[list[str]]:
    return [
        [_text(row["words"]) + _small(row["meaning"]), *(_text(row["shown"][name]) for name in names)]
        for row in rows
        if row["group"] == group and not row["same"]
    ]


def _figure(figure: Facts, number: int) -> str:
    columns = figure["columns"]
    text = {"assumption", "range", "confidence", "name", "efficient"}
    numeric = [i for i, column in enumerate(columns) if column["key"] not in text]
    shown = figure.get("cells") or [row["shown"] for row in figure["rows"]]
    rows = [[_text(cell[column["key"]]) for column in columns] for cell in shown]
    if figure["name"] == "doubts":  # what an assumption is called stands in its first row
        rows = [["" if i and row[0] == rows[i - 1][0] else row[0], *row[1:]] for i, row in enumerate(rows)]
    tables = []
    for some in _abreast(len(columns)):
        head = [columns[i]["words"] for i in some]
        right = [place for place, i in enumerate(some) if i in numeric]
        tables.append(_table(head, [[row[i] for i in some] for row in rows], right))
    svg = vector(figure, number)
    drawn = (
        f"<figure>\n{svg}\n<figcaption>{_text(figure['note'])}</figcaption>\n</figure>"
        if svg
        else _note(figure["note"])
    )
    return _section(figure["title"], drawn, *tables)


def _abreast(columns: int) -> list[list[int]]:
    """Columns of each table that a page is wide enough for; of several, each begins with the first three."""
    if columns <= WIDE:
        return [list(range(columns))]
    parts = math.ceil((columns - LEADING) / (WIDE - LEADING))
    each = math.ceil((columns - LEADING) / parts)
    return [[*range(LEADING), *range(first, min(columns, first + each))] for first in range(LEADING, columns, each)]


def _candidates(data: Facts) -> str:
    found = data["candidates"]
    if found is None:
        return ""
    marks = {(True, False): "▲ best", (False, True): "▼ worst"}

    def cell(one: Facts) -> str:
        return _text(one["shown"]) + _small(marks.get((one["best"], one["worst"]), ""))

    known = [row for row in found["rows"] if any(one["shown"] != words.NONE for one in row["cells"])]
    tables = []
    for first in range(0, len(found["names"]), ABREAST):
        some = slice(first, first + ABREAST)
        head = ("Number", "Better is", *found["names"][some])
        rows = [
            [_text(row["words"]), _text(words.BETTER[row["better"]]), *(cell(one) for one in row["cells"][some])]
            for row in known
        ]
        tables.append(_table(head, rows, range(2, len(head))))
    side_by_side = _section("Candidates side by side", _note(found["note"]), *tables)
    return f"{side_by_side}\n{_figure(found['trade_off'], len(data['figures']) + 1)}"


def _assumptions(data: Facts) -> str:
    accepted = data["decision"]["accepted"]
    parts = ["<h3>Assumptions that were accepted</h3>", _list(accepted)] if accepted else []
    return _section("What this rests on", _list(row["sentence"] for row in data["assumptions"]), *parts)


def _decision(data: Facts) -> str:
    made = data["decision"]
    fields = {"what": "Decided", "who": "By", "when": "On", "why": "Because"}
    fields |= {"until": "Holds until", "ends": "Ends before that if"}
    if not any(made[name] for name in (*fields, "accepted")):
        return _section("Decision", "<p>None is recorded in this report.</p>")
    rows = [[_text(title), _lines(made[name])] for name, title in fields.items() if made[name]]
    rows.append(["Does the verdict survive being wrong?", _text(made["survives_words"])])
    parts = [_table(("", ""), rows)]
    if made["accepted"]:
        every = {row["sentence"] for row in data["assumptions"]}
        all_of_them = every <= set(made["accepted"])
        parts.append(f"<p>{'All' if all_of_them else 'Some of the'} assumptions were accepted; the annex has them.</p>")
    return _section("Decision", *parts, _note(made["note"]))


def _settings(data: Facts) -> str:
    rows, last = [], ""
    for row in data["settings"]:
        group = row["group"] if row["group"] != last else ""
        rows.append([_text(group), _text(row["name"]), _text(row["value"])])
        last = row["group"]
    return _section("Settings", _table(("Of", "Setting", "Value"), rows))


def _origin(data: Facts) -> str:
    about, parts = data["data"], []
    digest = f"<code>{_text(about['digest'])}</code> ({_text(about['digest_of'])})" if about["digest"] else "left out"
    rows = [["Data", digest]]
    rows += [["Draws", _text(data["draws"]["sentence"])]]
    rows += [["Versions", _text(", ".join(f"{name} {version}" for name, version in data["versions"].items()))]]
    parts.append(_table(("What", "Where it comes from"), rows))
    if data["files"]:
        head = ("Of", "What", "Name", "Records", "Digest")
        cells = [
            [
                _text(row["shown"]["organisation"]),
                _text(row["shown"]["kind"]),
                _text(row.get("name") or words.NONE),
                _text(row["shown"].get("records", words.NONE)),
                f"<code>{_text(row['digest'] or 'left out')}</code>",
            ]
            for row in data["files"]
        ]
        parts += ["<h3>Files of others</h3>", _table(head, cells)]
    if data["noisy"]:
        head = ("Digest of the download", "Epsilon", "Delta", "Mechanism", "Neighbouring tables")
        cells = [
            [
                f"<code>{_text(row['digest'] or 'left out')}</code>",
                _text(row["shown"]["epsilon"]),
                _text(row["shown"]["delta"]),
                _text(row["mechanism"]),
                _text(row["relation"]),
            ]
            for row in data["noisy"]
        ]
        parts += ["<h3>Noisy tables that were downloaded</h3>", _table(head, cells)]
    return _section("Data, draws and versions", *parts)


def _limits(data: Facts) -> str:
    return _section(
        "Limits of the method", _note(data["told"]), _list(data["limits"]), "<h3>Sources</h3>", _list(data["sources"])
    )
