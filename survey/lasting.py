"""Files and folders that are still there after a loss of power.

What a program writes, and the name under which it does, may stay in memory for half a minute unless
the file and the folder are synced.
"""

import os
import secrets
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, if need be. Raises OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in reversed(missing):
        sync(made.parent)


def write_once(path: Path, text: str) -> bool:
    """Make a file that only its owner may read, whole or not at all; False if there is one.

    Raises OSError."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # unlike a rename, it replaces nothing
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    sync(path.parent)
    return True


def sync(folder: Path) -> None:
    """Wait until the folder's names are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
