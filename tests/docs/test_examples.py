"""Every name of the public face is documented in full, and its example runs as it is printed."""

import doctest
import inspect
import types

import pytest

import core

UNSOURCED = ("CompositionError", "read_table")
"""Names that no paper and no definition is behind."""


@pytest.mark.parametrize("name", core.__all__)
def test_the_example_of_a_public_name_runs(name: str) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(getattr(core, name), name, globs={})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", [name for name in core.__all__ if not inspect.ismodule(getattr(core, name))])
def test_a_public_name_has_parameters_results_refusals_and_a_source(name: str) -> None:
    public = getattr(core, name)
    text = inspect.getdoc(public) or ""
    headings = ("Parameters", "Returns", "Raises") if isinstance(public, types.FunctionType) else ("Parameters",)
    for heading in headings:
        assert f"\n{heading}\n{'-' * len(heading)}\n" in text
    assert name in UNSOURCED or "definitions §" in text or "[Ganta 2008" in text or "[Goryczka 2011" in text
