"""Find HAProxy for the tests, or install it. Run by `make test-all`.

The tests run the real program with the configuration in deploy/. Without it, `make test-all` skips
these tests.
"""

import os
import shutil

from tools.system import install


def installed() -> str | None:
    """The path of an installed haproxy, or None. CANDOR_HAPROXY names another one."""
    if named := os.environ.get("CANDOR_HAPROXY"):
        return named
    # These folders are only in root's PATH.
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


def main() -> None:
    if installed() is None:
        print("No HAProxy found; installing one (once)...", flush=True)
        install("haproxy", recommended=False)
    if installed() is None:
        print(
            "No HAProxy could be installed, so the tests of deploy/haproxy.cfg are skipped. To run "
            "them, install one (Debian: apt-get install haproxy), or set CANDOR_HAPROXY to it."
        )


if __name__ == "__main__":
    main()
