"""The command `candor` of an installed Candor.

The folder `program` has the same files as a clone of the repository, such as app.py and survey/.
Only Candor's own process has it on its path, so the names of these modules belong to nobody else.
"""

import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).with_name("program")))
    from app import main as run

    run()


if __name__ == "__main__":
    main()
