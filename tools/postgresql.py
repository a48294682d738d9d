"""Find the programs of PostgreSQL for the tests, or install them. Run by `make test-all`.

The tests of the store run their own server. Without the programs, these tests are skipped.
"""

import os
import shutil
from pathlib import Path

from tools.system import install


def installed() -> Path | None:
    """The folder of initdb and postgres, in the newest version, or None.

    CANDOR_POSTGRESQL names another one.
    """
    if named := os.environ.get("CANDOR_POSTGRESQL"):
        return Path(named)
    # Debian keeps them outside of PATH, so that several versions can be installed.
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
            "No PostgreSQL could be installed, so its tests are skipped. To run them, install one "
            "(Debian: apt-get install postgresql), or set CANDOR_POSTGRESQL to the folder of its "
            "initdb."
        )


if __name__ == "__main__":
    main()
