"""One POST to an address that a researcher typed, made so that it reaches nothing else.

The argument (against server-side request forgery): whoever may edit a survey must not reach, with
the server's hands, what only the server can reach: itself, its neighbours, a cloud's metadata. So
a host's name is resolved once; if any of its addresses is not a public one, nothing is sent; and
the connection is made to one of the very addresses that were looked at, not to the name again,
which could by then lead elsewhere. Addresses that wrap another one (IPv4 in IPv6, Teredo, NAT64)
are looked at unwrapped. No proxy is asked, no redirect is followed, and of the reply only
its status is read; what else the other side sends is seen by nobody. Everything together takes at
most ten seconds once the name is resolved, by a timer that ends the connection. The certificate is
that of the host's name.
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

POST_TIMEOUT_SECONDS = 10.0  # for all of it, once the name is resolved
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# not for everyone either, as the registries have it by now; older Pythons do not know
MORE_PRIVATE_NETWORKS = [
    ipaddress.ip_network(each)
    for each in ("192.0.0.0/24", "64:ff9b:1::/48", "2002::/16", "3fff::/20", "5f00::/16")
]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(address: Address) -> bool:
    """Whether anyone could reach it, and so whoever typed it could have done so alone."""
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
    """What the host's name stands for, at this moment. Raises WebhookError where it is unknown, or
    where any of it is not public, unless `local`."""
    try:
        address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebhookError("The host of this address is not known.") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in address_infos))
    if not local:
        for each in addresses:
            if "%" in each or not is_public(ipaddress.ip_address(each)):
                raise WebhookError(
                    "The host of this address is in a private network, or this machine; the "
                    "operator has not allowed that (CANDOR_LOCAL_WEBHOOKS)."
                )
    return addresses


def resolve_url(url: str, *, local: bool) -> tuple[str, int, list[str]]:
    """The host, the port and the addresses of a URL. Raises WebhookError, as `addresses_of`."""
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
        """Seconds; a little more than none, since a time-out of none would be no time-out."""
        return max(0.001, self.end - time.monotonic())

    @contextmanager
    def of(self, connection: socket.socket) -> Iterator[None]:
        handle = connection.dup()  # stays when TLS takes the socket itself over
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
        with suppress(OSError):  # it may have ended by itself
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
    """Send it; return if the other side said that it is well, with a status of 200 to 299.

    Raises WebhookError with a sentence that tells nothing of what the other side sent but its
    status.
    """
    host, port, addresses = resolve_url(url, local=local)
    deadline = Deadline(POST_TIMEOUT_SECONDS)
    try:
        with connect_to_any(addresses, port, deadline) as plain, deadline.of(plain):
            status = status_of(plain, url, host, port, body, headers)
        if deadline.over.is_set():  # what was cut off may look like an answer
            raise TimeoutError
    except ssl.SSLCertVerificationError as error:
        raise WebhookError("Its certificate is not good for this address.") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        if deadline.over.is_set() or isinstance(error, TimeoutError):
            raise WebhookError("It did not answer in time.") from error
        raise WebhookError("It could not be reached, or did not answer in HTTP.") from error
    if 300 <= status < 400:
        raise WebhookError(f"It answered with a redirect ({status}), which is not followed.")
    if not 200 <= status < 300:
        raise WebhookError(f"It answered with the status {status}.")


def status_of(
    plain: socket.socket, url: str, host: str, port: int, body: bytes, headers: Mapping[str, str]
) -> int:
    """Ask over a connection that stands already, with TLS where the URL says so."""
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
