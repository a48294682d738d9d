"""Find an R for the tests, or install one. Run by `make test-all`.

The tests run the R scripts of the export bundle. Without R, `make test-all` skips these tests.
"""

import os
import shutil

from tools.system import install


def installed() -> str | None:
    """The path of an installed Rscript, or None. CANDOR_RSCRIPT names another one."""
    return os.environ.get("CANDOR_RSCRIPT") or shutil.which("Rscript")


def main() -> None:
    if installed() is None:
        print("No R found; installing one (once)...", flush=True)
        install("r-base-core", recommended=False)
    if installed() is None:
        print(
            "No R could be installed, so the tests of estimate.R are skipped. To run them, install "
            "one (Debian: apt-get install r-base-core), or set CANDOR_RSCRIPT to its Rscript."
        )


if __name__ == "__main__":
    main()
