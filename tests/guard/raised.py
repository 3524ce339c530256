"""Every `raise` of the program is noted when it runs, so that one that no test reaches can be named.

A folder keeps two files for each text of a module that was loaded: its code, with a note before each `raise`, and the
lines of those that ran. A module that was changed has others.
"""

import ast
import hashlib
import marshal
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

FOLDER = "COMPOSITION_RAISED"
"""Variable of the environment that names the folder, for this process and those that it starts."""
PROGRAM = ("core", "pages")
REASON = "# not tested: "
"""What stands behind or above a `raise` that no test can reach, before the reason."""


def kept(folder: str, path: str, source: bytes, end: str) -> Path:
    """Return where something about a text of a module is kept."""
    return Path(folder, hashlib.sha256(path.encode() + source).hexdigest()[:32]).with_suffix(f".{end}")


class Marked(ast.NodeTransformer):
    """Put a note before each `raise`."""

    def visit_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        note = ast.parse(f"__raised__({node.lineno})").body[0]
        for each in ast.walk(note):
            ast.copy_location(each, node)
        return [note, node]


class Loader(SourceFileLoader):
    """Load a module with its notes; its code is kept, as Python keeps it."""

    def get_code(self, fullname: str) -> object:
        """Return the code, made once for each text, place and Python."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        code = kept(os.environ[FOLDER], path, source, str(sys.implementation.cache_tag))
        if not code.exists():
            part = code.with_suffix(f".{os.getpid()}")
            part.write_bytes(marshal.dumps(compile(Marked().visit(ast.parse(source)), path, "exec", dont_inherit=True)))
            part.replace(code)
        return marshal.loads(code.read_bytes())

    def exec_module(self, module: object) -> None:
        """Run a module that can note."""
        lines = kept(os.environ[FOLDER], self.path, self.get_data(self.path), "lines")
        seen: set[int] = set()

        def note(line: int) -> None:
            if line not in seen:
                seen.add(line)
                with lines.open("a") as file:
                    file.write(f"{line}\n")

        module.__dict__["__raised__"] = note
        super().exec_module(module)


class Finder(MetaPathFinder):
    """Find the modules of the program before Python does."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return how to load a module of the program."""
        spec = PathFinder.find_spec(name, path, target) if name.partition(".")[0] in PROGRAM else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Note from here on, in this process; those that it starts have the same environment."""
    Path(os.environ[FOLDER]).mkdir(exist_ok=True)
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def missed(root: Path, folder: str) -> list[str]:
    """Return each `raise` that did not run and has no reason beside it, by file and line."""
    left = []
    for path in sorted(each for part in PROGRAM for each in (root / part).rglob("*.py")):
        source = path.read_bytes()
        text, ran = source.decode().splitlines(), kept(folder, str(path), source, "lines")
        reached = set(map(int, ran.read_text().split())) if ran.exists() else set()
        lines = sorted(node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise))
        left += [
            f"{path.relative_to(root)}:{line}: {text[line - 1].strip()}"
            for line in lines
            if line not in reached and REASON not in "".join(text[line - 2 : line])
        ]
    return left


if __name__ == "__main__":
    found = missed(Path(__file__).resolve().parents[2], sys.argv[1])
    print(*found, sep="\n")
    sys.exit(f"{len(found):,} statements that raise are reached by no test." if found else 0)
