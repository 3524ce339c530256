"""The page: one HTML file without scripts and without a request to anybody, light, to be printed."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, StrictUndefined

from benchmarks.papers.draw import svg
from benchmarks.papers.figure import AGREES, DIFFERS, OPEN, Claim, Figure

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


TEMPLATE = """\
{% macro link(figure) %}<a href="#{{ figure.anchor }}">{{ figure.paper }}, {{ figure.number }}</a>{% endmacro -%}
{% macro n(place, words) %}{% if place >= words %} class="n"{% endif %}{% endmacro -%}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers' figures, redrawn</title>
<style>{{ style | safe }}</style>
</head>
<body>
<main>
<h1>The papers' figures, redrawn</h1>
<p>{{ introduction }}</p>
{% for fact in facts %}<p class="small">{{ fact }}</p>
{% endfor %}
<table class="contents"><tr><th></th><th>What it shows</th><th>Also</th><th>The paper's statements</th>
<th class="n">Time</th></tr>
{% for figure in figures %}<tr><td>{{ link(figure) }}</td><td>{{ figure.title }}</td><td>{{ figure.also }}</td>
<td>{{ "not redrawn" if figure.missing else agreements(figure.claims) }}</td>
<td class="n">{{ "–" if figure.missing else seconds(figure.seconds) }}</td></tr>
{% endfor %}</table>
{% for paper, title in papers.items() if paper in figures | map(attribute="paper") %}
<h2>{{ paper }}</h2><p>{{ title }}</p>
{% for figure in figures if figure.also.startswith(paper) and figure.paper != paper %}
{%- if loop.first %}<ul>{% endif -%}
<li>{{ figure.also.removeprefix(paper).strip(", ") }}: see {{ link(figure) }}</li>
{%- if loop.last %}</ul>{% endif %}{% endfor %}
{% for figure in figures if figure.paper == paper %}
<section id="{{ figure.anchor }}"><h3>{{ figure.number }}: {{ figure.title }}
{%- if figure.also %} <span class="small">({{ figure.also }})</span>{% endif %}</h3>
{% if figure.missing %}<p>Not redrawn: {{ figure.missing }}</p>
{% else %}
{% if figure.setting %}<p>{{ figure.setting }}</p>{% endif %}
{% if figure.claims %}<table><tr><th>The paper says</th><th>Found here</th><th></th></tr>
{% for claim in figure.claims %}<tr><td>{{ claim.printed }}</td><td>{{ claim.ours }}</td>
<td class="verdict">{{ marks[claim.verdict] }}</td></tr>
{% endfor %}</table>{% endif %}
{% if figure.pictures %}<div class="charts">{% for picture in figure.pictures -%}
<figure class="chart" role="group" aria-label="{{ picture.words }}">
{{- svg(picture.chart, figure.anchor ~ "-" ~ loop.index0) | safe -}}
<figcaption>{{ picture.words }}</figcaption></figure>{% endfor %}</div>{% endif %}
{% for grid in figure.grids %}<div class="wide"><table>
{%- if grid.caption %}<caption>{{ grid.caption }}</caption>{% endif %}<tr>
{%- for name in grid.header %}<th{{ n(loop.index0, grid.words) }}>{{ name }}</th>{% endfor %}</tr>
{% for row in grid.rows %}<tr>{% for cell in row %}<td{{ n(loop.index0, grid.words) }}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</table></div>
{% endfor %}
{% if figure.note %}<p class="small">{{ figure.note }}</p>{% endif %}
<p class="small">Time: {{ seconds(figure.seconds) }}.</p>
{% endif %}</section>
{% endfor %}{% endfor %}
</main>
</body>
</html>
"""


def page(figures: Sequence[Figure], facts: Sequence[str]) -> str:
    """Return the whole page; ``facts`` say of the run what has to be known."""
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(TEMPLATE)
    return template.render(
        figures=figures,
        facts=facts,
        style=STYLE,
        introduction=INTRODUCTION,
        papers=PAPERS,
        marks=MARKS,
        agreements=_agreements,
        seconds=seconds,
        svg=svg,
    )


def _agreements(claims: Sequence[Claim]) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in (AGREES, DIFFERS, OPEN)}
    words = {AGREES: "agree", DIFFERS: "differ", OPEN: "cannot be compared"}
    told = [f"{number} {words[verdict]}" for verdict, number in counts.items() if number]
    return ", ".join(told) or "none printed"


def seconds(value: float) -> str:
    """Seconds as people read them."""
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.1f} min"
