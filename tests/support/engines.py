"""Browsers with other engines than Chromium's: Firefox, and WebKit in MiniBrowser.

Both are the packages of a Linux distribution, driven by standard protocols: Firefox by WebDriver
BiDi, which it speaks itself, and WebKit by WebDriver, through selenium. An `Engine` has what a
visitor does: open, press, type, go back. Presses and keys are real events of the browser, at the
place where the element is on the screen.
"""

import json
import os
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

import lz4.block
import websocket
from playwright.sync_api import Browser
from selenium.webdriver import Remote, WebKitGTKOptions
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection

from tests.support.servers import free_port

SECONDS = 30
LOADING_SECONDS = 0.3
# Firefox then starts on a blank page, and contacts nobody but the pages that a test opens.
QUIET: Mapping[str, object] = {
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "toolkit.telemetry.enabled": False,
}
# The first bytes of a file that Firefox has compressed.
COMPRESSED = b"mozLz40\0"
VISIBLE = "(css) => [...document.querySelectorAll(css)].find((each) => each.checkVisibility())"
# Scrolls to an element and returns its middle; null while something else lies above it.
MIDDLE = f"""(css) => {{
  const element = ({VISIBLE})(css);
  if (!element) return null;
  element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
  const {{ left, top, width, height }} = element.getBoundingClientRect();
  const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
  const hit = document.elementFromPoint(x, y);
  return hit && (element.contains(hit) || hit.contains(element)) ? [x, y] : null;
}}"""
SEEN = """(css) => [...document.querySelectorAll(css)].some((each) =>
  each.getClientRects().length > 0 && getComputedStyle(each).visibility !== 'hidden')"""


class Engine(ABC):
    """A visitor's browser with one window."""

    @abstractmethod
    def open(self, address: str) -> None:
        """Load an address, and wait until it has loaded."""

    @abstractmethod
    def address(self) -> str:
        """The address of the page."""

    @abstractmethod
    def call(self, function: str, *arguments: Any) -> Any:
        """The result of a JavaScript function on the page, as JSON."""

    @abstractmethod
    def press(self, css: str) -> None:
        """Scroll to the first visible element of a selector, and press it."""

    @abstractmethod
    def type(self, text: str) -> None:
        """Press the keys of a text."""

    @abstractmethod
    def travel(self, steps: int) -> None:
        """Press Back (-1) or Forward (1). Nothing happens at the end of the history."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Give the page this size, in CSS pixels."""

    @abstractmethod
    def close(self) -> None:
        """End the browser."""

    # The errors of scripts, where the browser reports them.
    problems: list[str]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_for(self, css: str) -> None:
        """Wait until an element is visible. Raises TimeoutError."""
        self.until(lambda: self.call(SEEN, css), f"{css} is not visible")

    def until(self, holds: Callable[[], Any], otherwise: str) -> Any:
        """Wait until this holds, and return what it returned. Raises TimeoutError."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if found := holds():
                return found
            self.pause()
        raise TimeoutError(otherwise)

    def pause(self) -> None:
        time.sleep(0.05)

    def fill(self, css: str, text: str) -> None:
        """Press into a field and type."""
        self.press(css)
        self.type(text)

    def text(self, css: str) -> str:
        """The visible text of the first element of a selector."""
        return str(self.call("(css) => document.querySelector(css)?.innerText ?? ''", css))

    def shows(self, css: str) -> bool:
        return bool(self.call(SEEN, css))


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Chromium(Engine):
    """A new context of a browser that Playwright drives."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def pause(self) -> None:
        # Playwright notices events of the page only within its own calls.
        self.page.wait_for_timeout(50)

    def open(self, address: str) -> None:
        self.page.goto(address)

    def address(self) -> str:
        return self.page.url

    def call(self, function: str, *arguments: Any) -> Any:
        return self.page.evaluate(f"(given) => ({function})(...given)", list(arguments))

    def press(self, css: str) -> None:
        self.page.locator(css).locator("visible=true").first.click()

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def travel(self, steps: int) -> None:
        # Chromium has no history to travel in while one document gives way to another.
        self.page.wait_for_load_state()
        (self.page.go_back if steps < 0 else self.page.go_forward)()

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def close(self) -> None:
        self.context.close()


