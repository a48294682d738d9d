"""The shipped proxy, deploy/haproxy.cfg, in front of two real servers on one PostgreSQL.

The servers have only the files of the shipped image. The proxy and the servers may do only what
their units in deploy/ allow, as far as this system can enforce it.
"""

import json
import random
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest
from flask import Flask

from app import MAX_FORM_BYTES
from survey.cli.verify.http_client import Host
from survey.definition.responses.parse_response import MAX_BODY_BYTES, Response
from survey.store import open_store
from tests.support.asgi_servers import HALVES
from tests.support.every_type import sent
from tests.support.forking import Server, servers
from tests.support.ledger import Ledger, judge, open_survey, reports_of
from tests.support.lengths import length, soak
from tests.support.lying_host import Verified
from tests.support.postgresql import Cluster
from tests.support.project import ROOT
from tests.support.proxied import (
    ADMIN_HOST,
    CLIENT,
    CONFIGURATION,
    HOST,
    Proxy,
    dial,
    proxy,
    within,
)
from tests.support.servers import free_port, wait_for

pytestmark = [pytest.mark.needs_haproxy, pytest.mark.needs_postgresql]

CONTAINERFILE = ROOT / "deploy" / "Containerfile"
RESTARTS = length(2, 50)
EACH_SECOND = length(20, 50)  # requests while servers restart
PATH = "/s/health/responses"
JSON = {"Content-Type": "application/json"}
NUMBERS = iter(range(2**16))  # different numbers of respondents
AGENT, TOKEN = "CanaryAgent", "canary-token-5f0b"


# --- alone, in front of a server that repeats its requests ----------------------------------------


