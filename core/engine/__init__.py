"""Tables with more records than memory holds: an engine counts them, and core does the rest.

A partition depends only on the frequency table of a table (:class:`core.data.frequency_table.FrequencyTable`).
So an engine reads the files, however many records they hold, and groups them once, by a query written once, in
Narwhals, for DuckDB and Spark. Classes are formed from the distinct rows, released and measured by the same code as for
any frequency table. Core makes the texts of values from the engine's output; the engine never does.

- :mod:`~core.engine.file_patterns`: which files a pattern names, and whether they stay as they are;
- :mod:`~core.engine.interface`: the interface of an engine;
- :mod:`~core.engine.sources`: how files are read, and the frequency table made of an engine's rows;
- :mod:`~core.engine.text_files`: the records of text files, counted by core;
- :mod:`~core.engine.on_duckdb`: DuckDB within bounds of memory, threads and disk;
- :mod:`~core.engine.on_spark`: Spark, on this machine, on a cluster, or in a session of the caller's;
- :mod:`~core.engine.work`: a folder that is always removed;
- :mod:`~core.engine.counting`: the frequency table of files;
- :mod:`~core.engine.lazy_frames`: the frequency table of a frame of any engine;
- :mod:`~core.engine.output`: frequency tables and releases as files, complete or not at all;
- :mod:`~core.engine.row_classes`: the class of every row, for the publisher alone.

DuckDB, Narwhals and Spark are optional; nothing here is imported before it is needed.
"""

from core.engine.counting import FilesOnEngine, files_on_engine, frequency_table_of_files
from core.engine.lazy_frames import frequency_table_of_frame
from core.engine.on_duckdb import EngineBudget
from core.engine.on_spark import Spark, spark_of, started_spark
from core.engine.output import write_frequency_table, write_release
from core.engine.row_classes import ClassFile, write_classes
from core.engine.sources import has_column, header_of

__all__ = [
    "ClassFile",
    "EngineBudget",
    "FilesOnEngine",
    "Spark",
    "files_on_engine",
    "frequency_table_of_files",
    "frequency_table_of_frame",
    "has_column",
    "header_of",
    "spark_of",
    "started_spark",
    "write_classes",
    "write_frequency_table",
    "write_release",
]
