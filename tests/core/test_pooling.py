"""Provider-aware beside its baseline."""

import pytest

from core import Policy
from core.algorithms import partition
from core.release.query_error import query_error
from core.study.provider_cost import pool
from tests.tables import city_of_providers


def test_the_row_is_what_the_release_says():
    encoded, policy = city_of_providers(900, 4), Policy(8, l=2, m=1)
    row = pool(encoded, policy, "mondrian", queries=100).row()
    release = partition(encoded, policy, "mondrian")
    assert row["classes"] == release.classes.count
    assert row["mean size"] == pytest.approx(release.sizes.mean())
    assert row["absolute"] == pytest.approx(query_error(release, 100).absolute)
