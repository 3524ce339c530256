"""The option ``--intruder``: what an adversary claims who does not know who was where, next to a guesser."""

from __future__ import annotations

import math
from argparse import Namespace
from typing import Any

from core.attack.intruder import KNOWS, Claims, in_words
from core.base.errors import ParameterError
from core.cli.arguments import names_of
from core.cli.loading import Say, data_of
from core.cli.progress import bar
from core.data.frequency_table import FrequencyTable
from core.data.tables.table import Table
from core.decision.review import Case
from core.study.one_run import run_study
from core.study.population import Intruder, ListedPeople, list_claims


def claims_asked_for(options: Namespace, table: Table | FrequencyTable, case: Case, say: Say) -> Claims | None:
    """Attack the first draw of the scenario as the options say; ``None`` if they name no intruder.

    Raises
    ------
    CompositionError
        For a list or columns that cannot be used, or options that need another one.
    """
    for name in ("population_list", "list_size", "guess_by"):
        if getattr(options, name, None) is not None and options.intruder is None:
            raise ParameterError(f"--{name.replace('_', '-')} needs --intruder; give that too.", parameter=name)
    if getattr(options, "intruder", None) is None:
        return None
    encoded, study, seed = case.encoded, case.study, case.scenario.seed
    population: ListedPeople | int | None = options.list_size
    if options.population_list is not None:
        if options.list_size is not None:
            raise ParameterError(
                "--population-list has a size already; omit --list-size, which is for a list that is made.",
                parameter="list_size",
            )
        encoded.need_rows("A population list")
        assert isinstance(table, Table)
        listed = data_of(Namespace(**{**vars(options), "data": options.population_list, "columns": None}))
        schema = case.scenario.schema
        population = ListedPeople.read(listed, table, encoded, schema.identifiers)
    with bar("Attacking with the population list"):
        outcome = run_study(encoded, study, seed)
        guess_by = None if options.guess_by is None else names_of(options.guess_by)
        claims = list_claims(encoded, study, outcome, seed, Intruder(options.intruder, population, guess_by))
    if options.population_list is not None:
        say("The true values of people on the population list are known only if they are in my table.")
    return claims


def told(claims: Claims) -> str:
    """What the intruder claims in one draw, as text."""
    return (
        f"Intruder who knows {KNOWS[claims.knows]}; list of {claims.listed:,} people; one draw. {in_words(claims)} "
        "A claim that is right about somebody else discloses nothing."
    )


def as_json(claims: Claims) -> dict[str, Any]:
    """The claims as JSON; shares are null without claims."""
    names = ("listed", "shared", "claims", "disclosures", "by_chance", "wrong", "unknown")
    shares = ("reached", "share_right", "guesser", "base_rate", "excess")
    numbers = {name: getattr(claims, name) for name in (*names, *shares)}
    plain = {name: None if math.isnan(number) else number for name, number in numbers.items()}
    return {"intruder": {"knows": claims.knows, **plain, "guess_by": list(claims.guess_by)}}
