"""Whether a folder lies on an encrypted device, as far as Linux reports it.

It reads only from the kernel: /proc/self/mountinfo for the mount of the folder, and sysfs for the
block device below the mount with its partitions, LVM volumes and RAID members. A device of dm-crypt
has a UUID that begins with `CRYPT-`. A file system can also encrypt the folder itself (fscrypt);
the flags of the folder show this.

There are three answers, and only one of them deserves a warning. Linux reports nothing about file
systems without a block device of this machine: ZFS (which has its own encryption), network shares,
the layers of a container, and memory. It also does not see encryption inside a drive or by a host
machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from survey.store.durable_files import flags_of

# FS_ENCRYPT_FL in Linux, include/uapi/linux/fs.h
ENCRYPTED_FLAG = 0x800
ROOT = Path("/")
ADVICE = (
    "Anyone who takes the disk can read the database. On flash storage they can also read deleted "
    "data. Move the data folder to an encrypted device: see docs/how-to/encrypt-the-disk.md."
)


@dataclass(frozen=True)
class Mount:
    """A line of mountinfo.

    `number` is the device number, such as 254:0. Its first part is 0 if the file system has a
    number that belongs to no device.
    """

    number: str
    point: Path
    source: str


def find_unencrypted_device(folder: Path, root: Path = ROOT) -> str | None:
    """The name of the device that holds this folder, if the kernel reports it as not encrypted.

    None if it is encrypted, or if the kernel reports nothing.

    Parameters
    ----------
    root : the folder that contains /proc and /sys
    """
    try:
        folder = folder.resolve()
        device = find_device(find_mount(folder, root), root)
        if device is None or flags_of(folder) & ENCRYPTED_FLAG or is_encrypted(device) is not False:
            return None
        return device.name
    except (OSError, ValueError, IndexError):
        return None


def find_mount(folder: Path, root: Path) -> Mount:
    """The innermost mount that contains the folder. Raises ValueError if there is none.

    Of several mounts at one place it is the last, which hides the others.
    """
    text = (root / "proc/self/mountinfo").read_text()
    around = [mount for mount in parse_mounts(text) if folder.is_relative_to(mount.point)]
    if not around:
        raise ValueError("No mount contains this folder.")
    deepest = max(len(mount.point.parts) for mount in around)
    return [mount for mount in around if len(mount.point.parts) == deepest][-1]


def parse_mounts(text: str) -> Iterator[Mount]:
    # https://docs.kernel.org/filesystems/proc.html, section 3.5
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        _, _, number, _, point, *_ = before.split(" ")
        yield Mount(number, Path(unescape(point)), unescape(after.split(" ")[1]))


def unescape(path: str) -> str:
    """Replace the octal escapes that mountinfo writes for blanks and similar characters."""
    first, *rest = path.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in rest)


def find_device(mount: Mount, root: Path) -> Path | None:
    """The folder of the block device in sysfs, or None if it has no device on this machine."""
    if mount.number.startswith("0:"):
        # Btrfs has its own device numbers, and mountinfo names one of its devices.
        device = root / "sys/class/block" / Path(mount.source).resolve().name
        device = device if mount.source.startswith("/dev/") else root / "nothing"
    else:
        device = root / "sys/dev/block" / mount.number
    return device.resolve() if device.exists() else None


def is_encrypted(device: Path) -> bool | None:
    """Whether this device is encrypted, or every device below it. None if that is unknown."""
    name = device / "dm/uuid"
    if name.exists() and name.read_text().startswith("CRYPT-"):
        return True
    if (device / "partition").exists():
        return is_encrypted(device.parent)
    slaves = device / "slaves"
    parts = [is_encrypted(each.resolve()) for each in slaves.iterdir()] if slaves.exists() else []
    if parts:
        return False if False in parts else None if None in parts else True
        # Files, memory and disks of another machine are not physical disks of this machine.
    elsewhere = (device / "loop").exists() or device.name.startswith(("zram", "ram", "nbd", "rbd"))
    return None if elsewhere else False
