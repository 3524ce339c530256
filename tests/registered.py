"""People whose publications the tests of the register enter; no cell of theirs may be in a register or a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.base.json_files import sealed
from core.register import Publication


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


def former_record(publication: Publication, version: int = 2, **fields: Any) -> str:
    """The release record that versions 1 and 2 of that file had for a release."""
    facts = {
        "format": "composition release record",
        "schema_version": version,
        "version": "1.0.0",
        "released": publication.published.isoformat(),
        "quasi_identifiers": list(publication.quasi_identifiers),
        "sensitive": publication.sensitive[0] if len(publication.sensitive) == 1 else list(publication.sensitive),
        "content": publication.content,
        "recipient": ", ".join(publication.recipients),
        "key": publication.key,
        "kinds": dict.fromkeys(publication.quasi_identifiers, "categorical"),
        "policy": publication.settings,
        "algorithm": publication.algorithm,
        "centroids": publication.has_centroids,
        "records": publication.records,
        "data": "0" * 64,
        "published" if version == 1 else "unmodified": list(publication.unmodified),
        **fields,
    }
    return sealed(facts)
