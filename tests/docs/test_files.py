"""The page of forms says what becomes of each today."""

from tests import forms


def test_the_page_is_as_the_program_behaves() -> None:
    assert forms.PAGE.read_text(encoding="utf-8") == forms.written(), "write it anew by python -m tests.forms"


def test_what_is_common_is_read() -> None:
    found = {form: state for of_heading in forms.rows().values() for form, state, _ in of_heading}
    common = ("`*`", "`NA`", "(blank)", "`.`", "`{A, B}`", "`A,B`", "`['A', 'B']`", "`20-29 years`", "`010XX`")
    assert {form: found[form] for form in common} == dict.fromkeys(common, "read")
    assert set(found.values()) == {"read", "asked", "refused"}
