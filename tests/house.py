"""Counts that tell whether the house stays easy to find one's way in: ``make house``.

A room is a package or a module directly inside ``core`` or ``pages``. An arrow goes from a room
to another that it imports; what is imported for types only counts too. Another checkout can be
counted beside this one: ``python -m tests.house FOLDER``.

Statements are those of the syntax tree without docstrings, so closer lines save none. Each room has a budget of
statements in `house.toml`; ``make house`` fails where a room exceeds it by more than a tenth, or their sum at all.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tests.source import ROOT, Source

MOST_PARAMETERS = 7
LONG = {
    "core/release/published/parse.py parse": "what is said about one file, each by name",
    "core/engine/counting.py frequency_table_of_files": "the files, their columns, and how they are read, by name",
    "core/data/schemas/schema.py __init__": "it declares a table: each field a role or choice, given by name",
    "core/figures/exposure_charts.py breach_curve": "what is drawn on top of the curve, by name",
    "core/algorithms/coordinated/making.py agree": "public data and what its publishers want, by name",
    "core/study/sweep.py breach_curve": "one line in a notebook, arguments by name; it makes the study and its redraws",
    "core/data/reading/__init__.py read_table": "what a file may need to be told, by name, in a notebook",
}
"""Functions that may have more, and why."""
NO_NAMES = {"found", "told", "asked", "here", "these", "said", "one", "now"}
"""Words that name nothing: what they stand for has a name in the field, such as release, interval or assessment."""
BUDGET = ROOT / "tests" / "house.toml"


def sources(folder: Path, top: str) -> list[Source]:
    """Every Python file below a folder of a checkout."""
    return [Source(path, folder) for path in sorted((folder / top).rglob("*.py")) if "__pycache__" not in path.parts]


def room(name: str) -> str | None:
    """``core.attack.pools.pooled`` is in the room ``attack``; the face of a package is in none."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else None


def arrows(files: list[Source], top: str) -> dict[str, set[str]]:
    """By room: the other rooms that it imports from."""
    rooms = {found for file in files if (found := room(file.module)) is not None}
    out: dict[str, set[str]] = {name: set() for name in rooms}
    for file in files:
        own = room(file.module)
        for one in file.imports():
            other = room(one.name) if one.name.split(".")[0] == top else None
            if own is not None and other in rooms and other != own:
                out[own].add(other)
    return out


def functions(files: list[Source]) -> list[tuple[Source, ast.FunctionDef]]:
    """Every function and method."""
    return [(file, node) for file in files for node in ast.walk(file.tree) if isinstance(node, ast.FunctionDef)]


def parameters(node: ast.FunctionDef) -> int:
    """Named parameters, ``self`` and ``cls`` left out."""
    given = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in given if name not in ("self", "cls")])


def no_names(file: Source) -> list[str]:
    """Local names and parameters that say nothing of what they stand for; fields are part of the public face."""
    fields = {
        id(part.target)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign)
    }
    names = [
        (node.lineno, node.id if isinstance(node, ast.Name) else node.arg)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        if id(node) not in fields
    ]
    return [f"{file.name}:{line} {name}" for line, name in sorted(names) if name in NO_NAMES]


@dataclass(frozen=True)
class Size:
    """What is in a room, or in several: statements, functions, classes, module constants, words in strings."""

    statements: int = 0
    functions: int = 0
    classes: int = 0
    constants: int = 0
    words: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))


def size_of(file: Source) -> Size:
    """Count one file; a name of capitals on the level of the module is a constant."""
    nodes = list(ast.walk(file.tree))
    places = [
        node.targets[0] if isinstance(node, ast.Assign) else node.target
        for node in file.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    ]
    return Size(
        sum(isinstance(node, ast.stmt) and not is_docstring(node) for node in nodes),
        sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes),
        sum(isinstance(node, ast.ClassDef) for node in nodes),
        sum(isinstance(place, ast.Name) and place.id.isupper() for place in places),
        sum(len(str(text.value).split()) for text in file.texts()),
    )


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a bare string, as docstrings are and what stands under a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def sizes(folder: Path) -> dict[str, Size]:
    """Size of every room of a checkout, and of its tests."""
    by_room: dict[str, Size] = {}
    for top in ("core", "pages", "tests"):
        for file in sources(folder, top):
            name = top if top == "tests" else f"{top}/{room(file.module) or ''}".rstrip("/")
            by_room[name] = by_room.get(name, Size()) + size_of(file)
    return by_room


