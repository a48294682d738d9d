"""The exact headers of each answer, written by hand so that the tests do not rely on the code."""

from collections.abc import Mapping

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'none'; object-src 'none'; base-uri 'none'; form-action {form}; "
    "frame-ancestors {framed}; worker-src 'none'; manifest-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
RESPONDENTS = POLICY.format(form="'none'", framed="'none'")
WITH_FORMS = POLICY.format(form="'self'", framed="'none'")
PREVIEW = POLICY.format(form="'none'", framed="'self'")
BUILDER = WITH_FORMS + "; frame-src 'self'"
ALWAYS = {
    "Integrity-Policy": "blocked-destinations=(script)",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
}
# A browser applies to a script, a style and an icon only these.
OF_FILES = ("Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy")
FILES = ("text/javascript", "text/css", "image/svg+xml")
HTTPS = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}
# The other permitted headers. None of them names a program or a person, or admits other sites.
MORE = {
    *("Content-Type", "Content-Length", "Content-Disposition", "Content-Encoding", "Content-Range"),
    *("Location", "Allow", "Retry-After", "WWW-Authenticate", "Vary", "X-Robots-Tag"),
    *("ETag", "Last-Modified", "Date", "Accept-Ranges", "Set-Cookie", "Connection"),
}
COOKIE = {"HttpOnly", "Path=/admin", "SameSite=Strict"}


def policy_of(endpoint: str | None, path: str) -> str:
    """The policy of an answer at this address. `endpoint` is None if no route matches."""
    if endpoint == "admin.preview_typed":
        return PREVIEW
    if endpoint in ("admin.new", "admin.edit"):
        return BUILDER
    researchers = f"{path}/".startswith(("/admin/", "/help/", "/learn/"))
    by_coins = (endpoint or "").startswith("paper_and_coin.")
    return WITH_FORMS if researchers or by_coins else RESPONDENTS


def fault_of_headers(
    endpoint: str | None, path: str, headers: Mapping[str, str], *, https: bool = False
) -> str | None:
    """The fault in the headers of an answer, or None."""
    by_coins = (endpoint or "").startswith("paper_and_coin.")
    expected = ALWAYS | {"Content-Security-Policy": policy_of(endpoint, path)}
    given = {name.title(): value for name, value in headers.items()}
    if path.startswith("/static/") and given.get("Content-Type", "").startswith(FILES):
        expected = {name: ALWAYS[name] for name in OF_FILES}
    if by_coins:
        expected |= {"Referrer-Policy": "same-origin"}
    if https:
        expected |= HTTPS
    for name, value in expected.items():
        if given.get(name.title()) != value:
            return f"{name} is {given.get(name.title())!r}"
    allowed = {name.title() for name in MORE | expected.keys()}
    if not given.keys() <= allowed:
        return f"has {sorted(given.keys() - allowed)}"
    cookie = given.get("Set-Cookie")
    if cookie is None:
        return None
    if not path.startswith("/admin"):
        return "a cookie beyond researchers' pages"
    name, *attributes = cookie.split("; ")
    shed = {each for each in attributes if each.startswith(("Expires=", "Max-Age=0"))}
    if not name.startswith("candor=") or set(attributes) - shed != COOKIE:
        return f"cookie {cookie!r}"
    return None
