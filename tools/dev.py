"""`make dev`: serve this folder for development, and restart when a file of it changes.

It is Flask's development server with SQLite, in one process and without what only `serve` has, such
as group commit and compaction. Its data are in `.dev/`, apart from those of `make run`.
"""

import os
import secrets
from pathlib import Path

from werkzeug.serving import is_running_from_reloader, run_simple

from app import create_app
from survey.cli import greeting
from survey.definition.responses.invitation_codes import token_hash
from survey.server.settings import Settings
from survey.web.demo import add_demo
from survey.web.extensions import store

ROOT = Path(__file__).parent.parent
# Changes of Python files are noticed without being listed.
WATCHED = ("demo", "static", "templates", "translations")


def main() -> None:
    os.environ.setdefault("CANDOR_DATABASE", str(ROOT / ".dev" / "candor.db"))
    settings = Settings.from_environment()
    app = create_app(settings)
    app.debug = True
    # The first process only watches the files. It starts a second one, which serves.
    if not is_running_from_reloader():
        with app.app_context():
            print(prepare(settings), flush=True)
            store().close()
    files = [str(path) for folder in WATCHED for path in (ROOT / folder).rglob("*.*")]
    run_simple(
        settings.host,
        settings.port,
        app,
        use_reloader=True,
        extra_files=files,
        threaded=True,
    )


def prepare(settings: Settings) -> str:
    """Add the demo to an empty database, and make a link if there is no account; the greeting."""
    if not store().surveys.list_surveys():
        add_demo(store(), settings.privacy_limits)
    token = None
    if not store().accounts.has_accounts():
        token = secrets.token_urlsafe(32)
        store().accounts.set_setup_token(token_hash(token).hex())
    return greeting(store(), settings, token)


if __name__ == "__main__":
    main()