class Echo(BaseHTTPRequestHandler):
    """Repeats its requests.

    For /s/lost/responses and /lost it does so only from the second time on.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if "lost" in self.path and self.server.seen.count(f"{self.command} {self.path}") == 1:
            self.close_connection = True
            return
        content = json.dumps([self.path, self.headers.items(), len(body)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def echoing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    folder = tmp_path_factory.mktemp("echoing")
    try:
        with proxy(folder, [server.server_port, free_port()]) as made:
            yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_client_cannot_say_where_it_is(echoing: Proxy) -> None:
    forged = {
        "X-Forwarded-For": "203.0.113.7",
        "x-forwarded-proto": "http",
        "X-Forwarded-Host": "elsewhere.example",
        "X-Forwarded-Prefix": "/elsewhere",
        "X-Real-IP": "203.0.113.7",
        "Forwarded": "for=203.0.113.7",
    }
    status, _, content = echoing.ask("GET", "/s/health", **forged)
    _, headers, _ = json.loads(content)
    assert status == 200
    seen = [(name.lower(), value) for name, value in headers]
    assert [value for name, value in seen if "forwarded" in name or "real" in name] == [CLIENT]
    assert ("x-forwarded-for", CLIENT) in seen
    assert ("host", HOST) in seen
    assert "203.0.113" not in content.decode()


def test_both_names_are_served_and_no_other(echoing: Proxy) -> None:
    for host in (HOST, ADMIN_HOST):
        assert echoing.ask("GET", "/", host=host)[0] == 200
    for path in ("/healthz", "/readyz", "/metrics"):  # internal addresses
        assert echoing.ask("GET", path)[0] == 404
    for host in ("elsewhere.example", "127.0.0.1", f"{HOST}.elsewhere.example"):
        status, _, content = echoing.ask("GET", "/", Host=host)
        assert status == 421
        assert json.loads(content)["error"].endswith(".")


def test_without_encryption_it_only_leads_to_the_encrypted_address(echoing: Proxy) -> None:
    for host in (HOST, ADMIN_HOST, "elsewhere.example"):
        with closing(dial(echoing.plain_port, 20)) as connection:
            connection.sendall(f"GET /s/health?x=1 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            answer = connection.recv(65_536).decode().lower()
        wanted = ADMIN_HOST if host == ADMIN_HOST else HOST
        assert answer.startswith("http/1.1 308")
        assert f"location: https://{wanted}/s/health?x=1\r\n" in answer


def test_only_current_versions_of_tls_are_spoken(echoing: Proxy) -> None:
    spoken = {}
    for version in ssl.TLSVersion:
        if version.name.startswith("TLSv"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings(action="ignore"):  # The old ones are deprecated.
                context.minimum_version = context.maximum_version = version
            with suppress(OSError), closing(dial(echoing.port, 20)) as plain:
                encrypted = context.wrap_socket(plain, server_hostname=HOST)
                spoken[version.name] = encrypted.cipher()[0]
                encrypted.close()
    assert set(spoken) == {"TLSv1_2", "TLSv1_3"}
    # Traffic that is recorded today stays secret later.
    assert spoken["TLSv1_2"].startswith("ECDHE-")
    old = ssl.create_default_context(cafile=str(echoing.folder / "certificate.pem"))
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    for ciphers in ("AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "AES256-GCM-SHA384"):
        old.set_ciphers(f"{ciphers}:@SECLEVEL=0")
        with closing(dial(echoing.port, 20)) as plain, pytest.raises(ssl.SSLError):
            old.wrap_socket(plain, server_hostname=HOST)


def test_what_is_lost_on_the_way_is_sent_again_only_where_that_does_nothing(echoing: Proxy) -> None:
    assert echoing.ask("POST", "/s/lost/responses", b"{}")[0] == 200
    assert echoing.ask("GET", "/lost")[0] == 200
    status, headers, content = echoing.ask("POST", "/admin/lost", b"once=only")
    assert (status, headers["retry-after"]) == (502, "5")
    assert json.loads(content)["error"].endswith(".")


def test_the_bounds_of_bodies_are_those_of_the_servers(echoing: Proxy) -> None:
    for path, most in ((PATH, 2 * MAX_BODY_BYTES), ("/admin/surveys", MAX_FORM_BYTES)):
        assert json.loads(echoing.ask("POST", path, b" " * most)[2])[2] == most
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {most + 1}\r\n\r\n"
        with closing(echoing.raw(head.encode())) as connection:
            assert connection.recv(65_536).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(("each", "closed"), [("20", 10), ("100", 0)])
def test_one_address_has_so_many_connections_and_no_more(
    tmp_path: Path, each: str, closed: int
) -> None:
    with proxy(tmp_path, [free_port()], CANDOR_CONNECTIONS_EACH=each) as made, ExitStack() as held:
        mine = []
        for _ in range(30):
            with suppress(ConnectionResetError):  # It may close during the handshake.
                mine.append(held.enter_context(closing(dial(made.port, 20))))

        def gone() -> int:
            return 30 - len(mine) + sum(map(is_closed, mine))

        end = time.monotonic() + (10 if closed else 0.3)
        while time.monotonic() < end and gone() < closed:
            time.sleep(0.01)
        assert gone() == closed
        other = held.enter_context(closing(socket.create_connection(("127.0.0.1", made.port))))
        made.trusted.wrap_socket(other, server_hostname=HOST).close()


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_the_addresses_that_are_counted_are_hashed_with_a_key_of_each_start(
    tmp_path: Path,
) -> None:
    """The requests, seen by an attacker who can read the proxy's memory."""
    seen = set()
    for turn in ("first", "second"):
        folder = tmp_path / turn
        folder.mkdir()
        looked_into = folder / "looked-into.cfg"
        way_in = f"global\n    stats socket {folder}/in\n"
        looked_into.write_text(CONFIGURATION.read_text().replace("global\n", way_in, 1))
        with proxy(folder, [free_port()], looked_into) as made:
            with closing(made.raw()), closing(socket.socket(socket.AF_UNIX)) as asked:
                asked.connect(str(folder / "in"))
                asked.sendall(b"show table connections\n")
                table = b"".join(iter(lambda: asked.recv(65_536), b"")).decode()
            [key] = re.findall(r"key=(\w+) .*conn_cur=1$", table, re.MULTILINE)
            assert re.fullmatch("[0-9A-F]{16}", key)
            seen.add(key)
    assert len(seen) == 2


