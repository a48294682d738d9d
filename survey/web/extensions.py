"""The objects of the running application: store, keys, privacy limits."""

from typing import cast

from flask import current_app

from survey.definition.privacy_limits import PrivacyLimits
from survey.server.secret_key import SecretKeys
from survey.store import Store


def store() -> Store:
    """The store of the application."""
    return cast(Store, current_app.extensions["candor.store"])


def keys() -> SecretKeys:
    """The secret key, and the key from which second factors and webhook secrets are derived."""
    return cast(SecretKeys, current_app.extensions["candor.keys"])


def privacy_limits() -> PrivacyLimits:
    """The privacy limits for surveys that open on this server."""
    return cast(PrivacyLimits, current_app.config["CANDOR_PRIVACY_LIMITS"])
