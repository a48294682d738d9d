"""`responses export-bundle`: no file is written over."""

from tests.support.definitions import definition, opened


def test_no_file_is_written_over(app, store, tmp_path):
    opened(store, definition())
    path = tmp_path / "all.zip"
    path.write_text("mine")
    command = ["responses", "export-bundle", "health", "--output", str(path)]
    ran = app.test_cli_runner().invoke(args=command)
    assert ran.exit_code == 1
    assert "Cannot create" in ran.output
    assert path.read_text() == "mine"
