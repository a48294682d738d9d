"""Whether a folder lies on an encrypted device, as far as Linux tells.

It asks the kernel alone: for the number of the device that the folder is on, and sysfs for that
device and everything that it is made of (partitions, LVM, RAID). A device of dm-crypt has a UUID
that begins with `CRYPT-`. A folder can also be encrypted by its file system (fscrypt), which its
flags tell.

Three answers are possible, and a warning is right for one of them only. Nothing can be told of file
systems whose number is no device's (Btrfs; ZFS, which has an encryption of its own; a network
share, a container's layers, memory), and nothing of what a drive or a host machine encrypts by
itself.
"""

import os
from pathlib import Path

from survey.store.durable_files import flags_of

# FS_ENCRYPT_FL in Linux, include/uapi/linux/fs.h
ENCRYPTED_FLAG = 0x800
DEVICES = Path("/sys/dev/block")  # by their numbers
ADVICE = (
    "Anyone who takes the disk can read the database, and on flash also what was deleted from it. "
    "Move the data folder to an encrypted device; docs/operating.md says how."
)


def find_unencrypted_device(folder: Path) -> str | None:
    """The name of the device that holds this folder, if the kernel tells that it is not encrypted;
    None if it is, or nothing can be told."""
    try:
        number = folder.stat().st_dev
        device = (DEVICES / f"{os.major(number)}:{os.minor(number)}").resolve(strict=True)
        if flags_of(folder) & ENCRYPTED_FLAG or is_encrypted(device) is not False:
            return None
        return device.name
    except OSError:
        return None


def is_encrypted(device: Path) -> bool | None:
    """Whether this device is, or everything that it is made of; None if that cannot be told."""
    name = device / "dm/uuid"
    if name.exists() and name.read_text().startswith("CRYPT-"):
        return True
    if (device / "partition").exists():
        return is_encrypted(device.parent)
    slaves = device / "slaves"
    parts = [is_encrypted(each.resolve()) for each in slaves.iterdir()] if slaves.exists() else []
    if parts:
        return False if False in parts else None if None in parts else True
    # A file, the memory, or a disk that another machine serves is no disk of this machine.
    elsewhere = (device / "loop").exists() or device.name.startswith(("zram", "ram", "nbd", "rbd"))
    return None if elsewhere else False
