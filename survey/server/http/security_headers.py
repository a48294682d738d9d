"""Security headers, the same on every response of a kind.

The argument. A respondent's page:

* runs only those scripts of this server whose hashes it names (CSP and integrity);
* sends only to this server (connect-src);
* cannot post a form natively (form-action);
* cannot be framed (frame-ancestors);
* is not cached, because the Back button could otherwise bring back an answer;
* sends no referrer, and sets no cookie.

Only the page for paper-and-coin mode posts a form, to this server. Its fields hold the randomised
reports. Only one page may be framed, and only by this server's own pages: the preview of a survey
in the builder. It needs a researcher's session and token, sends answers nowhere, and keeps every
other rule of a respondent's page. Only the builder may frame it. No header protects against this
server itself: see SECURITY.md.

Most of these headers are rules for documents. Scripts, styles and the icon get `FILE_HEADERS` only,
because a browser applies the rules of the page that loads them.
"""

from flask import Flask, Response, request

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "worker-src": "'none'",
    "manifest-src": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
# Researchers' pages, their help, the lessons and the page for paper-and-coin mode differ in one
# point: they have forms.
FORM_POLICY = POLICY | {"form-action": "'self'"}
FRAMED_ENDPOINTS = {"admin.preview_typed"}
FRAMING_ENDPOINTS = {"admin.new", "admin.edit"}
FRAMED_POLICY = POLICY | {"frame-ancestors": "'self'"}
FRAMING_POLICY = FORM_POLICY | {"frame-src": "'self'"}
HEADERS = {
    "Integrity-Policy": "blocked-destinations=(script)",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
}
FILE_HEADERS = {
    name: HEADERS[name]
    for name in ("Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy")
}
HSTS = "max-age=31536000; includeSubDomains"


def policy_text(policy: dict[str, str]) -> str:
    return "; ".join(f"{directive} {value}" for directive, value in policy.items())


def respondent_headers(https: bool) -> dict[str, str]:
    """The headers of responses to respondents, files under /static/ excepted."""
    return {"Content-Security-Policy": policy_text(POLICY), **HEADERS, **https_header(https)}


def file_headers(https: bool) -> dict[str, str]:
    """The headers of files under /static/."""
    return {**FILE_HEADERS, **https_header(https)}


def https_header(https: bool) -> dict[str, str]:
    """The header that makes browsers use https only, if the server has https."""
    return {"Strict-Transport-Security": HSTS} if https else {}


def coin_page_headers(https: bool) -> dict[str, str]:
    """The headers of responses in paper-and-coin mode.

    Without a referrer, a form sends the origin "null". Older browsers, and all browsers without
    https, send nothing else. Other sites still learn nothing.
    """
    own = {"Content-Security-Policy": policy_text(FORM_POLICY), "Referrer-Policy": "same-origin"}
    return respondent_headers(https) | own


def init_app(app: Flask, *, https: bool) -> None:
    """Set the headers on every response of the application, including errors and static files."""
    headers, of_coin_pages, of_files = (
        respondent_headers(https),
        coin_page_headers(https),
        file_headers(https),
    )

    @app.after_request
    def set_headers(response: Response) -> Response:
        found = response.status_code == 200 and request.method in ("GET", "HEAD")
        if request.endpoint == "static" and found:
            response.headers.update(of_files)
            return response
        if request.blueprint == "paper_and_coin":
            response.headers.update(of_coin_pages)
            return response
        researchers = f"{request.path}/".startswith(("/admin/", "/help/", "/learn/"))
        policy = FORM_POLICY if researchers else POLICY
        if request.endpoint in FRAMED_ENDPOINTS:
            policy = FRAMED_POLICY
        elif request.endpoint in FRAMING_ENDPOINTS:
            policy = FRAMING_POLICY
        response.headers.update(headers | {"Content-Security-Policy": policy_text(policy)})
        return response
