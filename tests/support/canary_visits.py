"""Visits to a server by a visitor whose traces are easy to find."""

import json
import re
import socket
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from app import MAX_FORM_BYTES
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from survey.store import OWNER, Account, open_store
from survey.store.backups import write_backup
from tests.support.canaries import Canary, address
from tests.support.definitions import definition, opened
from tests.support.definitions import yes_no as asked_yes_no
from tests.support.researchers import password_hash

PEER, CLIENT = "127.77.66.55", "203.0.113.77"  # All of 127.0.0.0/8 is this machine.
CODES = [code_from(bytes([37 * place % 251 + turn for place in range(16)])) for turn in range(4)]
FIRST, UNKNOWN, VISITORS, SPARE = CODES
RECEIPT = sha256(b"a receipt").hexdigest()[:32]
NO_RECEIPT = sha256(b"of nobody").hexdigest()[:32]
PRIVATE_NUMBER, PLAIN_NUMBER = "739184111", "640217111"  # thousands and 111
WHO: dict[str, Canary] = {
    "peer": address(PEER),
    "client": address(CLIENT),
    "agent": Canary("CanaryAgent", hashed=True),
    "language": Canary("canarytongue", hashed=True),
    "referer": Canary("canary-referer.example", hashed=True),
    "cookie": Canary("CanaryCookie", hashed=True),
    "other header": Canary("CanaryHeader"),
    "path": Canary("canarypath"),
    "query": Canary("CanaryQuery"),
    "method": Canary("CANARYMETHOD"),
    "refused": Canary("CanaryRefused"),  # in refused bodies
    "name": Canary("CanaryName"),  # the user name of a person who guesses passwords
    "answer": Canary(PRIVATE_NUMBER),
} | {f"code {place}": Canary(code) for place, code in enumerate(CODES)}
# The store keeps the people's answers as they are.
GIVEN = {"plain text": Canary("CanaryText"), "by hand": Canary("CanaryHand")}
HEADERS = {
    "User-Agent": "Mozilla/5.0 CanaryAgent/7.7",
    "Accept-Language": "vi, x-canarytongue;q=0.3",
    "Referer": "http://canary-referer.example/from",
    "Cookie": "candor=CanaryCookie; session=CanaryCookie",
    "X-Forwarded-For": CLIENT,
    "X-Real-IP": "CanaryHeader",
    "Forwarded": "for=CanaryHeader",
    "Origin-Trial": "CanaryHeader",
}
REGION = {
    "name": "region", "type": "select_one", "label": "Where do you live?", "privacy": "none",
    "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
}  # fmt: skip
AMOUNT = {"type": "number", "min": 111, "max": 999_999_111, "step": 1_000}
SAVINGS = {"name": "savings", "label": "How much have you saved?", "privacy": {"epsilon": 1}}
YEARS = {"name": "years", "label": "How many minutes old are you?", "privacy": "none"}
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
ENGLISH = definition(
    asked_yes_no(), SAVINGS | AMOUNT, REGION, YEARS | AMOUNT, REMARKS,
    invitations=True, receipts=True, comprehension=True,
)  # fmt: skip
TEXTS = parse_survey(ENGLISH).texts
TRANSLATED = {
    language: nest_texts({path: f"{language}: {text}" for path, text in TEXTS.items()})
    for language in ("vi", "th", "zh")
}
HEALTH = ENGLISH | {"translations": TRANSLATED}
COINS = definition(asked_yes_no(), REGION, REMARKS, slug="coins", by_hand=True, receipts=True)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass
class Reply:
    status: int
    text: str
    cookies: list[str]


