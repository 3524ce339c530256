"""Settings that were tried, compared with each other: pure functions of their frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.wording import SAME
from core.decision.review import efficient
from pages.shared.ui.text import count, interval, percent

NOW, CHOSEN, BEST = "now", "chosen", "best"
EXPOSURE = ("share", "low", "high", "right", "wrong", "single")
"""Columns of the exposure of a setting, with the names of a curve."""
COLUMNS = ("words", "setting", "loss", "share", "low", "high")
FEW = 0.002
"""Share exposed below which more loss makes no visible difference."""
_USUAL = " (distinct)"
"""Left out in a picture, because only distinct l is tried."""


@dataclass(frozen=True)
class ExposureLimits:
    """Shares that must not be exceeded, including true disclosures, and the least k; NaN if there is no limit."""

    exposed: float = math.nan
    lost: float = math.nan
    right: float = math.nan
    k: float = math.nan

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return not all(map(math.isnan, (self.exposed, self.lost, self.right, self.k)))

    @property
    def shaded(self) -> float:
        """Share exposed from which a limit is broken."""
        given = [share for share in (self.exposed, self.right) if not math.isnan(share)]
        return min(given, default=math.nan)

    def kept(self, frame: pd.DataFrame) -> pd.Series[Any]:
        """Which settings keep them: exposure with its whole interval if it has one, else on average."""
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

    def broken(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """Which settings certainly break them, whatever the remaining draws give.

        No share is below 0, so the mean of all draws is at least the part from the draws made, and the interval ends
        above the mean.
        """
        low = frame["part"].to_numpy()
        over = (low * frame["share"] > self.exposed) | (low * frame["right"] > self.right)
        return np.asarray(over | (frame["k"] < self.k) | (frame["loss"] > self.lost), dtype=bool)


def goal(frame: pd.DataFrame, limits: ExposureLimits) -> ExposureLimits | None:
    """The limits; without any, to halve what is exposed now, once that is known from all draws."""
    present = frame[frame["state"] == NOW].iloc[0]
    if limits.any:
        return limits
    return ExposureLimits(exposed=float(present["share"]) / 2) if present["part"] >= 1 else None


def best(frame: pd.DataFrame, limits: ExposureLimits, missing: int = 0) -> pd.Series[Any] | None:
    """The setting that loses least of those that keep the limits; without limits, of those that halve exposure.

    None as long as another could still take its place, so it does not change as more draws are made.

    Parameters
    ----------
    frame
        The settings, with ``part``: the share of all draws that was made for each.
    limits
        Limits to keep.
    missing
        Settings without any draw yet.
    """
    wanted = goal(frame, limits)
    if wanted is None or missing:
        return None
    final = frame["part"] >= 1
    kept = frame[final & wanted.kept(frame)].sort_values(["loss", "share"], kind="stable")
    rivals = ~final & ~wanted.broken(frame)
    return kept.iloc[0] if len(kept) and not (rivals & (frame["loss"] <= kept["loss"].iloc[0])).any() else None


def settled(frame: pd.DataFrame, limits: ExposureLimits) -> NDArray[np.bool_]:
    """Which settings need no more draws: they have all, or cannot be the best and are not worth showing.

    A setting cannot be the best if it certainly breaks the limits, or loses more than another that keeps them. It is
    not worth showing if it breaks them, or exposes no less than another that loses less. If none keeps them, the one
    with the lowest exposure is named: then only those that certainly expose more are settled. The present setting and
    the selected one get all draws.
    """
    final, wanted = (frame["part"] >= 1).to_numpy(), goal(frame, limits)
    if wanted is None or (wanted is not limits and wanted.exposed == 0):
        return np.array(final | (wanted is not None))  # if no one is exposed now there is nothing to reduce
    loss, share = frame["loss"].to_numpy(), frame["share"].to_numpy()
    kept, broken = final & wanted.kept(frame).to_numpy(), wanted.broken(frame)
    if kept.any():
        enough = (share[None, :] <= share[:, None]) | (kept & (share < FEW))[None, :]
        beaten = (final[None, :] & (loss[None, :] <= loss[:, None]) & enough).any(axis=1)
        needless = broken | ((loss > loss[kept].min()) & beaten)
    else:
        needless = broken & (share * frame["part"].to_numpy() > min(share[final], default=math.inf))
    return np.array(final | (needless & (frame["state"] == "").to_numpy()), dtype=bool)


def targets(frame: pd.DataFrame, limits: ExposureLimits, repeats: int) -> pd.Series[Any]:
    """Return the number of draws to make next, for the settings that need them now.

    First come those that decide which is best: the cheapest that seems to keep the limits, and all that lose less. Then
    come those that no other is known to beat: their draws settle most of the others. A setting that seems to break the
    limit on exposure gets as many draws as should prove it.
    """
    still, wanted = ~settled(frame, limits), goal(frame, limits)
    shown = frame["loss"] <= frame["loss"][frame["share"] < FEW].min()
    front = efficient(frame["loss"].tolist(), frame["share"].tolist()) & (shown | ~shown.any()).to_numpy()
    cheapest = math.nan if wanted is None else frame["loss"][wanted.kept(frame)].min()
    deciding, worth = still & (frame["loss"] <= cheapest), still & (front | (frame["state"] != ""))
    drawn_on = frame[next((some for some in (deciding, worth) if some.any()), still)]
    enough = repeats * (wanted.exposed if wanted is not None else math.nan) / drawn_on["share"]
    proof = np.maximum(np.ceil(enough + 0.5), np.round(drawn_on["part"] * repeats) + 1)
    every = (drawn_on["state"] != "") | ~(proof < repeats)
    target: pd.Series[Any] = proof.mask(every, repeats).astype(int)
    return target


def sentence(frame: pd.DataFrame, limits: ExposureLimits, missing: int = 0) -> str:
    """What was tried and what is best, for Markdown; in bold only what more draws will not change."""
    present, first = frame[frame["state"] == NOW].iloc[0], best(frame, limits, missing)
    tried = f"{count(len(frame) + missing)} settings"
    if not limits.any and present["share"] == 0 and present["part"] >= 1:
        return f"The **present setting** exposes no one in these draws: {in_full(present)}."
    keeps = "keeps your limits" if limits.any else "halves what is exposed now"
    if first is None and (missing or not settled(frame, limits).all()):
        wait = "The best setting is named here once every one that could be better has been tried."
        return f"{wait} Now: {in_full(present)}."
    if first is None:
        nearest = frame.sort_values(["share", "loss"], kind="stable").iloc[0]
        return f"**None** of {tried} {keeps}; **{nearest['setting']}** has the lowest exposure: {in_full(nearest)}."
    if not limits.any and not math.isnan(first["high"]):
        keeps += ", with its whole interval,"
    more = ", though it exposes more than now" if first["share"] > present["share"] + SAME else ""
    which = "the **present one**" if first["state"] == NOW else f"**{first['setting']}**"
    sure = "" if math.isnan(limits.exposed) or not math.isnan(first["high"]) else " on average only"
    return f"Of {tried}, {which} {keeps}{sure} and loses least{more}: {in_full(first)}."


def finding(frame: pd.DataFrame, limits: ExposureLimits, missing: int = 0) -> str:
    """Title of the picture: from the present setting to the best one, in few words."""
    present, first = frame[frame["state"] == NOW].iloc[0], best(frame, limits, missing)
    opening = f"{percent(present['share'])} exposed now"
    if first is not None and first["state"] == NOW:
        return f"{opening}: nothing that keeps your limits loses less"
    if first is not None:
        return f"{opening},\n{percent(first['share'])} with {first['setting'].replace(_USUAL, '')}"
    if missing or present["share"] == 0 or not settled(frame, limits).all():
        return opening
    return f"{opening};\nno setting {'keeps your limits' if limits.any else 'halves that'}"


def in_full(row: pd.Series[Any]) -> str:
    """Exposure of a setting with what it must be compared with and how much of it is right, and its loss, in words."""
    context = [_span(row)]
    if not math.isnan(row["single"]):
        context.append(f"best single release {percent(row['single'])}")
    if row["wrong"] > SAME:
        context.append(f"true disclosures {percent(row['right'])}")
    return f"{percent(row['share'])} exposed ({'; '.join(context)}), {percent(row['loss'])} lost"


def _span(row: pd.Series[Any]) -> str:
    span = interval(row["low"], row["high"])
    return f"95% interval {span}" if span else "no interval"


def within_picture(frame: pd.DataFrame) -> pd.DataFrame:
    """Settings in a picture: lines end at the first with almost no exposure; marked points are kept."""
    nobody = frame["share"] < FEW
    after = nobody & nobody.shift(fill_value=False) & (frame["words"] == frame["words"].shift())
    front = efficient(frame["loss"].tolist(), frame["share"].tolist())
    mine = frame["words"][frame["state"] == NOW].iloc[0]
    shown = frame.assign(front=front)[~after | (frame["state"] != "")]
    return shown.assign(
        range=[interval(*ends) or "none" for ends in zip(shown["low"], shown["high"], strict=True)],
        words=[_label(words, mine) for words in shown["words"]],
    )


def _label(words: str, mine: str) -> str:
    """Name of a line in a picture: what it requires in addition to the line of the present setting, else its words."""
    return words.removeprefix(f"{mine}, ").replace(_USUAL, "").replace("kept by ", "")


def worth_choosing(frame: pd.DataFrame) -> pd.DataFrame:
    """The settings that no other beats in both numbers, and the present one; the cheapest first."""
    front = efficient(frame["loss"].tolist(), frame["share"].tolist()) | (frame["state"] == NOW).to_numpy()
    return frame[front].sort_values(["loss", "share"], kind="stable")
