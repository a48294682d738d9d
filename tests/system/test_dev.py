"""`make dev`: a contributor edits a sentence and sees it, without starting anything again."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.support.project import ROOT
from tests.support.screen import NO_SCREEN, screen_fault
from tests.support.servers import free_port, greeted
from tests.support.tutorials import blocks

SENTENCE = "Longer is better. Use four or five random words."
LINKED = ("app.py", "demo", "static", "survey", "tools", "translations")


@pytest.mark.fast
def test_the_data_of_development_are_apart_and_ignored():
    program = (ROOT / "tools" / "dev.py").read_text()
    assert '".dev" / "candor.db"' in program
    assert ".dev/" in (ROOT / ".gitignore").read_text().splitlines()
    assert "tools.dev\n" in (ROOT / "Makefile").read_text()


@pytest.mark.fast
def test_the_sentence_that_the_guide_changes_is_there():
    assert SENTENCE in " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    assert SENTENCE in (ROOT / "templates" / "admin" / "team" / "setup.html").read_text()


@pytest.mark.fast
def test_the_guide_names_options_that_pytest_has(pytestconfig):
    """Among them those of tests/conftest.py, which debug a browser test."""
    lines = [
        line
        for block in blocks(ROOT / "CONTRIBUTING.md")
        for line in block.source.splitlines()
        if "pytest " in line
    ]
    options = {word for line in lines for word in line.split() if word.startswith("--")}
    assert options == {"--headed", "--slowmo", "--tracing"}
    for option in options:
        assert not pytestconfig.getoption(option)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("environment", "platform", "fault"),
    [
        ({}, "linux", NO_SCREEN),
        ({"DISPLAY": "", "WAYLAND_DISPLAY": ""}, "linux", NO_SCREEN),
        ({"DISPLAY": ":0"}, "linux", ""),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", ""),
        ({}, "darwin", ""),
    ],
)
def test_a_window_needs_a_screen(environment, platform, fault):
    assert screen_fault(environment, platform) == fault


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Other systems always have a screen.")
@pytest.mark.parametrize(("option", "variable"), [("--headed", {}), ("-q", {"PWDEBUG": "1"})])
def test_a_browser_test_without_a_screen_fails_with_one_sentence(option, variable):
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: os.environ[name] for name in os.environ if name not in screens}
    test = "tests/browser/test_start.py::test_no_keeps_nothing"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", option, test],
        cwd=ROOT, env=environment | variable, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert NO_SCREEN in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_changed_sentence_is_shown_without_a_restart(tmp_path):
    """In a copy of the templates; the rest of the program is linked."""
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    port = str(free_port())
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.dev"],
        cwd=tmp_path,
        env={**os.environ, "PORT": port, "CANDOR_URL": "", "CANDOR_DATABASE": "dev/candor.db"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with greeted(process, f"http://127.0.0.1:{port}") as (_, _, greeting):
        link = re.findall(r"http\S+setup\?token=\S+", greeting)[0]
        assert SENTENCE in read(link)
        template = tmp_path / "templates" / "admin" / "team" / "setup.html"
        template.write_text(template.read_text().replace(SENTENCE, "Take five words."))
        end = time.monotonic() + 30
        while "Take five words." not in read(link):
            assert time.monotonic() < end
            time.sleep(0.2)


def read(address: str) -> str:
    """The page, or nothing while the server restarts."""
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return reply.read().decode()
    except OSError:
        return ""
