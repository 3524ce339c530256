"""What a result rests on: each assumption of a scenario as a sentence, and the limits of the method.

The sentences name no column, file or value, so that both strengths may tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.dp import RELATION
from core.hospitals import Hospital
from core.report import words
from core.scenario import Scenario
from core.uploads import Foreign, Upload

People = Callable[[int], str]


@dataclass(frozen=True)
class Assumption:
    """Something taken for true.

    Parameters
    ----------
    key
        Stays the same whatever the wording.
    sentence
        For people.
    """

    key: str
    sentence: str


def assumptions(
    scenario: Scenario, files: Mapping[Upload, Foreign] | None = None, people: People = words.count
) -> tuple[Assumption, ...]:
    """Everything that a scenario takes for true, most general first.

    Parameters
    ----------
    scenario
        Every choice.
    files
        What the uploads became: whether it is known who is in both.
    people
        How a number of people is written.
    """
    hospitals, qids = len(scenario.hospitals), len(scenario.schema.quasi_identifiers)
    found = [
        Assumption("known", f"Whoever attacks knows of a person the {words.several(qids, 'quasi-identifier')} "
                   "declared here, the same in every release, and nothing else."),
        Assumption("present", "Whoever attacks knows that the person is in every release."),
        Assumption("located", _located(scenario)),
        Assumption("releases", f"{words.count(hospitals)} organisations publish, mine among them, and no other."),
        Assumption("overlap", _overlap(scenario, files or {}, people)),
    ]  # fmt: skip
    for number, hospital in enumerate(scenario.hospitals[1:], 2):
        found += _other(number, hospital, qids, people)
    found.append(
        Assumption("weights", "Values left count as equally likely, except for the weighted adversary, who goes by "
                   "how often each occurs.")
    )  # fmt: skip
    if scenario.category_level is not None:
        found.append(
            Assumption("category", f"Values under one node on level {scenario.category_level} of the sensitive "
                       "attribute's taxonomy are the same news to whoever attacks.")
        )  # fmt: skip
    return (*found, *_anticipated(scenario, people))


def _located(scenario: Scenario) -> str:
    centroids = any(h.algorithm == "mdav" or (h.upload and h.upload.centroids) for h in scenario.hospitals)
    if scenario.locate == "published" or (scenario.locate == "default" and centroids):
        return "A person's class is found by what the releases publish: several classes can fit, or a wrong one."
    return "A person's class is found without fail in every release."


def _overlap(scenario: Scenario, files: Mapping[Upload, Foreign], people: People) -> str:
    many = len(scenario.hospitals)
    shared = f"{people(scenario.overlap)} people are in {'both' if many == 2 else f'all {many}'} releases"
    said = f"{shared}; nobody else is in more than one."
    if not scenario.uploads:
        return said
    linked = [upload in files and files[upload].linked for upload in scenario.uploads]
    if all(linked):
        return f"{shared}, as a common identifier says."
    return f"{said} Nobody knows who of my people is in a file without a common identifier: they are drawn at random."


def _other(number: int, hospital: Hospital, qids: int, people: People) -> list[Assumption]:
    who = f"Organisation {number}"
    found = [Assumption(f"source {number}", f"The data of organisation {number}: {words.SOURCE[hospital.source]}.")]
    if hospital.size is not None:
        found.append(Assumption(f"size {number}", f"{who} has {people(hospital.size)} records."))
    if hospital.source != "published":
        found.append(Assumption(f"policy {number}", f"{who} publishes {policy_text(hospital)}."))
    if hospital.upload is None:
        chance = f"{100 * hospital.agreement:.4g}{words.PERCENT}"
        said = "has" if hospital.agreement == 1 else f"has, with a chance of {chance},"
        found.append(
            Assumption(
                f"agreement {number}", f"A shared person {said} the same sensitive value at organisation {number}."
            )
        )
    some = qids if hospital.attributes is None else len(hospital.attributes)
    if some < qids:
        found.append(Assumption(f"attributes {number}", f"{who} publishes {some} of the {qids} quasi-identifiers."))
    return found


def policy_text(hospital: Hospital) -> str:
    """How an organisation partitions, in words: "by Mondrian with at least 5 people per class (k)"."""
    policy = hospital.policy
    parts = [f"at least {words.count(policy.k)} people per class (k)"]
    if policy.l is not None:
        c = f", c = {float(policy.c):.4g}" if policy.c is not None else ""
        parts.append(f"{policy.l:g} values per class (l, {words.DIVERSITY[policy.diversity]}{c})")
    if policy.t is not None:
        parts.append(f"a distance to the table of at most {policy.t:g} (t, {words.DISTANCE[policy.distance]})")
    if policy.m is not None:
        parts.append(f"withstanding {policy.m} colluding providers (m)")
    return f"by {words.ALGORITHM[hospital.algorithm]} with {words.listed(parts)}"


def _anticipated(scenario: Scenario, people: People) -> list[Assumption]:
    asked, noise = scenario.forecast, scenario.noise
    source = {
        "table": "this table, column by column, as if columns had nothing to do with each other",
        "joint": "this table's own classes",
        "file": "a file of population statistics",
    }[asked.source]
    size = "as many records as this table" if asked.others is None else f"{people(asked.others)} records"
    return [
        Assumption("forecast", f"The forecast takes the others' patients from {source}, and gives them {size}."),
        Assumption("noise", f"A noisy table in place of a release has {noise.mechanism} noise, epsilon "
                   f"{noise.epsilon:g}, and every organisation gives out one; neighbouring tables: {RELATION}."),
    ]  # fmt: skip


LIMITS = (
    "A low number is no proof of safety. Classes, however strict, promise nothing once somebody else publishes too.",
    "k, l and t speak of one table. None of them says anything about two tables together.",
    "Exposure is counted for people in all releases. Who else knows what about whom is not part of any number.",
    (
        "If a person's class cannot be found for certain, or diagnoses differ between organisations, real exposure is "
        "mostly lower; if whoever attacks knows more than is declared here, it is higher."
    ),
    "Three kinds of one illness left can be a breach for a person. Look at more than one confidence.",
    (
        "Other organisations differ from what is assumed of them. The ranges under What if I am wrong show how much "
        "depends on that, one assumption at a time and with one draw each; worse combinations are possible."
    ),
    (
        "The interval of an exposure is where 95 % of new draws of the simulated organisations would fall. It knows "
        "nothing of the doubt about the assumptions themselves."
    ),
    "The forecast and the pinning estimate are readings of a model of similar organisations, not observations.",
)


def sources(scenario: Scenario) -> list[str]:
    """What the numbers are taken from, as far as this scenario uses it."""
    algorithms = {hospital.algorithm for hospital in scenario.hospitals}
    policies = [hospital.policy for hospital in scenario.hospitals]
    known = {
        "Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information in data privacy. KDD 2008. "
        "Intersection attack, confidence, differential privacy.": True,
        "Sattar, Helal: Privacy risk against composition attack. Manuscript, 2018. Forecast.": True,
        "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.": bool(
            algorithms & {"mondrian", "provider-last"}
        ),
        "Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data "
        "Mining and Knowledge Discovery 11(2), 2005.": "mdav" in algorithms,
        "Goryczka, Xiong, Fung: m-Privacy for collaborative data publishing. CollaborateCom 2011.": any(
            policy.m is not None for policy in policies
        ),
        "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity: privacy beyond k-anonymity. TKDD 1(1), "
        "2007.": True,
        "Li, Li, Venkatasubramanian: t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007.": True,
    }
    return [text for text, used in known.items() if used]
