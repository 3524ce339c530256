"""Numbers as they were: whoever changes one on purpose writes it down anew, with the reason in the changelog.

``python -m tests.golden`` makes `numbers.json` from the commands of `cases`, and `reports.json` from the reports of
`reports`, with the present code.
"""
