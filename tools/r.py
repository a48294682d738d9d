"""Find an R for the tests, or install one, with its package haven. Run by `make test-all`.

The tests run the R scripts of the export bundle, and read files of Stata and SPSS with haven.
Without R or haven, `make test-all` skips these tests.
"""

import os
import shutil
import subprocess
from functools import cache

from tools.system import install


def installed() -> str | None:
    """The path of an installed Rscript, or None. CANDOR_RSCRIPT names another one."""
    return os.environ.get("CANDOR_RSCRIPT") or shutil.which("Rscript")


@cache
def has_haven() -> bool:
    """Whether R can read files of Stata and SPSS."""
    rscript = installed()
    if rscript is None:
        return False
    command = [rscript, "-e", 'stopifnot(requireNamespace("haven", quietly = TRUE))']
    return subprocess.run(command, capture_output=True).returncode == 0


def main() -> None:
    if installed() is None:
        print("No R found; installing one (once)...", flush=True)
        install("r-base-core", recommended=False)
    if installed() is None:
        print(
            "No R could be installed, so the tests of estimate.R are skipped. To run them, install "
            "one (Debian: apt-get install r-base-core), or set CANDOR_RSCRIPT to its Rscript."
        )
        return
    if not has_haven():
        print("R has no package haven; installing it (once)...", flush=True)
        has_haven.cache_clear()
        if not install("r-cran-haven", recommended=False) or not has_haven():
            print(
                "haven could not be installed, so R does not read files of Stata and SPSS in the "
                'tests. To read them, run in R: install.packages("haven").'
            )


if __name__ == "__main__":
    main()
