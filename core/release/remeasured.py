"""Guarantees of a release, measured from what would be published."""

from __future__ import annotations

from core.data.schemas.schema import Schema
from core.measurement import Guarantee, measure
from core.release.release import Release


def remeasured(release: Release, schema: Schema, seed: int = 0) -> Guarantee:
    """Measure the published rows of a release, in an order drawn by ``seed``.

    For a frequency table the distinct rows are measured with their counts, however many records there are.
    """
    distance = release.policy.distance
    if not release.encoded.counted:
        return measure(release.publish(seed, schema.person), schema, distance, suppression=False)
    table, counts = release.publish_counts()
    return measure(table, schema, distance, counts, suppression=False)
