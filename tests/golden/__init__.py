"""Words and numbers as they were: whoever changes one on purpose writes it down anew, with the reason in the changelog.

``python -m tests.golden`` makes `reports.json` from the commands of `cases` and the reports of `reports`, with the
present code.
"""
