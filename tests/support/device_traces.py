"""A respondent's device, and the traces that a browser leaves on it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Playwright

from tests.support.servers import Live
from tools.browser import installed

# Part of the name or label of every choice, and of nothing else. Three letters would sometimes
# appear by chance in the random keys and hashes that a profile contains.
CANARY = "zqxwvut"
WITNESS = "witness-of-what-is-kept"
TYPED_NUMBER = "0000000739184.000000"
CONTROLS = ("radio", "checkbox", "textarea")
# The last ticket of each row, whose report differs from the answers in these tests. No two ids are
# the same.
OTHER_REPORT = """
let last = 170;
Crypto.prototype.getRandomValues = (array) =>
  array.fill(array instanceof Uint32Array ? 11 : last += 1);
"""
Written = dict[Path, tuple[int, int]]  # modification time and size


@dataclass
class Device:
    """A browser with a profile on disk."""

    profile: Path
    context: BrowserContext
    address: str

    @property
    def page(self) -> Page:
        return self.context.pages[0]

    def kill(self) -> None:
        """Kill the browser without time for anything."""
        process = int(os.readlink(self.profile / "SingletonLock").rsplit("-", 1)[1])
        with self.context.expect_event("close"):
            os.kill(process, signal.SIGKILL)

    def files(self, since: Written | None = None) -> Iterator[tuple[str, bytes]]:
        """All files, or those that changed since `since` was last filled."""
        for path in sorted(self.profile.rglob("*")):
            try:
                if not path.is_file():
                    continue
                status = path.stat()
                written = status.st_mtime_ns, status.st_size
                content = path.read_bytes() if since is None or since.get(path) != written else None
            except FileNotFoundError:  # The browser deletes files meanwhile.
                continue
            if since is not None:
                since[path] = written
            if content is not None:
                yield str(path.relative_to(self.profile)), content

    def find(self, text: str, since: Written | None = None) -> set[str]:
        """The files that contain this text in any case, with one or two bytes for each letter."""
        spelled = [text.encode(code).lower() for code in ("utf-8", "utf-16-le", "utf-16-be")]
        files = ((name, content.lower()) for name, content in self.files(since))
        return {name for name, content in files if any(each in content for each in spelled)}

    def saved_controls(self, kind: str) -> set[str]:
        """The session files that contain the state of a form control of this kind."""
        word = kind.encode("utf-16-le")
        return {name for name, content in self.files() if "Sessions" in name and word in content}

    def wait_until_kept(self, text: str, seconds: int = 30) -> set[str]:
        """Wait until the browser has written this text, which it does after some delay.

        Each look reads only the changed files. Reading everything so often would slow the browser
        down.
        """
        since: Written = {}
        for _ in range(seconds * 5):
            if self.find(text, since) and (found := self.find(text)):
                return found
            self.page.wait_for_timeout(200)
        raise TimeoutError(f"{text!r} was not written within {seconds} s")

    def wait_for_witness(self, number: int = 1) -> None:
        """Wait until the browser's copy of this page is on the disk.

        An additional field shows that, with another text each time. It then leaves the page.
        """
        self.page.evaluate(
            "document.body.append(Object.assign(document.createElement('input'), {type: 'search'}))"
        )
        self.page.locator("[type=search]").fill(f"{WITNESS}-{number}")
        self.wait_until_kept(f"{WITNESS}-{number}")
        assert self.saved_controls("search")
        self.page.evaluate("document.querySelector('[type=search]').remove()")

    def holds_no_answer(self) -> bool:
        """The traces contain no choice, no typed text, and no state of a used control."""
        searched = (CANARY, TYPED_NUMBER, TYPED_NUMBER.strip("0"))
        return not any(map(self.find, searched)) and not any(map(self.saved_controls, CONTROLS))


@contextmanager
def device(playwright: Playwright, profile: Path, live: Live, frozen: bool) -> Iterator[Device]:
    """A browser. `frozen` says whether it keeps left pages in memory.

    It is a complete browser, since a headless shell would write no sessions to search.
    """
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=installed(),
        ignore_default_args=["--disable-back-forward-cache"] if frozen else [],
    )
    context.add_init_script(OTHER_REPORT)
    try:
        yield Device(profile, context, live.url)
    finally:
        context.close()
