"""The link for respondents as a QR code, for slides and posters."""

import io

from flask import Response
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, link_of, whole_survey
from survey.store import ANALYST
from survey.web.invitation_zip import QUIET_ZONE_MODULES, qr_symbol

MODULE_PIXELS = {"svg": 4, "png": 20}  # how many pixels a module of the code is wide


def qr_code(slug: str, kind: str, mimetype: str) -> Response:
    symbol = qr_symbol(link_of(whole_survey(slug)))
    picture = io.BytesIO()
    symbol.save(
        picture, kind=kind, border=QUIET_ZONE_MODULES, scale=MODULE_PIXELS[kind], light="#fff"
    )
    return Response(picture.getvalue(), mimetype=mimetype)


@blueprint.get("/surveys/<slug>/link.svg", role=ANALYST)
def link_svg(slug: str) -> ResponseReturnValue:
    return qr_code(slug, "svg", "image/svg+xml")


@blueprint.get("/surveys/<slug>/link.png", role=ANALYST)
def link_png(slug: str) -> ResponseReturnValue:
    return qr_code(slug, "png", "image/png")
