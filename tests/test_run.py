"""The parts of ``make test`` hold every test, and one that fails is noticed."""

from pathlib import Path

from tests import run

ROOT = Path(__file__).resolve().parents[1]


def test_every_file_is_in_one_part():
    parts = run.parts()
    assert parts.pop("with a browser") == ["-m", "browser"]
    files = [name for arguments in parts.values() for name in arguments[2:]]
    assert len(files) == len(set(files))
    assert {ROOT / name for name in files} == set((ROOT / "tests").rglob("test_*.py"))
    assert all(arguments[:2] == ["-m", "not browser"] for arguments in parts.values())


def test_a_part_that_fails_is_noticed(tmp_path):
    (tmp_path / "test_bad.py").write_text("def test_bad():\n    assert 1 == 2\n")
    (tmp_path / "test_good.py").write_text("def test_good():\n    pass\n")
    alone = ["--rootdir", str(tmp_path), "-c", str(tmp_path / "none.ini")]
    (tmp_path / "none.ini").write_text("[pytest]\n")
    passed, said = run.run([*alone, str(tmp_path / "test_bad.py")])
    assert not passed
    assert "assert 1 == 2" in said
    assert run.run([*alone, str(tmp_path / "test_good.py")])[0]
    assert run.run([*alone, "-k", "nothing", str(tmp_path / "test_good.py")])[0], "a part may be empty"
    assert not run.run([*alone, str(tmp_path / "test_gone.py")])[0]
