"""The researchers' side: sign in, build surveys, open and close them, read and take home results.

The argument: every route but the entrance is behind `requires(role)`, and every change is a POST
with a CSRF token. tests/test_admin.py walks the table of routes and fails where one is not.
"""

from . import (  # noqa: F401 # each registers its routes
    account,
    analysis,
    before_opening,
    building,
    clearing,
    comparing,
    correlating,
    designing,
    downloads,
    entrance,
    growing,
    interchange,
    invitations,
    lifecycle,
    log,
    overview,
    people,
    planning,
    previewing,
    reaching,
    recording,
    regressing,
    releases,
    results_page,
    sharing,
    starting,
    tokens,
    translations,
    trying_out,
    validating,
    webhooks,
)
from .blueprint import blueprint

__all__ = ["blueprint"]
