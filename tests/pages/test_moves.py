"""What follows from moves on a page, one after another: what is shown then, and the table and choices in force."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, Taxonomy, agree, read_table
from core.algorithms import partition
from core.attack.number import shares
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType, Role
from core.study.uploads import Upload
from pages.attack.hospitals import one as hospital_one
from pages.hold import coordinated
from pages.providers.numbers import METHODS
from pages.shared.state import column_draft
from tests.kept import compare, line
from tests.pages import drive
from tests.pages.drive import at_section, choose, give_roles, go, keep, workspace_of
from tests.pages.shown import elements
from tests.tables import extract, pooled_table, small_table
from tests.visits import made_visits

Move = tuple[Any, ...]
DATA, HOSPITALS = "pages/data/page.py", "pages/attack/page.py#Other hospitals"
OWN, COARSER, SOURCE = "Load your own table", "How columns are generalised", "Where its records come from"


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"name": [f"person {n}" for n in range(rows)], "age": rng.integers(20, 60, rows).astype(str)})
    frame["zip"] = rng.choice(["01234", "01235", "02234", "12345"], rows)
    frame["schooling"] = rng.choice(["low", "middle", "high", "?"], rows, p=[0.3, 0.3, 0.3, 0.1])
    return frame.assign(ward=rng.choice(["a", "b"], rows), disease=rng.choice(["flu", "cold", "asthma", "gout"], rows))


def csv(frame: pd.DataFrame, **options: Any) -> bytes:
    return frame.to_csv(index=False, **options).encode()


def excel(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        pd.DataFrame({"nothing": [1, 2], "here": [3, 3]}).to_excel(writer, sheet_name="Notes", index=False)
        frame.to_excel(writer, sheet_name="People", index=False)
    return out.getvalue()


KINDS = {"age": "numeric", "zip": "categorical", "schooling": "categorical"}
ROLES = Schema(
    ["age", "zip", "schooling"],
    "disease",
    identifiers=["name"],
    other=["ward"],
    missing_tokens=["?"],
    column_types=KINDS,
)
FOOTER = csv(pd.concat([people(), pd.DataFrame({"age": ["Source: *ward* book"]})]).fillna(""))
DAYS = pd.DataFrame(
    {
        "seen": [f"{n % 12 + 1:02d}/{n % 11 + 1:02d}/2024" for n in range(120)],
        "born": [f"{n % 28 + 1:02d}.{n % 12 + 1:02d}.{1940 + n % 50}" for n in range(120)],
        "zip": [f"0{1000 + n % 40}" for n in range(120)],
        "disease": [f"d{n % 5}" for n in range(120)],
    }
)
DATED = Table.from_frame(DAYS)
MINE, SCHEMA = small_table()
THEIRS = small_table(300)[0]
PUBLIC = Table.from_frame(partition(encode(THEIRS, SCHEMA), Policy(4), "mondrian").publish(seed=0))
RELEASE = PUBLIC.to_frame()
SAME = tuple((name, name) for name in (*SCHEMA.quasi_identifiers, SCHEMA.sensitive))


def on_data(table: Table | None = None, schema: Schema = ROLES) -> AppTest:
    mine = read_table(csv(people())) if table is None else table
    return drive.loaded(mine, schema, DATA, overlap=10, my_k=3, their_k=3, repeats=1)


def on_hospitals(table: Table = MINE, schema: Schema = SCHEMA, **own: Any) -> AppTest:
    used = {"own": {1: own}} if own else {}
    files = [PUBLIC, THEIRS]
    return drive.loaded(table, schema, HOSPITALS, files=files, overlap=30, repeats=1, **used)


def column_type(column: str, wanted: ColumnType) -> list[Move]:
    """Make a column coarser in another way."""
    return [
        ("section", "data", COARSER),
        ("selectbox", "data:tree:column", column),
        ("selectbox", "Generalised as", wanted),
    ]


def tree(way: str) -> list[Move]:
    return [("keep", "data", "way:2", way)]


def offer(frame: pd.DataFrame, wanted: str = "published") -> list[Move]:
    return [("selectbox", SOURCE, wanted), ("file", -1, "theirs.csv", csv(frame))]


def said(**texts: dict[str, str]) -> pd.DataFrame:
    return RELEASE.replace(texts)


USE, TAKE = ("button", "data:use"), ("button", "Use this file")


def ROLE(**roles: Role) -> Move:  # noqa: N802
    return ("roles", roles)


HIERARCHY = "Hierarchy"
WITH_IDS = Table.from_frame(MINE.to_frame().assign(id=[f"p{n}" for n in range(400)]))
THEIR_IDS = THEIRS.to_frame().assign(id=[f"p{n}" for n in range(300)])
GAPS = Table.from_frame(MINE.to_frame().assign(sex=["", *MINE.column("sex").texts()[1:]]))
PUBLISHED = {"origin": "published", "upload": Upload(PUBLIC.content_id, SAME, name="r.csv")}
BUCKETS = Taxonomy.from_nested({"viral": ["flu", "cold", "mumps"], "other": ["gout", "burn", "tb"]})
SICK = pd.DataFrame({"age": [str(20 + n * n % 41) for n in range(400)], "zip": [f"z{n * n % 7}" for n in range(400)]})
SICK["disease"] = [BUCKETS.leaf_labels[(n * n + n // 7) % 6] for n in range(400)]
VISITS = Table.from_frame(made_visits(300))
EXTRACT = Table.from_frame(extract(400))
AGREED = agree(SICK[::-1], Schema(["age", "zip"], "disease"), least=2)
LIMITED = ({"k": 4.0, "one_value_left": 0.0, "m": 1.0}, {"k": 1.0}, {"k": 300.0, "m": 2.0}, {"one_value_left": 1.0})


def on_agreements(frame: pd.DataFrame = SICK, **choices: Any) -> AppTest:
    schema = Schema(["age", "zip"], "disease", taxonomies={"disease": BUCKETS})
    return drive.loaded(
        Table.from_frame(frame), schema, "pages/hold/page.py", "Coordinated releases", repeats=2, **choices
    )


def on_visits(page: str, section: str = "", **choices: Any) -> AppTest:
    schema = Schema(["age", "zip"], "diagnosis", **{"person": "patient_nbr", **choices})
    return drive.loaded(VISITS, schema, drive.page_of(page), section, overlap=40, repeats=2)


def on_extract() -> AppTest:
    schema = Schema(["age", "sex"], "diagnosis", unmodified=["stay"], other=["ward"], missing_tokens=["NA"])
    return drive.loaded(EXTRACT, schema, DATA, "Published columns", repeats=2)


def on_clinics(rows: int = 300, **choices: Any) -> AppTest:
    more = {"my_k": 6, "diversity": "distinct", "l": 2.0, "repeats": 1, **choices}
    return drive.loaded(*pooled_table(rows), "pages/providers/page.py", **more)


def on_small(page: str, section: str = "", **choices: Any) -> AppTest:
    return drive.loaded(MINE, SCHEMA, f"pages/{page}/page.py", section, **{"repeats": 2, **choices})


STORIES: dict[str, tuple[Any, list[Move]]] = {
    "a file is offered, kept out, used, and its roles undone": (
        on_data,
        [
            ("file", 0, "other.csv", csv(people(90).rename(columns={"disease": "diagnosis"}))),
            ("button", "data:keep"),
            ("file", 0, "other.csv", csv(people(90).rename(columns={"disease": "diagnosis"}))),
            USE,
            ROLE(age=Role.OTHER),
            ("button", "data:undo"),
            ("button", "data:worked:bobs_class:0"),
            USE,
        ],
    ),
    "what means missing is asked": (
        on_data,
        [("file", 0, "o.csv", csv(people().assign(age=["NA", *people()["age"][1:]]))), ("multiselect", 0, []), USE],
    ),
    "a sheet of a workbook": (
        on_data,
        [
            ("file", 0, "a.xlsx", excel(people())),
            *[("text_input", "data:sheet", sheet) for sheet in ("People", "2", "9" * 90)],
        ],
    ),
    "a file is read differently": (
        on_data,
        [
            ("file", 0, "a.csv", csv(people().assign(disease="Grippé|x")).decode().encode("latin-1")),
            ("selectbox", "data:encoding", "utf-8"),
            ("selectbox", "data:encoding", "iso-8859-1"),
            ("selectbox", "data:delimiter", "|"),
        ],
    ),
    "an encoding that nothing tells": (
        on_data,
        [
            ("file", 0, "a.csv", csv(people().assign(ward="Москва")).decode().encode("cp1251")),
            ("selectbox", "data:encoding", "cp1251"),
        ],
    ),
    "bad files": (
        on_data,
        [
            ("file", 0, "a.csv", b"age,disease\n3,flu\n4,secretvalue,x\n5,flu\n"),
            ("file", 0, "b.csv", b"n,text\n" + b"".join(b"%d,secretvalue%d\n" % (n, n) for n in range(50))),
            ("file", 0, "c.csv", b"age,disease\n3,secretvalue\n"),
        ],
    ),
    "roles and kinds": (
        on_data,
        [
            ROLE(ward=Role.QUASI_IDENTIFIER, zip=Role.OTHER),
            ROLE(ward=Role.PROVIDER),
            ROLE(zip=Role.PROVIDER),
            ROLE(name=Role.PERSON),
            ROLE(disease=Role.OTHER, schooling=Role.SENSITIVE),
            *column_type("age", ColumnType.CATEGORICAL),
            *column_type("age", ColumnType.ORDINAL),
        ],
    ),
    "roles that cannot be": (
        on_data,
        [
            *column_type("schooling", ColumnType.NUMERIC),
            ROLE(disease=Role.OTHER),
            ROLE(disease=Role.OTHER, name=Role.SENSITIVE),
            ROLE(age=Role.OTHER, zip=Role.OTHER, schooling=Role.OTHER),
        ],
    ),
    "several columns to protect": (on_data, [*column_type("zip", ColumnType.TAXONOMY), ROLE(zip=Role.SENSITIVE)]),
    "a taxonomy by leading characters, flat, and from a file": (
        on_data,
        [
            *column_type("zip", ColumnType.TAXONOMY),
            *tree("prefix"),
            ("text_input", "data:prefix:2", "2"),
            ("button", "data:tree:use"),
            ("text_input", "data:prefix:2", "two"),
            *tree("flat"),
            ("button", "data:tree:use"),
            *tree("file"),
            ("file", HIERARCHY, "zip.csv", b"01234;north;*\n01235;*\n"),
            ("file", HIERARCHY, "zip.csv", b"01234;north;*\n01235;north;*\n"),
            ("file", HIERARCHY, "zip.csv", b"01234;north;*\n01235;north;*\n02234;south;*\n12345;south;*\n"),
            ("button", "data:tree:use"),
            *column_type("zip", ColumnType.CATEGORICAL),
            *column_type("zip", ColumnType.TAXONOMY),
        ],
    ),
    "dates and a hierarchy at hand": (
        partial(on_data, DATED, Schema(["zip"], "disease", other=["seen", "born"])),
        [
            ("section", "data", COARSER),
            ROLE(seen=Role.QUASI_IDENTIFIER),
            ("selectbox", "data:tree:column", "seen"),
            ("button_group", "Which comes first?", "%d/%m/%Y"),
            ("button_group", "Published as", "month"),
            ("selectbox", "data:tree:column", "zip"),
            ("button", "Use leading characters"),
            ("toggle", "One group per class", False),
        ],
    ),
    **{
        f"a footer, {answer}": (
            on_data,
            [("file", 0, "other.csv", FOOTER), ("button_group", "Unusual cells", answer), USE],
        )
        for answer in ("values", "missing", "out")
    },
    **{
        f"a footer of the table in use, {answer}": (
            partial(on_data, read_table(FOOTER), ROLES.with_(column_types={"age": "categorical"})),
            [("button", f"data:strays:{answer}:1")],
        )
        for answer in ("missing", "out")
    },
    "a code for missing values": (
        on_data,
        [
            ("file", 0, "o.csv", csv(people().assign(age=lambda f: f["age"].where(f.index % 20 != 3, "999")))),
            ("button_group", "Unusual cells", "missing"),
            USE,
        ],
    ),
    "numbers with a unit, and months": (
        on_data,
        [
            (
                "file",
                0,
                "o.csv",
                csv(
                    people().assign(age=people()["age"] + " years", seen=[f"{n % 12 + 1:02d}/2023" for n in range(60)])
                ),
            ),
            USE,
            ROLE(seen=Role.QUASI_IDENTIFIER),
            ("section", "data", COARSER),
            ("selectbox", "data:tree:column", "seen"),
        ],
    ),
    "values without a counterpart": (
        on_hospitals,
        [*offer(said(diagnosis={"value 3": "something else", "value 4": "VALUE 4"})), TAKE],
    ),
    "short forms in a file": (
        on_hospitals,
        [
            *offer(
                RELEASE.replace({"sex": {"f": "Female", "m": "Male", "*": "{Female, Male}"}}).rename(
                    columns={"diagnosis": "dx"}
                )
            ),
            TAKE,
            ("button", "Match its columns again"),
            ("button", "Keep the present matching"),
        ],
    ),
    "other words in a file": (
        on_hospitals,
        [*offer(RELEASE.replace({"sex": {"f": "w", "m": "x", "*": "{w, x}"}})), TAKE],
    ),
    "a column of counts": (on_hospitals, [*offer(RELEASE.assign(count="2")), ("radio", 0, "count"), TAKE]),
    "marks where mine has missing values": (
        partial(on_hospitals, GAPS),
        [*offer(RELEASE.assign(sex=["NA", *RELEASE["sex"][1:]])), ("radio", 0, "withheld"), TAKE],
    ),
    "a table that was not anonymised": (
        on_hospitals,
        [*offer(THEIRS.to_frame()), TAKE, ("button", "Forget this file")],
    ),
    "linked people": (
        partial(on_hospitals, WITH_IDS, SCHEMA.with_(identifiers=["id"])),
        [
            ("selectbox", SOURCE, "published"),
            ("file", -1, "release.csv", csv(THEIR_IDS)),
            ("selectbox", "id (identifier)", "id"),
            TAKE,
        ],
    ),
    "a release is in use until another file is": (
        partial(on_hospitals, **PUBLISHED),
        [("button", "Match its columns again"), ("button", "Forget this file"), ("selectbox", SOURCE, "simulated")],
    ),
    "an agreement becomes my release": (
        on_agreements,
        [
            *[("file", "hold:agreement", "agreement.json", text.encode()) for text in ("[]", AGREED.to_json())],
            ("button", coordinated.TRY),
            ("choose", "confidence", 0.25),
            ("choose", "same_value_rate", 0.7),
            ("button", "hold:take:agreed"),
            ("go", "pages/release/page.py"),
            ("button", "release:agreement:off"),
            ("file", "release:agreement", "agreement.json", AGREED.to_json().encode()),
            ("button", "release:agreement:on"),
        ],
    ),
    "an agreement from public data": (
        on_agreements,
        [
            ("choose", "hold_least", 2),
            *[("file", coordinated.FILE, "public.csv", csv(frame)) for frame in (SICK, SICK[::-1])],
            ("button", "hold:agreement:make"),
        ],
    ),
    "persons": (
        partial(on_visits, "data", "Persons"),
        [
            *[("radio", 0, how) for how in ("first", "random")],
            ("number_input", column_draft.SEED, 9),
            ("go", "pages/release/page.py"),
            ("go", DATA),
            ("radio", 0, column_draft.ALL_RECORDS),
            *[("go", drive.page_of(f"attack#{name}")) for name in ("Beliefs", "All numbers", "Other hospitals")],
            ("go", "pages/noise/page.py#Draw a table"),
            ("go", "pages/review/page.py#Re-identification risk"),
        ],
    ),
    "an identifier that repeats": (
        partial(on_visits, "data", person=None, identifiers=["patient_nbr"]),
        [("go", "pages/release/page.py")],
    ),
    "published columns": (
        on_extract,
        [
            ("go", drive.ATTACK),
            ("go", DATA),
            ROLE(ward=Role.UNMODIFIED),
            (
                "keep",
                "data",
                "plain:4",
                {"edited_rows": {0: {"same": 80, "diverse": True}}, "added_rows": [], "deleted_rows": []},
            ),
            ROLE(ward=Role.OTHER, stay=Role.OTHER),
        ],
    ),
    "colluding providers": (
        on_clinics,
        [
            *[("choose", "my_m", m) for m in (0, 1, 2, 3, 20)],
            *[("keep", "providers", "release", method) for method in METHODS],
            ("section", "providers", "Worst classes"),
            ("button", "Make this my release"),
            ("go", "pages/release/page.py"),
        ],
    ),
    "providers that cannot be withstood": (
        partial(on_clinics, 40, my_k=18, my_m=3, diversity="none"),
        [("section", "providers", "What it costs"), ("choose", "my_k", 2)],
    ),
    "limits": (
        partial(on_small, "review", "Each limit"),
        [
            ("button", "Start with four limits"),
            ("number_input", "True disclosures, one value left", 7.5),
            *[("choose", "requirements", limits) for limits in LIMITED],
            ("choose", "my_k", 20),
            ("section", "review", "Re-identification risk"),
            ("number_input", "Share of the population", 50.0),
        ],
    ),
    "settings that were tried": (
        partial(on_small, "hold"),
        [
            ("number_input", -1, 12.0),
            ("number_input", "One value left", 3.0),
            ("selectbox", "hold:setting", 1),
            ("button", "hold:take"),
        ],
    ),
    "one hospital alone": (
        on_hospitals,
        [
            ("selectbox", hospital_one.key(1, "algorithm"), "mdav"),
            ("toggle", hospital_one.key(1, "own size"), True),
            ("number_input", "Records", 150),
            ("slider", f"{hospital_one.key(1, 'same_value_rate')}:0.0:1.0", 0.4),
        ],
    ),
    "one person": (
        partial(on_small, "attack", same_value_rate=0.6),
        [
            ("button_group", "attack:sections", "One person"),
            ("button", "Show someone exposed"),
            ("button_group", "attack:sections", "All numbers"),
            *[("selectbox", "Show", number) for number in shares()],
            ("choose", "my_k", 40),
            ("choose", "their_k", 40),
        ],
    ),
}


def moved(app: AppTest, what: str, which: Any, *given: Any) -> AppTest:
    """Make one move on a page: what is moved, its key, the begin of its label or its place, and to what."""
    if what == "roles":
        return give_roles(app, **which)
    if what == "keep":
        keep(app, which, *given)
        return app.run()
    if what in ("section", "go", "choose"):
        return {"section": at_section, "go": go, "choose": choose}[what](app, which, *given)
    every = app.get("file_uploader" if what == "file" else what)
    if isinstance(which, int):
        found = every[which]
    else:
        found = next(one for one in every if which in (one.key, one.label) or which in one.label)
    if what == "file":
        return found.upload(*given, "application/octet-stream").run()
    if what == "selectbox" and isinstance(given[0], int):
        return found.select_index(*given).run()
    return (found.click() if what == "button" else found.set_value(*given)).run()


@pytest.mark.parametrize("story", STORIES)
def test_what_follows_from_a_move_is_as_kept(story: str) -> None:
    begin, moves = STORIES[story]
    app, seen, found = begin(), set(), {}
    for number, move in enumerate(moves):
        moved(app, *move)
        own = drive.choice_of(app, "own") if drive.keeps(app, "choice", "own") else {}
        shown = [*elements(app), ("table", repr(workspace_of(app).schema.to_json())), ("others", repr(own))]
        lines = {line(element, what): what for element, what in shown}
        found[f"{number} {move[0]}"] = {text: what for text, what in lines.items() if text not in seen}
        seen |= set(lines)
        assert "secretvalue" not in str(lines)
    compare(f"moves: {story}", found)
