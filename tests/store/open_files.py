"""Files that a process has open, for several test modules."""

import os
from pathlib import Path


def files_open(path: Path) -> int:
    """The number of times that this process has the database open."""
    found = 0
    for each in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{each}") == str(path)
        except FileNotFoundError:  # the descriptor of the listing itself
            continue
    return found
