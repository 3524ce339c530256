"""The project's own source, as files and syntax trees, for the tests of the house rules."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, which several tests look through."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@dataclass(frozen=True)
class Import:
    """One imported module: its full name, where, and how soon it is imported."""

    name: str
    line: int
    at_module_level: bool
    for_types_only: bool


@dataclass(frozen=True)
class Source:
    """One Python file."""

    path: Path
    root: Path = ROOT

    @property
    def name(self) -> str:
        """The path below the project's folder."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def module(self) -> str:
        """The dotted name; that of a package for its ``__init__.py``."""
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def tree(self) -> ast.Module:
        return parsed(self.path)

    def where(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield each call with the last name of what is called."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node, last_name(node.func)

    def texts(self) -> Iterator[ast.Constant]:
        """Yield each string that is not a docstring."""
        nodes = list(ast.walk(self.tree))
        documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and id(node) not in documentation:
                yield node

    def imports(self) -> list[Import]:
        """Return every import with relative names made absolute; ``from a import b`` gives ``a.b``."""
        return self._all_imports

    @functools.cached_property
    def _all_imports(self) -> list[Import]:
        return list(self._imports(self.tree, at_module_level=True, for_types_only=False))

    def _imports(self, node: ast.AST, at_module_level: bool, for_types_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue  # most of a tree, and none holds a statement
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(alias.name, child.lineno, at_module_level, for_types_only)
            elif isinstance(child, ast.ImportFrom):
                base = self._absolute(child)
                for alias in child.names:
                    yield Import(f"{base}.{alias.name}", child.lineno, at_module_level, for_types_only)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                typing = isinstance(child, ast.If) and last_name(child.test) == "TYPE_CHECKING"
                yield from self._imports(child, at_module_level and not inside, for_types_only or typing)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        package = parts if self.path.name == "__init__.py" else parts[:-1]
        above = package[: len(package) - (node.level - 1)]
        return ".".join([*above, *([node.module] if node.module else [])])


def last_name(node: ast.AST) -> str:
    """Return ``c`` for ``a.b.c`` and for ``c``; "" for anything without a name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def python_files(*places: str) -> list[Source]:
    """Return the Python files of some folders and files of the project; what is absent has none."""
    found: list[Path] = []
    for place in places:
        path = ROOT / place
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [Source(path) for path in found if "__pycache__" not in path.parts]


def project_files() -> list[Path]:
    """Return every file that belongs to the project, as git sees it, tracked or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:
        # A copy without its history.
        paths = [path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.parts)]
    return [path for path in paths if path.is_file()]
