"""What belongs to the application that is running."""

from typing import cast

from flask import current_app

from survey.definition.privacy_limits import PrivacyLimits
from survey.server.secret_key import SecretKeys
from survey.store import Store


def store() -> Store:
    """The store that the application was made with."""
    return cast(Store, current_app.extensions["candor.store"])


def keys() -> SecretKeys:
    """The secret key, and what second factors and webhooks are derived from."""
    return cast(SecretKeys, current_app.extensions["candor.keys"])


def privacy_limits() -> PrivacyLimits:
    """The most that a survey may reveal which opens on this server."""
    return cast(PrivacyLimits, current_app.config["CANDOR_PRIVACY_LIMITS"])