class Firefox(Engine):
    """Firefox without a window, with a profile on disk."""

    def __init__(
        self, program: str, profile: Path, preferences: Mapping[str, object] = QUIET
    ) -> None:
        self.profile = profile
        profile.mkdir(parents=True)
        lines = (
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in preferences.items()
        )
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", str(profile),
             "--remote-debugging-port=0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=os.environ | {"HOME": str(profile)},
        )  # fmt: skip
        address = self.listening()
        self.socket = websocket.create_connection(
            f"{address}/session", timeout=SECONDS, suppress_origin=True
        )
        self.number = 0
        self.problems = []
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded"])
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]

    def listening(self) -> str:
        """The address at which Firefox takes commands, from its output."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "WebDriver BiDi listening on" in line:
                return line.split()[-1]
        raise RuntimeError("Firefox did not start.")

    def command(self, method: str, **parameters: Any) -> Any:
        """Send a command and wait for its result. Raises RuntimeError if Firefox refuses it."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded":
                entry = message["params"]
                if entry["type"] == "javascript" and entry["level"] == "error":
                    self.problems.append(entry["text"])
            if message.get("id") != self.number:
                continue
            if message["type"] == "error":
                raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
            return message["result"]

    def open(self, address: str) -> None:
        self.command("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def address(self) -> str:
        return str(self.command("browsingContext.getTree")["contexts"][0]["url"])

    def call(self, function: str, *arguments: Any) -> Any:
        """The arguments and the result travel as JSON texts."""
        result = self.command(
            "script.callFunction",
            functionDeclaration=f"async (given) => JSON.stringify(await ({function})"
            "(...JSON.parse(given)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(arguments)}],
            awaitPromise=True,
            target={"context": self.context},
        )
        if result["type"] == "exception":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def perform(self, kind: str, actions: list[dict[str, Any]], **more: Any) -> None:
        source = {"type": kind, "id": kind, "actions": actions, **more}
        self.command("input.performActions", context=self.context, actions=[source])

    def press(self, css: str) -> None:
        x, y = self.until(lambda: self.call(MIDDLE, css), f"{css} cannot be pressed")
        self.perform(
            "pointer",
            [
                {"type": "pointerMove", "x": x, "y": y},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ],
            parameters={"pointerType": "mouse"},
        )

    def type(self, text: str) -> None:
        self.perform(
            "key", [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        )

    def travel(self, steps: int) -> None:
        # Firefox refuses to go beyond the ends of the history.
        with suppress(RuntimeError):
            self.command("browsingContext.traverseHistory", context=self.context, delta=steps)
        # Firefox answers before the page of the entry is there.
        time.sleep(LOADING_SECONDS)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.command("browsingContext.setViewport", context=self.context, viewport=size)

    def kept(self, text: str) -> list[str]:
        """The files of the profile that contain this text, with one or two bytes for each letter.

        Files that Firefox has compressed are unpacked first.
        """
        spelled = [text.encode(code) for code in ("utf-8", "utf-16-le")]
        found = []
        for path in sorted(self.profile.rglob("*")):
            # Firefox may delete or rename a file meanwhile.
            with suppress(FileNotFoundError):
                content = path.read_bytes() if path.is_file() else b""
                if content.startswith(COMPRESSED):
                    content = lz4.block.decompress(content[len(COMPRESSED) :])
                if any(each in content for each in spelled):
                    found.append(str(path.relative_to(self.profile)))
        return found

    def kill(self) -> None:
        """Kill the browser and its processes, without time for anything."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.command("browser.close")
            self.process.wait(SECONDS)
        self.socket.close()
        if self.process.stderr:
            self.process.stderr.close()


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


class WebKit(Engine):
    """MiniBrowser, a small browser with WebKit, on a virtual screen."""

    def __init__(self, programs: tuple[str, str, str], folder: Path) -> None:
        driver, program, screen = programs
        # WebDriver does not report the errors of scripts.
        self.problems = []
        # A start that fails halfway ends what it has started.
        with ExitStack() as started:
            # What the browser keeps goes into its own folder.
            environment = os.environ | {
                "DISPLAY": self.display(screen, started), "HOME": str(folder)
            }  # fmt: skip
            port = free_port()
            service = subprocess.Popen(
                [driver, f"--port={port}", "--host=127.0.0.1"],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            started.callback(end, service)
            self.until(partial(listens, port), "WebKit's driver did not start")
            options = WebKitGTKOptions()
            options.binary_location = program
            options.add_argument("--automation")
            server = RemoteConnection(client_config=ClientConfig(f"http://127.0.0.1:{port}"))
            self.driver = Remote(server, options=options)
            started.callback(self.driver.quit)
            self.driver.set_script_timeout(SECONDS)
            self.started = started.pop_all()

    def display(self, screen: str, started: ExitStack) -> str:
        """Start a virtual screen, which tells the number of its display through a pipe."""
        reads, writes = os.pipe()
        process = subprocess.Popen(
            [screen, "-displayfd", str(writes), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
            pass_fds=[writes], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        started.callback(end, process)
        os.close(writes)
        with os.fdopen(reads) as told:
            return f":{told.readline().strip()}"

    def open(self, address: str) -> None:
        self.driver.get(address)

    def address(self) -> str:
        return self.driver.current_url

    def call(self, function: str, *arguments: Any) -> Any:
        result = self.driver.execute_async_script(
            "const [given, done] = arguments;"
            f"(async () => JSON.stringify(await ({function})(...JSON.parse(given)) ?? null))()"
            ".then((text) => done({ text }), (error) => done({ error: String(error) }));",
            json.dumps(arguments),
        )
        if "error" in result:
            raise RuntimeError(result["error"])
        return json.loads(result["text"])

    def press(self, css: str) -> None:
        """Actions at a place of the window never return here, but clicks on an element do."""
        self.until(lambda: self.call(MIDDLE, css), f"{css} cannot be pressed")
        self.driver.execute_script(f"return ({VISIBLE})(arguments[0])", css).click()

    def type(self, text: str) -> None:
        self.driver.switch_to.active_element.send_keys(text)

    def travel(self, steps: int) -> None:
        (self.driver.back if steps < 0 else self.driver.forward)()

    def resize(self, width: int, height: int) -> None:
        self.driver.set_window_size(width, height)

    def close(self) -> None:
        self.started.close()
