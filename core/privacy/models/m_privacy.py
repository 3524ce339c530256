"""m-privacy: k and l hold even after any m providers remove their own records [Goryczka 2011, Def. 2.1].

The counts of a class do not say who contributed what, so this model is checked by :mod:`core.privacy.coalitions`, not
on histograms. The union of m-private classes is m-private, though a class need not stay so when another provider's
record is added [definitions §6].
"""

from __future__ import annotations

from collections.abc import Mapping

from core.base.arrays import Floats
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.privacy.model import COUNTS, PROVIDERS, Line, Model, Parameter, Values


class MPrivacy(Model):
    """Checked with the provider column."""

    def measure(self, parameters: Values, histogram: ClassHistogram, sensitive: Domain) -> dict[str, Floats]:  # noqa: ARG002
        """Nothing: a histogram does not name the providers."""
        return {}

    def lines(self, parameters: Values, reached: Mapping[str, float]) -> list[Line]:
        """Return one line if m is required and was checked."""
        m = parameters["m"]
        if m is None or "m" not in reached:
            return []
        label = self.parameters[0].label
        return [Line("m", label, asked=f"at least {m}", met=reached["m"] >= m, shown="m")]


MODEL = MPrivacy(
    name="m-privacy",
    parameters=(
        Parameter("m", "Providers that may collude (m)", about="providers that may collude", whole=True, high=1_000),
    ),
    phrase="withstanding {m} colluding providers (m)",
    needs=frozenset({COUNTS, PROVIDERS}),
    citation="Goryczka, Xiong, Fung: m-Privacy for collaborative data publishing. CollaborateCom 2011.",
)
