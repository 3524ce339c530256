"""How the document looks: light, quiet, in black and white as clear as in colour, made for A4."""

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1c2430; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0.25rem 0 1rem; }
.annex { margin: 3rem 0 0; padding-top: 1rem; border-top: 3px solid #1c2430; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid #d5dbe4; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.5rem; }
p, ul { margin: 0.5rem 0; }
ul { padding-left: 1.25rem; }
.kind { margin: 0; color: #4a5568; }
.note, figcaption, .small { color: #4a5568; font-size: 0.85rem; }
.small { line-height: 1.3; }
.verdict { border: 2px solid #1c2430; border-left-width: 10px; padding: 0.5rem 1rem; margin: 1rem 0; }
.verdict.broken { border-style: double; border-width: 6px; border-left-width: 10px; }
.verdict.open { border-style: dashed; }
.headline { font-size: 1.25rem; font-weight: 600; }
table { width: 100%; border-collapse: collapse; margin: 0.5rem 0; font-size: 0.85rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.5rem 0.3rem 0; border-bottom: 1px solid #d5dbe4; }
th { border-bottom: 2px solid #1c2430; font-weight: 600; }
th, .n { overflow-wrap: normal; }
th span { display: block; max-width: 9rem; overflow-wrap: break-word; }
th.n span { margin-left: auto; }
.n { text-align: right; }
td:first-child { min-width: 7.5rem; }
td.n:first-child { min-width: 3rem; }
code { font: 0.8rem/1.4 ui-monospace, "Liberation Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
figure { margin: 0.5rem 0; }
svg { display: block; max-width: 100%; height: auto; }
@page { size: A4; margin: 18mm 16mm 20mm; @bottom-right { content: counter(page) " / " counter(pages);
  font: 9pt Arial, "Liberation Sans", sans-serif; color: #4a5568; } }
@media print {
  body { font-size: 10pt; }
  table { font-size: 0.7rem; }
  th, td { padding-right: 0.3rem; }
  th span { max-width: 4.2rem; }
  td:first-child { min-width: 5.5rem; }
  main { max-width: none; padding: 0; }
  h1, h2, h3, caption { break-after: avoid; }
  .annex { break-before: page; border-top: 0; margin-top: 0; }
  h2 { margin-top: 1.5rem; }
  figure, .verdict, tr, li { break-inside: avoid; }
  thead { display: table-header-group; }
  thead tr, tbody tr:first-child { break-after: avoid; }
  p { orphans: 3; widows: 3; }
}
"""