def test_nothing_is_configured_that_writes_lines() -> None:
    lines = [line.partition("#")[0].split() for line in CONFIGURATION.read_text().splitlines()]
    words = {line[0] for line in lines if line}
    assert not words & {"log", "log-format", "log-tag", "capture", "stats", "server-state-file"}
    assert not any({"httplog", "tcplog", "capture", "lua-load"} & set(line) for line in lines)


# --- in front of two servers on one PostgreSQL ----------------------------------------------------


@dataclass
class There:
    """The proxy, the servers behind it, and the sent and acknowledged responses."""

    proxy: Proxy
    servers: list[Server]
    database: str
    fingerprint: str
    printed: list[Path]
    ledger: Ledger = field(default_factory=Ledger)

    def body(self) -> tuple[Response, bytes]:
        number = next(NUMBERS)
        response = Response(random.Random(number).randbytes(16), reports_of(number))
        self.ledger.send(response)
        content = {"id": response.id.hex(), "fingerprint": self.fingerprint}
        return response, json.dumps(content | {"reports": sent(response.reports)}).encode()

    def post(self) -> float:
        """Send a valid response, and return how long it took."""
        response, body = self.body()
        start = time.monotonic()
        status, _, content = self.proxy.ask("POST", PATH, body, **JSON)
        assert status == 201, content
        self.ledger.acknowledge(response)
        return time.monotonic() - start

    def begin(self, server: Server) -> None:
        server.start()
        wait_for(f"http://127.0.0.1:{server.environment['PORT']}/how")

    def nothing_is_lost(self) -> None:
        verdict = judge(self.database, self.ledger)
        assert (verdict.lost, verdict.double, verdict.strange) == (0, 0, 0)
        assert not verdict.counts_differ
        assert verdict.rows == len(self.ledger.sent)


