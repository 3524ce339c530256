"""Who is exposed by an attack."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.attack.intersection import AttackResult
from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.data.classes import weighted_count
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.release.region_text import region_text

OTHERS = "all others"


def by_attribute(
    result: AttackResult, encoded: Encoded, attribute: str, confidence: float, groups: int = 8
) -> pd.DataFrame:
    """Breach by groups of one quasi-identifier, or by the sensitive value itself.

    Parameters
    ----------
    result
        Outcome of an attack.
    encoded
        Records of the first hospital; its first records are those of the people attacked. A person with several records
        counts with the one that leaves the fewest values.
    attribute
        Name of a quasi-identifier or of the sensitive attribute.
    confidence
        Level C of a breach.
    groups
        Most groups to show: ranges of about equally many people, or the most common values
        and "all others".

    Returns
    -------
    DataFrame
        ``group, people, breached, share``; people over all groups add up to those attacked.
    """
    who = result.record
    if attribute == encoded.sensitive.name:
        domain, codes = encoded.sensitive, encoded.sensitive_codes[who]
    else:
        names = [domain.name for domain in encoded.qids]
        if attribute not in names:
            raise ParameterError("Choose a quasi-identifier or the sensitive attribute.", parameter="attribute")
        domain, codes = encoded.qids[names.index(attribute)], encoded.codes[names.index(attribute)][who]
    group, labels = _groups(domain, codes, groups, result.weight)
    total = weighted_count(group, result.weight, len(labels))
    breached = result.breached(confidence)
    hit = weighted_count(group[breached], result.weight[breached], len(labels))
    frame = pd.DataFrame({"group": labels, "people": total, "breached": hit, "share": hit / np.maximum(total, 1)})
    return frame[frame["people"] > 0].reset_index(drop=True)


def _groups(domain: Domain, codes: NDArray[np.int32], most: int, weight: Ints) -> tuple[Ints, list[str]]:
    """Group of each code and the labels of the groups."""
    count = weighted_count(codes, weight, domain.size)
    if np.count_nonzero(count) <= most:
        return codes.astype(np.int64), list(domain.labels)
    if domain.column_type.ordered:
        ends = np.searchsorted(np.cumsum(count), np.arange(1, most + 1) * count.sum() / most)
        ends = np.unique(np.minimum(ends, domain.size - 1))
        lows = np.concatenate(([0], ends[:-1] + 1))
        texts = [region_text(domain, int(low), int(high)) for low, high in zip(lows, ends, strict=True)]
        return np.searchsorted(ends, codes), texts
    common = np.argsort(-count, kind="stable")[: most - 1]
    number = np.full(domain.size, most - 1)
    number[common] = np.arange(most - 1)
    rest = OTHERS
    while rest in domain.labels:
        rest = f"({rest})"
    return number[codes], [*(domain.labels[i] for i in common), rest]
