"""Close surveys at the end of their last day, exactly: each request checks first.

The store has no clock, so this module passes it the time. Without requests, the thread that
compacts the database checks every few seconds (survey/server/compaction.py).
"""

from flask import Flask, request

from survey.server import clock
from survey.web.extensions import store

# The blueprints whose pages depend on whether a survey is open.
BLUEPRINTS = {"respond", "paper_and_coin", "admin", "shared", "public", "api"}


def init_app(app: Flask) -> None:
    @app.before_request
    def close_what_is_due() -> None:
        if request.blueprint in BLUEPRINTS:
            store().lifecycle.close_due(clock.now())
