"""Basis of a result: each assumption of a scenario as a sentence, and the limits of the method.

The sentences name no column, file or value, so that both strengths may tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.base import wording
from core.decision.scenario.scenario import Scenario
from core.decision.scenario.world import not_rare
from core.dp import PRIOR_WORDS, RELATION
from core.privacy.model import MODELS, PROVIDERS
from core.release.algorithm import ALGORITHMS
from core.study.hospitals import OWN, Hospital, Study
from core.study.uploads import Foreign, Upload

People = Callable[[int], str]
HOSPITAL = "A hospital is any organisation that publishes such a table."
"""The word for every publisher, whatever the table describes."""
WHO = "{hospital}"
"""Used instead of a hospital's name if a sentence is about several."""


@dataclass(frozen=True)
class Assumption:
    """An assumption.

    Parameters
    ----------
    key
        Independent of the wording: the subject, and the first hospital concerned, if hospitals can differ.
    sentence
        The sentence for readers.
    """

    key: str
    sentence: str


def by_subject(stated: Iterable[Assumption]) -> dict[str, str]:
    """Sentences by subject; those about several hospitals form one text."""
    sentences: dict[str, str] = {}
    for assumption in stated:
        subject = assumption.key.rstrip(" 0123456789")
        sentences[subject] = f"{sentences.get(subject, '')} {assumption.sentence}".strip()
    return sentences


def _about_other_columns(scenario: Scenario) -> list[Assumption]:
    """Assumptions about columns that are published as they are, and about those that are not published."""
    schema = scenario.schema
    rest = []
    if schema.other:
        left_out = wording.several(len(schema.other), "column")
        are = "is" if len(schema.other) == 1 else "are"
        rest.append(Assumption("left out", f"The {left_out} left out of the release {are} not published anywhere."))
    if not schema.unmodified:
        return rest
    links = sum(column.same_value_rate > 0 for column in schema.unmodified.values())
    many = len(schema.unmodified)
    sentence = (
        f"In addition to the sensitive value, every hospital publishes {wording.several(many, 'other column')} as "
        f"{'it is' if many == 1 else 'they are'}. The adversary does not know a person’s values there, but links "
        f"releases by {wording.count(links)} of them."
    )
    return [Assumption("published", sentence), *rest]


def assumptions(
    scenario: Scenario, files: Mapping[Upload, Foreign] | None = None, people: People = wording.count
) -> tuple[Assumption, ...]:
    """All assumptions of a scenario, most general first.

    Parameters
    ----------
    scenario
        Every choice.
    files
        The uploads as read: whether it is known who is in both.
    people
        Format of a number of people.
    """
    hospitals, qids = len(_not_own(scenario)), len(scenario.schema.quasi_identifiers)
    study = scenario.study.with_files(files)
    listed = [
        Assumption(
            "known",
            f"The adversary knows a person's {wording.several(qids, 'quasi-identifier')} declared here, the same in "
            f"every release, and nothing else.",
        ),
        Assumption("present", "The adversary knows that the person is in every release."),
        Assumption("located", _located(study)),
        *_about_other_columns(scenario),
        Assumption("releases", _publishers(hospitals, len(scenario.hospitals) - hospitals)),
        Assumption("overlap", _overlap(scenario, files or {}, people)),
    ]
    by_text: dict[tuple[str, str], list[int]] = {}
    for number, hospital in enumerate(study.hospitals[1:], 2):
        for subject, sentence in _of_one(hospital, study, qids, people).items():
            by_text.setdefault((subject, sentence), []).append(number)
    for (subject, sentence), numbers in by_text.items():
        text = sentence.replace(WHO, _which(numbers))
        listed.append(Assumption(f"{subject} {numbers[0]}", f"{text[:1].upper()}{text[1:]}"))
    listed.append(
        Assumption(
            "weights",
            f"The adversary takes the values left as equally likely. The weighted adversary uses how often each "
            f"occurs{_agreement(scenario)}.",
        )
    )
    rare = not_rare(scenario)
    if rare:
        listed.append(Assumption("list", rare))
    return (*listed, *_anticipated(scenario, people))


def _not_own(scenario: Scenario) -> list[Hospital]:
    """Hospitals without the tables of counts that I publish next to my release."""
    return [hospital for hospital in scenario.hospitals if hospital.origin_name != OWN]


def _publishers(hospitals: int, own: int) -> str:
    every = f"{wording.count(hospitals)} hospitals publish, mine among them, and no other."
    mine = f" I publish {wording.several(own, 'table')} of counts of my own records next to my release." * (own > 0)
    return f"{every if hospitals > 1 else 'Only my hospital publishes.'}{mine} {HOSPITAL}"


def _agreement(scenario: Scenario) -> str:
    """Knowledge of the weighted adversary about differing values."""
    knows = any(hospital.same_value_rate < 1 for hospital in scenario.hospitals)
    takes = bool(scenario.uploads)
    return " and knows how often the hospitals agree" * knows + (
        " and assumes that another hospital's file always agrees with mine" * takes
    )


def _located(study: Study) -> str:
    ways = {study.by_publication(hospital) for hospital in study.hospitals}
    if ways == {False}:
        return "The adversary knows the class of each person in every release."
    where = "what the releases publish" if ways == {True} else "what is published in some releases, and known in others"
    return f"The adversary finds a person's class by {where}. Several classes can fit, or a wrong one, or none."


