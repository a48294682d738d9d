"""Find Firefox and WebKit for the tests, or install them. Run by `make test-all`.

The tests go through respondents' flows in these browsers too. Without them, `make test-all` skips
these tests. WebKit comes as MiniBrowser with its driver, and shows itself on a virtual screen.
"""

import os
import shutil
from pathlib import Path

from tools.system import install

PACKAGES = ("firefox-esr", "webkit2gtk-driver", "xvfb")


def firefox() -> str | None:
    """The path of an installed Firefox, or None. CANDOR_FIREFOX names another one."""
    if named := os.environ.get("CANDOR_FIREFOX"):
        return named
    return shutil.which("firefox-esr") or shutil.which("firefox")


def webkit() -> tuple[str, str, str] | None:
    """The paths of WebKit's driver, of MiniBrowser and of the virtual screen, or None."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    programs = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return (driver, str(programs[-1]), screen) if driver and screen and programs else None


def main() -> None:
    if firefox() is None or webkit() is None:
        print("Installing Firefox and WebKit (once)...", flush=True)
        install(*PACKAGES, recommended=False)
    if firefox() is None or webkit() is None:
        print(
            "Firefox or WebKit could not be installed, so their tests are skipped. To run them, "
            f"install these packages of Debian: {' '.join(PACKAGES)}."
        )


if __name__ == "__main__":
    main()
