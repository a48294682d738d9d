"""Whether a folder lies on an encrypted device, as far as Linux tells.

It asks the kernel alone: /proc/self/mountinfo for the mount that the folder is on, and sysfs for
the block device below it and everything that this device is made of (partitions, LVM, RAID). A
device of dm-crypt has a UUID that begins with `CRYPT-`. A folder can also be encrypted by its file
system (fscrypt), which its flags tell.

Three answers are possible, and a warning is right for one of them only. Nothing can be told of file
systems that are not on a block device of this machine (ZFS, which has an encryption of its own, a
network share, a container's layers, memory), and nothing of what a drive or a host machine encrypts
by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from survey.store.durable_files import flags_of

# FS_ENCRYPT_FL in Linux, include/uapi/linux/fs.h
ENCRYPTED_FLAG = 0x800
ROOT = Path("/")
ADVICE = (
    "Anyone who takes the disk can read the database, and on flash also what was deleted from it. "
    "Move the data folder to an encrypted device; docs/how-to/operate-a-server.md says how."
)


@dataclass(frozen=True)
class Mount:
    """A line of mountinfo. `number` is the device's, such as 254:0; its first part is 0 where the
    file system has a number that is no device's."""

    number: str
    point: Path
    source: str


def find_unencrypted_device(folder: Path, root: Path = ROOT) -> str | None:
    """The name of the device that holds this folder, if the kernel tells that it is not encrypted;
    None if it is, or nothing can be told.

    Parameters
    ----------
    root : where /proc and /sys are
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
    """The innermost mount, and of several at one place the last, which hides the others. Raises
    ValueError where there is none."""
    text = (root / "proc/self/mountinfo").read_text()
    around = [mount for mount in parse_mounts(text) if folder.is_relative_to(mount.point)]
    if not around:
        raise ValueError("The folder is on no mount.")
    deepest = max(len(mount.point.parts) for mount in around)
    return [mount for mount in around if len(mount.point.parts) == deepest][-1]


def parse_mounts(text: str) -> Iterator[Mount]:
    # https://docs.kernel.org/filesystems/proc.html, section 3.5
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        _, _, number, _, point, *_ = before.split(" ")
        yield Mount(number, Path(unescape(point)), unescape(after.split(" ")[1]))


def unescape(path: str) -> str:
    """Blanks and the like stand in mountinfo as a backslash and three octal digits."""
    first, *rest = path.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in rest)


def find_device(mount: Mount, root: Path) -> Path | None:
    """The folder of a block device in sysfs."""
    if mount.number.startswith("0:"):
        # Btrfs has numbers of its own, and names one of its devices.
        device = root / "sys/class/block" / Path(mount.source).resolve().name
        device = device if mount.source.startswith("/dev/") else root / "nothing"
    else:
        device = root / "sys/dev/block" / mount.number
    return device.resolve() if device.exists() else None


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
