"""A scenario with its data, for assessment, sensitivity analysis, search and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.base.short import short
from core.data.encoding.encoded import Encoded
from core.data.encoding.marginals import Marginals
from core.decision.scenario.scenario import Scenario
from core.study.hospitals import Study
from core.study.uploads import Foreign, Upload


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario with its data.

    Parameters
    ----------
    encoded
        The table under the schema of the scenario.
    scenario
        Every choice.
    files
        The uploads of the scenario as read.
    marginals
        Population statistics, if the scenario takes them from a file.
    """

    encoded: Encoded
    scenario: Scenario
    files: Mapping[Upload, Foreign] = field(default_factory=dict)
    marginals: Marginals | None = None

    def __repr__(self) -> str:
        return short(self, repr(self.encoded), repr(self.scenario))

    @property
    def study(self) -> Study:
        """The hospitals of the scenario, with their files."""
        return self.scenario.study.with_files(self.files)
