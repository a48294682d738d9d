"""One POST to a URL that a researcher typed. It cannot reach private addresses.

The argument, against server-side request forgery. A person who may edit a survey must not use the
server to reach private systems. Examples are the server itself, its neighbours, or the metadata
service of a cloud. Therefore the server resolves the host name once. If any of its addresses is not
public, the server sends nothing. It connects to one of the addresses that it checked, not to the
name, which could resolve differently by then. It unwraps addresses that contain another one (IPv4
in IPv6, Teredo, NAT64) and checks those too. It uses no proxy and follows no redirect. It reads
only the status of the reply and shows nobody the rest. After the name is resolved, everything
together takes at most ten seconds: a timer ends the connection. The certificate must be valid for
the host name.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from urllib.parse import urlsplit

from survey.core.errors import WebhookError

# The time for the whole exchange after the name is resolved.
POST_TIMEOUT_SECONDS = 10.0
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# The current IANA registries list these as not globally reachable. Older Pythons do not know them.
MORE_PRIVATE_NETWORKS = [
    ipaddress.ip_network(each)
    for each in ("192.0.0.0/24", "64:ff9b:1::/48", "2002::/16", "3fff::/20", "5f00::/16")
]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(address: Address) -> bool:
    """Whether anyone on the internet can reach the address, so that the server adds nothing."""
    if isinstance(address, ipaddress.IPv6Address):
        inner: list[Address | None] = [address.ipv4_mapped, *(address.teredo or ())]
        if address in NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if not all(is_public(each) for each in inner if each is not None):
            return False
        if address.ipv4_mapped is not None:
            return True
        if address.is_site_local:
            return False
    if any(address in network for network in MORE_PRIVATE_NETWORKS):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def addresses_of(host: str, port: int, *, local: bool) -> list[str]:
    """The addresses that the host name has now.

    Raises WebhookError if the name is unknown, or if any address is not public, unless `local`.
    """
    try:
        address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebhookError("The host in this URL is not known. Check the spelling.") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in address_infos))
    if not local:
        for each in addresses:
            if "%" in each or not is_public(ipaddress.ip_address(each)):
                raise WebhookError(
                    "The host in this URL is in a private network, or it is Candor’s own "
                    "server. Use a public host, or ask the operator to set "
                    "CANDOR_LOCAL_WEBHOOKS to yes."
                )
    return addresses


def resolve_url(url: str, *, local: bool) -> tuple[str, int, list[str]]:
    """The host, the port and the addresses of a URL. Raises WebhookError like `addresses_of`."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return host, port, addresses_of(host, port, local=local)


class Deadline:
    """Ends a connection when its time is over, however slowly the other side sends."""

    def __init__(self, seconds: float):
        self.end = time.monotonic() + seconds
        self.over = threading.Event()

    @property
    def left(self) -> float:
        """The remaining seconds. It is never 0, because a time-out of 0 would mean no time-out."""
        return max(0.001, self.end - time.monotonic())

    @contextmanager
    def of(self, connection: socket.socket) -> Iterator[None]:
        handle = connection.dup()  # It stays valid when TLS takes over the socket itself.
        timer = threading.Timer(self.left, self.shut, [handle])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            handle.close()

    def shut(self, connection: socket.socket) -> None:
        self.over.set()
        with suppress(OSError):  # The connection may have ended already.
            connection.shutdown(socket.SHUT_RDWR)


def connect_to_any(addresses: list[str], port: int, deadline: Deadline) -> socket.socket:
    last: OSError = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout=deadline.left)
        except OSError as error:
            last = error
    raise last


def post(url: str, body: bytes, headers: Mapping[str, str], *, local: bool) -> None:
    """Send a POST, and return if the reply has a status of 200 to 299.

    Raises WebhookError. Of the reply, its sentence contains only the status.
    """
    host, port, addresses = resolve_url(url, local=local)
    deadline = Deadline(POST_TIMEOUT_SECONDS)
    try:
        with connect_to_any(addresses, port, deadline) as plain, deadline.of(plain):
            status = status_of(plain, url, host, port, body, headers)
        if deadline.over.is_set():  # An interrupted reply may look complete.
            raise TimeoutError
    except ssl.SSLCertVerificationError as error:
        raise WebhookError(
            "The certificate of the program is not valid for this URL. Check the certificate."
        ) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        if deadline.over.is_set() or isinstance(error, TimeoutError):
            raise WebhookError(
                "The program did not answer in time. Check that it is running."
            ) from error
        raise WebhookError(
            "Candor could not reach the program, or the program did not answer in HTTP. "
            "Check the URL."
        ) from error
    if 300 <= status < 400:
        raise WebhookError(
            "The program answered with a redirect (%(status)s). Use the URL to which it redirects.",
            status=status,
        )
    if not 200 <= status < 300:
        raise WebhookError(
            "The program answered with the status %(status)s. It must answer with 200 to 299.",
            status=status,
        )


def status_of(
    plain: socket.socket, url: str, host: str, port: int, body: bytes, headers: Mapping[str, str]
) -> int:
    """Send the request over an open connection, with TLS for https, and return the status."""
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, context=context)
        connection.sock = context.wrap_socket(plain, server_hostname=host)
    else:
        connection = http.client.HTTPConnection(host, port)
        connection.sock = plain
    with closing(connection):
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, dict(headers))
        with closing(connection.getresponse()) as response:
            return response.status
