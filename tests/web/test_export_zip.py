"""The ZIP with everything: the same from the page and from the command line."""

from pathlib import Path

from flask import Flask

from survey.store import Store
from tests.support.definitions import definition, opened
from tests.support.researchers import signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all


def test_the_page_and_the_command_give_the_same_bytes(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(*QUESTIONS), "closed")
    store.responses.add_batches("health", [answers(80)], "loaded")
    save_all(store, a=SAVED["three"][:2])
    reply = signed_in(app).client.get("/admin/surveys/health/export.zip")
    assert reply.content_length == len(reply.data)
    file = tmp_path / "all.zip"
    arguments = ["responses", "export-bundle", "health", "--output", str(file)]
    done = app.test_cli_runner().invoke(args=arguments)
    assert done.exit_code == 0, done.output
    assert file.read_bytes() == reply.data
