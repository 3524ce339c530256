"""Another publisher's file: read it, match its columns and values with mine, and take it into the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st
from msgspec import structs

from core import Schema, Table
from core.data.tables.csv_export import harmless
from core.release.published.cell_reader import MARKS
from core.release.published.correspondence import folded
from core.release.published.count_table import lengthened, without_totals
from core.release.published.layout import joined, possible_counts
from core.release.published.matching import ColumnMatch
from core.release.published.parse import undecided_marks
from core.study.coverage import DOUBTFUL, remarks, sensitive_shares
from core.study.hospitals import PUBLISHED, Hospital
from core.study.uploads import COUNT, Foreign, Upload
from pages.attack import computed
from pages.attack.hospitals import count_rules, value_map
from pages.shared import server
from pages.shared.compute import attack_results, cache, data_results
from pages.shared.state import publications, session, uploads, widget_data
from pages.shared.ui import errors, reading, widgets
from pages.shared.ui.text import count, listed, percent, plain, safe
from pages.shared.ui.value_words import ORIGINS

MEGABYTES = 200
ABSENT = "– not in their table –"
MEANINGS = {"withheld": "withheld: they may be any value", "missing": "missing: the value was not known to them"}


def show(number: int, hospital: Hospital) -> None:
    """The file in use, or a way to load one."""
    upload = hospital.upload
    loaded = None if upload is None else session.files().get(upload.content_id)
    if upload is not None and loaded is not None:
        _in_use(number, upload, loaded)
        if st.session_state.get(_key(number, "again"), False):
            with errors.refusing():
                _match(number, loaded, upload.name, None, upload)
        return
    if upload is not None:
        # It came with a scenario or a link, which hold no file.
        st.markdown(f":material/draft: Reload **{safe(upload.name)}** or remove it.")
        _button(number, "forget", "Forget this file", "delete", partial(forget, number))
    file = uploads.uploader("Load their release", _key(number, "file"), max_upload_size=MEGABYTES)
    st.caption(
        f"CSV, TSV, Parquet, Excel, Stata, SAS or SPSS, as for your own table, read with {reading.BOUNDS}. It stays in "
        "the memory of this session. Anonymise a table that is not anonymised yet first. Of an earlier release of "
        "yours, load the *private copy with identifiers*.  \n"
        f":material/pending: Until you press *Use this file*, the study stays as it is: {_so_far(number, hospital)}."
    )
    if file is None:
        return
    with errors.refusing():
        stop = partial(uploads.let_go, _key(number, "file"), file.file_id)
        table = cache.cached((session.FILE_READ, file.file_id), lambda: reading.table(file, stop))
        known = upload if upload is not None and upload.content_id == table.content_id else None
        _match(number, table, plain(file.name, 80), file.file_id, known)


def _so_far(number: int, hospital: Hospital) -> str:
    """Setting of this hospital until a new file is accepted."""
    source = ORIGINS[hospital.origin]
    file = "" if hospital.upload is None else f" ({safe(hospital.upload.name, 30)})"
    return f"hospital {number + 1} is *{source}*{file}"


def _key(number: int, field: str) -> str:
    return f"hospitals:{number}:upload:{field}"


def _in_use(number: int, upload: Upload, table: Table) -> None:
    """Description of the file and its coverage of my people."""
    with errors.refusing():
        foreign = attack_results.foreign(upload)
        st.markdown(f":material/draft: **{safe(upload.name)}**: {summary(foreign)}.")
        frame = pd.DataFrame(
            {
                "My column": [plain(mine) for mine, _ in upload.columns],
                "Their column": [plain(theirs) for _, theirs in upload.columns],
            }
        )
        st.dataframe(frame, hide_index=True, alt="Which column of theirs is which of mine")
        schema = session.workspace().schema
        _remark(upload, foreign, table)
        missing = [name for name in schema.quasi_identifiers if upload.theirs(name) is None]
        if missing:
            st.caption(
                f"Not in their table, so their file says nothing about it: {', '.join(safe(name) for name in missing)}."
            )
        out_of_reach(upload, foreign)
    again = bool(st.session_state.get(_key(number, "again"), False))
    with st.container(horizontal=True):
        words, icon = ("Keep the present matching", "undo") if again else ("Match its columns again", "rule")
        _button(number, "match", words, icon, partial(_match_again, number, not again))
        _button(number, "forget", "Forget this file", "delete", partial(forget, number))


def _button(number: int, name: str, words: str, icon: str, act: Callable[[], None]) -> None:
    st.button(words, key=_key(number, name), icon=f":material/{icon}:", on_click=act)


def summary(foreign: Foreign) -> str:
    """Records, classes and links in words."""
    release = foreign.published
    if foreign.possible is not None:
        groups = len(release.sizes)
        mine = f", {count(len(foreign.mine))} of them in my table" if foreign.linked else ""
        return f"a table of counts of about {count(foreign.records)} records in {count(groups)} groups{mine}"
    rows = f"{count(foreign.records)} records in {count(len(release.sizes))} classes of at least "
    rows += count(release.sizes.min())
    rows += f", {count(release.suppressed)} suppressed" if release.suppressed else ""
    return rows + (f"; {count(len(foreign.mine))} of these people are in my table" if foreign.linked else "")


def _match_again(number: int, again: bool) -> None:
    st.session_state[_key(number, "again")] = again


def forget(number: int) -> None:
    """Take the file out of the study and out of memory."""
    session.set_own(number, "upload", None)
    session.set_own(number, "origin", None)
    _match_again(number, False)
    uploads.let_go(_key(number, "file"), None)
    session.drop_unused_files()
    attack_results.fit_overlap()
    server.tidy_soon()


# ---- matching ---------------------------------------------------------------------------


def _match(number: int, table: Table, name: str, file: str | None, known: Upload | None = None) -> None:
    """Columns first, then values that are spelled differently, then the result for the file.

    ``known`` is the earlier match of this file; ``file`` is its upload, if it was read in this run.
    """
    schema, read, entry = session.workspace().schema, table, publications.entry_of(table)
    st.markdown(f"## Which column is which: {safe(name)}, {count(len(table))} rows")
    if entry is not None:
        st.markdown(f":material/check: It is {entry.words} of the publication register.")
    table = joined(read, schema.quasi_identifiers)
    long, made = _lengthened(table)
    counts = st.toggle(
        "It is a table of counts: numbers of people per group and value",
        value=bool(made) if known is None else bool(known.counts),
        key=_key(number, f"counts:{table.content_id[:12]}"),
        help="A dashboard or a spreadsheet, with one row per group and value or one column per value; small counts may "
        "be masked.",
    )
    keys = () if counts else _keys_used(number, read, known)
    table = long if counts else read if keys else table
    matches = attack_results.column_matches(table)
    proposed = {match.mine: match.theirs for match in matches} if known is None else dict(known.columns)
    if known is None:
        _check_them(matches)
        proposed |= {key: header for key in keys[:1] if (header := _header_of(key, table)) is not None}
    columns = matched(number, table, (*schema.released, *keys), proposed, keys)
    centroids = not counts and st.toggle(
        "Their cells are means (microaggregation), not ranges",
        value=known.centroids if known is not None else entry is not None and entry.has_centroids,
        key=_key(number, f"centroids:{table.content_id[:12]}"),
        help="People are then located by the nearest mean.",
    )
    used = [theirs for _, theirs in columns]
    published = None if entry is None else {*entry.quasi_identifiers, *map(harmless, entry.quasi_identifiers)}
    known_headers = [name for name in table.names if published is None or name in published]
    further = tuple(header for header in known_headers if header not in used) if keys else ()
    if lacking(columns, further):
        return
    if keys and not any(mine in keys for mine, _ in columns):
        st.info("Which of its columns identifies the person in each row? Choose it above.", icon=":material/touch_app:")
        return
    if counts:
        counted = made or count_rules.column(number, table, used, known)
        table = without_totals(table, _my_values(columns))
    else:
        counted = "" if keys else _count(number, table, used, known)
    marks = "" if keys else _marks(number, table, columns, known)
    if marks is None or counted is None:
        return
    same, cells = value_map.ask(number, table, [pair for pair in columns if pair[0] not in keys], known)
    upload = Upload(
        *(read.content_id, tuple(columns), same, bool(centroids), name),
        own=bool(keys),
        further=further,
        cells=cells,
        marks=marks,
        count=counted,
    )
    if counts:
        rules = count_rules.ask(number, upload, read, known)
        if rules is None:
            return
        own = st.toggle(
            "It counts my own patients",
            value=known is not None and known.own,
            key=_key(number, f"own:{table.content_id[:12]}"),
            help="Such as last month's dashboard. Everyone in my table who fits one of its groups is then in it.",
        )
        upload = structs.replace(upload, counts=rules, own=own)
    foreign = attack_results.foreign(upload, read)
    st.markdown(f"**Read:** {summary(foreign)}. {'' if keys else value_map.can_be_there(upload, foreign)}")
    if further:
        st.caption(
            f"No column of mine, so it only distinguishes classes of that release: "
            f"{', '.join(safe(header) for header in further)}."
        )
    _remark(upload, foreign, read)
    doubt(foreign)
    out_of_reach(upload, foreign)
    st.button(
        "Use this file",
        type="primary",
        icon=":material/check:",
        key=_key(number, "use"),
        on_click=_use,
        args=widget_data.leave(_key(number, "use"), number, upload, read, file),
    )


def _keys_used(number: int, table: Table, known: Upload | None) -> tuple[str, ...]:
    """Columns of my table that may identify the person of each row of theirs; none if that is not known."""
    keys = keys_of(session.workspace().schema)
    if not keys:
        return ()
    on = st.toggle(
        "One of its columns identifies the person of each row",
        value=known.own if known is not None else any(_header_of(key, table) is not None for key in keys),
        key=_key(number, f"keys:{table.content_id[:12]}"),
        help="As in the private copy of an earlier release of mine. It is then known who is in it.",
    )
    return keys if on else ()


def _header_of(key: str, table: Table) -> str | None:
    """Header of one of my identifiers in a file that this program wrote."""
    return next((header for header in (harmless(key), key) if header in table.names), None)


def _lengthened(table: Table) -> tuple[Table, str]:
    """One row per group and value, and the column of its counts, if the table has a column per value."""
    schema, labels = session.workspace().schema, data_results.encoded().sensitive.labels
    named = {match.theirs for match in attack_results.column_matches(table) if match.by == "name" and match.theirs}
    return lengthened(table, labels, schema.sensitive, COUNT, named)


def _my_values(columns: Sequence[tuple[str, str]]) -> dict[str, Sequence[str]]:
    """Values of each of my columns, by their header."""
    encoded = data_results.encoded()
    headers = dict(columns)
    domains = (*encoded.qids, *encoded.sensitive.columns)
    return {headers[domain.name]: domain.labels for domain in domains if domain.name in headers}


def _marks(
    number: int, table: Table, columns: Sequence[tuple[str, str]], known: Upload | None
) -> Literal["", "withheld", "missing"] | None:
    """Ask for the meaning of empty cells and similar marks if it is unknown; ``None`` until it is answered."""
    undecided = undecided_marks(table, session.workspace().schema, data_results.encoded(), dict(columns))
    if not undecided:
        return ""
    question = (
        f"What do empty cells, NA and similar marks mean in {listed(undecided)}? Your column also has missing values."
    )
    return widgets.question(
        question,
        MARKS,
        MEANINGS.__getitem__,
        known.marks if known else None,
        _key(number, f"marks:{table.content_id[:12]}"),
    )


def _count(number: int, table: Table, used: Sequence[str], known: Upload | None) -> str | None:
    """Ask whether a column counts the records of a row; ``None`` until it is answered."""
    possible = possible_counts(table, used)
    if not possible:
        return ""
    question = "How many records does each row of their table stand for?"
    return widgets.question(
        question,
        (*possible, ""),
        lambda header: f"as many as its column {safe(header, 40)} says" if header else "one",
        known.count if known else None,
        _key(number, f"count:{table.content_id[:12]}"),
    )


def _remark(upload: Upload, foreign: Foreign, table: Table) -> None:
    """Explain how a release was read if its cells alone do not say it, and warn of different codes for diagnoses."""
    for sentence in remarks(upload, table, foreign, data_results.encoded()):
        st.caption(safe(sentence, 600))
    published = foreign.published
    shares = sensitive_shares(published.sensitive, published.histogram.overall, data_results.encoded())
    for name, (theirs, mine) in shares.items():
        if min(theirs, mine) >= DOUBTFUL:
            continue
        st.warning(
            f"**{safe(name)}**: {percent(theirs)} of their records have a value that is one of mine, and "
            f"{percent(mine)} of mine have one of theirs. If they code it differently, the attack excludes values "
            f"that are the same. Choose above which of my values theirs mean.",
            icon=":material/warning:",
        )


def _check_them(matches: Sequence[ColumnMatch]) -> None:
    """List the proposals that are not based on equal names."""
    by_name = [match.mine for match in matches if match.theirs and folded(match.mine) != folded(match.theirs)]
    by_values = [match.mine for match in matches if match.by == "values"]
    other_name = [name for name in by_name if name not in by_values]
    words = [f"because they usually mean the same: {listed(other_name)}"] if other_name else []
    words += [f"because the values agree: {listed(by_values)}"] if by_values else []
    if words:
        st.caption(f"Check what is proposed {'; '.join(words)}.")


def lacking(columns: Sequence[tuple[str, str]], further: Sequence[str] = ()) -> bool:
    """Ask for the matches needed to read a file at all; return whether something is missing.

    ``further`` are columns of a release with identifiers that correspond to none of mine now.
    """
    schema, matched = session.workspace().schema, {mine for mine, _ in columns}
    unmatched = next((name for name in schema.sensitive_columns if name not in matched), None)
    if unmatched is not None:
        st.info(
            f"Which of their columns is **{safe(unmatched, 40)}**, the sensitive attribute? Choose it above: "
            "the attack intersects its values.",
            icon=":material/touch_app:",
        )
        return True
    if not matched & set(schema.quasi_identifiers) and not further:
        st.info(
            "Which of their columns are quasi-identifiers of mine? Choose at least one above: people are located by "
            "them.",
            icon=":material/touch_app:",
        )
        return True
    return False


def doubt(foreign: Foreign) -> None:
    """Warn about what is probably not intended."""
    if foreign.possible is None and len(foreign.published.sizes) and foreign.published.sizes.min() == 1:
        alone = int((foreign.published.sizes == 1).sum())
        st.caption(
            f":material/warning: {count(alone)} of its classes are single records. If this table was not "
            f"anonymised, anonymise it first. If it is a release, check which column is which."
        )


def out_of_reach(upload: Upload, foreign: Foreign) -> None:
    """Warn if their column cannot be about my people: other values, other units, other people."""
    shares = computed.reached(upload, foreign)
    for name, share in shares.items():
        if share < DOUBTFUL:
            whose = "No record of mine has" if share == 0 else f"Only {percent(share)} of my records have"
            st.warning(
                f"**{safe(name)}**: {whose} a value {_spoken_of(upload)}. If their column uses other words or "
                f"units than mine, it locates people wrongly or not at all, and the attack looks weaker than it is. "
                f"Choose which of my values theirs mean, or choose *{ABSENT}* to ignore the column.",
                icon=":material/warning:",
            )
    partly: dict[str, list[str]] = {}
    for name, share in shares.items():
        if DOUBTFUL <= share < 1:
            partly.setdefault(_spoken_of(upload), []).append(f"{safe(name)} ({percent(1 - share)})")
    if partly and not upload.centroids:
        each = "; ".join(f"a value {what}: {', '.join(names)}" for what, names in partly.items())
        st.caption(f"Share of my records without {each}. That column does not locate any of these people there.")


def _spoken_of(upload: Upload) -> str:
    """Property of my values that is counted: the coverage that :func:`core.study.coverage.reach` measures."""
    return "that occurs in their file" if upload.centroids else "that some class of their file covers"


def keys_of(schema: Schema) -> tuple[str, ...]:
    """Columns of my table that identify the person of a record."""
    return (*([schema.person] if schema.person else []), *schema.identifiers)


def matched(
    number: int, table: Table, wanted: Sequence[str], proposed: Mapping[str, str | None], keys: Sequence[str]
) -> list[tuple[str, str]]:
    """Ask for their header of each column of mine; return the pairs that exist."""
    columns = []
    with st.grid(3, min_column_width=200, gap="small") as grid:
        for place, mine in enumerate(wanted):
            with grid.cell():
                theirs = _column(number, place, mine, table, proposed.get(mine), mine in keys)
            if theirs is not None:
                columns.append((mine, theirs))
    return columns


def _column(number: int, place: int, mine: str, table: Table, proposed: str | None, identifier: bool) -> str | None:
    """Ask which of their headers corresponds to one of my columns, in the field of that column."""
    schema = session.workspace().schema
    role = "sensitive" if mine in schema.sensitive_columns else "identifier" if identifier else "quasi-identifier"
    role = "person" if mine == schema.person else "published" if mine in schema.unmodified else role
    options = [None, *table.names]
    return st.selectbox(
        f"{safe(mine, 30)} ({role})",
        options,
        index=options.index(proposed) if proposed in options else 0,
        format_func=lambda header: ABSENT if header is None else plain(header, 40),
        key=_key(number, f"column:{place}:{table.content_id[:12]}"),
    )


def _use(name: str) -> None:
    """Make a matched file the release of a hospital."""
    number, upload, table, file = widget_data.left(name)
    session.files()[upload.content_id] = table
    session.set_own(number, "origin", PUBLISHED)
    session.set_own(number, "upload", upload)
    session.drop_unused_files()
    attack_results.fit_overlap()
    _match_again(number, False)
    uploads.let_go(_key(number, "file"), file)
    if upload.own and not attack_results.nobody_knows():
        session.put("overlap", attack_results.shared_bound())  # who is in both is known: everyone counts
        attack_results.fit_overlap()
