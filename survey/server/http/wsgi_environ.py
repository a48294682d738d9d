"""The WSGI environment of an ASGI request, and the types of both standards."""

import io
import sys
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
WSGI = Callable[..., Iterable[bytes]]


def environ_of(scope: Scope, body: bytes) -> dict[str, Any]:
    """The WSGI environment of a request (PEP 3333)."""
    host, port = scope["server"] or ("localhost", None)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").upper()
        # WSGI cannot tell such a name from one with hyphens, which only a proxy may set.
        if "_" in name:
            continue
        key = name.replace("-", "_")
        # The body is whole here, so its length is known, whatever the headers say.
        if key in ("TRANSFER_ENCODING", "CONTENT_LENGTH"):
            environ["CONTENT_LENGTH"] = str(len(body))
            continue
        if key != "CONTENT_TYPE":
            key = f"HTTP_{key}"
        value = raw_value.decode("latin-1")
        if key in environ:
            value = environ[key] + ("; " if key == "HTTP_COOKIE" else ",") + value
        environ[key] = value
    return environ
