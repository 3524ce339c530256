"""The publication register: what has been published, to whom, and what each recipient and each pair can conclude.

- :mod:`~core.register.publication`: one entry;
- :mod:`~core.register.linked`: its files, with the person of each row;
- :mod:`~core.register.recipients`: what one recipient, or two who collude, hold together;
- :mod:`~core.register.register`: the file.
"""

from core.register.linked import Linked, link, match_files
from core.register.publication import KINDS, Publication, as_record, publication_of_record, publications_of_ledger
from core.register.recipients import LIMITED, Added, Standing, added, worst_first
from core.register.register import Register, record_for

__all__ = [
    "KINDS",
    "LIMITED",
    "Added",
    "Linked",
    "Publication",
    "Register",
    "Standing",
    "added",
    "as_record",
    "link",
    "match_files",
    "publication_of_record",
    "publications_of_ledger",
    "record_for",
    "worst_first",
]
