"""People with independent attributes [Sattar 2018, Def. 5-6], to compare modelled hospitals with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.data.encoding.encoded import Encoded
from core.data.encoding.marginals import Marginals
from core.study.synthetic import among_shared


def free_hospital(encoded: Encoded, overlap: int, size: int, seed: np.random.SeedSequence) -> Encoded:
    """The first people of a table, then others, every attribute of whom is drawn from its frequencies on its own."""
    shares, n = Marginals.of(encoded).shares, size - overlap
    streams = np.random.default_rng(seed).spawn(len(shares) + 2)
    drawn = [_drawn(share, n, stream) for share, stream in zip(shares, streams, strict=False)]
    fresh = replace(
        encoded.take(np.zeros(n, dtype=np.int64)),
        qids=encoded.qids,
        codes=np.array(drawn[:-1], dtype=np.int32).reshape(len(encoded.qids), n),
        sensitive=encoded.sensitive,
        sensitive_codes=drawn[-1],
        rows=np.full(n, -1, dtype=np.int64),
        person=int(encoded.person.max()) + 1 + np.arange(n, dtype=np.int32),
    )
    return among_shared(encoded, np.arange(overlap), fresh)


def _drawn(share: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    steps = np.cumsum(share)
    return np.searchsorted(steps / steps[-1], rng.random(n), side="right").astype(np.int32)
