"""Requests for every route: at random, and by the schemas of pages and documents."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from werkzeug.routing import Rule

from survey.api.document import openapi_document
from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.definition.sub_surveys import REHEARSALS
from survey.store import ANALYST, EDITOR, OWNER
from survey.web.analyses.kinds import ANALYSES
from tests.support.every_type import drawn
from tests.support.fuzzing_forms import (
    FORGERY,
    Form,
    Pairs,
    forms_of,
    multipart,
    odd_file,
    spoiled,
    urlencoded,
    with_token,
    written,
)
from tests.support.fuzzing_values import ODD_JSON, ODD_TEXTS, PLACES, odd_definition, odd_json
from tests.support.fuzzing_watch import Answer, Sent, ask
from tests.support.fuzzing_world import (
    CODES,
    NAMES,
    NOBODY,
    OLD_TOKEN,
    OTHERS_TOKEN,
    RECEIPT,
    SHARE,
    SURVEYS,
    TOKEN,
    WEBHOOK,
    World,
    world,
)
from tests.support.lengths import SOAK

SLUGS = (*SURVEYS, "hand.pilot", "hand.comprehension", "health.by-hand", "nowhere", "new", "start")
METHODS = (
    "GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "g\xe9t", "",
)  # fmt: skip
HEADERS = {
    "Accept": ("*/*", "text/html", "application/json;q=x", "\xff", "," * 5_000, "a/b;q=1e400"),
    "Accept-Encoding": ("gzip", "br, gzip;q=0", "gzip;q=nan", "*" * 999, "gzip;q=1e999"),
    "Accept-Language": ("th", "xx", "th;q=x", "-" * 5_000, "en-\ud7ff", "zh-Hant-TW, *;q=0",
        "\xff"),
    "Authorization": ("Bearer", "Bearer \xe9", "bearer " + "x" * 9_999, "Basic Og==",
        "Basic \xff", "x"),
    "Content-Encoding": ("gzip", "identity", ""),
    "Cookie": ("candor=x", "candor=" + "." * 99, "candor=\xff", "a" * 9_999, "candor=e30.a.b",
        ";;=;"),
    "Host": ("localhost", "evil.example", "", "[::1", "a b", "\xff", "localhost:x", "@",
        "x" * 5_000),
    "If-Modified-Since": ("x", "Sat, 21 Nov 99999 00:00:00 GMT", "Sat, 21 Nov 2026 00:00:00 GMT"),
    "If-None-Match": ("*", '"', "W/" * 999, '"a", "b"'),
    "If-Range": ("x", '"a"'),
    "Origin": ("null", "http://localhost", "http://evil.example", "http://[", "x" * 5_000),
    "Range": ("bytes=0-0", "bytes=5-1", "bytes=-0", "bytes=" + "9" * 400 + "-", "x=1-",
        "bytes=0-1,5-9"),
    "Referer": ("http://localhost/", "http://evil.example/", "http://[", "\xff"),
    "Sec-Fetch-Site": ("same-origin", "cross-site", "", "x" * 999),
    "Transfer-Encoding": ("chunked", "identity"),
    "X-Forwarded-For": ("1.2.3.4", "::1, \xff", "," * 999),
    "X-Forwarded-Host": ("evil.example",),
    "X-HTTP-Method-Override": ("DELETE",),
}  # fmt: skip
TYPES = (
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=b0undary",
    "application/json", "multipart/form-data", "multipart/form-data; boundary=", "text/plain", "",
    "\xff", "a" * 5_000, "multipart/form-data; boundary=" + "x" * 300,
    "application/json; charset=utf-7", "application/x-www-form-urlencoded; charset=utf-16",
    'multipart/form-data; boundary="b\0"',
)  # fmt: skip


def of(w: World, role: str) -> dict[str, str]:
    if role == NOBODY:
        return {}
    return {"Cookie": f"{w.app.config['SESSION_COOKIE_NAME']}={w.cookies[role]}"}


def text_of(r: random.Random) -> str:
    return r.choice(ODD_JSON) if r.random() < 0.1 else r.choice(ODD_TEXTS)


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def place_of(r: random.Random, name: str, number: bool) -> str:
    """A value for the parameter of this name in an address, mostly an existing one."""
    if r.random() < 0.12:
        return r.choice(ODD_TEXTS[:60] + PLACES)
    if number:
        return r.choice(("1", "2", "0", "99999999999999999999", "007", "٣", "-1"))
    known = {
        "slug": SLUGS,
        "language": ("th", "vi", "en", "xx"),
        "kind": (*REHEARSALS, "x"),
        "name": (*NAMES.values(), "nobody"),
        "question": ("smokes", "party", "glasses", "years", "remarks", "welcome", "x"),
        "webhook": (WEBHOOK.hex(), "00" * 16, "zz"),
        "filename": (
            *("respondent/randomizer.js", "admin/builder/builder.js", "../app.py", "nowhere.js"),
            "admin/",
        ),
    }
    return r.choice(known.get(name, SLUGS))


def address(r: random.Random, rule: Rule) -> bytes:
    path = ""
    for part in rule._trace:
        of_place, text = part
        if of_place:
            path += place_of(r, text, rule._converters[text].regex == r"\d+")
        else:
            path += text.lstrip("|")
    return raw(path)


# --- at random ------------------------------------------------------------------------------------

FIELDS = (
    "name", "password", "again", "code", "own", "role", "count", "cap", "target", "last_day",
    "public", "n", "question", "do", "seen", "title", "slug", "language",
    "questions-0-label", "token", "questions-0-type", "questions-0-other", "questions-0-relevant",
    "statistic", "epsilon", "delta", "url", "thresholds", "label", "days", "by", "fake", "page",
    "survey", "account", "response-id", "survey-fingerprint", "row", "column", "first", "second",
    "smokes", "margin", "power", "alpha", "share", "null", "truth", "address", "weights",
    "csrf_token", "archived", "from", "to", "x",
)  # fmt: skip


def pairs_by_chance(r: random.Random) -> list[tuple[str, str | bytes]]:
    return [(r.choice(FIELDS), text_of(r)) for _ in range(r.choice((0, 1, 2, 5, 5, 40)))]


def noise(r: random.Random) -> bytes:
    match r.randrange(9):
        case 0:
            return r.randbytes(r.randrange(400))
        case 1:
            return raw(r.choice(ODD_JSON))
        case 2:
            return b"&" * r.choice((10, 6_000)) + b"=" * 99
        case 3:
            good = multipart([("file", odd_file(r)), *pairs_by_chance(r)])
            return good[: r.randrange(len(good))]
        case 4:
            return b"--b0undary\r\nContent-Disposition: form-data\r\n\r\n" * r.choice((1, 6_000))
        case 5:
            return b"a=" + b"%" * r.choice((1, 999)) + b"zz&%ED%A0%80=%00&=&a&b=%FF"
        case 6:
            return raw(odd_definition(r))
        case 7:
            return b" " * r.choice((1, MAX_BODY_BYTES, MAX_BODY_BYTES * 3))
        case _:
            return urlencoded(pairs_by_chance(r))


def by_chance(r: random.Random, w: World, rules: list[Rule]) -> Sent:
    """A request to a route, with something unusual in every part."""
    rule = r.choice(rules)
    path = address(r, rule)
    methods = sorted((rule.methods or set()) - {"OPTIONS", "HEAD"})
    method = r.choice(methods) if r.random() < 0.85 else r.choice(METHODS)
    if r.random() < 0.06:
        place = r.randrange(len(path) + 1)
        path = (
            path[:place]
            + r.choice((b"/", b"//", b"\0", b"\xff", b"..", b".", b";a", r.randbytes(3)))
            + path[place:]
        )
    who = r.choice((OWNER, OWNER, OWNER, EDITOR, ANALYST, NOBODY))
    sent = Sent(method, path, who=who, headers=of(w, who))
    if r.random() < 0.4:
        sent.query = urlencoded(pairs_by_chance(r)) if r.random() < 0.8 else r.randbytes(40)
    if rule.endpoint.startswith("api."):
        sent.headers["Authorization"] = "Bearer " + r.choice((TOKEN, OTHERS_TOKEN, OLD_TOKEN))
    if rule.endpoint == "shared.results":
        sent.query = b"token=" + raw(r.choice(("h", "c", "s")) + SHARE[1:])
    if method not in ("GET", "HEAD"):
        kind = r.choice(TYPES[:3]) if r.random() < 0.8 else r.choice(TYPES)
        sent.headers["Content-Type"] = kind
        sent.body = noise(r)
        if kind == TYPES[0] and r.random() < 0.5:
            sent.body = urlencoded(pairs_by_chance(r))
        elif kind == TYPES[1] and r.random() < 0.5:
            sent.body = multipart([*pairs_by_chance(r), ("file", odd_file(r))])
        if who != NOBODY and r.random() < 0.8:
            sent.headers["X-CSRFToken"] = w.tokens[who]
        if r.random() < 0.05:
            lies = ("", "x", "-1", "0", "1e3", "１", "9" * 400, str(len(sent.body) + 9), "+5")
            sent.length = r.choice(lies)
    for _ in range(r.choice((0, 0, 0, 1, 2))):
        name = r.choice(list(HEADERS))
        if name not in ("Cookie", "Authorization") or r.random() < 0.2:
            sent.headers[name] = r.choice(HEADERS[name])
    return sent


# --- by schema ------------------------------------------------------------------------------------

# The researchers' pages with forms.
SLUGS_WITH_FORMS = ("draft", "health", "class", *(("closed", "hand", "invited") if SOAK else ()))
LOOKED_AT = {"kind": "pilot", "language": "th", "name": "eve", "question": "smokes"}
TYPED = ("/admin/odds", "/admin/preview")  # These take the builder's form as it is.


def paths_of(rule: Rule, slugs: Sequence[str]) -> Iterator[str]:
    """The addresses of a route that are looked at: for each survey, and of each analysis."""
    names = (LOOKED_AT["name"],) if rule.endpoint != "admin.analysis" else (*ANALYSES,)
    for slug in slugs if "slug" in rule.arguments else ("",):
        for name in names if "name" in rule.arguments else ("",):
            places = LOOKED_AT | {"slug": slug, "name": name}
            yield "".join(
                places.get(text, "x") if dynamic else text.lstrip("|")
                for dynamic, text in rule._trace
            )


def pages(w: World, slugs: Sequence[str]) -> Iterator[tuple[str, Answer]]:
    """All pages, as the owner, strangers and respondents see them."""
    for rule in w.app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        for path in paths_of(rule, slugs):
            out = rule.endpoint in ("admin.sign_in", "admin.setup", "admin.join")
            headers = {} if out else of(w, OWNER)
            if rule.endpoint.startswith("api."):
                headers = {"Authorization": f"Bearer {TOKEN}"}
            query = b"token=h" + SHARE[1:].encode() if rule.endpoint == "shared.results" else b""
            yield path, ask(w, Sent("GET", path.encode(), query, headers))


@cache
def forms() -> tuple[Form, ...]:
    """The forms on all pages."""
    found: dict[object, Form] = {}
    with TemporaryDirectory() as folder:
        w = world(Path(folder))
        for path, answer in pages(w, SLUGS_WITH_FORMS):
            if answer.status == 200 and answer.headers["Content-Type"].startswith("text/html"):
                for form in forms_of(path, answer.body.decode()):
                    found.setdefault(form.schema, form)
        w.close()
    listed = list(found.values())
    for form in list(listed):
        listed += [
            Form("POST", action, form.files, form.fields, form.buttons)
            for action in (*form.elsewhere, *(TYPED if form.action.endswith("/new") else ()))
        ]
    return tuple(listed)


def of_a_form(r: random.Random, w: World) -> Sent:
    """A form of a page, valid except for a few fields, sent with or without permission."""
    looking = r.random() < 0.15  # A page costs most and changes nothing.
    form = r.choice([each for each in forms() if (each.method == "GET") == looking])
    who = r.choice((OWNER, OWNER, OWNER, OWNER, EDITOR, ANALYST))
    pairs = with_token(spoiled(r, form), w.tokens[who])
    path = form.action.partition("?")[0]
    if "/surveys/" in path and r.random() < 0.1:
        parts = path.split("/")
        parts[3] = r.choice(SLUGS)
        path = "/".join(parts)
    return sent_form(w, form, pairs, who, path)


def sent_form(w: World, form: Form, pairs: Pairs, who: str, path: str = "") -> Sent:
    """A form with these fields, to its own path or another one."""
    own, _, query = form.action.partition("?")
    sent = Sent(form.method, raw(path or own), query.encode(), of(w, who), who=who)
    if form.method == "GET":
        sent.query = urlencoded([pair for pair in pairs if pair[0] != FORGERY])
    else:
        sent.headers["Content-Type"], sent.body = written(form, pairs)
    return sent


@cache
def operations() -> tuple[tuple[str, dict[str, Any]], ...]:
    """The paths of the API and their parameters, from its own document."""
    described = openapi_document("http://localhost")
    return tuple(
        (path, operation)
        for path, each in described["paths"].items()
        for operation in each.values()
    )


def of_the_api(r: random.Random, w: World) -> Sent:
    path, operation = r.choice(operations())
    base = "" if path.startswith("/api") else "/api/v1"
    for parameter in operation["parameters"]:  # all parameters in the path
        name = parameter["$ref"].rpartition("/")[2]
        path = path.replace(f"{{{name}}}", place_of(r, name, False))
    token = r.choice((TOKEN, TOKEN, TOKEN, OTHERS_TOKEN, OLD_TOKEN, "x", ""))
    headers = {"Authorization": r.choice(("Bearer ", "bearer  ", "Basic ")) + token}
    if r.random() < 0.8:
        headers["Authorization"] = f"Bearer {TOKEN}"
    if r.random() < 0.2:
        name = r.choice([each for each in HEADERS if each != "Authorization"])
        headers[name] = r.choice(HEADERS[name])
    method = "GET" if r.random() < 0.9 else r.choice(METHODS)
    return Sent(method, raw(base + path), headers=headers)


def of_a_respondent(r: random.Random, w: World) -> Sent:
    """The JSON that respondents' pages send, valid except for a few places."""
    slug = r.choice(("health", "health", "health", "hand", "invited", "closed", "health.practice"))
    good: dict[str, Any]
    match r.randrange(8):
        case 0:
            door, good = "invited", {"invitation": r.choice(CODES)}
            slug = "invited"
        case 1:
            door, good = "withdrawals", {"receipt": r.choice((RECEIPT, "0" * 32))}
            slug = "health"
        case _:
            door = "responses"
            reports = drawn(r)
            if slug in ("hand", "invited"):
                reports = {"smokes": reports["smokes"].replace("2", "1")}
            good = {
                "id": r.randbytes(16).hex(),
                "fingerprint": w.fingerprints[slug],
                "reports": reports,
            }
            if slug == "invited":
                good["invitation"] = r.choice(CODES)
    body = raw(odd_json(r, good, r.choice((0, 1, 1, 1, 3))))
    return Sent("POST", f"/s/{slug}/{door}".encode(), body=body,
                headers={"Content-Type": "application/json"})  # fmt: skip


def by_schema(r: random.Random, w: World) -> Sent:
    kind = r.random()
    if kind < 0.75:
        return of_a_form(r, w)
    return of_the_api(r, w) if kind < 0.85 else of_a_respondent(r, w)
