"""The name that the library has where it is installed, here in the folder of its repository.

``from composition_dashboard import Policy`` gives what ``core`` has, and ``composition_dashboard.core.engine`` is
``core.engine``: each module is loaded once, whatever it is called. The wheel has a package of this name instead, which
``delivery/build_hook.py`` makes.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# These are core's own, which know where each name is.
from core import __all__, __dir__, __getattr__, __version__  # noqa: F401

__path__: list[str] = []


class _Same(MetaPathFinder, Loader):
    """Finds a module below this name as the module that the repository has."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """Find ``composition_dashboard.x`` if there is ``x``."""
        package, _, own = fullname.partition(".")
        if package != __name__:
            return None
        # Its own spec comes back after the import, which puts another in its place.
        return ModuleSpec(fullname, self, loader_state=import_module(own).__spec__)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, which is loaded already."""
        return import_module(spec.name.partition(".")[2])

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


# Before the finder of files, which would load a module a second time under this name.
sys.meta_path.insert(0, _Same())
