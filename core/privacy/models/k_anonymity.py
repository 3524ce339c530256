"""k-anonymity: every class has at least k people [Ganta 2008, Def. 3]."""

from __future__ import annotations

from core.base.arrays import Bools, Floats
from core.base.errors import InfeasibleError
from core.base.ranges import RECORDS
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.model import Model, Parameter, Values


class KAnonymity(Model):
    """Needs only the number of people."""

    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:  # noqa: ARG002
        """People of each class."""
        return {"k": histogram.people.astype(float)}

    def is_satisfied(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> Bools:  # noqa: ARG002
        """Whether each class has k people, compared exactly."""
        good: Bools = histogram.people >= parameters["k"]
        return good

    def check_feasible(self, parameters: Values, whole: ClassHistogram, sensitive: Domain) -> None:  # noqa: ARG002
        """Refuse a k beyond the table, which counts people."""
        people = int(whole.people[0])
        if parameters["k"] > people:
            raise InfeasibleError(
                f"k = {parameters['k']:,} is more than the {people:,} people of the table; k can be at most "
                f"{people:,}.",
                parameter="k",
            )


MODEL = KAnonymity(
    name="k-anonymity",
    parameters=(
        Parameter(
            "k", "People per class (k)", about="people per class", whole=True, least=1, high=RECORDS, required=True
        ),
    ),
    phrase="at least {k} people per class (k)",
    needs=frozenset(),
)
