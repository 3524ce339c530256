"""Ready data: worked examples of the literature, and a synthetic city.

The city is invented. The people of the worked examples are those of the cited papers, except one table without names.

Examples
--------
>>> from composition_dashboard import examples
>>> len(examples.city(300)), examples.city_schema().sensitive
(300, 'diagnosis')
"""

from core.examples.city_model import CITY_NOTES, city, city_schema, diagnosis_names
from core.examples.worked.worked_example import WorkedExample
from core.examples.worked.worked_tables import bobs_class, hospitals_a_and_b, two_hospitals, worked_examples

__all__ = [
    "CITY_NOTES",
    "WorkedExample",
    "bobs_class",
    "city",
    "city_schema",
    "diagnosis_names",
    "hospitals_a_and_b",
    "two_hospitals",
    "worked_examples",
]
