"""Settings that were tried, compared with each other: pure functions of their frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.base.wording import SAME
from core.decision.review import efficient
from pages.shared.ui.text import count, interval, percent

NOW, CHOSEN = "now", "chosen"
EXPOSURE = ("share", "low", "high", "right", "wrong", "single")
"""Exposure columns of a setting, under the names of a curve."""
COLUMNS = ("words", "setting", "loss", "share", "low", "high")


@dataclass(frozen=True)
class ExposureLimits:
    """Shares that must not be exceeded, including true disclosures, and the smallest k; NaN if there is no limit."""

    exposed: float = math.nan
    lost: float = math.nan
    right: float = math.nan
    k: float = math.nan

    @property
    def any(self) -> bool:
        """Whether there is a limit."""
        return not all(map(math.isnan, (self.exposed, self.lost, self.right, self.k)))

    @property
    def shaded(self) -> float:
        """Share exposed from which a limit is broken."""
        given = [share for share in (self.exposed, self.right) if not math.isnan(share)]
        return min(given, default=math.nan)

    def kept(self, frame: pd.DataFrame) -> pd.Series[Any]:
        """Whether settings meet the limits: exposure with its whole interval if it has one, else on average."""
        worst = frame["high"].fillna(frame["share"])
        inside = np.ones(len(frame), dtype=bool)
        if not math.isnan(self.exposed):
            inside &= (worst <= self.exposed).to_numpy()
        if not math.isnan(self.right):
            inside &= (worst - (frame["share"] - frame["right"]) <= self.right).to_numpy()
        if not math.isnan(self.k):
            inside &= (frame["k"] >= self.k).to_numpy()
        if not math.isnan(self.lost):
            inside &= (frame["loss"] <= self.lost).to_numpy()
        return pd.Series(inside, frame.index)


def best(frame: pd.DataFrame, limits: ExposureLimits) -> pd.Series[Any] | None:
    """The setting with the lowest loss among those that meet the limits, or without limits, that halve exposure."""
    present = frame[frame["state"] == NOW].iloc[0]
    wanted = limits if limits.any else ExposureLimits(exposed=float(present["share"]) / 2)
    kept = frame[wanted.kept(frame)].sort_values(["loss", "share"], kind="stable")
    return kept.iloc[0] if len(kept) else None


def sentence(frame: pd.DataFrame, limits: ExposureLimits) -> str:
    """Summary of what was tried and what is best, for Markdown."""
    present, first = frame[frame["state"] == NOW].iloc[0], best(frame, limits)
    tried = f"{count(len(frame))} settings that were tried"
    if not limits.any and present["share"] == 0:
        return f"The **present setting** exposes no one in these draws: {in_full(present)}."
    goal = "keeps your limits" if limits.any else "halves what is exposed now"
    if first is None:
        nearest = frame.sort_values(["share", "loss"], kind="stable").iloc[0]
        return f"**None** of {tried} {goal}; **{nearest['setting']}** has the lowest exposure: {in_full(nearest)}."
    if not limits.any and not math.isnan(first["high"]):
        goal += ", with its whole interval,"
    which = "the **present one**" if first["state"] == NOW else f"**{first['setting']}**"
    sure = "" if math.isnan(limits.exposed) or not math.isnan(first["high"]) else " on average only"
    return f"Of {tried}, {which} {goal}{sure} and loses the least detail: {in_full(first)}."


def in_full(row: pd.Series[Any]) -> str:
    """Exposure of a setting with its baseline and true disclosures, and its loss, in words."""
    parts = [_span(row)]
    if not math.isnan(row["single"]):
        parts.append(f"best single release {percent(row['single'])}")
    if row["wrong"] > SAME:
        parts.append(f"true disclosures {percent(row['right'])}")
    return f"{percent(row['share'])} exposed ({'; '.join(parts)}), {percent(row['loss'])} lost"


def _span(row: pd.Series[Any]) -> str:
    span = interval(row["low"], row["high"])
    return f"95% interval {span}" if span else "no interval"


FEW = 0.002
"""Share exposed below which more loss makes no visible difference."""


def within_picture(frame: pd.DataFrame) -> pd.DataFrame:
    """Settings in a picture: lines end at the first with almost no exposure; marked points are kept."""
    nobody = frame["share"] < FEW
    after = nobody & nobody.shift(fill_value=False) & (frame["words"] == frame["words"].shift())
    shown = frame[~after | (frame["state"] != "")]
    return shown.assign(range=[interval(*ends) or "none" for ends in zip(shown["low"], shown["high"], strict=True)])


def worth_choosing(frame: pd.DataFrame) -> pd.DataFrame:
    """The undominated settings and the present one; the cheapest first."""
    front = efficient(frame["loss"].tolist(), frame["share"].tolist()) | (frame["state"] == NOW).to_numpy()
    return frame[front].sort_values(["loss", "share"], kind="stable")
