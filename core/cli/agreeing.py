"""The command ``agree``: an agreement from public data."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from core.algorithms.coordinated import agree
from core.algorithms.coordinated.making import USUAL_K
from core.base.errors import shown_name as shown
from core.cli.arguments import building, names_of
from core.cli.commands import MET, Result
from core.cli.inputs import inputs_of, roles_of, say_remarks, schema_of, with_hierarchies
from core.cli.loading import CountedTable, Say, data_name, read
from core.cli.outputs import check_new, plain
from core.cli.progress import bar
from core.data.frequency_table import rows_of
from core.engine import EngineBudget

USUAL_LEAST = 3
"""Values of a bucket at least, by default."""


def run(options: Namespace, say: Say) -> Result:
    """Make an agreement and write it.

    Raises
    ------
    CompositionError
        For options and files that cannot be used.
    """
    unused = dict.fromkeys((*building(), "scenario", "marginals", "engine", "master", "count"))
    options = Namespace(**{**unused, **vars(EngineBudget()), "others": [], **vars(options)})
    out = Path(options.out)
    check_new(out, inputs_of(options), options.force)
    data = read(options, roles_of(options), say)
    table = data.frequency_table if isinstance(data, CountedTable) else data
    schema = with_hierarchies(options, schema_of(options), rows_of(table))
    say_remarks(table, schema, say)
    with bar("Making the agreement") as progress:
        agreement = agree(
            table,
            schema,
            options.least or USUAL_LEAST,
            names_of(options.stable),
            options.size,
            options.k or USUAL_K,
            options.rare,
            options.level,
            progress,
        )
    cuts = sum(len(tree) for region in agreement.regions for tree in region.trees)
    facts = {
        "agreement": agreement.digest,
        "regions": len(agreement.regions),
        "buckets": agreement.buckets,
        "least": agreement.least,
        "cuts": cuts,
        "records": agreement.made.records,
    }
    text = (
        f"{shown(data_name(options.data))}: {agreement.in_words}; {cuts:,} cuts.\n"
        f"Digest {agreement.digest}.\n"
        "It holds if every publisher keeps this file, and none of their records were in the data.\n"
    )
    return Result(json.dumps(facts, indent=1) + "\n" if options.json else plain(text), MET, {out: agreement.to_json()})
