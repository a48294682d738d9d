"""Gzip compression of pages, for slow connections.

Compression can reveal a secret on a page if an attacker chooses other text on the same page
(BREACH). Respondents' pages, scripts and public documents contain no secret, so they are
compressed. Researchers' pages contain the tokens of their forms, so they are not compressed.
"""

import gzip

from flask import Flask, Request, Response, request

COMPRESSIBLE = {
    "application/json",
    "image/svg+xml",
    "text/css",
    "text/html",
    "text/javascript",
}
# Compressing a shorter body saves nothing.
MIN_COMPRESSED_BYTES = 500
GZIP_LEVEL = 6


def takes_gzip(request: Request) -> bool:
    return request.accept_encodings.quality("gzip") > 0


def init_app(app: Flask) -> None:
    """Compress the responses without secrets for browsers that accept gzip."""

    @app.after_request
    def compress(response: Response) -> Response:
        researchers = request.path == "/admin" or request.path.startswith("/admin/")
        if (
            researchers
            or request.endpoint == "static"  # survey/server/http/static_files.py compresses once.
            or request.method not in ("GET", "HEAD")  # A reply to HEAD has the headers of GET.
            or response.status_code != 200
            or response.mimetype not in COMPRESSIBLE
            or "Content-Encoding" in response.headers
        ):
            return response
        response.vary.add("Accept-Encoding")
        if not takes_gzip(request):
            return response
        content = response.get_data()
        if len(content) >= MIN_COMPRESSED_BYTES:
            response.set_data(gzip.compress(content, GZIP_LEVEL, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
        return response
