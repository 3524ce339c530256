"""The document as a Jinja template. Every text is escaped; what is ``safe`` is the style sheet and the charts."""

TEMPLATE = """\
{% macro table(titles=(), right=()) -%}
<table>{% if titles %}<thead><tr>{% for title in titles -%}
<th scope="col"{{ n(loop.index0, right) }}><span>{{ title }}</span></th>{% endfor %}</tr></thead>{% endif %}
<tbody>
{{ caller() }}</tbody></table>
{%- endmacro %}
{% macro n(place, right) %}{% if place in right %} class="n"{% endif %}{% endmacro %}
{% macro plain(titles, rows, right=()) -%}
{% call table(titles, right) %}{% for row in rows %}<tr>{% for cell in row -%}
<td{{ n(loop.index0, right) }}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}{% endcall %}
{%- endmacro %}
{% macro section(title) -%}
<section>
<h2>{{ title }}</h2>
{{ caller() }}
</section>
{%- endmacro %}
{% macro small(text) %}{% if text %}<br><span class="small">{{ text }}</span>{% endif %}{% endmacro %}
{% macro note(text) %}{% if text %}<p class="note">{{ text }}</p>{% endif %}{% endmacro %}
{% macro code(digest) %}<code>{{ digest }}</code>{% endmacro %}
{% macro marked(verdict) %}<span aria-hidden="true">{{ marks.get(verdict, "?") }}</span>{% endmacro %}
{% macro bullets(sentences) -%}
<ul>
{% for sentence in sentences %}<li>{{ sentence | lines }}</li>
{% endfor %}</ul>
{%- endmacro %}
{% macro required(rows) -%}
{% call table(("Required of", "Limit", "Found", "95 % interval", "Of", "Verdict", "Worst, if I am wrong"),
  (1, 2, 3, 4)) -%}
{% for row in rows %}{% set shown = row.shown -%}
<tr><td>{{ row.words }}</td>{% for name in ("asks", "value", "interval", "n") -%}
<td class="n">{{ shown[name] }}</td>{% endfor -%}
<td><strong>{{ marked(row.verdict) }} {{ shown.met }}</strong></td><td>
{{- (shown.worst, shown.survives) | select | join(", ") -}}
{% if shown.survives == "not met" %}{{ small(row.worst_at) }}{% endif %}</td></tr>
{% endfor %}{% endcall %}
{%- endmacro %}
{% macro figure(shown) -%}
{% call section(shown.title) -%}
{% if shown.svg %}<figure>
{{ shown.svg | safe }}
<figcaption>{{ shown.note }}</figcaption>
</figure>{% else %}{{ note(shown.note) }}{% endif %}
{% for part in shown.tables %}{{ plain(part.titles, part.rows, part.right) }}
{% endfor %}
{%- endcall %}
{%- endmacro -%}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy | safe }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Composition report, {{ strength }}</title>
<style>
{{ style | safe }}</style>
</head>
<body>
<main>
<header>
<p class="kind">{{ about }}</p>
<h1>{{ question | lines }}</h1>
{{ note(question_note) }}
<div class="verdict {{ kind }}"><p class="headline">
{%- if verdict.verdict == "none" %}<span aria-hidden="true">–</span>{% else %}{{ marked(verdict.verdict) }}{% endif -%}
{{ " " }}Verdict: {{ verdict.headline }}</p>
{% if limits_of %}<p>{{ limits_of | lines }}</p>
{% endif -%}
{% for sentence in verdict.sentences %}<p>{{ sentence }}</p>
{% endfor %}</div>
{% call table() %}{% for name, title in titles_of_card.items() -%}
<tr><td><strong>{{ title }}</strong></td><td>{% if card[name] is string %}{{ card[name] }}{% else -%}
{{ bullets(card[name]) }}{% endif %}</td></tr>
{% endfor %}{% endcall %}
{% if dots %}<figure>
{{ dots | safe }}
</figure>
{% endif -%}
</header>
{% call section("Requirements") -%}
{% if requirements -%}
{{ required(asked_first) }}
{% if asked_later %}<p>{{ asked_later | length }} more are met; the annex has them.</p>{% endif %}
{%- else %}<p>None were set.</p>{% endif %}
{%- endcall %}
{% call section("Decision") -%}
{% if made -%}
{% call table() %}{% for title, text in made -%}
<tr><td>{{ title }}</td><td>{{ text | lines }}</td></tr>
{% endfor %}<tr><td>Does the verdict survive being wrong?</td><td>{{ decision.survives_words }}</td></tr>
{% endcall %}
{% if decision.accepted -%}
<p>{{ "All" if all_accepted else "Some of the" }} assumptions were accepted; the annex has them.</p>{% endif %}
{{ note(decision.note) }}
{%- else %}<p>None is recorded in this report.</p>{% endif %}
{%- endcall %}
{{ annex | safe }}
{% if asked_later %}{% call section("Further requirements, met") -%}
{{ required(asked_later) }}
{%- endcall %}
{% endif -%}
{% call section("Numbers") -%}
{% for group in numbers_by_group %}{% call table(group.titles, range(1, 9)) %}{% for row in group.rows -%}
<tr><td>{{ row.words }}{{ small(row.meaning) }}</td>{% for name in group.names -%}
<td class="n">{{ row.shown[name] }}</td>{% endfor %}</tr>
{% endfor %}{% endcall %}
{% for text in group.notes %}{{ note(text) }}
{% endfor %}{% endfor %}
{% if not_assessed %}<h3>What was not assessed</h3>
<ul>
{% for row in not_assessed %}<li>{{ row.words }}: {{ row.why | lines }}</li>
{% endfor %}</ul>{% endif %}
{%- endcall %}
{% call section("Risk of being found") -%}
{{ note(risk.note) }}
{% call table(("Of a person", "Limit of others", "My release, everybody in it", "Shared people, best single release",
  "Shared people, all releases", "95 % interval"), range(2, 6)) -%}
{% for row in risk.rows %}<tr><td>{{ row.words }}</td><td>{{ row.shown.limit }}</td>
{%- for name in ("mine", "single", "all", "interval") %}<td class="n">{{ row.shown[name] }}</td>{% endfor %}</tr>
{% endfor %}{% endcall %}
<h3>{{ risk.criteria_title }}</h3>
{% call table(("Criterion, share of the shared people", "Best single release", "All releases", "95 % interval"),
  range(1, 4)) -%}
{% for row in risk.criteria %}<tr><td>{{ row.words }}</td>
{%- for name in ("single", "all", "interval") %}<td class="n">{{ row.shown[name] }}</td>{% endfor %}</tr>
{% endfor %}{% endcall %}
<p class="note">Source of the limits: {{ risk.source }}.</p>
{%- endcall %}
{% for shown in drawn %}{{ figure(shown) }}
{% endfor %}
{% if candidates %}{% call section("Candidates side by side") -%}
{{ note(candidates.note) }}
{% for part in candidate_parts %}{% call table(part.titles, range(2, 9)) %}{% for row in part.rows -%}
<tr><td>{{ row.words }}</td><td>{{ row.better }}</td>{% for cell in row.cells -%}
<td class="n">{{ cell.shown }}{{ small(best_or_worst.get((cell.best, cell.worst))) }}</td>{% endfor %}</tr>
{% endfor %}{% endcall %}
{% endfor %}
{%- endcall %}
{{ figure(trade_off) }}{% endif %}
{% call section("What this rests on") -%}
{{ bullets(assumptions | map(attribute="sentence")) }}
{% if decision.accepted %}<h3>Assumptions that were accepted</h3>
{{ bullets(decision.accepted) }}{% endif %}
{%- endcall %}
{% call section("Settings") -%}
{{ plain(("Of", "Setting", "Value"), settings_in_groups) }}
{%- endcall %}
{% call section("Data, draws and versions") -%}
{% call table(("What", "Where it comes from")) -%}
<tr><td>Data</td><td>
{%- if data.digest %}{{ code(data.digest) }} ({{ data.digest_of }}){% else %}left out{% endif %}</td></tr>
<tr><td>Draws</td><td>{{ draws.sentence }}</td></tr>
<tr><td>Versions</td><td>{% for name, version in versions.items() -%}
{{ name }} {{ version }}{{ ", " if not loop.last }}{% endfor %}</td></tr>
{% endcall %}
{% if files %}<h3>Files of others</h3>
{% call table(("Of", "What", "Name", "Records", "Digest")) %}{% for row in files -%}
<tr><td>{{ row.shown.organisation }}</td><td>{{ row.shown.kind }}</td><td>{{ row.get("name") or none_sign }}</td><td>
{{- row.shown.records | default(none_sign) }}</td><td>{{ code(row.digest or "left out") }}</td></tr>
{% endfor %}{% endcall %}{% endif %}
{% if noisy %}<h3>Noisy tables that were downloaded</h3>
{% call table(("Digest of the download", "Epsilon", "Delta", "Mechanism", "Neighbouring tables")) -%}
{% for row in noisy -%}
<tr><td>{{ code(row.digest or "left out") }}</td><td>{{ row.shown.epsilon }}</td><td>{{ row.shown.delta }}</td><td>
{{- row.mechanism }}</td><td>{{ row.relation }}</td></tr>
{% endfor %}{% endcall %}{% endif %}
{%- endcall %}
{% call section("Limits of the method") -%}
{{ note(told) }}
{{ bullets(limits) }}
<h3>Sources</h3>
{{ bullets(sources) }}
{%- endcall %}
</main>
</body>
</html>
"""
