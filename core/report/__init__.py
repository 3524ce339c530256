"""The report of a decision: one file for people, one for programs, in an internal and an external strength.

- :mod:`~core.report.document`: from a scenario to a report;
- :mod:`~core.report.decision`: what people add: their decision, noisy tables that were downloaded;
- :mod:`~core.report.evidence`: the same for other programs, in a few lines;
- :mod:`~core.report.material`: contributions of a meeting, known results, and everything that enters;
- :mod:`~core.report.internal`, :mod:`~core.report.external`: content of each strength;
- :mod:`~core.report.rounding`: how exactly;
- :mod:`~core.report.facts`, :mod:`~core.report.pictures`, :mod:`~core.report.verdict`,
  :mod:`~core.report.assumption`: numbers, charts, verdict, assumptions and limits;
- :mod:`~core.report.html`, :mod:`~core.report.charts`: the document;
- :mod:`~core.report.cases`, :mod:`~core.report.tried_settings`: the verdict's cases, and other settings.
"""

from core.report.assumption import Assumption, assumptions
from core.report.decision import Decision, NoisyDownload
from core.report.document import MIN_SALT, STRENGTHS, Report, build, curve_over_k
from core.report.evidence import evidence, for_openmed
from core.report.material import Known, Meeting
from core.report.tried_settings import TriedSetting

__all__ = [
    "MIN_SALT",
    "STRENGTHS",
    "Assumption",
    "Decision",
    "Known",
    "Meeting",
    "NoisyDownload",
    "Report",
    "TriedSetting",
    "assumptions",
    "build",
    "curve_over_k",
    "evidence",
    "for_openmed",
]
