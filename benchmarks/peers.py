"""Loss of what others' programs make of the same table, by the same function as ours.

anonypyx (MIT, in requirements-bench.txt) is run where it is installed. ARX is a Java program and no package of PyPI,
so it is not run: its numbers are cited, see :data:`ARX`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from benchmarks import anonypyx_runs
from benchmarks.anonypyx_runs import SENSITIVE, Absent
from benchmarks.markdown import table
from core import Policy
from core.algorithms import partition
from core.data.encoding.encoded import Encoded
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.release.utility import gcp

POLICIES: dict[str, Policy] = {
    "k = 5": Policy(5),
    "k = 10": Policy(10),
    "k = 25": Policy(25),
    "k = 50": Policy(50),
    "k = 10, distinct 5": Policy(10, l=5),
    "k = 5, entropy 5": Policy(5, l=5, diversity="entropy"),
    "k = 10, t = 0.2": Policy(10, t=0.2),
    "k = 10, t = 0.4": Policy(10, t=0.4),
}
"""What is asked; t by the equal distance."""
ARX: Mapping[str, float] = {
    "k = 5": 0.0352,
    "k = 10": 0.0520,
    "k = 25": 0.0802,
    "k = 50": 0.1071,
    "k = 10, distinct 5": 0.0608,
    "k = 5, entropy 5": 0.1426,
    "k = 10, t = 0.2": 0.4653,
    "k = 10, t = 0.4": 0.1608,
}
"""Loss of ARX 3.9.2 on Adult, local recoding: cited, not measured by this program.

Measured once, by the formula of :func:`gcp` from what ARX published, before least loss was written. At t = 0.2
it left out 5,317 rows.
"""
OURS = ("mondrian", "mondrian-tight", "least-loss")


def anonypyx_release(encoded: Encoded, policy: Policy) -> Release:
    """The classes that anonypyx's Mondrian makes, with cells that list the values which occur, as it publishes them.

    Raises
    ------
    Absent
        If anonypyx is not installed, or cannot keep the policy.
    """
    anonypyx_runs.need()
    from anonypyx import models
    from anonypyx.mondrian import Mondrian

    frame = anonypyx_runs.frame_of(encoded)
    keeps = [models.kAnonymity(policy.k)]
    if policy.l is not None:
        if policy.diversity != "distinct":
            raise Absent("anonypyx has distinct l-diversity only.")
        keeps.append(models.DistinctLDiversity(int(policy.l), SENSITIVE))
    if policy.t is not None:
        keeps.append(models.tCloseness(policy.t, frame, SENSITIVE, models.earth_movers_distance_categorical))
    labels = np.full(len(encoded), -1, dtype=np.int32)
    parts = Mondrian(frame, [name for name in frame.columns if name != SENSITIVE]).partition(keeps)
    for number, part in enumerate(parts):
        labels[np.asarray(part)] = number
    assert (labels >= 0).all(), "every record is in a class"
    return Release.of(encoded, labels, policy, ALGORITHMS["mondrian-tight"])


def losses(name: str, encoded: Encoded, policies: Mapping[str, Policy] = POLICIES) -> pd.DataFrame:
    """Loss of each program: ``policy, anonypyx, classes, kept``, and :data:`OURS`.

    ``kept`` says whether the classes of anonypyx meet the policy, by core.
    """
    rows = []
    for words, policy in policies.items():
        print(f"loss: {name}, {words}, beside anonypyx ...", file=sys.stderr, flush=True)
        ours = [gcp(partition(encoded, policy, algorithm)) for algorithm in OURS]
        try:
            theirs = anonypyx_release(encoded, policy)
            kept = bool(policy.is_satisfied(theirs.histogram, encoded.sensitive).all())
            rows.append((words, gcp(theirs), theirs.classes.count, kept, *ours))
        except Absent:
            rows.append((words, np.nan, 0, True, *ours))
    return pd.DataFrame(rows, columns=["policy", "anonypyx", "classes", "kept", *OURS])


def in_words(name: str, found: pd.DataFrame) -> Iterator[str]:
    """The table, and where its numbers are from."""
    yield (
        f"**Others' programs**, {name}: information loss. That of anonypyx 0.2.11 (its Mondrian) is computed by our "
        "formula from the classes that it makes, categories as sets of the values that occur. ARX is a Java program "
        "and no package of PyPI; its column is cited: ARX 3.9.2, local recoding, Adult, measured once by the same "
        "formula from what it published, before least loss was written. At t = 0.2 it left out 5,317 rows."
    )
    adult = name == "Adult"
    head = ("Policy", "anonypyx", "its classes", *(ALGORITHMS[each].words for each in OURS), "ARX, cited")
    rows = []
    for _, row in found.iterrows():
        cited = _share(ARX[row["policy"]]) if adult and row["policy"] in ARX else "–"
        count = f"{row['classes']:,}" if row["classes"] else "–"
        rows.append((row["policy"], _share(row["anonypyx"]), count, *(_share(row[each]) for each in OURS), cited))
    yield "\n".join(table(head, rows, words=1))
    broken = found.loc[~found["kept"], "policy"]
    if len(broken):
        yield f"Classes of anonypyx that do not meet the policy: {', '.join(broken)}."
    if found["anonypyx"].isna().all():
        yield "anonypyx is not installed; requirements-bench.txt names it."
    yield _worse(found, adult)


def _worse(found: pd.DataFrame, adult: bool) -> str:
    """How often least loss loses more than another program."""
    beside = found.dropna(subset=["anonypyx"])
    more = beside.loc[beside["least-loss"] >= beside["anonypyx"], "policy"]
    said = f"Least loss loses at least as much as anonypyx at {_listed(more.tolist())} of {len(beside)} policies."
    if adult:
        cited = found[found["policy"].isin(ARX.keys())]
        more = cited.loc[cited["least-loss"] >= cited["policy"].map(ARX), "policy"]
        said += f" It loses at least as much as ARX, as cited, at {_listed(more.tolist())} of {len(cited)}."
    return said


def _listed(policies: Sequence[str]) -> str:
    return f"{len(policies)} ({'; '.join(policies)})" if len(policies) else "0"


def _share(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4f}".lstrip("0")
