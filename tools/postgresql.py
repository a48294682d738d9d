"""Find PostgreSQL's programs for the tests, or install them: the store is tested on a server of
their own. Without them their tests are left out. Run by `make test-all`."""

import os
import shutil
from pathlib import Path

from tools.system import install


def installed() -> Path | None:
    """The folder of initdb and postgres, the newest there is, or None; CANDOR_POSTGRESQL names
    another one."""
    if named := os.environ.get("CANDOR_POSTGRESQL"):
        return Path(named)
    # Debian keeps them out of the way, so that several versions may be there
    kept = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if kept:
        return max(kept, key=lambda path: float(path.parent.name))
    found = shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def main() -> None:
    if installed() is None:
        print("No PostgreSQL found; installing one (once)...", flush=True)
        install("postgresql", recommended=False)
    if installed() is None:
        print(
            "No PostgreSQL could be installed: the tests of it are left out. To run them, install "
            "one (Debian: apt-get install postgresql), or set CANDOR_POSTGRESQL to the folder of "
            "its initdb."
        )


if __name__ == "__main__":
    main()
