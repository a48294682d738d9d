"""`serve` says where the data folder is not encrypted, and nothing where that cannot be told.

The trees are made as sysfs makes them: devices in folders of their own, links to them by number,
and links to what they are made of.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from survey import cli
from survey.server import disk_encryption
from survey.server.disk_encryption import ADVICE, find_unencrypted_device
from survey.server.settings import Settings
from tests.support.servers import serving, stop


class Machine:
    """A tree of /sys, and a folder on one of its devices."""

    def __init__(self, root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.root, self.folder = root, folder
        (root / "dev/block").mkdir(parents=True)
        monkeypatch.setattr(disk_encryption, "DEVICES", root / "dev/block")

    def device(self, name: str, number: str, *parts: Path, uuid: str = "", of: str = "") -> Path:
        """A device made of others; `of` is the disk that it is a partition of."""
        made = self.root / "devices" / of / name
        (made / "slaves").mkdir(parents=True)
        if of:
            (made / "partition").write_text("1\n")
        if name.startswith("dm-"):
            (made / "dm").mkdir()
            (made / "dm/uuid").write_text(f"{uuid}\n")
        for part in parts:
            (made / "slaves" / part.name).symlink_to(part)
        (self.root / "dev/block" / number).symlink_to(made)
        return made

    def found(self, number: str) -> str | None:
        """The device that is found where the folder lies on the one with this number."""
        own = self.folder.stat().st_dev
        link = self.root / "dev/block" / f"{os.major(own)}:{os.minor(own)}"
        link.unlink(missing_ok=True)
        link.symlink_to(self.root / "dev/block" / number)
        return find_unencrypted_device(self.folder)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    folder = tmp_path / "data folder"
    folder.mkdir()
    return Machine(tmp_path / "root", folder, monkeypatch)


LUKS = "CRYPT-LUKS2-0123456789abcdef-luks"


def test_a_disk_and_a_partition_that_are_not_encrypted_are_named(machine: Machine) -> None:
    machine.device("sda", "8:0")
    machine.device("sda2", "8:2", of="sda")
    assert machine.found("8:2") == "sda2"
    assert machine.found("8:0") == "sda"


def test_a_device_of_dm_crypt_is_encrypted(machine: Machine) -> None:
    disk = machine.device("sda", "8:0")
    machine.device("dm-0", "253:0", disk, uuid=LUKS)
    assert machine.found("253:0") is None


@pytest.mark.parametrize(("uuid", "named"), [(LUKS, None), ("LVM-x", "dm-2")])
def test_a_volume_is_as_encrypted_as_what_it_lies_on(
    machine: Machine, uuid: str, named: str | None
) -> None:
    """LVM on a partition, over dm-crypt or not."""
    machine.device("nvme0n1", "259:0")
    partition = machine.device("nvme0n1p3", "259:3", of="nvme0n1")
    below = machine.device("dm-0", "253:0", partition, uuid=uuid)
    machine.device("dm-2", "253:2", below, uuid="LVM-volume")
    assert machine.found("253:2") == named


def test_of_a_raid_every_disk_has_to_be_encrypted(machine: Machine) -> None:
    disks = [machine.device(f"sd{letter}", f"8:{16 * n}") for n, letter in enumerate("ab")]
    crypt = machine.device("dm-0", "253:0", disks[0], uuid=LUKS)
    machine.device("md0", "9:0", crypt, disks[1])
    assert machine.found("9:0") == "md0"


@pytest.mark.parametrize(
    "number",
    [
        "0:30",  # Btrfs, ZFS, a network share, memory
        "8:99",  # a device that is gone
        "7:0",
        "252:0",
    ],
)
def test_where_nothing_can_be_told_nothing_is_said(machine: Machine, number: str) -> None:
    (machine.device("loop0", "7:0") / "loop").mkdir()
    machine.device("zram0", "252:0")
    assert machine.found(number) is None


def test_without_a_folder_nothing_is_said(tmp_path: Path) -> None:
    assert find_unencrypted_device(tmp_path / "nowhere") is None


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
    with serving(tmp_path / "candor.db", CANDOR_DEMO="no", CANDOR_LOG="json") as (_, process, said):
        stop(process)
    assert "encrypted" not in said
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    told = [each["device"] for each in events if each["event"] == "disk not encrypted"]
    assert told == ([] if device is None else [device])
