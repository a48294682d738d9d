"""The proxy of deploy/haproxy.cfg, run as shipped, and its TLS clients."""

import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path

import pytest

from tests.support.confined import possible
from tests.support.project import ROOT
from tests.support.servers import free_port
from tools.haproxy import installed

CONFIGURATION = ROOT / "deploy" / "haproxy.cfg"
HOST, ADMIN_HOST = "survey.example.org", "admin.example.org"
CLIENT = "127.66.77.88"  # All of 127.0.0.0/8 is this machine.


@dataclass
class Proxy:
    """A running proxy."""

    port: int
    plain_port: int
    process: subprocess.Popen
    trusted: ssl.SSLContext
    printed: Path
    folder: Path
    held: list[socket.socket] = field(default_factory=list)

    def connection(self, host: str = HOST, timeout: float = 20) -> HTTPSConnection:
        return Connection(self, host, timeout)

    def ask(
        self, method: str, path: str, body: bytes | None = None, host: str = HOST, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self.connection(host)
        try:
            connection.request(method, path, body, named)
            reply: HTTPResponse = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def raw(self, sent: bytes = b"", encrypted: bool = True) -> socket.socket:
        """A connection that has sent these bytes."""
        connection = dial(self.port, 20)
        if encrypted:
            connection = self.trusted.wrap_socket(connection, server_hostname=HOST)
        connection.sendall(sent)
        return connection


class Connection(HTTPSConnection):
    """An address of the proxy, whatever the name resolves to."""

    def __init__(self, proxy: Proxy, host: str, timeout: float):
        super().__init__(host, context=proxy.trusted, timeout=timeout)
        self.proxy = proxy

    def connect(self) -> None:
        plain = dial(self.proxy.port, self.timeout)
        self.sock = self.proxy.trusted.wrap_socket(plain, server_hostname=self.host)


def dial(port: int, timeout: float | None) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout, source_address=(CLIENT, 0))


def within(unit: str) -> list[str]:
    """A command that restricts a program like a unit of deploy/, if this system supports it."""
    script = ROOT / "tests" / "support" / "confined.py"
    unit_file = ROOT / "deploy" / f"{unit}.service"
    return [sys.executable, str(script), str(unit_file)] if possible() else []


def certificate(folder: Path) -> Path:
    """A certificate for both names with its key, from its own authority."""
    key, signed, both = (folder / name for name in ("key", "signed", "certificate.pem"))
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-addext", f"subjectAltName=DNS:{HOST},DNS:{ADMIN_HOST}"),
            *("-keyout", str(key), "-out", str(signed)),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_text(signed.read_text() + key.read_text())
    return both


@contextmanager
def proxy(
    folder: Path, servers: list[int], configuration: Path = CONFIGURATION, **environment: str
) -> Iterator[Proxy]:
    """The proxy in front of servers on these ports."""
    program = installed()
    if program is None:
        pytest.skip("No HAProxy here; tools/haproxy.py says how to get one.")
    shown = certificate(folder)
    ports = free_port(), free_port()
    env = {
        "PATH": os.environ["PATH"],
        "CANDOR_HOST": HOST,
        "CANDOR_ADMIN_HOST": ADMIN_HOST,
        "CANDOR_CERTIFICATE": str(shown),
        "CANDOR_HTTPS": f"127.0.0.1:{ports[0]}",
        "CANDOR_HTTP": f"127.0.0.1:{ports[1]}",
        "CANDOR_CONNECTIONS": "2000",
        **{f"CANDOR_SERVER_{n}": f"127.0.0.1:{port}" for n, port in enumerate(servers, 1)},
        **environment,
    }
    printed = folder / "printed"
    with printed.open("wb") as file:
        process = subprocess.Popen(
            [*within("candor-proxy"), program, "-db", "-f", str(configuration)], env=env,
            cwd=folder, stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
    trusted = ssl.create_default_context(cafile=str(shown))
    made = Proxy(*ports, process, trusted, printed, folder)
    try:
        end = time.monotonic() + 20
        while True:
            with suppress(OSError):
                made.raw().close()
                break
            assert process.poll() is None, printed.read_text()
            assert time.monotonic() < end
            time.sleep(0.01)
        yield made
    finally:
        process.terminate()
        process.wait(20)