@pytest.fixture(scope="module")
def there(postgresql_server: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[There]:
    folder = tmp_path_factory.mktemp("proxied")
    with postgresql_server.database("template") as database:
        store = open_store(database)
        fingerprint = open_survey(store, batch=25).fingerprint
        store.close()
        environments = [
            {
                "CANDOR_DATABASE": database,
                "CANDOR_SECRET_KEY": "k" * 64,
                "CANDOR_URL": f"https://{HOST}",
                "CANDOR_ADMIN_URL": f"https://{ADMIN_HOST}",
                "CANDOR_PROXIES": "1",
                "CANDOR_REQUESTS": "0",
                "PORT": str(free_port()),
                "PRINTED": str(folder / f"server {n}"),
            }
            for n in (1, 2)
        ]
        ports = [int(each["PORT"]) for each in environments]
        with ExitStack() as stack:
            shipped = shipped_files(folder / "shipped")
            made = stack.enter_context(servers(shipped, within("candor"), *environments))
            front = stack.enter_context(proxy(folder, ports))
            printed = [Path(each["PRINTED"]) for each in environments]
            running = There(front, made, database, fingerprint, printed)
            for each in made:
                running.begin(each)
            until_served(front)
            yield running


def shipped_files(folder: Path) -> Path:
    """A folder with exactly the files that deploy/Containerfile puts into the image."""
    folder.mkdir()
    copied = re.findall(r"^COPY (\S+) (\S+)$", CONTAINERFILE.read_text(), re.MULTILINE)
    for source, target in copied:
        if source == "deploy/haproxy.cfg":
            continue
        if (ROOT / source).is_dir():
            skipped = ignore_patterns("__pycache__")
            copytree(ROOT / source, folder / target, ignore=skipped)
        else:
            copy(ROOT / source, folder / target)
    return folder


def until_served(front: Proxy) -> None:
    end = time.monotonic() + 20
    while front.ask("GET", "/how")[0] != 200:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_pages_come_through_as_the_application_gives_them(there: There) -> None:
    status, headers, content = there.proxy.ask("GET", "/s/health")
    assert status == 200
    assert headers["strict-transport-security"].startswith("max-age=31536000")
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "server" not in headers
    assert b"Health" in content
    assert there.proxy.ask("GET", "/admin/sign-in")[0] == 404
    assert there.proxy.ask("GET", "/admin/sign-in", host=ADMIN_HOST)[0] == 200
    assert there.proxy.ask("GET", "/s/health", host=ADMIN_HOST)[0] == 404
    there.post()


def test_verify_permits_every_header_of_the_proxy_and_the_servers(
    there: There, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Host, "connect", lambda _: there.proxy.connection())
    found = Verified.by(app.test_cli_runner().invoke(args=["verify", f"https://{HOST}/s/health"]))
    assert found.honest, found.wrong


def test_the_image_knows_whether_its_server_answers(there: There) -> None:
    [command] = re.findall(r"^    CMD (\[.*\])$", CONTAINERFILE.read_text(), re.MULTILINE)
    _, option, program = json.loads(command)
    for port, healthy in ((there.servers[0].environment["PORT"], True), (free_port(), False)):
        asked = [sys.executable, option, program.replace(":8000/", f":{port}/")]
        done = subprocess.run(asked, stderr=subprocess.DEVNULL)
        assert (done.returncode == 0) is healthy


@soak
def test_slow_clients_keep_nobody_waiting(there: There, tmp_path: Path) -> None:
    """The connections of one address are limited, so the test removes that limit.

    If fewer files may be open than two for each connection, the proxy still has to work.
    """
    counts = {name: length(100, 10_000 if name == "idle" else 1_000) for name in HALVES}
    most = str(sum(counts.values()) + 200)
    ports = [int(each.environment["PORT"]) for each in there.servers]
    tolerant = tmp_path / "tolerant.cfg"
    text = CONFIGURATION.read_text()
    tolerant.write_text(text.replace("    strict-limits\n", "    no strict-limits\n"))
    with files(sum(counts.values()) + 1_000), ExitStack() as held:
        wide = {"CANDOR_CONNECTIONS": most, "CANDOR_CONNECTIONS_EACH": most}
        there = There(
            held.enter_context(proxy(tmp_path, ports, tolerant, **wide)),
            there.servers, there.database, there.fingerprint, there.printed, there.ledger,
        )  # fmt: skip
        until_served(there.proxy)
        for name, half in HALVES.items():
            half = half.replace(b"Host: x", f"Host: {HOST}".encode())
            for _ in range(counts[name]):
                held.enter_context(closing(there.proxy.raw(half, encrypted=name != "idle")))
        took = [there.post() for _ in range(20)]
        assert there.proxy.ask("GET", "/s/health")[0] == 200
        print(f"slowest of 20 beside {counts}: {max(took):.2f} s")
    assert max(took) < 5  # on a busy machine; 0.03 s alone


def test_control_a_proxy_without_room_lets_slow_clients_keep_all_waiting(
    there: There, tmp_path: Path
) -> None:
    ports = [int(each.environment["PORT"]) for each in there.servers]
    with proxy(tmp_path, ports, CANDOR_CONNECTIONS="50") as narrow, ExitStack() as held:
        for _ in range(60):
            held.enter_context(closing(narrow.raw(encrypted=False)))
        with pytest.raises(OSError), closing(narrow.connection(timeout=1)) as connection:
            connection.request("GET", "/how")


@contextmanager
def files(wanted: int) -> Iterator[None]:
    """Set the number of open files, here and in started processes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_gigabyte_is_refused_and_held_nowhere(there: There) -> None:
    """A body with a length, and one in chunks without an end."""
    processes = [there.proxy.process.pid, *(each.pid for each in there.servers)]
    before = [peak(pid) for pid in processes]
    head = f"POST {PATH} HTTP/1.1\r\nHost: {HOST}\r\n"
    million = b" " * 1_000_000
    for announced, piece in (
        (f"{head}Content-Length: {2**30}\r\n\r\n", million),
        (f"{head}Transfer-Encoding: chunked\r\n\r\n", b"f4240\r\n" + million + b"\r\n"),
    ):
        sent_bytes = 0
        with closing(there.proxy.raw(announced.encode())) as connection:
            with suppress(OSError):
                for _ in range(1_000):
                    connection.sendall(piece)
                    sent_bytes += len(piece)
            with suppress(OSError):
                assert connection.recv(65_536)[:12] in (b"HTTP/1.1 413", b"")
        assert sent_bytes < 100_000_000
    for pid, first in zip(processes, before, strict=True):
        assert peak(pid) - first < 20_000
    there.post()


def peak(pid: int) -> int:
    """The largest memory of a process so far, in kilobytes."""
    [found] = re.findall(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found)


def betray(front: Proxy) -> None:
    """The texts that the search must not find, in requests that end in every way."""
    told = {"User-Agent": AGENT, "Referer": f"https://{HOST}/{TOKEN}", "Cookie": f"a={TOKEN}"}
    for method, path in (
        ("GET", f"/shared?token={TOKEN}"), ("GET", f"/admin/choose/{TOKEN}"),
        ("POST", f"/s/{TOKEN}/responses"), ("GET", f"/%{TOKEN}"), ("BREW", f"/{TOKEN}"),
    ):  # fmt: skip
        front.ask(method, path, **told)
        front.ask(method, path, host=ADMIN_HOST, **told)
    front.ask("GET", f"/{TOKEN}", **told, Host="elsewhere.example")
    with suppress(OSError):  # The server refuses it while it is sent.
        front.ask("GET", "/", **told, X_Long=TOKEN * 2_000)
    for sent_bytes in (f"{TOKEN}\r\n\r\n", f"GET /{TOKEN} HTTP/1.1\r\nHost: a b\r\nX", "\x16\x03"):
        for encrypted in (True, False):
            with closing(front.raw(sent_bytes.encode(), encrypted)) as connection:
                connection.settimeout(0.05)
                with suppress(OSError):
                    connection.recv(65_536)


def kept(front: Proxy, *more: Path) -> set[str]:
    """The canaries in the files of the proxy, or in the output of the proxy or a server."""
    written = [path for path in front.folder.iterdir() if path.is_file()] + list(more)
    text = "".join(path.read_text(errors="replace") for path in written)
    return {what for what in (CLIENT, AGENT, TOKEN) if what.lower() in text.lower()}


def test_no_address_and_no_token_is_written_anywhere(there: There) -> None:
    betray(there.proxy)
    assert kept(there.proxy, *there.printed) == set()
    opened = [str(path.resolve()) for path in open_files(there.proxy.process.pid)]
    assert {path for path in opened if Path(path).is_file()} == {str(there.proxy.printed)}


def open_files(pid: int) -> Iterator[Path]:
    yield from Path(f"/proc/{pid}/fd").iterdir()


def test_control_a_proxy_that_logs_is_found_out(tmp_path: Path) -> None:
    says = '    log stdout format raw local0\n    log-format "%ci %r"\n'
    text = CONFIGURATION.read_text().replace("    mode http\n", "    mode http\n" + says)
    logging = tmp_path / "logging.cfg"
    logging.write_text(text)
    folder = tmp_path / "logged"
    folder.mkdir()
    with proxy(folder, [free_port()], logging) as front:
        betray(front)
        assert kept(front) >= {CLIENT, TOKEN}


# --- servers start and stop -----------------------------------------------------------------------


class Honest:
    """Clients at a steady rate. Like the page, they repeat what was not acknowledged."""

    def __init__(self, there: There, clients: int = 10):
        self.there = there
        self.ending = False
        # the results of first attempts, and the responses given up
        self.first, self.failed = [], []
        self.threads = [threading.Thread(target=self.run, args=[clients]) for _ in range(clients)]

    def run(self, clients: int) -> None:
        while not self.ending:
            start = time.monotonic()
            response, body = self.there.body()
            for tries in range(5):
                said = self.attempt(body)
                if said in (200, 201):
                    self.there.ledger.acknowledge(response)
                    break
                if not tries:
                    self.first.append(said)
                time.sleep(0.2 * 2**tries)
            else:
                self.failed.append(said)
            time.sleep(max(0, clients / EACH_SECOND - (time.monotonic() - start)))

    def attempt(self, body: bytes) -> int | str:
        try:
            return self.there.proxy.ask("POST", PATH, body, **JSON)[0]
        except (OSError, HTTPException) as error:
            return repr(error)

    def more(self, n: int) -> None:
        """Wait until this many more are acknowledged."""
        wanted = len(self.there.ledger.acknowledged) + n
        end = time.monotonic() + 60
        while len(self.there.ledger.acknowledged) < wanted:
            assert time.monotonic() < end
            time.sleep(0.02)

    def __enter__(self) -> "Honest":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending = True
        for thread in self.threads:
            thread.join()


@soak
def test_servers_are_restarted_one_after_the_other_and_nobody_notices(there: There) -> None:
    sent_before = len(there.ledger.sent)
    with Honest(there) as clients:
        for turn in range(RESTARTS):
            server = there.servers[turn % 2]
            server.tell(signal.SIGTERM)
            time.sleep(2.5)  # The proxy checks it each second, and sends it nothing new after two.
            server.end(signal.SIGTERM)  # A second signal, so that this does not take ten seconds.
            there.begin(server)
            time.sleep(1.5)
            clients.more(20)
    n = len(there.ledger.sent) - sent_before
    print(f"{RESTARTS} restarts, {n} responses; first tries that failed: {clients.first}")
    assert n > 20 * RESTARTS
    assert clients.failed == []
    assert there.ledger.acknowledged == there.ledger.sent
    there.nothing_is_lost()


def test_one_server_is_killed_and_the_other_goes_on(there: There) -> None:
    killed = there.servers[0]
    with Honest(there) as clients:
        clients.more(10)
        killed.end(signal.SIGKILL)
        clients.more(40)
        there.begin(killed)
        clients.more(10)
    assert clients.failed == []
    there.nothing_is_lost()


def test_on_one_machine_a_restart_only_makes_people_wait(there: There, tmp_path: Path) -> None:
    """The configuration for one server, which the instructions derive from the one for two."""
    instructions = (ROOT / "docs" / "how-to" / "install-on-one-machine.md").read_text()
    [command] = re.findall(r"^ +(sed .*) > /etc/candor/haproxy.cfg$", instructions, re.MULTILINE)
    alone = tmp_path / "alone.cfg"
    with alone.open("wb") as file:
        subprocess.run(["sh", "-c", command], cwd=ROOT, stdout=file, check=True)
    assert "server two" not in alone.read_text()
    server = there.servers[0]
    with proxy(tmp_path, [int(server.environment["PORT"])], alone) as front:
        before, there.proxy = there.proxy, front
        with Honest(there) as clients:
            clients.more(10)
            server.tell(signal.SIGTERM)  # twice, since the other proxy has checked it recently
            server.end(signal.SIGTERM)
            there.begin(server)
            clients.more(20)
        there.proxy = before
    assert clients.first == clients.failed == []
    there.nothing_is_lost()


def test_without_a_server_people_are_told_to_come_again(there: There) -> None:
    for server in there.servers:
        server.tell(signal.SIGTERM)
        server.end(signal.SIGTERM)
    response, body = there.body()
    status, headers, content = there.proxy.ask("POST", PATH, body, **JSON)
    assert (status, headers["retry-after"], headers["cache-control"]) == (503, "5", "no-store")
    assert json.loads(content)["error"].endswith(".")
    for server in there.servers:
        there.begin(server)
    until_served(there.proxy)
    assert there.proxy.ask("POST", PATH, body, **JSON)[0] == 201
    there.ledger.acknowledge(response)
    there.nothing_is_lost()
