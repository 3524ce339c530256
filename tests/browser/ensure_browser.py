"""Make sure that there is a Chromium for the browser tests, and say what is done for that.

In this order:

1. a Chromium or Chrome that is installed already, the one named by COMPOSITION_CHROMIUM first;
2. the one that Playwright has downloaded before;
3. on Debian, as root: Debian's package `chromium`;
4. Playwright's own download, into its cache in the home folder.

Nothing is ever run as another user. A browser counts only once it has shown a page.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
    "/usr/bin/chromium-browser",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# A page needs a font to show text at all.
PACKAGES = ("chromium", "fonts-liberation")

# The tests assert that the page asks no other host for anything, so the browser must not do so
# on its own account; the last two make sure that nothing would arrive there.
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-quic",
    "--disable-sync",
    "--font-render-hinting=none",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


def is_root() -> bool:
    """Tell whether this runs as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def system_browsers(
    find: Callable[[str], str | None] = shutil.which, exists: Callable[[str], bool] = os.path.isfile
) -> list[str]:
    """Return the paths of installed browsers, each once, the most likely first."""
    named = [os.environ.get("COMPOSITION_CHROMIUM")]
    found = [find(command) for command in COMMANDS]
    there = [place for place in PLACES if exists(place)]
    return list(dict.fromkeys(path for path in (*named, *found, *there) if path))


def launch(playwright: Playwright, executable: str | None, arguments: Sequence[str] = ARGUMENTS) -> Browser | None:
    """Start a browser, None being Playwright's own; return None unless it starts and shows a page."""
    # Chromium's sandbox does not work for root, and not on every system for the others.
    for sandbox in (False,) if is_root() else (True, False):
        try:
            browser = playwright.chromium.launch(
                executable_path=executable, args=list(arguments), chromium_sandbox=sandbox, timeout=30_000
            )
        except Error:
            continue
        try:
            page = browser.new_page()
            page.goto("data:text/html,<title>shown</title>", timeout=15_000)
            shown = page.title() == "shown"
            page.close()
        except Error:
            shown = False
        if shown:
            return browser
        browser.close()
    return None


def open_browser(playwright: Playwright, arguments: Sequence[str] = ARGUMENTS) -> Browser | None:
    """Start the first browser that works; None when there is none."""
    for executable in (*system_browsers(), None):
        browser = launch(playwright, executable, arguments)
        if browser is not None:
            return browser
    return None


def works(executable: str | None) -> bool:
    """Tell whether a browser starts and shows a page."""
    with sync_playwright() as playwright:
        browser = launch(playwright, executable)
        if browser is None:
            return False
        browser.close()
        return True


def is_debian(os_release: Path = Path("/etc/os-release")) -> bool:
    """Tell whether this is Debian or close to it; Ubuntu's package `chromium` only leads to a snap."""
    try:
        lines = os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    names = f"{values.get('ID', '')} {values.get('ID_LIKE', '')}".replace('"', "").split()
    return "debian" in names and "ubuntu" not in names


def run(command: Sequence[str]) -> bool:
    """Run a command, its output going to ours; tell whether it succeeded."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def say(line: str) -> None:
    """Tell whoever waits what is done."""
    print(line, flush=True)


def ensure() -> bool:
    """Find or install a browser; tell whether there is one that works."""
    return find_installed() or install_from_debian() or download_with_playwright() or give_up()


def find_installed() -> bool:
    """Look for a browser of the system's, then for Playwright's."""
    for path in system_browsers():
        if works(path):
            say(f"Browser for the tests: {path}.")
            return True
        say(f"{path} does not start, so the browser tests look for another.")
    if works(None):
        say("Browser for the tests: the Chromium that Playwright has downloaded before.")
        return True
    return False


def install_from_debian() -> bool:
    """Install Debian's Chromium where apt and root are at hand."""
    apt = shutil.which("apt-get")
    if apt is None or not is_root() or not is_debian():
        return False
    say(
        "The browser tests need a Chromium and there is none: "
        f"installing Debian's packages {' and '.join(PACKAGES)} with apt-get (some 100 MB)."
    )
    # An update may fail for one source among several and the install succeed all the same.
    run([apt, "update", "-qq"])
    if not run([apt, "install", "-qq", "--yes", "--no-install-recommends", *PACKAGES]):
        say("apt-get could not install them.")
        return False
    return find_installed()


def download_with_playwright() -> bool:
    """Let Playwright download the Chromium that fits it."""
    say(
        "The browser tests need a Chromium and there is none: "
        "Playwright downloads its own into its cache in the home folder (some 200 MB)."
    )
    if not run([sys.executable, "-m", "playwright", "install", "chromium"]):
        say("Playwright could not download it.")
        return False
    return find_installed()


def give_up() -> bool:
    """Say in one sentence what a person can do."""
    say(
        "There is no browser that works for the tests: install Chromium or Chrome with your system's "
        "package manager, or, where only its libraries are missing, let an administrator run "
        f"'{sys.executable} -m playwright install-deps chromium', or run the other tests with "
        f"'{sys.executable} -m pytest -m \"not browser\"'."
    )
    return False


if __name__ == "__main__":
    sys.exit(0 if ensure() else 1)
