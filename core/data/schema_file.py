"""A schema as files have it, declared: its fields and their types."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from core.data.schema import Kind


class TreeInFile(Struct, forbid_unknown_fields=True):
    """A :class:`core.data.taxonomy.Taxonomy`: label of each node, and the node above it, -1 for the root."""

    labels: list[str]
    parents: list[int]
    one_node: bool = False


class AgreedInFile(Struct, forbid_unknown_fields=True):
    """An agreed list; ``names`` and ``shares`` are what earlier versions wrote beside."""

    buckets: list[list[str]]
    origin: str = "file"
    names: Any = None
    shares: Any = None


class SchemaInFile(Struct, forbid_unknown_fields=True):
    """What :meth:`core.data.schema.Schema.to_json` writes."""

    quasi_identifiers: list[str]
    sensitive: str
    identifiers: list[str] = []
    provider: str | None = None
    other: list[str] = []
    kinds: dict[str, Kind] = {}
    taxonomies: dict[str, TreeInFile] = {}
    orders: dict[str, list[str]] = {}
    missing: str = "category"
    missing_tokens: list[str] = field(default_factory=lambda: [""])
    others: str = "error"
    person: str | None = None
    one_record: str | None = None
    record_seed: int = 0
    agreed: AgreedInFile | None = None
    published: list[str] = []
    agreement: dict[str, float] = {}
    rounded: dict[str, float] = {}
    diverse: list[str] = []
    date_formats: dict[str, str] = {}
    date_units: dict[str, str] = {}
