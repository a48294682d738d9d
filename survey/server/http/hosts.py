"""Host names: which names the server accepts, and a separate name for researchers' pages.

The argument for two names: under one name, a script of one side could reach the pages and cookies
of the other, if anything went wrong. Browsers keep two names apart (OWASP ASVS 5.0, 3.5.4). The
Host header gives the name.

The argument for a list of names: another site can point its own name to this server (DNS
rebinding). Its page would then count as a page of this site, and could fill in the surveys of an
internal network. So the server answers only under the names in its settings, under localhost, and
under any IP address. A browser that sends an IP address as Host did not use DNS.
"""

import ipaddress
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, abort, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue

RESEARCHERS = {"admin", "api", "help", "learn"}  # blueprints


def init_app(app: Flask) -> None:
    """Keep the pages of both sides to their own host name, if there are two."""
    app.jinja_env.globals.update(link_across=link_across)
    if not has_admin_host(app):
        return
    theirs = urlsplit(app.config["CANDOR_ADMIN_URL"]).netloc.lower()  # as browsers send it

    @app.before_request
    def keep_apart() -> ResponseReturnValue | None:
        if request.endpoint in (None, "static"):
            return None
        here = request.host.lower() == theirs
        if (request.blueprint in RESEARCHERS) == here:
            return None
        if here and request.path == "/":  # People type the host name only.
            return redirect(url_for("admin.surveys"))
        abort(404)


class KnownHosts:
    """The names under which a server answers.

    Parameters
    ----------
    addresses : the URLs in the settings, such as https://survey.example.org; "" for none
    """

    def __init__(self, *addresses: str):
        self.names: set[str] = set()
        for address in addresses:
            name = urlsplit(address).hostname or ""
            self.names.add(name)
            with suppress(UnicodeError):  # Browsers send a name with non-ASCII letters as IDNA.
                self.names.add(name.encode("idna").decode())
        self.names.discard("")

    def include(self, host: str) -> bool:
        """Whether the server answers to this Host header, with any port."""
        name = name_in(host)
        return (
            name in self.names
            or name == "localhost"
            or name.endswith(".localhost")
            or is_ip_address(name)
        )


def name_in(host: str) -> str:
    """The name in a Host header, in lower case, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().removesuffix(".")


def is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def has_admin_host(app: Flask) -> bool:
    return bool(app.config["CANDOR_ADMIN_URL"] != app.config["CANDOR_URL"])


def absolute_url(endpoint: str, **values: Any) -> str:
    """The full URL of a page, for people to open or to send."""
    side = "CANDOR_ADMIN_URL" if endpoint.split(".")[0] in RESEARCHERS else "CANDOR_URL"
    return str(current_app.config[side]) + url_for(endpoint, **values)


def link_across(endpoint: str, **values: Any) -> str:
    """A link that may lead to the other host name."""
    address = absolute_url if has_admin_host(current_app) else url_for
    return address(endpoint, **values)
