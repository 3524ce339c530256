"""People whose publications the tests of the register enter; no cell of theirs may be in a register or a message."""

from __future__ import annotations

import numpy as np
import pandas as pd


def people(rows: int = 300, seed: int = 5, first: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"ZZMARK{first + i:04d}" for i in range(rows)],
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdefgh"), rows),
            "work": rng.choice(list("uvwxyz"), rows),
            "ill": rng.choice(["ZZk", "=ZZl", "ZZm,n", *(f"ZZ{i}" for i in range(12))], rows),
        }
    )
