"""Tables larger than memory: an engine counts their records, and core does the rest.

Every step over all rows is written once, in Narwhals, for DuckDB and Spark, except where DuckDB has a faster way.
A partition depends only on the frequency table of a table (:class:`core.data.frequency_table.FrequencyTable`).
So an engine reads the files, however many records they hold, and returns distinct rows with counts; classes are cut,
released and measured by the same code as for a table in memory. Core makes the texts of values from the engine's
output; the engine never does.

- :mod:`~core.engine.file_patterns`: which files a pattern names, and whether they stay as they are;
- :mod:`~core.engine.held`: the interface of an engine;
- :mod:`~core.engine.sources`: how files are read, and the texts of their values;
- :mod:`~core.engine.on_duckdb`: DuckDB within bounds of memory, threads and disk;
- :mod:`~core.engine.on_spark`: Spark, on this machine, on a cluster, or in a session of the caller's;
- :mod:`~core.engine.work`: a folder that is always removed;
- :mod:`~core.engine.keys`: rows of values as whole numbers;
- :mod:`~core.engine.counting`: the frequency table of files;
- :mod:`~core.engine.lazy_frames`: the frequency table of a frame of any engine;
- :mod:`~core.engine.release_rounds`: a release of more distinct rows than fit into memory;
- :mod:`~core.engine.blocks`: its blocks, in parallel processes;
- :mod:`~core.engine.measuring`: what published files guarantee;
- :mod:`~core.engine.output`: frequency tables and releases as files, complete or not at all;
- :mod:`~core.engine.row_classes`: the class of every row, for the publisher alone;
- :mod:`~core.engine.shared`: people who are in several folders, by their person column;
- :mod:`~core.engine.example_rows`: invented people, as many as wanted.

DuckDB, Narwhals and Spark are optional; nothing here is imported before it is needed.
"""

from core.engine.blocks import BLOCK
from core.engine.counting import OnEngine, check_people, counted_from_frame, counted_on_engine, frequency_table_of_files
from core.engine.example_rows import write_example_rows
from core.engine.lazy_frames import frequency_table_of_frame
from core.engine.measuring import NUMBERS, MeasuredFiles, measure_files
from core.engine.on_duckdb import EngineBudget
from core.engine.on_spark import Spark, spark_of, started_spark
from core.engine.output import write_frequency_table, write_release
from core.engine.release_rounds import ColumnLabels, Output, WrittenRelease, check_scope, release_by_blocks, words_of
from core.engine.row_classes import ClassFile, check_key, classes_of_rows, write_classes, write_classes_of_files
from core.engine.shared import SharedPeople, shared_people
from core.engine.sources import MOST_TUPLES, has_column, header_of

__all__ = [
    "BLOCK",
    "MOST_TUPLES",
    "NUMBERS",
    "ClassFile",
    "ColumnLabels",
    "EngineBudget",
    "MeasuredFiles",
    "OnEngine",
    "Output",
    "SharedPeople",
    "Spark",
    "WrittenRelease",
    "check_key",
    "check_people",
    "check_scope",
    "classes_of_rows",
    "counted_from_frame",
    "counted_on_engine",
    "frequency_table_of_files",
    "frequency_table_of_frame",
    "has_column",
    "header_of",
    "measure_files",
    "release_by_blocks",
    "shared_people",
    "spark_of",
    "started_spark",
    "words_of",
    "write_classes",
    "write_classes_of_files",
    "write_example_rows",
    "write_frequency_table",
    "write_release",
]
