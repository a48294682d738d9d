"""An erased file leaves no contents on the disk, and spares contents that have another name."""

from pathlib import Path

import pytest

from survey.store import durable_files
from survey.store.durable_files import erase_file


@pytest.mark.parametrize(
    "size", [0, 1, durable_files.PIECE_BYTES - 1, 2 * durable_files.PIECE_BYTES + 5]
)
def test_what_is_erased_is_overwritten_before_it_goes(tmp_path: Path, size: int) -> None:
    file = tmp_path / "backup.db"
    file.write_bytes(b"x" * size)
    with file.open("rb") as kept_open:
        erase_file(file)
        assert kept_open.read() == bytes(size)
    assert not file.exists()


def test_contents_that_have_another_name_stay_there(tmp_path: Path) -> None:
    """Backups with a hard link, and a symbolic link to one."""
    file, other, link = (tmp_path / name for name in ("backup.db", "other.db", "link.db"))
    file.write_bytes(b"contents")
    other.hardlink_to(file)
    link.symlink_to(other)
    erase_file(file)
    erase_file(link)
    assert [each.name for each in tmp_path.iterdir()] == ["other.db"]
    assert other.read_bytes() == b"contents"