@dataclass
class Asker:
    """Requests from the address of the canaries, with every canary header."""

    port: int
    cookie: str = ""
    statuses: dict[str, int] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: object = None, kind: str = JSON, **more: str
    ) -> Reply:
        headers = HEADERS | {name.replace("_", "-"): value for name, value in more.items()}
        if self.cookie:
            headers["Cookie"] = f"{self.cookie}; other=CanaryCookie"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = kind
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=(PEER, 0))
        with closing(connection):
            connection.request(method, path, content, headers)
            reply = connection.getresponse()
            cookies = [text.partition(";")[0] for text in reply.headers.get_all("Set-Cookie", [])]
            return Reply(reply.status, reply.read().decode(), cookies)

    def note(self, scenario: str, method: str, path: str, *body: object, **more: str) -> Reply:
        reply = self.ask(method, path, *body, **more)
        assert scenario not in self.statuses
        self.statuses[scenario] = reply.status
        return reply

    def raw(self, content: bytes) -> int:
        with socket.create_connection(
            ("127.0.0.1", self.port), source_address=(PEER, 0)
        ) as connection:
            connection.sendall(content)
            received = b""
            while more := connection.recv(65_536):
                received += more
        return int(received.split(b" ", 2)[1])


def id_of(receipt: str, label: bytes = b"") -> str:
    return sha256(bytes.fromhex(receipt) + label).hexdigest()[:32]


def response(fingerprint: str) -> dict[str, object]:
    reports = {
        "smokes": "1", "savings": "00", "region": "1", "years": PLAIN_NUMBER[:6],
    }  # fmt: skip
    texts = {"id": id_of(RECEIPT, b"texts"), "reports": {"remarks": "CanaryText of mine"}}
    content = {"id": id_of(RECEIPT), "fingerprint": fingerprint, "reports": reports}
    return content | {"texts": texts, "invitation": FIRST}


def another_response(
    fingerprint: str, pair: str, text: str = "CanaryText of mine"
) -> dict[str, object]:
    """The same with other ids, which consist of this pair of digits."""
    texts = {"id": pair[::-1] * 16, "reports": {"remarks": text}}
    return response(fingerprint) | {"id": pair * 16, "texts": texts}


