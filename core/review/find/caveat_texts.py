"""What a search took for granted and what it left out, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.attack.number import exposures
from core.metrics import METRICS
from core.review.find.grid import further
from core.study.hospitals import Hospital

DISAGREE = (
    "Where the others say something else of a person, fewer values are left. Some people then count as exposed, often "
    "wrongly; of others nothing is left, and they no longer count."
)
"""To be read with every range over how often diagnoses agree."""


def measured(others: Sequence[Hospital], drawn: bool) -> str:
    """Say what exposure is a mean over: other hospitals that are drawn, who is in a file, or nothing."""
    if any(hospital.upload is None for hospital in others):
        return "Exposure is a mean over redraws of the hospitals that are simulated or modelled."
    if drawn:
        return "Exposure is a mean over redraws of who is shared, because nobody knows who is in the files of others."
    return "Exposure is that of the people whom my table shares with the files of others. Nothing is drawn."


def caveats(
    tried: pd.DataFrame,
    limits: Mapping[str, float],
    repeats: int,
    spared: int,
    guessed: int,
    alike: bool,
    exposure: str,
) -> tuple[str, ...]:
    """Put into sentences what the reader of a search must know.

    Parameters
    ----------
    tried
        As in :class:`core.review.Search`.
    limits
        By metric.
    repeats
        Redraws of the scenario.
    spared
        Settings left because they cost more than the best.
    guessed
        Settings of microaggregation left because two smaller l of the same k cost more than the best.
    alike
        Whether others follow each setting.
    exposure
        What :func:`measured` says.
    """
    texts = [
        "Simulated and modelled hospitals follow the k, l and t of each setting. Their algorithms and the files of "
        "others stay as they are."
        if alike
        else "Other hospitals stay as they are while my setting changes.",
        f"Only the {len(tried):,} settings of the list were tried. A setting between two of them may cost less.",
    ]
    texts += [*_order(tried, limits), *_left(tried, spared, guessed)]
    if not any(name in exposures() for name in limits):
        return (*texts, "No limit on exposure was set, so nothing was attacked.")
    texts.append(f"{exposure} The limits were not held against other assumptions about the others.")
    broken = tried["fails"] != ""
    if early := int((~tried["exact"] & broken).sum()):
        texts.append(
            f"{_settings(early)} given up before all {repeats} redraws, when the exposure was above a limit whatever "
            f"the other redraws show, or by more than eight standard errors of independent people. That exposure is an "
            f"estimate."
        )
    if more := int((~tried["exact"] & ~broken).sum()):
        texts.append(
            f"{_settings(more)} attacked on a few of the {repeats} redraws only, because another setting costs less "
            f"and meets all limits. Their exposure is an estimate."
        )
    if without := int(((tried["redraws"] == 0) & broken).sum()):
        texts.append(f"{_settings(without)} not attacked because a limit was broken without any attack.")
    return tuple(texts)


def held(on_average: bool, without: bool, exposed: bool) -> tuple[str, ...]:
    """Say whether limits on exposure were held against whole intervals or against means."""
    if not exposed:
        return ()
    if without:
        return (
            (
                "Fewer than ten redraws give no interval, so limits on exposure were held against means: at best they "
                "are met on average only."
            ),
        )
    if on_average:
        return ("Limits on exposure were held against means, as chosen. They may be met on average only.",)
    return ("Limits on exposure were held against the bad end of the interval over redraws.",)


def _left(tried: pd.DataFrame, spared: int, guessed: int) -> list[str]:
    """What was not looked at, or not further."""
    texts = []
    if spared:
        texts.append(f"{_settings(spared)} given up because they cost more than the best.")
    if guessed:
        texts.append(
            f"{_settings(guessed)} given up because microaggregation under k alone, or with two smaller l of the same "
            f"k, cost more than the best already. A larger l mostly costs more, but need not. Settings that were not "
            f"formed have no loss in the list."
        )
    if refused := int((tried["why"] != "").sum()):
        texts.append(
            f"{_settings(refused)} left out because the table, or a hospital of some redraw, cannot meet them."
        )
    return texts


def _settings(count: int) -> str:
    return f"{count:,} setting{' was' if count == 1 else 's were'}"


def _order(tried: pd.DataFrame, limits: Mapping[str, float]) -> list[str]:
    """Where a larger k, with all else equal, did not cost more, or exposed more: no order was taken for granted."""
    slips_of = []
    names = [name for name in METRICS if name == "loss" or (name in exposures() and name in limits)]
    for name in names:
        steps = slips = 0
        for _, run in _runs(tried):
            # Means over as many redraws are means over the same redraws.
            rise = np.diff(run[name].to_numpy(dtype=float))
            if name != "loss":
                rise[np.diff(run["redraws"].to_numpy()) != 0] = np.nan
            steps += int(np.isfinite(rise).sum())
            slips += int((rise < -1e-12).sum() if name == "loss" else (rise > 1e-12).sum())
        if steps:
            word = "fell" if name == "loss" else "rose"
            slips_of.append(f"{METRICS[name].words} {word} in {slips} of {steps}")
    if not slips_of:
        return []
    each = "; ".join(slips_of)
    return [f"Every setting was tried on its own. From one k to the next larger, all else equal: {each} steps."]


def _runs(tried: pd.DataFrame) -> list[tuple[object, pd.DataFrame]]:
    """Rows that differ in k alone, by rising k."""
    keys = tried[["algorithm", "l", "t", *further()]].fillna(-1.0).astype(str).agg("|".join, axis=1)
    return [(key, tried[keys == key].sort_values("k", kind="stable")) for key in keys.drop_duplicates()]
