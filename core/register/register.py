"""The register as a file: publications, and what was computed about sets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import msgspec
from msgspec import Struct, structs

from core.base.arrays import Progress
from core.base.errors import InputError
from core.base.json_files import digest_of, parsed, read, sealed
from core.base.limits import LIMITS
from core.base.version import VERSION
from core.data.tables.table import Table
from core.dp.composition import basic
from core.register.linked import Linked, SetNumbers, numbers_of
from core.register.publication import Publication, with_recipients
from core.register.recipients import EVERYONE, Standing

REGISTER_VERSION: Literal[2] = 2
FORMAT = "composition publication register"


class Register(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """Everything that has been published about the same people, by me and by others.

    Parameters
    ----------
    publications
        In the order in which they were entered; the first has number 1.
    numbers
        What sets of them leave together. A set is what one recipient, or two, hold that can be attacked.
    schema_version, version
        Of the file, and of the program that wrote it.

    Raises
    ------
    InputError
        If it is too large, or contradicts itself.

    Examples
    --------
    >>> from datetime import date
    >>> from composition_dashboard.core.register import Publication, Register
    >>> register = Register().add(Publication("noisy", date(2026, 1, 31), epsilon=1.0), ["the registry"])
    >>> register.standings()[0].cost.epsilon
    1.0
    """

    publications: tuple[Publication, ...] = ()
    numbers: tuple[SetNumbers, ...] = ()
    schema_version: Literal[2] = REGISTER_VERSION
    version: str = VERSION

    def __post_init__(self) -> None:
        """Check sizes and numbers."""
        LIMITS["publications"].check(len(self.publications), "publications")
        LIMITS["recipients"].check(len(self.recipients), "recipients")
        if [own.number for own in self.publications] != list(range(1, len(self.publications) + 1)):
            raise InputError("The publications of the register must be numbered from 1.", parameter="number")
        assessed = {own.number for own in self.publications if own.is_assessed}
        for own in self.publications:
            if own.version_of >= own.number:
                raise InputError(
                    f"Publication {own.number} must be a version of an earlier one.", parameter="version_of"
                )
            if EVERYONE in map(str.casefold, own.recipients):
                raise InputError(
                    f"{EVERYONE.capitalize()} is no name of a recipient; enter the publication as public.",
                    parameter="recipient",
                )
        for each in self.numbers:
            of_people = (each.one_value_left, each.small_set, each.none_left)
            fits = assessed.issuperset(each.publications) and max(of_people) <= each.people
            fits = (
                fits
                and tuple(own.publication for own in each.each) == each.publications
                and all(
                    max(own.one_value_left, own.small_set) <= own.people <= each.people
                    and own.one_value_left <= each.one_value_left
                    and own.small_set <= each.small_set
                    for own in each.each
                )
            )
            if not (fits and each.publications):
                raise InputError("The numbers of the register do not fit its publications.", parameter="numbers")

    # ---- the file -----------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write as JSON with its own digest: same register, same text."""
        return sealed(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Register:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If it is no register, too large, of another version, changed since it was written, or a field is missing
            or wrong.
        """
        LIMITS["register"].check(len(text), "register")
        facts = parsed(text)
        if facts is None or facts.get("format") != FORMAT:
            raise InputError("The file is not a publication register of this program; load the one it wrote.")
        version = facts.get("schema_version")
        if type(version) is not int or version != REGISTER_VERSION:
            raise InputError(
                f"The register has a version other than {REGISTER_VERSION}, which this program reads; use the program "
                "that wrote it, or enter its publications again.",
                parameter="schema_version",
            )
        if facts.pop("digest", None) != digest_of(facts):
            raise InputError("The register was changed after it was written; load the one that was written.")
        return read(facts, cls, "publication register", InputError)

    @property
    def digest(self) -> str:
        """Its own digest, as in the file."""
        return str(parsed(self.to_json()).get("digest"))  # type: ignore[union-attr]

    # ---- entries ------------------------------------------------------------------------------

    def add(self, publication: Publication, recipients: Sequence[str] = ()) -> Register:
        """Enter a publication, with its recipients and these; :meth:`assessed` computes the numbers.

        Raises
        ------
        InputError
            If the same file was entered already, or a name or number cannot be used.
        """
        same = next((own for own in self.publications if own.content and own.content == publication.content), None)
        if same is not None:
            raise InputError(
                f"This file is in the register already, as {same.words}; add a recipient to it.", parameter="file"
            )
        numbered = structs.replace(publication, number=len(self.publications) + 1)
        entry = with_recipients(numbered, recipients, self.recipients)
        return structs.replace(self, publications=(*self.publications, entry), version=VERSION)

    def give(self, number: int, recipients: Sequence[str], public: bool = False) -> Register:
        """Add recipients to a publication, or make it public; :meth:`assessed` computes the numbers.

        Raises
        ------
        InputError
            If there is no such publication, or a name cannot be used.
        """
        own = self.publication(number)
        own = structs.replace(own, public=own.public or public)
        return self._with(with_recipients(own, recipients, self.recipients))

    def with_copy(self, number: int, copy: Table, key: str = "") -> Register:
        """Add the private copy of a publication that has none; :meth:`assessed` computes the numbers.

        ``key`` is its column that identifies people; that of the entry by default.

        Raises
        ------
        InputError
            If there is no such publication, it has one, or the copy is not its own.
        """
        own = self.publication(number)
        if own.copy:
            raise InputError(f"The register has a private copy of {own.words} already.", parameter="private")
        if not (key or own.key):
            raise InputError("Name the column of the private copy that identifies people.", parameter="key")
        return self._with(own.with_copy(copy, key or own.key))

    def _with(self, changed: Publication) -> Register:
        places = (changed if each.number == changed.number else each for each in self.publications)
        return structs.replace(self, publications=tuple(places), version=VERSION)

    def joined(self, other: Register) -> Register:
        """Enter the publications of another register unless they are here already.

        Its numbers are kept only if this one is empty; :meth:`assessed` computes the others.
        """
        if not self.publications:
            return other
        register, place = self, {0: 0}
        for own in other.publications:
            same = next((each for each in register.publications if each.is_same(own)), None)
            if same is None:
                entry = structs.replace(own, version_of=place[own.version_of])
                register = register.add(entry)
            else:
                register = register.give(same.number, own.recipients, own.public)
            place[own.number] = len(register.publications) if same is None else same.number
        return register

    def publication(self, number: int) -> Publication:
        """Return a publication by its number.

        Raises
        ------
        InputError
            If there is none.
        """
        if not 1 <= number <= len(self.publications):
            raise InputError(f"The register has publications 1 to {len(self.publications)}.", parameter="number")
        return self.publications[number - 1]

    # ---- recipients ---------------------------------------------------------------------------

    @property
    def recipients(self) -> tuple[str, ...]:
        """Names, in the order in which they were entered; :data:`EVERYONE` last if something is public."""
        names = dict.fromkeys(name for own in self.publications for name in own.recipients)
        return (*names, *([EVERYONE] if any(own.public for own in self.publications) else []))

    def received(self, *recipients: str) -> tuple[Publication, ...]:
        """Publications that any of these recipients has; public ones are everyone's."""
        wanted = {*recipients}
        return tuple(own for own in self.publications if own.public or wanted & {*own.recipients})

    def groups(self) -> list[tuple[str, ...]]:
        """Each recipient alone, then each pair; everyone colludes with no one."""
        names = self.recipients
        return [*((name,) for name in names), *combinations([name for name in names if name != EVERYONE], 2)]

    def standings(self) -> list[Standing]:
        """What each recipient, and each pair, can conclude."""
        known = {each.publications: each for each in self.numbers}
        return [self._standing(names, known) for names in self.groups()]

    def _standing(self, names: tuple[str, ...], known: Mapping[tuple[int, ...], SetNumbers]) -> Standing:
        received = self.received(*names)
        attacked = tuple(own.number for own in received if own.is_assessed)
        numbers = known.get(attacked)
        not_assessed = tuple(
            own.number
            for own in received
            if own.kind != "noisy" and not (numbers is not None and own.number in attacked)
        )
        costs = [own.cost for own in received if own.kind == "noisy"]
        return Standing(names, tuple(own.number for own in received), numbers, not_assessed, basic(costs))

    @property
    def agreements_in_words(self) -> str:
        """Warning if some releases keep an agreement and others another, another version, or none; else ""."""
        kept: dict[str, list[str]] = {}
        for own in self.publications:
            if own.kind in ("release", "version"):
                kept.setdefault(own.agreement, []).append(str(own.number))
        if len(kept) < 2:
            return ""
        files = [f"{', '.join(numbers)} {'by one file' if file else 'by none'}" for file, numbers in kept.items()]
        return (
            f"Releases do not keep the same agreement (publications {'; '.join(files)}), and what a file guarantees "
            "holds only for releases that keep it; release all by one."
        )

    # ---- numbers ------------------------------------------------------------------------------

    def open_sets(self) -> list[tuple[int, ...]]:
        """Sets of publications that a recipient or a pair holds, and that were not attacked yet."""
        known = {each.publications for each in self.numbers}
        return [each for each in self._sets() if each not in known]

    def _sets(self) -> list[tuple[int, ...]]:
        held = (tuple(own.number for own in self.received(*names) if own.is_assessed) for names in self.groups())
        return list(dict.fromkeys(each for each in held if each))

    def assessed(
        self, linked: Mapping[int, Linked], *, leave_open: bool = False, progress: Progress | None = None
    ) -> Register:
        """Attack every set of publications that changed, and drop numbers of sets that no one has any more.

        Parameters
        ----------
        linked
            Publications with the person of each row (:func:`core.register.linked.match_files`), by their numbers.
        leave_open
            Whether to leave a set without numbers if a publication of it is not among them.
        progress
            Called with the share of sets that are done.

        Returns
        -------
        Register
            Numbers of sets that have not changed stay as they were.

        Raises
        ------
        InputError
            If a publication is needed that was not given; the message names it.
        """
        done = {each.publications: each for each in self.numbers}
        wanted = self._sets()
        new = [each for each in wanted if each not in done]
        for place, each in enumerate(new):
            lacking = [number for number in each if number not in linked]
            if lacking and not leave_open:
                raise InputError(
                    f"To attack what a recipient has together, the files of {self.publication(lacking[0]).words} are "
                    "needed: give its private copy, and a table of counts also as it was published (at the gate with "
                    "--files), or leave the numbers open (--leave-open).",
                    parameter="files",
                )
            if not lacking:
                done[each] = numbers_of([linked[number] for number in each])
            if progress is not None:
                progress((place + 1) / len(new))
        return structs.replace(self, numbers=tuple(done[each] for each in wanted if each in done))
