"""Compare what two commits serve: pages, files and frozen documents, byte by byte.

    .venv/bin/python -m tools.compare_commits BEFORE [AFTER]

Use it for a change that must not be visible from outside. The earlier commit opens the surveys of
the demo, some with simulated responses, and the examples. Each commit then serves a copy of that
database. The tool follows all links as anyone, as the owner of an account, and as a program with a
token. Before the comparison it replaces values that differ at each visit: tokens against forgery,
times, paths and hashes of static files. Both commits also open the same definitions on their own
empty databases, and the tool compares the frozen documents.

It prints each address that differs, and ends with 1 if there is one.
"""

import difflib
import http.cookiejar
import io
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

ROOT = Path(__file__).parent.parent
ADDRESS = "http://127.0.0.1:8963"  # equal for both, because pages contain it
NAME, PASSWORD = "owner", "a long password for one comparison"
SLUG, QUESTIONS = "health-habits-simulated", ("drinks", "glasses", "tried", "mood", "age")
ANALYSES = (
    f"?rows={QUESTIONS[0]}&columns={QUESTIONS[3]}",
    f"/groups?measure={QUESTIONS[1]}:&group={QUESTIONS[4]}",
    f"/correlation?questions={QUESTIONS[1]}:&questions={QUESTIONS[3]}:",
    f"/regression?outcome={QUESTIONS[0]}&predictors={QUESTIONS[4]}",
    f"/tree?target={QUESTIONS[0]}&predictors={QUESTIONS[3]}&predictors={QUESTIONS[4]}",
    f"/validity?asked={QUESTIONS[0]}:0&denied=20",
)
OPEN = ("smoking-and-exams", "health-habits", "exam-honesty", "health-and-habits", "fair-work")
STARTS = {
    "anyone": ["/", "/how", "/verify", *(f"/s/{slug}" for slug in OPEN), f"/s/{SLUG}/results"],
    "owner": ["/admin/", *(f"/admin/surveys/{SLUG}/analysis{query}" for query in ANALYSES)],
    "program": ["/api/v1/surveys", "/api/v1/openapi.json"],
}
START_SECONDS = 60
MAX_PAGES = 400  # for each visitor
MAX_DIFFERENCES = 5  # printed lines for each page that differs
LINK = re.compile(r'(?:href|src|action)="([^"#][^"]*)"')
VOLATILE = (
    (re.compile(r'name="csrf_token"[^>]*value="[^"]*"'), "csrf"),
    (re.compile(r'value="[^"]*"[^>]*name="csrf_token"'), "csrf"),
    (re.compile(r'(<meta name="csrf-token" content=")[^"]*'), "csrf"),
    (re.compile(r"/static/[\w./-]+\.(js|css|svg)(\?[\w=.-]*)?"), r"/static/\1"),
    (re.compile(r"sha(256|384|512)-[A-Za-z0-9+/]{43,88}={0,2}"), "hash"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "hash"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "random"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?"), "time"),
)


def run(tree: Path, database: Path, *command: str, typed: str = "") -> str:
    """The output of one command of the commit in `tree`."""
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", *command],
        cwd=tree, env=environment(database), input=typed, text=True, capture_output=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def environment(database: Path) -> dict[str, str]:
    return os.environ | {
        "CANDOR_DATABASE": str(database),
        "CANDOR_SECRET_KEY": "k" * 64,
        "CANDOR_URL": ADDRESS,
        "PORT": ADDRESS.rsplit(":", 1)[1],
    }


@contextmanager
def served(tree: Path, database: Path) -> Iterator[None]:
    """Run the server of the commit in `tree` until the block ends."""
    log = database.with_suffix(".log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "flask", "--app", "app", "serve"],
        cwd=tree, env=environment(database), stdout=log, stderr=log,
    )  # fmt: skip
    try:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{ADDRESS}/readyz", timeout=10).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    sys.exit(f"No server: {database.with_suffix('.log').read_text()}")
                time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()
        log.close()


class Visitor:
    """A person with cookies, or a program with a token."""

    def __init__(self, token: str = ""):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        if token:
            self.opener.addheaders = [("Authorization", f"Bearer {token}")]

    def fetch(self, url: str, data: bytes | None = None) -> tuple[int, str, bytes]:
        """The status, content type and body of a reply."""
        request = urllib.request.Request(url, data, {"Origin": ADDRESS} if data else {})
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.status, answer.headers.get("Content-Type", ""), answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers.get("Content-Type", ""), error.read()

    def sign_in(self) -> None:
        page = self.fetch(f"{ADDRESS}/admin/sign-in")[2].decode()
        [token] = re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', page)[:1]
        fields = {"csrf_token": token, "name": NAME, "password": PASSWORD}
        answer = self.fetch(f"{ADDRESS}/admin/sign-in", urllib.parse.urlencode(fields).encode())
        if b"sign-out" not in answer[2]:
            sys.exit(f"Signing in failed with status {answer[0]}.")


def links(url: str, page: str) -> Iterator[str]:
    """The links of a page to this server, without static files."""
    for found in LINK.findall(page):
        address = urldefrag(urljoin(url, unescape(found)))[0]
        if address.startswith(ADDRESS) and not urlsplit(address).path.startswith("/static/"):
            yield address


def crawl(visitor: Visitor, starts: list[str]) -> dict[str, tuple[int, str, bytes]]:
    """The replies of all addresses that can be reached by links."""
    waiting, answers = [ADDRESS + start for start in starts], {}
    while waiting and len(answers) < MAX_PAGES:
        url = waiting.pop(0)
        if url in answers or len(parse_qsl(urlsplit(url).query)) > 12:
            continue
        answers[url] = status, kind, body = visitor.fetch(url)
        if status == 200 and kind.startswith(("text/html", "application/json")):
            text = body.decode()
            waiting += links(url, text)
            if kind.startswith("application/json"):
                waiting += [
                    each for each in re.findall(r'"(http[^"]+)"', text) if each.startswith(ADDRESS)
                ]
    return answers


def lines(answer: tuple[int, str, bytes]) -> list[str]:
    """A reply as lines, without values that differ at each visit."""
    status, kind, body = answer
    return [f"{status} {kind}", *unpacked(body)]


def unpacked(body: bytes) -> Iterator[str]:
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                yield name
                yield from unpacked(archive.read(name))
        return
    text = body.decode(errors="backslashreplace")
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    yield from text.splitlines()


def everything(tree: Path, database: Path, token: str) -> dict[str, list[str]]:
    """All replies of the commit in `tree` on this database."""
    visitors = {"anyone": Visitor(), "owner": Visitor(), "program": Visitor(token)}
    answers = {}
    with served(tree, database):
        visitors["owner"].sign_in()
        for who, visitor in visitors.items():
            for url, answer in crawl(visitor, STARTS[who]).items():
                answers[f"{who} {url.removeprefix(ADDRESS)}"] = lines(answer)
    return answers


def prepare(tree: Path, database: Path) -> None:
    """Create a database with the demo's and the examples' surveys, using the commit in `tree`."""
    with served(tree, database):
        pass  # The first start adds the demo.
    for path in sorted((ROOT / "demo" / "examples").glob("*.json")):
        run(tree, database, "survey", "import", "--open", str(path))


def frozen_documents(tree: Path, database: Path) -> dict[str, list[str]]:
    """The documents of the surveys that `prepare` opened, as respondents receive them."""
    with served(tree, database):
        return {slug: lines(Visitor().fetch(f"{ADDRESS}/s/{slug}.json")) for slug in OPEN}


def differing(before: dict[str, list[str]], after: dict[str, list[str]]) -> int:
    """Print the differences, and return the number of addresses that differ."""
    number = 0
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ["(missing)"]), after.get(name, ["(missing)"])
        if old == new:
            continue
        number += 1
        print(f"differs: {name}")
        changes = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
        print(*(f"    {line[:300]}" for line in changes[:MAX_DIFFERENCES]), sep="\n")
    return number


def main(before: str, after: str = "HEAD") -> int:
    with TemporaryDirectory() as name:
        folder = Path(name)
        trees = {commit: folder / place for place, commit in (("1", before), ("2", after))}
        for commit, tree in trees.items():
            subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, commit], check=True)
        try:
            return compare(trees[before], trees[after], folder)
        finally:
            for tree in trees.values():
                subprocess.run(["git", "worktree", "remove", "--force", tree], check=True)


def compare(before: Path, after: Path, folder: Path) -> int:
    documents = []
    for number, tree in enumerate((before, after)):
        database = folder / f"own-{number}.db"
        prepare(tree, database)
        documents.append(frozen_documents(tree, database))
    first = folder / "own-0.db"
    run(before, first, "account", "create", NAME, typed=f"{PASSWORD}\n{PASSWORD}\n")
    token = run(before, first, "token", "create", NAME).split()[-1]
    answers = []
    for number, tree in enumerate((before, after)):
        database = folder / f"copy-{number}.db"
        copyfile(first, database)
        answers.append(everything(tree, database, token))
    number = differing(*documents) + differing(*answers)
    print(f"{len(documents[0])} frozen documents and {len(answers[0])} addresses; {number} differ")
    return 1 if number or not documents[0] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
