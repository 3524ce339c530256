"""Tables larger than memory: an engine counts their records, and core does the rest.

Every step over all rows is written once, in Narwhals, for DuckDB and Spark, except where DuckDB has a faster way.
A partition depends only on the frequency table of a table (:class:`core.data.frequency_table.FrequencyTable`).
So an engine reads the files, however many records they hold, and returns distinct rows with counts; classes are cut,
released and measured by the same code as for a table in memory. Core makes the texts of values from the engine's
output; the engine never does.

- :mod:`~core.lake.file_patterns`: which files a pattern names, and whether they stay as they are;
- :mod:`~core.lake.held`: the interface of an engine;
- :mod:`~core.lake.engine`: DuckDB within bounds of memory, threads and disk;
- :mod:`~core.lake.spark`: Spark, on this machine, on a cluster, or in a session of the caller's;
- :mod:`~core.lake.work`: a folder that is always removed;
- :mod:`~core.lake.keys`: rows of values as whole numbers;
- :mod:`~core.lake.counting`: the frequency table of files;
- :mod:`~core.lake.lazy_frames`: the frequency table of a frame of any engine;
- :mod:`~core.lake.release_rounds`: a release of more distinct rows than fit into memory;
- :mod:`~core.lake.blocks`: its blocks, in parallel processes;
- :mod:`~core.lake.measuring`: what published files guarantee;
- :mod:`~core.lake.output`: frequency tables and releases as files, complete or not at all;
- :mod:`~core.lake.row_classes`: the class of every row, for the publisher alone;
- :mod:`~core.lake.shared`: people who are in several folders, by their person column;
- :mod:`~core.lake.example_rows`: invented people, as many as wanted.

DuckDB, Narwhals and Spark are optional; nothing here is imported before it is needed.
"""

from core.lake.blocks import BLOCK
from core.lake.counting import MOST_TUPLES, OnEngine, counted_on_engine, frequency_table_of_files
from core.lake.engine import EngineBudget
from core.lake.example_rows import write_example_rows
from core.lake.lazy_frames import frequency_table_of_frame
from core.lake.measuring import NUMBERS, MeasuredFiles, measure_files
from core.lake.output import write_frequency_table, write_release
from core.lake.release_rounds import ColumnLabels, Output, WrittenRelease, check_scope, release_by_blocks, words_of
from core.lake.row_classes import ClassFile, check_key, classes_of_rows, write_classes, write_classes_of_files
from core.lake.shared import SharedPeople, shared_people
from core.lake.spark import Spark, counted_from_frame, spark_of, started_spark

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
    "check_scope",
    "classes_of_rows",
    "counted_from_frame",
    "counted_on_engine",
    "frequency_table_of_files",
    "frequency_table_of_frame",
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
