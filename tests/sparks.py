"""Spark on this machine, where it is installed."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core import FrequencyTable
from core.engine import EngineBudget, frequency_table_of_files, started_spark
from core.engine.on_spark import _end


def has_spark() -> str | None:
    """Return why there is no Spark, or ``None``."""
    if find_spec("pyspark") is None:
        return "the engine is optional: make test-spark installs it and runs this"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Spark needs Java"
    return None


@contextmanager
def session(folder: Path, **settings: str) -> Iterator[Any]:
    """A session as a user has it, with nothing but what keeps it on this machine and in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of pandas 3 while it is imported
        from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.timeType.enabled": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        **settings,
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    gateway = spark.sparkContext._gateway
    try:
        yield spark
    finally:
        spark.stop()
        _end(gateway)


def counted_by_spark(
    pattern: str, columns: Sequence[str], bounds: EngineBudget, *, master: str | None = None, **how: Any
) -> FrequencyTable:
    """Count the files that a pattern names with a Spark that is started for it."""
    with started_spark(bounds, master, [pattern]) as engine:
        return frequency_table_of_files(pattern, columns, bounds, engine=engine, **how)
