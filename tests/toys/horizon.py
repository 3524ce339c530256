"""A toy field of the scenario: how many years are looked ahead."""

from core.base.bounds import Bound
from core.decision.scenario.field import Field, schema_version

FIELD = Field(
    "horizon",
    (int,),
    1,
    since=schema_version() + 1,
    before=10,
    bound=Bound(1, 30),
    option="years that are looked ahead (default 1)",
    title="Years looked ahead",
    text=lambda value, _: f"{value} years",
)
