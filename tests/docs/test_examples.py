"""Every name of the public face has an example, and it runs as it is printed."""

import doctest

import pytest

import core


@pytest.mark.parametrize("name", core.__all__)
def test_the_example_of_a_public_name_runs(name: str) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(getattr(core, name), name, globs={})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
