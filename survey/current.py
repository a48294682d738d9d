"""What belongs to the application that is running."""

from typing import cast

from flask import current_app

from .store import Store


def store() -> Store:
    """The store that the application was made with."""
    return cast(Store, current_app.extensions["candor.store"])
