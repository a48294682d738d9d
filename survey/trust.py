"""How respondents come to trust Candor: how it works, and what anyone can check.

The argument: a page cannot vouch for itself, so these say what they cannot prove, and name what
can be compared from outside. Like respondents' pages they read nothing of a request but its
address and language, set no cookie, and keep nothing.
"""

from flask import Blueprint, render_template

blueprint = Blueprint("trust", __name__)


@blueprint.get("/how")
def how() -> str:
    return render_template("respond/how.html")
