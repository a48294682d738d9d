"""Find a Chromium for the tests, or install one. Run by the commands that run tests.

It looks for a path in CANDOR_CHROMIUM and an installed browser. Otherwise it uses the package
manager of the system, then Playwright's download.

If the system has it, it also finds or installs Chromium's headless shell. This is the same engine
without windows, and it needs less than half the processor time. It writes no history and no
sessions, so the tests of traces on the disk need the whole browser.
"""

import os
import shutil
import sys
from pathlib import Path

from tools.system import install as install_packages
from tools.system import run

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
SHELL = "chromium-headless-shell"  # the name of the program and of its package
DRIVER = "libatomic1"  # Playwright's driver needs it, and minimal Debian images lack it


def installed() -> str | None:
    """The path of an installed Chromium, or None."""
    named = os.environ.get("CANDOR_CHROMIUM")
    if named:
        return named
    for name in NAMES:
        if path := shutil.which(name):
            return path
    for path in MACOS:
        if Path(path).exists():
            return path
    return playwrights_own()


def light() -> str | None:
    """The path of a headless shell, otherwise of a whole Chromium, or None."""
    return os.environ.get("CANDOR_CHROMIUM") or shutil.which(SHELL) or installed()


def playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    print("No Chromium found; installing one (once)...", flush=True)
    if not install_packages("chromium", DRIVER):
        run(sys.executable, "-m", "playwright", "install", "chromium")


def main() -> None:
    if shutil.which("apt-get") and not list(Path("/usr/lib").glob("*/libatomic.so.1")):
        install_packages(DRIVER, update=False)
    if installed() is None:
        install()
    if installed() is None:
        sys.exit(
            "No Chromium could be installed. Install one (Debian: apt-get install chromium), "
            "or set CANDOR_CHROMIUM to its path."
        )
    if light() == installed() and "CANDOR_CHROMIUM" not in os.environ:
        print("Installing Chromium's headless shell (once)...", flush=True)
        if not install_packages(SHELL):
            print("The installation failed: tests that use a browser will take twice as long.")


if __name__ == "__main__":
    main()
