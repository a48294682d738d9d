"""Which addresses lead where; researchers' pages on a host name of their own, if wanted.

The argument: scripts of two sides under one name could reach each other's pages and cookies,
whatever went wrong in one of them; under two names browsers keep them apart (OWASP ASVS 5.0,
3.5.4). The name is what the Host header says.

A page of another site can have its own name lead to this server (DNS rebinding), and would then
count as a page of this site: it could fill in the surveys of an internal network. So the server
answers only under the names in its settings, under localhost, and under any IP address. A browser
that sends an IP address as Host did not ask DNS for it.
"""

import ipaddress
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, abort, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue

RESEARCHERS = {"admin", "api", "help"}  # blueprints


def init_app(app: Flask) -> None:
    """Keep both sides to their names, where these differ."""
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
        if here and request.path == "/":  # what people type of an address
            return redirect(url_for("admin.surveys"))
        abort(404)


class KnownHosts:
    """The names under which a server answers.

    Parameters
    ----------
    addresses : those in the settings, such as https://survey.example.org; "" for none
    """

    def __init__(self, *addresses: str):
        self.names: set[str] = set()
        for address in addresses:
            name = urlsplit(address).hostname or ""
            self.names.add(name)
            with suppress(UnicodeError):  # browsers send letters beyond ASCII like this
                self.names.add(name.encode("idna").decode())
        self.names.discard("")

    def include(self, host: str) -> bool:
        """Whether the server answers to this Host header, whatever its port."""
        name = name_in(host)
        return (
            name in self.names
            or name == "localhost"
            or name.endswith(".localhost")
            or is_ip_address(name)
        )


def name_in(host: str) -> str:
    """The name in a Host header, in small letters, without its port and without brackets."""
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
    """The whole address of a page, as people type or are sent it."""
    side = "CANDOR_ADMIN_URL" if endpoint.split(".")[0] in RESEARCHERS else "CANDOR_URL"
    return str(current_app.config[side]) + url_for(endpoint, **values)


def link_across(endpoint: str, **values: Any) -> str:
    """A link that may lead to the other side."""
    address = absolute_url if has_admin_host(current_app) else url_for
    return address(endpoint, **values)
