"""No page elsewhere can act for a researcher who is signed in (cross-site request forgery).

The argument: each form carries a token of its session, and a request that would change something is
refused without it. Respondents' requests and those of programs carry no cookie that a page
elsewhere could borrow, and have their own checks: the Origin of the former, the token of the
latter. So these blueprints are exempt.
"""

from collections.abc import Iterable

from flask import Blueprint, Flask
from flask_wtf import CSRFProtect


def init_app(app: Flask, exempt: Iterable[Blueprint]) -> None:
    """Protect all routes but those of the exempt blueprints."""
    protection = CSRFProtect(app)
    for blueprint in exempt:
        protection.exempt(blueprint)