def respond(asker: Asker, fingerprint: str) -> None:
    """Requests to the route for responses."""
    door = "/s/health/responses?from=CanaryQuery"
    good = response(fingerprint)

    def other(**change: object) -> dict[str, object]:
        return another_response(fingerprint, "0f", "CanaryRefused") | change

    ask = "/s/health/invited?from=CanaryQuery"
    asker.note("asked, good", "POST", ask, {"invitation": FIRST})
    asker.note("sent", "POST", door, good)
    asker.note("sent twice", "POST", door, good)
    asker.note("malformed", "POST", door, b'{"answer": "CanaryRefused"')
    asker.note("another member", "POST", door, good | {"answer": "CanaryRefused"})
    asker.note("wrong fingerprint", "POST", door, other(fingerprint="CanaryRefused"))
    asker.note("wrong report", "POST", door, other(reports={"CanaryRefused": "CanaryRefused"}))
    asker.note("spent invitation", "POST", door, other())
    asker.note("unknown invitation", "POST", door, other(invitation=UNKNOWN))
    asker.note("no invitation", "POST", door, other(invitation="CanaryRefused"))
    asker.note("asked, spent", "POST", ask, {"invitation": FIRST})
    asker.note("asked, unknown", "POST", ask, {"invitation": UNKNOWN})
    asker.note("asked, malformed", "POST", ask, {"invitation": "CanaryRefused"})
    asker.note("asked, closed", "POST", "/s/closed/invited", {"invitation": FIRST})
    asker.note("asked, none needed", "POST", "/s/coins/invited", {"invitation": FIRST})
    asker.note("asked, another site", "POST", ask, {"invitation": FIRST},
               Origin="http://CanaryRefused.example")  # fmt: skip
    closed = json.loads(asker.ask("GET", "/s/closed.json").text)["fingerprint"]
    asker.note("closed survey", "POST", "/s/closed/responses", good | {"fingerprint": closed})
    asker.note("unknown survey", "POST", "/s/canarypath/responses", good)
    asker.note("another type", "POST", door, b"CanaryRefused=1", FORM)
    asker.note("another site", "POST", door, good, Origin="http://CanaryRefused.example")
    asker.note("too long", "POST", door, b"CanaryRefused" * (MAX_BODY_BYTES // 13 + 1))
    asker.statuses["far too long"] = asker.raw(
        f"POST {door} HTTP/1.1\r\nHost: here\r\n"
        f"Content-Length: {MAX_FORM_BYTES + 1}\r\n\r\n".encode()
        + b"CanaryRefused"
    )


def look(asker: Asker) -> None:
    """Pages, and addresses that are no page."""
    for language in ("en", "vi", "th", "zh", "CanaryQuery"):
        asker.note(f"page in {language}", "GET", f"/s/health?language={language}&q=CanaryQuery")
    for path in ("/", "/how", "/verify", "/s/health/verify", "/s/health.json", "/s/closed",
                 "/s/health/withdraw", "/s/canarypath", "/canarypath", "/s/health.comprehension",
                 "/s/coins/by-hand", "/static/respondent/respond.js", "/static/canarypath.js",
                 "/s/health/responses", "/admin/", "/admin/setup?token=CanaryQuery"):  # fmt: skip
        asker.note(path, "GET", path)
    asker.note("put", "PUT", "/s/health", b"CanaryRefused")
    asker.note("strange method", "CANARYMETHOD", "/s/health")
    asker.statuses["no HTTP"] = asker.raw(b"\0CanaryRefused\r\n\r\n")
    asker.statuses["no header"] = asker.raw(
        b"GET /s/canarypath HTTP/1.1\r\nCanaryRefused\r\nCookie: CanaryCookie\r\n\r\n"
    )
    asker.statuses["no length"] = asker.raw(
        b"POST /s/health/responses HTTP/1.1\r\nContent-Length: CanaryRefused\r\n\r\n"
    )


def use_other_doors(asker: Asker) -> None:
    """Coins, the comprehension test, receipts."""
    form = asker.ask("GET", "/s/coins/by-hand").text
    marks = dict(re.findall(r'name="([\w-]+)" value="([0-9a-f]{32,})"', form))
    chosen = {"smokes": "1", "region": "0", "remarks": "CanaryHand"}
    door = "/s/coins/by-hand?language=en"

    def filled(**change: str) -> bytes:
        return urlencode(marks | chosen | change).encode()

    faulty = filled(smokes="CanaryRefused", region="CanaryRefused")
    asker.note("by hand, faulty", "POST", door, faulty, FORM)
    asker.note("by hand, malformed", "POST", door, b"CanaryRefused=CanaryRefused", FORM)
    asker.note("by hand, a file", "POST", door, b"CanaryRefused", "multipart/form-data")
    asker.note("by hand", "POST", door, filled(), FORM)
    asker.note("by hand, twice", "POST", door, filled(smokes="0"), FORM)
    asker.note("by hand, thanks", "GET", "/s/coins/by-hand/thanks?q=CanaryQuery")
    test = json.loads(asker.ask("GET", "/s/health.comprehension.json").text)
    taken = {"id": "ab" * 16, "fingerprint": test["fingerprint"]}
    taken["reports"] = {entry["name"]: "1" for entry in test["definition"]["questions"]}
    asker.note("understood", "POST", "/s/health.comprehension/responses", taken)
    for slug in ("health", "closed", "canarypath"):
        door = f"/s/{slug}/withdrawals"
        asker.note(f"withdrawal from {slug}", "POST", door, {"receipt": NO_RECEIPT})
    asker.note("no withdrawal", "POST", "/s/health/withdrawals", {"receipt": "CanaryRefused"})


def stocked(database: str) -> str:
    """The fingerprint of the open survey."""
    store = open_store(database)
    fingerprint = opened(store, HEALTH).fingerprint
    opened(store, COINS)
    opened(store, HEALTH | {"slug": "closed"})
    store.lifecycle.set_state("closed", "closed")
    store.invitations.add_invitations("health", [token_hash(c) for c in (FIRST, VISITORS, SPARE)])
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    store.close()
    return fingerprint


def backed_up(database: str, folder: Path) -> bytes:
    """A backup by `database backup`."""
    store = open_store(database)
    file, _ = write_backup(store, folder, datetime.now(UTC))
    store.close()
    return file.read_bytes()
