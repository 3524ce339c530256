"""The options of a command about a table in a file."""

from __future__ import annotations

from pathlib import Path

from core import Schema, Table


def gate(folder: Path, command: str, table: Table, schema: Schema, *more: str) -> list[str]:
    """Write a table as a file into a folder; the command that takes it as the schema says, other columns dropped."""
    data = folder / "data.csv"
    table.to_frame().to_csv(data, index=False)
    roles = ["--qids", ",".join(schema.quasi_identifiers), "--sensitive", str(schema.sensitive)]
    return [command, "--data", str(data), *roles, "--drop-unassigned", *more]
