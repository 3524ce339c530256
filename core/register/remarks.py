"""What the numbers of a register do not say by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from core.base.errors import shown_name as shown
from core.base.wording import several
from core.register.linked import Linked
from core.register.register import Register

NOTHING = Register()
"""A register of nothing."""


def remarks_on(after: Register, linked: Mapping[int, Linked], before: Register = NOTHING) -> list[str]:
    """What the numbers of a register do not say by themselves, in sentences; ``before`` has what was said earlier."""
    remarks = []
    known = {each.publications for each in before.numbers}
    new = [each for each in after.numbers if each.publications not in known]
    for each in new:
        if each.none_left:
            numbers = ", ".join(map(str, each.publications))
            remarks.append(
                f"Publications {numbers} together leave no value for {several(each.none_left, 'person', 'people')}: "
                "values changed, or are coded in two ways, and then the attack excludes values that are the same."
            )
    for number, own in linked.items():
        if own.uncounted:
            remarks.append(
                f"{several(own.uncounted, 'person', 'people')} of the private copy of publication {number} are in no "
                "count of their group: their value is not shown, or the copy is not what was counted."
            )
    whose = {number: {*own.key.labels} for number, own in linked.items()}
    for one_set, other_set in combinations(whose.items(), 2):
        folded = ({label.casefold() for label in labels} for _, labels in (one_set, other_set))
        if len(set.intersection(*folded)) > len(one_set[1] & other_set[1]):
            remarks.append(
                f"Publications {one_set[0]} and {other_set[0]} would share more people if upper and lower case were "
                "the same in their keys; keys are compared as they are written."
            )
    for number, labels in whose.items():
        others = [other for each, other in whose.items() if each != number]
        if others and all(labels.isdisjoint(other) for other in others):
            remarks.append(
                f"No one in publication {number} is in another one by its key; if that is wrong, the keys are written "
                "in two ways."
            )
    if after.publications[len(before.publications) :] and after.publications[-1].kind == "version":
        remarks.append(
            "What the difference of two versions says about people who are new or have left is not part of the "
            "register; the command update computes it."
        )
    if after.agreements_in_words:
        remarks.append(after.agreements_in_words)
    columns = {name for own in after.publications if own.is_assessed for name in own.sensitive}
    if len(columns) > 1:
        remarks.append(
            f"The sensitive columns {', '.join(map(shown, sorted(columns)))} are treated as different attributes; only "
            "columns with the same name are intersected."
        )
    return remarks
