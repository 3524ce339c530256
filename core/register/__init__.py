"""The publication register: what has been published, to whom, and what each recipient and each pair can conclude.

- :mod:`~core.register.publication`: one entry;
- :mod:`~core.register.linked`: its files, with the person of each row;
- :mod:`~core.register.recipients`: what one recipient, or two who collude, hold together;
- :mod:`~core.register.register`: the file;
- :mod:`~core.register.remarks`: what its numbers do not say by themselves.
"""

from core.register.linked import Linked, link, match_files
from core.register.publication import KINDS, MAX_WORDS, Publication, publication_of
from core.register.recipients import LIMITED, Added, Standing, added, worst_first
from core.register.register import Register
from core.register.remarks import remarks_on

__all__ = [
    "KINDS",
    "LIMITED",
    "MAX_WORDS",
    "Added",
    "Linked",
    "Publication",
    "Register",
    "Standing",
    "added",
    "link",
    "match_files",
    "publication_of",
    "remarks_on",
    "worst_first",
]
