"""Makes the wheel's one package out of the folders of the repository.

In the repository the code imports ``core`` and ``pages``; in site-packages names as common as
these would collide. So app.py, ``core``, ``pages``, ``assets`` and the settings go under
``composition_dashboard``, and each import is rewritten where it stands: nothing else of a file
changes, and its lines keep their numbers. What comes out is compared, as a syntax tree, with the
tree that was meant; a form that this file does not know ends the build. Installed in place (``pip install -e .``),
the one package leads to the folder of the repository instead, by what ``composition_dashboard.py`` says there.
"""

from __future__ import annotations

import ast
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "composition_dashboard"
ROOTS = ("core", "pages")
"""Folders of modules, imported by their names in the repository."""
ALONE = ("app.py", "launch.py", ".streamlit/config.toml", "docs/guide.md", "docs/lesson.md")

START = f'''"""Composition: what a release reveals once another hospital publishes too.

``from {PACKAGE} import Policy`` has the library's names, ``{PACKAGE}.core`` all its rooms.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from {PACKAGE}.core import *

from {PACKAGE}.core import __all__, __dir__, __getattr__, __version__  # core's own, which know where each name is
'''
MAIN = f'''"""``python -m {PACKAGE}``: the app."""

import sys

from {PACKAGE}.launch import main

if __name__ == "__main__":
    sys.exit(main())
'''
IN_PLACE = '''"""Composition in the folder of its repository, where modules import ``core`` and ``pages``."""

import sys

sys.path.append({root!r})
'''


class FormError(ValueError):
    """An import, or the name of a module, in a form that is not rewritten."""


def rewritten(text: str, where: str) -> str:
    """Return a module of the repository as it is in the package.

    Parameters
    ----------
    text
        Its source.
    where
        Its name, for errors.

    Raises
    ------
    FormError
        For ``import core.x`` if ``core`` is then used, and for names of modules in texts.
    """
    lines = text.split("\n")
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and is_ours(node.module):
            _put(lines, node, rf"from\s+(?={node.module}\b)", f"from {PACKAGE}.", where)
        elif isinstance(node, ast.Import) and any(is_ours(name.name) for name in node.names):
            name = node.names[0].name
            if len(node.names) != 1 or (_for_its_effect(node.names[0]) and name.partition(".")[0] in used):
                raise FormError(f"{where}:{node.lineno}: write 'from package import name'")
            words = ast.unparse(_meant(node.names[0]))
            as_it_is = f" as {node.names[0].asname}" if node.names[0].asname else ""
            _put(lines, node, rf"import\s+{name}{as_it_is}(?![\w.])", words, where)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _names_module(node.value):
            raise FormError(f"{where}:{node.lineno}: a text names the module {node.value}; make it from __package__")
    result = "\n".join(lines)
    if ast.dump(ast.parse(result)) != ast.dump(_Meant().visit(tree)):
        raise FormError(f"{where}: the imports could not be rewritten")
    return result


def is_ours(module: str | None) -> bool:
    """Whether a module is one of the repository's."""
    return module is not None and module.partition(".")[0] in ROOTS


def _names_module(text: str) -> bool:
    return re.fullmatch(rf"({'|'.join(ROOTS)})(\.[a-z_]\w*)+", text) is not None


def _put(lines: list[str], node: ast.stmt, pattern: str, words: str, where: str) -> None:
    line = lines[node.lineno - 1]
    # Columns count bytes, and nothing stands before an import but blanks and statements in ASCII.
    head, tail = line[: node.col_offset], line[node.col_offset :]
    tail, times = re.subn(rf"\A{pattern}", words, tail)
    if times != 1:
        raise FormError(f"{where}:{node.lineno}: this import is not rewritten")
    lines[node.lineno - 1] = head + tail


def _for_its_effect(one: ast.alias) -> bool:
    """Whether ``import core.x`` stands without another name: it loads a module, and binds ``core``."""
    return "." in one.name and one.asname is None


def _meant(one: ast.alias) -> ast.stmt:
    """The statement for one name of an ``import``."""
    if _for_its_effect(one):
        return ast.Import([ast.alias(f"{PACKAGE}.{one.name}")])
    module, _, last = one.name.rpartition(".")
    return ast.ImportFrom(f"{PACKAGE}.{module}" if module else PACKAGE, [ast.alias(last, one.asname)], 0)


class _Meant(ast.NodeTransformer):
    """The syntax tree that a module should have in the package."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.level == 0 and is_ours(node.module):
            return ast.ImportFrom(f"{PACKAGE}.{node.module}", node.names, 0)
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return _meant(node.names[0]) if is_ours(node.names[0].name) else node


def files(root: Path) -> Iterator[Path]:
    """Yield what goes into the package, named from the root of the repository, in a fixed order."""
    yield from (Path(name) for name in ALONE)
    for folder in ROOTS:
        yield from (path.relative_to(root) for path in sorted((root / folder).rglob("*.py")))
    for path in sorted((root / "assets").rglob("*")):
        if path.is_file():
            yield path.relative_to(root)


def stage(root: Path, folder: Path) -> None:
    """Write the package into an empty folder."""
    for path in files(root):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        content = (root / path).read_bytes()
        if path.suffix == ".py":
            content = rewritten(content.decode("utf-8"), str(path)).encode()
        place.write_bytes(content)
    (folder / "__init__.py").write_text(START, encoding="utf-8")
    (folder / "__main__.py").write_text(MAIN, encoding="utf-8")
    (folder / "py.typed").write_text("", encoding="utf-8")


class PackageHook(BuildHookInterface[Any]):
    """What hatchling runs before and after it makes the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stage the package and have it put into the wheel."""
        self._folder = Path(tempfile.mkdtemp(prefix="composition-wheel-"))
        if version == "editable":
            leading = (Path(self.root) / f"{PACKAGE}.py").read_text(encoding="utf-8")
            (self._folder / "__init__.py").write_text(IN_PLACE.format(root=self.root) + leading, encoding="utf-8")
            build_data["force_include_editable"][str(self._folder)] = PACKAGE
        else:
            stage(Path(self.root), self._folder)
            build_data["force_include"][str(self._folder)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Take away what was staged."""
        shutil.rmtree(self._folder, ignore_errors=True)
