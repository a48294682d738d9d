"""The language that a request asks for."""

from collections.abc import Sequence

from flask import Request


def preferred_by(request: Request, offered: Sequence[str]) -> str:
    asked = request.args.get("language", "")
    if asked in offered:
        return asked
    return request.accept_languages.best_match(offered) or offered[0]
