"""Security headers, the same on every response of a kind.

The argument: a respondent's page may run only the scripts of this server whose hashes it
names (CSP and integrity), may send only to this server (connect-src), cannot post a form
natively (form-action), cannot be framed, keeps nothing in caches (an answer could otherwise
come back with the Back button), sends no referrer, and sets no cookie. The page for real coins
alone posts a form, to this server; its fields hold what the coins made of the answers. One page
may be framed, by this server's own pages alone: the preview of a survey that is being built, which
needs a researcher's session and token, takes answers nowhere, and keeps every other rule of a
respondent's page. Only the builder may frame. What no header can do is protect from this server
itself: see SECURITY.md.
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
# researchers' pages, their help, and the page for real coins differ in one thing: they have forms
FORM_POLICY = POLICY | {"form-action": "'self'"}
FRAMED_ENDPOINTS, FRAMING_ENDPOINTS = {"admin.preview_typed"}, {"admin.new", "admin.edit"}
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
HSTS = "max-age=31536000; includeSubDomains"


def policy_text(policy: dict[str, str]) -> str:
    return "; ".join(f"{directive} {value}" for directive, value in policy.items())


def respondents(https: bool) -> dict[str, str]:
    """The headers of what respondents are sent."""
    insisting = {"Strict-Transport-Security": HSTS} if https else {}
    return {"Content-Security-Policy": policy_text(POLICY), **HEADERS, **insisting}


def init_app(app: Flask, *, https: bool) -> None:
    """Set the headers on every response of the application, errors and static files included."""
    headers = respondents(https)

    @app.after_request
    def set_headers(response: Response) -> Response:
        researchers = f"{request.path}/".startswith(("/admin/", "/help/"))
        by_hand = request.blueprint == "by_hand"
        policy = FORM_POLICY if researchers or by_hand else POLICY
        if request.endpoint in FRAMED_ENDPOINTS:
            policy = FRAMED_POLICY
        elif request.endpoint in FRAMING_ENDPOINTS:
            policy = FRAMING_POLICY
        response.headers.update(headers | {"Content-Security-Policy": policy_text(policy)})
        if by_hand:
            # without a referrer a form says that it comes from nowhere, and older browsers, and
            # all without https, say nothing else; other sites still learn nothing
            response.headers["Referrer-Policy"] = "same-origin"
        return response
