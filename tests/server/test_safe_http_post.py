"""HTTP requests to addresses that researchers type: none reaches a private address."""

import ipaddress
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from survey.core.errors import WebhookError
from survey.server.webhooks import safe_http_post
from survey.server.webhooks.safe_http_post import is_public, post
from tests.support.check_each import check_each
from tests.support.webhooks import Receiver, receiving

pytestmark = pytest.mark.both_stores


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@check_each(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        *((each, False) for each in ("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "::1", "::")),
        *((each, False) for each in ("172.16.0.1", "192.168.1.1", "169.254.169.254", "fe80::1")),
        *((each, False) for each in ("100.64.0.1", "192.0.0.8", "198.18.0.1", "255.255.255.255")),
        *((each, False) for each in ("224.0.0.1", "239.1.1.1", "ff02::1", "ff0e::1", "240.0.0.1")),
        *((each, False) for each in ("fc00::1", "fd12:3456::1", "fec0::1", "2001:db8::1")),
        # another internal address
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("2002:c0a8:101::1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False),
        ("::7f00:1", False),
        *((each, False) for each in ("64:ff9b:1::1", "3fff::1", "5f00::1", "100::1")),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) == public


@contextmanager
def talking(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that sends any bytes in place of HTTP, on one connection."""
    ended = threading.Event()

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            with suppress(OSError):
                talk(connection)
            ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://localhost:{listening.getsockname()[1]}/"
        assert ended.wait(20)
        thread.join()


def dripping(connection: socket.socket) -> None:
    """An endless header, one letter at a time, since each letter would restart a time-out."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.02)


def going_on(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def silent(connection: socket.socket) -> None:
    while connection.recv(65_536):  # until the other side has closed
        pass


@pytest.mark.parametrize("talk", [dripping, going_on, silent])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_who_is_slow_is_left_however_it_is_slow(
    monkeypatch: pytest.MonkeyPatch, talk: Callable[[socket.socket], None], scheme: str
) -> None:
    seconds, words = 0.3, "did not answer in time"
    if scheme == "https" and talk is not silent:
        # It is no TLS, and the error comes before the time is over.
        seconds, words = 10, "could not reach"
    monkeypatch.setattr(safe_http_post, "POST_TIMEOUT_SECONDS", seconds)
    with talking(talk) as url, pytest.raises(WebhookError, match=words):
        post(url.replace("http", scheme, 1), b"{}", {}, local=True)


def test_what_it_answers_is_not_read_and_not_repeated() -> None:
    sizes: list[int] = []

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 secret reason\r\nContent-Length: 99999999999\r\n\r\n")
        sizes.append(0)
        while True:
            sizes[0] += connection.send(b"secret" * 1_000)

    with talking(endless) as url:
        post(url, b"{}", {}, local=True)
    assert sizes[0] < 20_000_000  # The system's own buffers take this, and the rest was never read.

    def refuse(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 500 secret reason\r\n\r\nsecret")

    with talking(refuse) as url, pytest.raises(WebhookError) as caught:
        post(url, b"{}", {}, local=True)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "reply", [b"SSH-2.0-OpenSSH\r\n", b"", b"HTTP/1.1 abc\r\n\r\n", b"\0" * 70_000]
)
def test_what_is_no_http_is_said(reply: bytes) -> None:
    talk = talking(lambda connection: connection.sendall(reply))
    with talk as url, pytest.raises(WebhookError, match="did not answer in HTTP"):
        post(url, b"{}", {}, local=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost alone, with its key in the same file."""
    folder = tmp_path_factory.mktemp("certificate")
    command = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        *("-keyout", "key.pem", "-out", "cert.pem"),
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


@pytest.fixture
def secure(certificate: Path) -> Iterator[Receiver]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with receiving(context) as found:
        yield found


def test_with_https_the_certificate_is_that_of_the_name(
    secure: Receiver, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WebhookError, match="certificate of the program is not valid"):
        # from an authority that this machine does not trust
        post(secure.url, b"{}", {}, local=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    post(secure.url, b"{}", {}, local=True)
    assert len(secure.came) == 1
    with pytest.raises(WebhookError, match="certificate of the program is not valid"):
        post(secure.url.replace("localhost", "127.0.0.1"), b"{}", {}, local=True)
    assert len(secure.came) == 1


def test_no_proxy_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    post(receiver.url, b"{}", {}, local=True)
    assert len(receiver.came) == 1


def standing_for(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let names resolve to these addresses, and record the names."""
    asked: list[str] = []

    def resolve(host: str, port: int, **_: object) -> list[tuple]:
        asked.append(host)
        return [
            (
                socket.AF_INET6 if ":" in each else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (each, port),
            )
            for each in addresses
        ]

    monkeypatch.setattr(safe_http_post.socket, "getaddrinfo", resolve)
    return asked


def test_an_address_that_is_private_is_not_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (receiver.url, receiver.url.replace("localhost", "127.0.0.1")):
        with pytest.raises(WebhookError, match="private network, or it is Candor’s own server"):
            post(url, b"{}", {}, local=False)
    for private in ("10.0.0.1", "::1", "fe80::1%eth0"):
        # One private address of several is enough.
        standing_for(monkeypatch, "93.184.216.34", private)
        monkeypatch.setattr(
            safe_http_post.socket, "create_connection", lambda *_, **__: pytest.fail("connected")
        )
        with pytest.raises(WebhookError, match="private network, or it is Candor’s own server"):
            post("https://example.org/", b"{}", {}, local=False)
    assert receiver.came == []


def test_a_name_is_looked_up_once_and_that_address_is_connected_to(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves differently the second time cannot lead the server there."""
    asked = standing_for(monkeypatch, "93.184.216.34")
    connect = socket.create_connection
    connected: list[tuple[str, int]] = []
    port = int(receiver.url.split(":")[2].split("/")[0])

    def connecting(address: tuple[str, int], timeout: float) -> socket.socket:
        connected.append(address)
        assert 0 < timeout <= safe_http_post.POST_TIMEOUT_SECONDS
        monkeypatch.undo()
        return connect(("127.0.0.1", port), timeout)

    monkeypatch.setattr(safe_http_post.socket, "create_connection", connecting)
    post("http://example.org:81/x", b"{}", {}, local=False)
    assert asked == ["example.org"]
    assert connected == [("93.184.216.34", 81)]
    assert receiver.came[0][1]["Host"] == "example.org:81"


def test_if_one_address_does_not_answer_the_next_one_is_tried(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_for(monkeypatch, "127.0.0.9", "127.0.0.1")
    connect = socket.create_connection

    def connecting(address: tuple[str, int], timeout: float) -> socket.socket:
        monkeypatch.undo() if address[0] == "127.0.0.1" else None
        if address[0] == "127.0.0.9":
            raise ConnectionRefusedError
        return connect(address, timeout)

    monkeypatch.setattr(safe_http_post.socket, "create_connection", connecting)
    post(receiver.url, b"{}", {}, local=True)
    assert len(receiver.came) == 1


def test_a_name_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WebhookError, match="not known"):
        post("https://nobody.invalid/", b"{}", {}, local=False)
    with pytest.raises(WebhookError, match="not known"):
        post(f"https://{'x' * 70}.org/", b"{}", {}, local=False)
