"""`serve` warns if the data folder is not encrypted, and is silent if it cannot know.

The tests build trees like sysfs: devices in their own folders, links to them by number and by name,
and links to their underlying devices.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from survey import cli
from survey.server.disk_encryption import ADVICE, find_mount, find_unencrypted_device
from survey.server.settings import Settings
from tests.support.servers import serving, stop


class Machine:
    """A tree of /proc and /sys."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder = root, folder
        for each in ("proc/self", "sys/dev/block", "sys/class/block", "sys/devices"):
            (root / each).mkdir(parents=True)
        self.mount("0:1", "/", "overlay", "overlay")

    def device(self, name: str, number: str, *parts: Path, uuid: str = "", of: str = "") -> Path:
        """Add a device made of others. `of` is the disk with this partition."""
        made = self.root / "sys/devices" / of / name
        (made / "slaves").mkdir(parents=True)
        if of:
            (made / "partition").write_text("1\n")
        if name.startswith("dm-"):
            (made / "dm").mkdir()
            (made / "dm/uuid").write_text(f"{uuid}\n")
        for part in parts:
            (made / "slaves" / part.name).symlink_to(part)
        (self.root / "sys/dev/block" / number).symlink_to(made)
        (self.root / "sys/class/block" / name).symlink_to(made)
        return made

    def mount(self, number: str, point: str, kind: str, source: str) -> None:
        with (self.root / "proc/self/mountinfo").open("a") as file:
            file.write(f"29 1 {number} / {point} rw,relatime shared:1 - {kind} {source} rw\n")

    def found(self) -> str | None:
        return find_unencrypted_device(self.folder, self.root)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    folder = tmp_path / "data folder"
    folder.mkdir()
    return Machine(tmp_path / "root", folder)


def escaped(folder: Path) -> str:
    return str(folder).replace(" ", r"\040")


LUKS = "CRYPT-LUKS2-0123456789abcdef-luks"


def test_a_disk_and_a_partition_that_are_not_encrypted_are_named(machine: Machine) -> None:
    machine.device("sda", "8:0")
    machine.device("sda2", "8:2", of="sda")
    machine.mount("8:2", escaped(machine.folder), "ext4", "/dev/sda2")
    assert machine.found() == "sda2"


def test_a_device_of_dm_crypt_is_encrypted(machine: Machine) -> None:
    disk = machine.device("sda", "8:0")
    machine.device("dm-0", "253:0", disk, uuid=LUKS)
    machine.mount("253:0", escaped(machine.folder), "ext4", "/dev/mapper/luks")
    assert machine.found() is None


@pytest.mark.parametrize(("uuid", "named"), [(LUKS, None), ("LVM-x", "dm-2")])
def test_a_volume_is_as_encrypted_as_what_it_lies_on(
    machine: Machine, uuid: str, named: str | None
) -> None:
    """LVM on a partition, with dm-crypt or without."""
    machine.device("nvme0n1", "259:0")
    partition = machine.device("nvme0n1p3", "259:3", of="nvme0n1")
    below = machine.device("dm-0", "253:0", partition, uuid=uuid)
    machine.device("dm-2", "253:2", below, uuid="LVM-volume")
    machine.mount("253:2", escaped(machine.folder), "xfs", "/dev/mapper/group-volume")
    assert machine.found() == named


def test_of_a_raid_every_disk_has_to_be_encrypted(machine: Machine) -> None:
    disks = [machine.device(f"sd{letter}", f"8:{16 * n}") for n, letter in enumerate("ab")]
    crypt = machine.device("dm-0", "253:0", disks[0], uuid=LUKS)
    machine.device("md0", "9:0", crypt, disks[1])
    machine.mount("9:0", escaped(machine.folder), "ext4", "/dev/md0")
    assert machine.found() == "md0"


@pytest.mark.parametrize(("uuid", "named"), [(LUKS, None), ("LVM-x", "dm-7")])
def test_btrfs_has_a_number_that_is_no_devices(
    machine: Machine, uuid: str, named: str | None
) -> None:
    disk = machine.device("sda", "8:0")
    machine.device("dm-7", "253:7", disk, uuid=uuid)
    machine.mount("0:44", escaped(machine.folder), "btrfs", "/dev/dm-7")
    assert machine.found() == named


@pytest.mark.parametrize(
    ("number", "kind", "source"),
    [
        ("0:30", "zfs", "tank/data"),
        ("0:31", "nfs4", "server:/export"),
        ("0:32", "tmpfs", "tmpfs"),
        ("0:33", "virtiofs", "share"),
        ("8:99", "ext4", "/dev/gone"),
        ("7:0", "ext4", "/dev/loop0"),
        ("252:0", "ext4", "/dev/zram0"),
    ],
)
def test_where_nothing_can_be_told_nothing_is_said(
    machine: Machine, number: str, kind: str, source: str
) -> None:
    (machine.device("loop0", "7:0") / "loop").mkdir()
    machine.device("zram0", "252:0")
    machine.mount(number, escaped(machine.folder), kind, source)
    assert machine.found() is None


def test_the_innermost_mount_counts_and_the_last_one_there(machine: Machine) -> None:
    machine.mount("8:1", escaped(machine.folder.parent), "ext4", "/dev/sda1")
    machine.mount("8:2", escaped(machine.folder), "ext4", "/dev/sda2")
    machine.mount("8:3", escaped(machine.folder), "ext4", "/dev/sda3")
    machine.mount("8:4", escaped(machine.folder) + "-2", "ext4", "/dev/sda4")
    assert find_mount(machine.folder, machine.root).source == "/dev/sda3"


@pytest.mark.parametrize("text", ["", "nothing\n", "1 2 3\n"])
def test_without_mountinfo_or_with_a_strange_one_nothing_is_said(
    machine: Machine, text: str
) -> None:
    (machine.root / "proc/self/mountinfo").write_text(text)
    assert machine.found() is None
    (machine.root / "proc/self/mountinfo").unlink()
    assert machine.found() is None


@pytest.mark.parametrize("device", ["vda1", None])
def test_a_start_writes_one_line_with_what_to_do_or_none(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, device: str | None
) -> None:
    asked: list[Path] = []
    lines: list[tuple[str, dict[str, str]]] = []

    def find(folder: Path) -> str | None:
        asked.append(folder)
        return device

    monkeypatch.setattr(cli, "find_unencrypted_device", find)
    monkeypatch.setattr(cli.logs, "warn", lambda event, **facts: lines.append((event, facts)))
    cli.warn_of_disk(settings)
    cli.warn_of_disk(replace(settings, database="postgresql://candor@db/candor"))
    assert asked == [Path(settings.database).parent]
    expected = [("disk not encrypted", {"device": "vda1", "advice": ADVICE})]
    assert lines == (expected if device else [])


@pytest.mark.slow
def test_the_real_server_says_what_is_so_on_this_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    device = find_unencrypted_device(tmp_path)
    with serving(tmp_path / "candor.db", CANDOR_LOG="json") as (_, process, said):
        stop(process)
    assert "encrypted" not in said
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    told = [each["device"] for each in events if each["event"] == "disk not encrypted"]
    assert told == ([] if device is None else [device])
