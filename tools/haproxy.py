"""Find HAProxy for the tests, or install it: the configuration in deploy/ is tested with the real
one. Without it `make test-all` goes on, and leaves these tests out. Run by `make test-all`."""

import os
import shutil

from tools.system import install


def installed() -> str | None:
    """The path of an haproxy that is there, or None; CANDOR_HAPROXY names another one."""
    if named := os.environ.get("CANDOR_HAPROXY"):
        return named
    # where only root's PATH leads
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


def main() -> None:
    if installed() is None:
        print("No HAProxy found; installing one (once)...", flush=True)
        install("haproxy", recommended=False)
    if installed() is None:
        print(
            "No HAProxy could be installed: the tests of deploy/haproxy.cfg are left out. To run "
            "them, install one (Debian: apt-get install haproxy), or set CANDOR_HAPROXY to it."
        )


if __name__ == "__main__":
    main()
