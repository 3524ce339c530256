"""The page: one HTML file without scripts and without a request to anybody, light, to be printed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchmarks.papers.draw import svg
from benchmarks.papers.figure import AGREES, DIFFERS, OPEN, Claim, Figure, Grid

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1000px; padding: 1.5rem; background: white; color: #1c1f24;
  font: 15px/1.45 "Liberation Sans", Arial, Helvetica, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 .6rem; padding-top: .5rem; border-top: 3px solid #1c1f24; }
h3 { font-size: 1.1rem; margin: 1.6rem 0 .3rem; }
p { margin: .4rem 0; max-width: 48rem; }
a { color: #1d3fbb; }
.small { color: #555; font-size: .86rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 1rem 1.5rem;
  margin: .6rem 0; align-items: start; }
.contents td.n { white-space: nowrap; }
.chart { margin: 0; max-width: 100%; break-inside: avoid; }
.chart svg { max-width: 100%; height: auto; display: block; }
.chart figcaption { font-size: .86rem; color: #444; max-width: 30rem; }
table { border-collapse: collapse; margin: .5rem 0 .8rem; font-size: .86rem; }
caption { text-align: left; color: #444; padding-bottom: .2rem; }
th, td { border-bottom: 1px solid #d5d8dd; padding: .18rem .55rem; text-align: left; vertical-align: top;
  overflow-wrap: break-word; }
th { border-bottom: 2px solid #777; font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
.verdict { white-space: nowrap; font-weight: 600; }
section { break-inside: auto; }
h2, h3 { break-after: avoid; }
tr { break-inside: avoid; }
@page { size: A4; margin: 14mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .charts { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .wide { overflow: visible; } table { font-size: 8pt; } th, td { padding: .1rem .25rem; }
}
"""
INTRODUCTION = (
    "Every figure and table of the papers that this program can redraw, computed anew from the data named below, with "
    "what the papers say beside what is found here. Where a paper draws values without printing them, only what its "
    "text states is quoted."
)
MARKS = {AGREES: "✓ agrees", DIFFERS: "✗ differs", OPEN: "? cannot be compared"}
PAPERS = {
    "Ganta KDD": "Ganta, Kasiviswanathan, Smith: Composition Attacks and Auxiliary Information in Data Privacy. "
    "KDD 2008.",
    "Ganta arXiv": "The same, the longer version of 2008 (arXiv).",
    "Sattar": "Sattar, Helal: Privacy Risk Against Composition Attack. 2018.",
    "Goryczka": "Goryczka, Xiong, Fung: m-Privacy for Collaborative Data Publishing. CollaborateCom 2011.",
    "Allard": "Allard: Partition-Based Models and Algorithms for Privacy-Preserving Data Publishing. Lecture, 2023.",
}


def page(figures: Sequence[Figure], facts: Sequence[str]) -> str:
    """Return the whole page; ``facts`` say of the run what has to be known."""
    body = [
        "<h1>The papers' figures, redrawn</h1>",
        f"<p>{INTRODUCTION}</p>",
        *(f'<p class="small">{escape(fact)}</p>' for fact in facts),
        _contents(figures),
    ]
    for paper, title in PAPERS.items():
        mine = [figure for figure in figures if figure.paper == paper]
        if mine:
            body.append(f"<h2>{escape(paper)}</h2><p>{escape(title)}</p>{_elsewhere(paper, figures)}")
            body += [_figure(figure) for figure in mine]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>The papers' figures, redrawn</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"
    )


def _elsewhere(paper: str, figures: Sequence[Figure]) -> str:
    """Links to figures of this paper that are redrawn under another, which prints them too."""
    links = [
        f'<li>{escape(figure.also.removeprefix(paper).strip(", "))}: see <a href="#{escape(figure.anchor)}">'
        f"{escape(figure.paper)}, {escape(figure.number)}</a></li>"
        for figure in figures
        if figure.also.startswith(paper) and figure.paper != paper
    ]
    return f"<ul>{''.join(links)}</ul>" if links else ""


def _contents(figures: Sequence[Figure]) -> str:
    rows = []
    for figure in figures:
        link = f'<a href="#{escape(figure.anchor)}">{escape(figure.paper)}, {escape(figure.number)}</a>'
        said = "not redrawn" if figure.missing else _tally(figure.claims)
        took = "–" if figure.missing else seconds(figure.seconds)
        cells = f"<td>{link}</td><td>{escape(figure.title)}</td><td>{escape(figure.also)}</td><td>{escape(said)}</td>"
        rows.append(f'<tr>{cells}<td class="n">{took}</td></tr>')
    head = "".join(f"<th>{name}</th>" for name in ("", "What it shows", "Also", "The paper's statements"))
    return f'<table class="contents"><tr>{head}<th class="n">Time</th></tr>{"".join(rows)}</table>'


def _tally(claims: Sequence[Claim]) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in (AGREES, DIFFERS, OPEN)}
    words = {AGREES: "agree", DIFFERS: "differ", OPEN: "cannot be compared"}
    told = [f"{number} {words[verdict]}" for verdict, number in counts.items() if number]
    return ", ".join(told) or "none printed"


def _figure(figure: Figure) -> str:
    also = f' <span class="small">({escape(figure.also)})</span>' if figure.also else ""
    head = f'<section id="{escape(figure.anchor)}"><h3>{escape(figure.number)}: {escape(figure.title)}{also}</h3>'
    if figure.missing:
        return f"{head}<p>Not redrawn: {escape(figure.missing)}</p></section>"
    parts = [head, f"<p>{escape(figure.setting)}</p>" if figure.setting else ""]
    if figure.claims:
        rows = "".join(
            f"<tr><td>{escape(claim.printed)}</td><td>{escape(claim.ours)}</td>"
            f'<td class="verdict">{MARKS[claim.verdict]}</td></tr>'
            for claim in figure.claims
        )
        parts.append(f"<table><tr><th>The paper says</th><th>Found here</th><th></th></tr>{rows}</table>")
    if figure.pictures:
        drawn = [
            f'<figure class="chart" role="group" aria-label="{escape(picture.words)}">'
            f"{svg(picture.chart, f'{figure.anchor}-{number}')}"
            f"<figcaption>{escape(picture.words)}</figcaption></figure>"
            for number, picture in enumerate(figure.pictures)
        ]
        parts.append(f'<div class="charts">{"".join(drawn)}</div>')
    parts += [_grid(grid) for grid in figure.grids]
    parts.append(f'<p class="small">{escape(figure.note)}</p>' if figure.note else "")
    parts.append(f'<p class="small">Time: {seconds(figure.seconds)}.</p></section>')
    return "\n".join(part for part in parts if part)


def _grid(grid: Grid) -> str:
    def cell(tag: str, place: int, text: str) -> str:
        kind = "" if place < grid.words else ' class="n"'
        return f"<{tag}{kind}>{escape(text)}</{tag}>"

    head = "".join(cell("th", place, text) for place, text in enumerate(grid.header))
    rows = "".join(
        f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(row))}</tr>" for row in grid.rows
    )
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    return f'<div class="wide"><table>{caption}<tr>{head}</tr>{rows}</table></div>'


def seconds(value: float) -> str:
    """Seconds as people read them."""
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.1f} min"
