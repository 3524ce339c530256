"""Where the browser of the tests comes from, on machines that are only imagined."""

from collections.abc import Sequence

import pytest

from tests.browser import ensure_browser

APT, PLAYWRIGHT = "apt-get", "playwright"
Commands = list[Sequence[str]]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    """What is run on a Debian without a browser, as root, where whatever is installed works."""
    commands: Commands = []
    working: set[str | None] = set()

    def run(command: Sequence[str]) -> bool:
        commands.append(command)
        if "install" in command:
            working.add(None if PLAYWRIGHT in command else "chromium")
        return "update" not in command

    monkeypatch.setattr(ensure_browser, "run", run)
    monkeypatch.setattr(ensure_browser, "works", working.__contains__)
    monkeypatch.setattr(ensure_browser, "system_browsers", lambda: sorted(working - {None}))
    monkeypatch.setattr(ensure_browser, "is_root", lambda: True)
    monkeypatch.setattr(ensure_browser, "is_debian", lambda: True)
    monkeypatch.setattr(ensure_browser.shutil, "which", lambda _: APT)
    return commands


def test_debian_as_root_installs_debians_package_and_says_so_first(
    commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ensure_browser.ensure()
    assert commands[-1][:2] == [APT, "install"]
    assert commands[-1][-2:] == ["chromium", "fonts-liberation"]
    assert "installing Debian's packages chromium" in capsys.readouterr().out.splitlines()[0]
    many = len(commands)
    assert ensure_browser.ensure()
    assert len(commands) == many, "a browser that works is taken, and nothing is installed"
    assert capsys.readouterr().out == "Browser for the tests: chromium.\n"


@pytest.mark.parametrize("lacking", ["is_root", "is_debian"])
def test_elsewhere_playwright_downloads(commands: Commands, lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensure_browser, lacking, lambda: False)
    assert ensure_browser.ensure()
    assert [PLAYWRIGHT in command for command in commands] == [True]


def test_when_nothing_works_one_sentence_says_what_to_do(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ensure_browser, "works", lambda _: False)
    assert not ensure_browser.ensure()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.count(". ") == 0
    assert "not browser" in last


def test_a_browser_is_named_once_and_the_one_asked_for_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPOSITION_CHROMIUM", "mine")
    paths = {"chromium": "/usr/bin/chromium", "google-chrome": "/opt/chrome"}
    found = ensure_browser.system_browsers(find=paths.get, exists=lambda place: place == "/usr/bin/chromium")
    assert found == ["mine", "/usr/bin/chromium", "/opt/chrome"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("ID=debian\n", True),
        ('ID=raspbian\nID_LIKE="debian"\n', True),
        ("ID=ubuntu\nID_LIKE=debian\n", False),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', False),
        ("", False),
    ],
)
def test_debian_is_told_from_its_release_file(tmp_path, text, expected):
    release = tmp_path / "os-release"
    release.write_text(text)
    assert ensure_browser.is_debian(release) is expected
