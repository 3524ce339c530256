"""Numbers of an adversary to whom the kind of the value is enough [definitions §4]."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share


def _exposed(attacked: Attacked, _: float) -> Share | None:
    breach = attacked.categories
    if breach is None:
        return None
    assert breach.rate.single is not None
    wrong = float(breach.mean(breach.breached & (breach.truth != breach.category)))
    return Share(breach.rate.value, breach.rate.single, wrong)


def _right(attacked: Attacked, _: float) -> Share | None:
    breach = attacked.categories
    if breach is None:
        return None
    assert breach.right.single is not None
    return Share(breach.right.value, breach.right.single)


EXPOSED = (
    AttackNumber(
        name="category",
        words="One category left",
        meaning="Shared people whose values left all lie under one node of the sensitive taxonomy, right or wrong.",
        definition="s4-category",
        column="category",
        computed=_exposed,
        title="One category left",
        read=ANY,
        tells_wrong=True,
        needs_level=True,
    ),
    AttackNumber(
        name="category_right",
        words="One category left, rightly",
        meaning="Shared people whose values left all lie under the node of their own value in the sensitive taxonomy.",
        definition="s4-category-rightly",
        whole="category",
        column="category_right",
        computed=_right,
        title="One category left, rightly",
        read=ANY,
        needs_level=True,
    ),
)
