"""Find an R for the tests, or install one: they run estimate.R of what people take home. Without
one `make test-all` goes on, and leaves these tests out. Run by `make test-all`."""

import os
import shutil

from tools.system import install


def installed() -> str | None:
    """The path of an Rscript that is there, or None; CANDOR_RSCRIPT names another one."""
    return os.environ.get("CANDOR_RSCRIPT") or shutil.which("Rscript")


def main() -> None:
    if installed() is None:
        print("No R found; installing one (once)...", flush=True)
        install("r-base-core", recommended=False)
    if installed() is None:
        print(
            "No R could be installed: the tests of estimate.R are left out. To run them, install "
            "one (Debian: apt-get install r-base-core), or set CANDOR_RSCRIPT to its Rscript."
        )


if __name__ == "__main__":
    main()
