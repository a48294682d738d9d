"""Surveys close when their last day is over, to the second: each request looks first.

The store knows no clock; it is told here what time it is. Where nobody asks, the thread that seals
the database looks every few seconds (survey/server/compaction.py).
"""

from flask import Flask, request

from survey.server import clock
from survey.web.extensions import store

# where it makes a difference
BLUEPRINTS = {"respond", "by_hand", "admin", "shared", "public", "api"}


def init_app(app: Flask) -> None:
    @app.before_request
    def close_what_is_due() -> None:
        if request.blueprint in BLUEPRINTS:
            store().lifecycle.close_due(clock.now())
