"""Pages and scripts sent compressed, so that a slow connection need not carry them whole.

The argument for where: compression can give away a secret that stands on a page beside text that
an attacker chooses (BREACH). Respondents' pages, scripts and public documents hold no secret.
Researchers' pages do, the tokens of their forms, and are not compressed.
"""

import gzip

from flask import Flask, Request, Response, request
from werkzeug.wsgi import FileWrapper

COMPRESSIBLE = {
    "application/json",
    "image/svg+xml",
    "text/css",
    "text/html",
    "text/javascript",
}
MIN_COMPRESSED_BYTES = 500  # below, it saves nothing
GZIP_LEVEL = 6


def takes_gzip(request: Request) -> bool:
    return request.accept_encodings.quality("gzip") > 0


def init_app(app: Flask) -> None:
    """Compress what may be, where the browser takes it."""

    @app.after_request
    def compress(response: Response) -> Response:
        researchers = request.path == "/admin" or request.path.startswith("/admin/")
        if (
            researchers
            or request.method not in ("GET", "HEAD")  # which has the same headers
            or response.status_code != 200
            or response.mimetype not in COMPRESSIBLE
            or "Content-Encoding" in response.headers
        ):
            return response
        response.vary.add("Accept-Encoding")
        if not takes_gzip(request):
            return response
        response.direct_passthrough = False  # files too
        source = response.response
        content = response.get_data()
        if isinstance(source, FileWrapper):
            source.close()
        if len(content) >= MIN_COMPRESSED_BYTES:
            response.set_data(gzip.compress(content, GZIP_LEVEL, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
            response.headers.pop("ETag", None)  # of the bytes uncompressed
        return response
