"""The fields of a scenario: type, bounds, default, words, and the version of the file that added each."""

from __future__ import annotations

from core.attack.views import LOCATE
from core.base import words
from core.base.bounds import RECORDS, Bound
from core.decision.scenario.field import Field, declare
from core.decision.scenario.questions import AskedForecast, AskedNoise
from core.dp import PRIOR_WORDS, UNIFORM
from core.privacy.model import Values

_FORECAST, _NOISE = AskedForecast(), AskedNoise()
NONE = type(None)


def _confidence(value: float, _: Values) -> str:
    return f"{words.confidence_text(value)}: {words.left(value)}"


def _common_values(l: int, forecast: Values) -> str:  # noqa: E741 - the field's own name
    return f"{l}, {words.confidence_text(forecast['confidence'])}"


def _others(value: int | None, _: Values) -> str:
    return "as many as the table has" if value is None else words.count(value)


def _noise(epsilon: float, noise: Values) -> str:
    delta = "" if noise["delta"] is None else f", delta = {noise['delta']:.10g}"
    return f"{noise['mechanism']}, epsilon = {epsilon:.10g}{delta}"


declare(
    Field("format", (str,), group=""),
    Field("schema_version", (int,), group=""),
    Field("data", (dict,), group=""),
    Field("schema", (dict,), group=""),
    Field("hospitals", (list,), group=""),
    Field(
        "overlap",
        (int,),
        bound=Bound(1, RECORDS),
        option="people who are in all releases; needed for attack and report",
        title="People in all releases",
        people=True,
    ),
    Field(
        "confidence",
        (int, float),
        bound=Bound(0.05, 1, whole=False),
        option="C at which a person counts as exposed (default 0.25)",
        title="Confidence (C)",
        text=_confidence,
    ),
    Field(
        "locate",
        (str,),
        "assumed",
        since=2,
        before="default",
        choices=LOCATE,
        option="how the adversary finds a person's class: assumed (default), he knows it; published, he reads it off "
        "the releases; default, as in older scenario files: published where classes overlap or means are published, "
        "else assumed",
        title="A person's class",
        text=lambda value, _: words.LOCATE[value],
    ),
    Field("size", (int, NONE), bound=Bound(1, 2_000_000)),
    Field("seed", (int,), bound=Bound(0, 1_000_000), option="of the draws of the other hospitals (default 0)"),
    Field("repeats", (int,), bound=Bound(1, 50), option="redraws behind every interval (default 10)"),
    Field("forecast", (dict,), {}, since=3, group=""),
    Field("noise", (dict,), {}, since=3, group=""),
    Field("requirements", (dict,), {}, since=3, group=""),
)

declare(
    Field("data.name", (str,), ""),
    Field("data.content_id", (str,), ""),
    Field("hospital.policy", (dict,)),
    Field("hospital.algorithm", (str,), ""),
    Field("hospital.agreement", (int, float), 1.0, bound=Bound(0, 1, whole=False)),
    Field("hospital.source", (str,), "simulated", since=2),
    Field("hospital.size", (int,), None, since=2, bound=Bound(1, 2_000_000)),
    Field("hospital.attributes", (list,), None, since=2),
    Field("hospital.upload", (dict,), None, since=2),
    Field("upload.content_id", (str,)),
    Field("upload.anonymised", (bool,)),
    Field("upload.columns", (list,)),
    Field("upload.values", (list,), ()),
    Field("upload.centroids", (bool,), False),
    Field("upload.name", (str,), ""),
    Field("upload.own", (bool,), False, since=5),
    Field("upload.further", (list,), (), since=5),
    Field("upload.cells", (list,), (), since=5),
)

declare(
    Field(
        "forecast.l",
        (int,),
        _FORECAST.l,
        since=3,
        bound=Bound(1, 1_000),
        group="Forecast",
        title="Shared values wanted, and how likely",
        text=_common_values,
    ),
    Field("forecast.confidence", (int, float), _FORECAST.confidence, since=3, bound=Bound(0.05, 1, whole=False)),
    Field("forecast.reading", (str,), _FORECAST.reading, since=3, group="Forecast", title="Reading of the paper"),
    Field(
        "forecast.others",
        (int, NONE),
        None,
        since=3,
        bound=Bound(1, RECORDS),
        group="Forecast",
        title="Records of the other hospital",
        text=_others,
        people=True,
    ),
    Field(
        "forecast.source",
        (str,),
        _FORECAST.source,
        since=3,
        group="Forecast",
        title="Population statistics",
        text=lambda value, _: words.STATISTICS[value],
    ),
    Field("forecast.file_id", (str,), "", since=3),
    Field(
        "noise.epsilon",
        (int, float),
        _NOISE.epsilon,
        since=3,
        bound=Bound(0.001, 50, whole=False),
        group="Noise",
        title="Noisy table in place of a release",
        text=_noise,
    ),
    Field("noise.delta", (int, float, NONE), None, since=3, bound=Bound(1e-300, 0.1, whole=False)),
    Field("noise.mechanism", (str,), _NOISE.mechanism, since=3),
    # The ceiling, and a limit on it, started from equally likely values: that is what an older file means.
    Field(
        "noise.prior",
        (str,),
        _NOISE.prior,
        since=4,
        before=UNIFORM,
        group="Noise",
        title="Ceiling of a belief",
        text=lambda value, _: PRIOR_WORDS[value],
    ),
    Field("noise.columns", (list, NONE), None, since=4),
    Field(
        "noise.domains",
        (dict,),
        {},
        since=4,
        group="Noise",
        title="Columns with a declared domain",
        text=lambda value, _: words.count(sum(declared.closed for _, declared in value)),
    ),
)

__all__ = []