def over_budget(by_room: dict[str, Size]) -> list[str]:
    """Rooms with more statements than their budget and a tenth, or with none; core and pages, and tests, with more."""
    budgets = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    product = sum(size.statements for name, size in by_room.items() if name != "tests")
    sums = {"core and pages": product, "tests": by_room.get("tests", Size()).statements}
    rooms = {name: size.statements for name, size in by_room.items() if name != "tests"}
    over = [(name, held, budgets["statements"].get(name, 0), 1.1) for name, held in sorted(rooms.items())]
    over += [(name, held, budgets["sums"][name], 1.0) for name, held in sums.items()]
    return [
        f"{name}: {held:,} statements, budget {budget:,}" for name, held, budget, slack in over if held > slack * budget
    ]


def class_names_twice(files: list[Source]) -> dict[str, list[str]]:
    """Public classes that have one name in several files."""
    where: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where[node.name].append(file.name)
    return {name: files for name, files in sorted(where.items()) if len(files) > 1}


def twice(files: list[Source]) -> list[str]:
    """Top-level definitions that stand word for word in several files, docstrings left out."""
    where: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for node in file.tree.body:
            # `rail, stage = one_view()` is no definition: a page is a script, and takes places apart.
            named = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Tuple)
            if named and not isinstance(node.value, ast.Constant):
                where[ast.unparse(node)].add(file.name)
            elif isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                where["\n".join(ast.unparse(part) for part in body)].add(file.name)
    return sorted(
        f"{text.splitlines()[0][:60]}: {', '.join(sorted(names))}" for text, names in where.items() if len(names) > 1
    )


def count(folder: Path) -> dict[str, int | str]:
    """Every count of one checkout."""
    core, pages = sources(folder, "core"), sources(folder, "pages")
    product = [*core, *pages]
    counts: dict[str, int | str] = {}
    for top, files in (("core", core), ("pages", pages)):
        graph = arrows(files, top)
        counts[f"rooms of {top}"] = len(graph)
        counts[f"arrows between rooms of {top}"] = sum(len(others) for others in graph.values())
    every = functions(product)
    counts["functions"] = len(every)
    counts[f"functions with more than {MOST_PARAMETERS} parameters"] = sum(
        parameters(node) > MOST_PARAMETERS for _, node in every
    )
    counts["local names that say nothing (found, told, asked, ...)"] = sum(len(no_names(file)) for file in product)
    counts["definitions that stand twice"] = len(twice(product))
    counts["public class names that stand twice"] = len(class_names_twice(product))
    return counts


def main() -> None:
    """Print the counts of this checkout, and of others beside it; end with 1 where a room exceeds its budget."""
    folders = [ROOT, *(Path(name).resolve() for name in sys.argv[1:])]
    by_room = sizes(ROOT)
    print(f"{'':20}", *(f"{name:>11}" for name in vars(Size())))
    totals = {
        f"all of {top}": sum((size for name, size in by_room.items() if name.startswith(top)), Size())
        for top in ("core", "pages", "tests")
    }
    for name, size in [*sorted(by_room.items()), *totals.items()]:
        print(f"{name:20}", *(f"{number:>11,}" for number in vars(size).values()))
    columns = [count(folder) for folder in folders]
    for name in columns[0]:
        print(f"{name:62}", *(f"{column[name]:>8}" for column in columns))
    product = [*sources(ROOT, "core"), *sources(ROOT, "pages")]
    for file, node in functions(product):
        if parameters(node) > MOST_PARAMETERS:
            why = LONG.get(f"{file.name} {node.name}", "no reason is given")
            print(f"  {parameters(node)} parameters: {file.where(node)} {node.name}: {why}")
    too_large = over_budget(by_room)
    for title, texts in (
        ("says nothing", [text for file in product for text in no_names(file)]),
        ("twice", twice(product)),
        ("over budget", too_large),
    ):
        for text in texts:
            print(f"  {title}: {text}")
    sys.exit(1 if too_large else 0)


if __name__ == "__main__":
    main()
