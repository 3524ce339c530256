"""Write down what the present code says: ``python -m tests.golden``."""

import json
import os
from tempfile import TemporaryDirectory

from tests.golden.cases import Path, lay_out
from tests.golden.reports import KEPT, kept

with TemporaryDirectory() as folder:
    if not lay_out(Path(folder)):
        raise SystemExit("The public data sets are needed: COMPOSITION_DATA names their folder.")
    os.chdir(folder)
    KEPT.write_text(json.dumps(kept(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
