"""A made extract as hospitals have them: 28 columns, dates, postcodes, ``NA``, a provider, several records a person."""

from __future__ import annotations

import numpy as np
import pandas as pd

RECORDS, PATIENTS = 36_000, 29_000
NAME = f"{RECORDS:,} x 28"


def table(records: int = RECORDS, seed: int = 7) -> bytes:
    """Return the extract as a CSV file; everybody in it is made up. ``seed`` is that of the draws."""
    rng = np.random.default_rng(seed)
    age, stay = rng.integers(0, 95, records), rng.integers(1, 30, records)
    admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, records), "D")
    codes = [f"{letter}{number:02d}" for letter in "ABCEIJKM" for number in range(6)]
    commonness = 1.0 / np.arange(1, len(codes) + 1)

    def one_of(*values: str) -> np.ndarray:
        return rng.choice(values, records)

    columns = {
        "record_id": np.arange(1, records + 1),
        "patient_no": rng.integers(1, max(2, records * PATIENTS // RECORDS), records),
        "hospital": one_of("North", "North", "North", "South", "South", "East"),
        "age": age,
        "sex": one_of("M", "F"),
        "postcode": [f"{number:05d}" for number in rng.integers(1130, 1190, records).tolist()],
        "race": one_of("White", "White", "White", "Black", "Asian", "NA"),
        "ethnicity": one_of("H", "N", "N", "NA"),
        "admission_date": admitted.strftime("%Y-%m-%d"),
        "discharge_date": (admitted + pd.to_timedelta(stay, "D")).strftime("%Y-%m-%d"),
        "los": stay,
        "lnlos": np.round(np.log(stay), 4),
        "admit_type": one_of("Emergency", "Elective", "Urgent"),
        "disposition": one_of("Home", "Home", "SNF", "Expired", "AMA"),
        "diagnosis": rng.choice(codes, records, p=commonness / commonness.sum()),
        "procedure": one_of("P1", "P2", "P3", "NA"),
        "drg": rng.integers(1, 120, records),
        "mdc": rng.integers(1, 25, records),
        "severity": rng.integers(1, 5, records),
        "mortality": rng.integers(1, 5, records),
        "payer": one_of("Medicare", "Medicaid", "Private", "Self", "-"),
        "birth_weight": np.where(age == 0, rng.integers(1500, 4500, records).astype(str), ""),
        "charges": np.round(rng.lognormal(9, 1, records), 2),
        "costs": np.round(rng.lognormal(8, 1, records), 2),
        "ed": one_of("Y", "N"),
        "weight": rng.integers(40, 130, records),
        "height": rng.integers(140, 200, records),
        "note": [""] * records,
    }
    return pd.DataFrame(columns).to_csv(index=False).encode()
