"""Files and folders that survive a loss of power, and that only their owner can read.

Data that a program writes, and the name of its file, may stay in memory for half a minute unless
the file and the folder are synced. The umask of the shell that started the program decides who may
read the file. On most machines it allows every user.
"""

import fcntl
import os
import secrets
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PIECE_BYTES = 2**20
# FS_IOC_GETFLAGS of a 64-bit kernel, in Linux, include/uapi/linux/fs.h
GET_FLAGS = 0x80086601
OTHERS_RIGHTS = stat.S_IRWXG | stat.S_IRWXO
OWNERS_FILE = 0o600
OWNERS_FOLDER = 0o700


def make_folder(folder: Path) -> None:
    """Create a folder for its owner only, with missing parent folders. Raises OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for new_folder in reversed(missing):
        new_folder.mkdir(OWNERS_FOLDER, exist_ok=True)
        sync_to_disk(new_folder.parent)


@contextmanager
def writing_for_owner() -> Iterator[None]:
    """All files that this process creates in the block are for their owner only."""
    before = os.umask(OTHERS_RIGHTS)
    try:
        yield
    finally:
        os.umask(before)


def shut_out_others(path: Path) -> bool:
    """Remove everyone's rights on a file except the owner's; whether there were any.

    Ignores anything that is not a regular file. Raises OSError.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode) or not mode & OTHERS_RIGHTS:
        return False
    path.chmod(stat.S_IMODE(mode) & ~OTHERS_RIGHTS)
    return True


def write_once(path: Path, text: str) -> bool:
    """Create a file that only its owner can read, complete or not at all.

    Returns False if the file exists. Raises OSError.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        write_new_file(draft, text)
        os.link(draft, path)  # Unlike a rename, a link never replaces a file.
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    sync_to_disk(path.parent)
    return True


def replace_file(path: Path, text: str) -> None:
    """Replace the text of a file that only its owner can read, or leave it. Raises OSError."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)  # An interrupted call may have left it.
    write_new_file(draft, text)
    draft.replace(path)
    sync_to_disk(path.parent)


def write_new_file(path: Path, text: str) -> None:
    """Write a new file that only its owner can read. The caller syncs the folder."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS_FILE)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def erase_file(path: Path) -> None:
    """Overwrite a file with zeros, and remove it. Raises OSError.

    A symbolic link, or a file with other names, is only removed, because its contents stay.
    """
    status = path.lstat()
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
        with path.open("r+b") as file:
            left = status.st_size
            while left > 0:
                left -= file.write(bytes(min(left, PIECE_BYTES)))
            file.flush()
            os.fsync(file.fileno())
    path.unlink()


def sync_to_disk(path: Path) -> None:
    """Wait until a file, or the list of files in a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flags_of(folder: Path) -> int:
    """The flags of a folder in its Linux file system, or 0 if it has none.

    Raises OSError if the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flags = fcntl.ioctl(descriptor, GET_FLAGS, struct.pack("l", 0))
        return int(struct.unpack("l", flags)[0])
    except OSError:
        return 0
    finally:
        os.close(descriptor)
