"""Where the browser of the tests comes from, on machines that are only imagined."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.browser.ensure_browser import Machine, ensure, is_debian, system_browsers


@dataclass
class Imagined:
    """A machine: the browsers that work, and what each way of installing would add."""

    installed: list = field(default_factory=list)
    working: set = field(default_factory=set)
    root: bool = True
    debian: bool = True
    apt: str | None = "apt-get"
    apt_adds: str | None = "chromium"
    download_succeeds: bool = True
    download_works: bool = True
    commands: list = field(default_factory=list)
    said: list = field(default_factory=list)

    def run(self, command):
        self.commands.append(list(command))
        if "update" in command:
            return False
        if command[0] == self.apt:
            if self.apt_adds:
                self.installed.append(self.apt_adds)
                self.working.add(self.apt_adds)
            return self.apt_adds is not None
        if self.download_succeeds and self.download_works:
            self.working.add(None)
        return self.download_succeeds

    def ensure(self):
        return ensure(
            Machine(
                browsers=lambda: list(self.installed),
                works=lambda path: path in self.working,
                root=lambda: self.root,
                debian=lambda: self.debian,
                find=lambda name: self.apt,
                run=self.run,
                say=self.said.append,
            )
        )

    @property
    def used_apt(self):
        return any("install" in command and command[0] == self.apt for command in self.commands)

    @property
    def downloaded(self):
        return any("playwright" in command for command in self.commands)


def test_an_installed_browser_is_taken_and_nothing_is_installed():
    machine = Imagined(installed=["chromium"], working={"chromium"})
    assert machine.ensure()
    assert machine.commands == []
    assert machine.said == ["Browser for the tests: chromium."]


def test_debian_as_root_installs_debians_package_and_says_so_first():
    machine = Imagined()
    assert machine.ensure()
    assert machine.used_apt
    assert not machine.downloaded
    assert "installing Debian's packages chromium" in machine.said[0]
    assert machine.commands[-1][-2:] == ["chromium", "fonts-liberation"]


@pytest.mark.parametrize("lacking", [{"root": False}, {"debian": False}, {"apt": None}])
def test_elsewhere_playwright_downloads(lacking):
    machine = Imagined(**lacking)
    assert machine.ensure()
    assert not machine.used_apt
    assert machine.downloaded
    assert "Playwright downloads its own" in machine.said[0]


@pytest.mark.parametrize("failing", [{"download_succeeds": False}, {"download_works": False}])
def test_when_nothing_works_one_sentence_says_what_to_do(failing):
    machine = Imagined(apt=None, **failing)
    assert not machine.ensure()
    assert machine.said[-1].count(". ") == 0
    assert "not browser" in machine.said[-1]


def test_no_command_changes_user():
    machine = Imagined(apt_adds=None, download_succeeds=False)
    machine.ensure()
    assert machine.commands
    assert not any("su" in Path(command[0]).name for command in machine.commands)


def test_a_browser_is_named_once_and_the_one_asked_for_comes_first(monkeypatch):
    monkeypatch.setenv("COMPOSITION_CHROMIUM", "mine")
    paths = {"chromium": "/usr/bin/chromium", "google-chrome": "/opt/chrome"}
    found = system_browsers(find=paths.get, exists=lambda place: place == "/usr/bin/chromium")
    assert found == ["mine", "/usr/bin/chromium", "/opt/chrome"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("ID=debian\n", True),
        ('ID=raspbian\nID_LIKE="debian"\n', True),
        ("ID=ubuntu\nID_LIKE=debian\n", False),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', False),
        ("ID=fedora\n", False),
        ("", False),
    ],
)
def test_debian_is_told_from_its_release_file(tmp_path, text, expected):
    release = tmp_path / "os-release"
    release.write_text(text)
    assert is_debian(release) is expected