def _overlap(scenario: Scenario, files: Mapping[Upload, Foreign], people: People) -> str:
    many = len(_not_own(scenario))
    own = "Everyone attacked is in my release and in my own table of counts."
    if many == 1:
        return f"{people(scenario.overlap)} of my people are attacked. {own}"
    if many < len(scenario.hospitals):
        theirs = scenario.with_(hospitals=tuple(_not_own(scenario)))
        return f"{_overlap(theirs, files, people)} {own}"
    shared = f"{people(scenario.overlap)} people are in {'both' if many == 2 else f'all {many}'} releases"
    sentence = f"{shared}; no one else is in more than one."
    if not scenario.uploads:
        return sentence
    linked = [upload in files and files[upload].linked for upload in scenario.uploads]
    if all(linked) and len(linked) == many - 1:
        return f"{shared}, according to a common identifier."
    known = " A common identifier says which of my people are in some of the files." * any(linked)
    drawn = " It is unknown which of my people are in a file without a common identifier; they are drawn at random."
    return sentence + known + drawn * (not all(linked))


def _of_one(hospital: Hospital, study: Study, qids: int, people: People) -> dict[str, str]:
    """Assumptions about another hospital, by subject, with :data:`WHO` instead of its name."""
    says = {"origin": f"the data of {WHO}: {wording.SOURCE[hospital.origin_name]}."}
    size = study.size if hospital.size is None else hospital.size
    if hospital.is_drawn and size is not None:
        says["size"] = f"{WHO} has {people(size)} records."
    if hospital.has_policy:
        says["policy"] = f"{WHO} publishes {policy_text(hospital)}."
    if hospital.counts is not None:
        says["counts"] = f"{WHO} publishes {hospital.counts.in_words}."
    if hospital.is_drawn:
        chance = f"{100 * hospital.same_value_rate:.4g}%"
        has = "has" if hospital.same_value_rate == 1 else f"has, with a chance of {chance},"
        says["same_value_rate"] = f"a shared person {has} the same sensitive value at {WHO}."
    if hospital.case_mix:
        says["case_mix"] = f"the case mix of {WHO} differs from mine by {hospital.case_mix:.3g} [definitions §4]."
    some = qids if hospital.attributes is None else len(hospital.attributes)
    if some < qids:
        says["attributes"] = f"{WHO} publishes {some} of the {qids} quasi-identifiers."
    if hospital.upload is not None and study.by_publication(hospital):
        says["words"] = (
            f"{WHO} uses the same words and units as my table for the quasi-identifiers. Others match no one, "
            "and the attack would look weaker than it is."
        )
    return says


def _which(numbers: Sequence[int]) -> str:
    """Hospitals by their numbers: "each of hospitals 2 to 5"."""
    if len(numbers) == 1:
        return f"hospital {numbers[0]}"
    run = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
    return f"each of hospitals {f'{numbers[0]} to {numbers[-1]}' if run else wording.listed([*map(str, numbers)])}"


def policy_text(hospital: Hospital) -> str:
    """How a hospital partitions, in words: "by Mondrian with at least 5 people per class (k)"."""
    return f"{ALGORITHMS[hospital.algorithm].by} with {hospital.policy.in_words}"


def _anticipated(scenario: Scenario, people: People) -> list[Assumption]:
    question, noise = scenario.forecast, scenario.noise
    source = {
        "table": "this table, column by column, as if the columns were independent",
        "joint": "this table's own classes",
        "file": "a file of population statistics",
    }[question.statistics]
    size = "as many records as this table" if question.others is None else f"{people(question.others)} records"
    stated = [
        Assumption(
            "forecast", f"Sattar and Helal's estimate takes the others' patients from {source}, and gives them {size}."
        ),
        Assumption(
            "noise",
            f"A noisy table in place of a release has {noise.mechanism} noise, epsilon "
            f"{noise.epsilon:g}, and every hospital publishes one; neighbouring tables differ in {RELATION}. Its "
            f"ceiling applies to an adversary {PRIOR_WORDS[noise.prior]}.",
        ),
    ]
    # Only numbers with a limit are part of a verdict.
    limited = scenario.requirements.asked
    return [each for each, metric in zip(stated, ("forecast", "dp_ceiling"), strict=True) if metric in limited]


def sources(scenario: Scenario) -> list[str]:
    """Sources of the numbers that this scenario uses; most models are measured even if not required."""
    used = {hospital.algorithm for hospital in scenario.hospitals}
    symbols = {model.symbol for hospital in scenario.hospitals for model in hospital.policy.models}
    every = [
        (
            "Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information in data privacy. KDD 2008. "
            "Intersection attack, confidence, differential privacy."
        ),
        "Sattar, Helal: Privacy risk against composition attack. Manuscript, 2018. Forecast.",
        *(algorithm.citation for name, algorithm in ALGORITHMS.items() if name in used and algorithm.citation),
        *(model.citation for model in MODELS.values() if PROVIDERS not in model.needs or model.symbol in symbols),
    ]
    return list(dict.fromkeys(filter(None, every)))
