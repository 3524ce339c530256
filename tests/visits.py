"""A made hospital: patients with one to four encounters each."""

from __future__ import annotations

import numpy as np
import pandas as pd


def made_visits(persons: int = 400, seed: int = 0, most: int = 4) -> pd.DataFrame:
    """Encounters of made patients: ages grow, some move, and one illness of each returns."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(persons), rng.integers(1, most + 1, persons))
    age = rng.integers(20, 80, persons)[person] + rng.integers(0, 3, len(person))
    town = rng.integers(0, 12, persons)[person]
    moved = rng.random(len(person)) < 0.2
    town[moved] = rng.integers(0, 12, int(moved.sum()))
    usual = rng.integers(0, 9, persons)[person]
    illness = np.where(rng.random(len(person)) < 0.5, usual, rng.integers(0, 9, len(person)))
    frame = pd.DataFrame(
        {
            "patient_nbr": [f"P{7 * n + 100}" for n in person],
            "age": age.astype(str),
            "zip": [f"{13000 + n}" for n in town],
            "diagnosis": [f"D{n}" for n in illness],
        }
    )
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)
