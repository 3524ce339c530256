"""Write down the numbers and reports of the present code: ``python -m tests.golden``."""

import json
import os
from tempfile import TemporaryDirectory

from tests.golden import reports
from tests.golden.cases import CASES, KEPT, Path, lay_out, numbers

with TemporaryDirectory() as folder:
    if not lay_out(Path(folder)):
        raise SystemExit("The public data sets are needed: COMPOSITION_DATA names their folder.")
    os.chdir(folder)
    KEPT.write_text(json.dumps({name: numbers(name) for name in CASES}, indent=1, sort_keys=True) + "\n")
    reports.KEPT.write_text(json.dumps(reports.kept(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
