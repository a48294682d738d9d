"""The wheel has what the repository has of the program, in one package, and runs without it."""

import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from survey import DISTRIBUTION, VERSION
from survey.core.extras import MODULES
from tests.support.project import ROOT
from tests.support.servers import free_port, greeted

NAME = DISTRIBUTION.replace("-", "_")
PROGRAM = ("app.py", "demo", "docs", "static", "survey", "templates", "translations")
DOCUMENTS = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")
# Runs the command `candor` of the wheel as if the named modules were not installed.
WITHOUT = """
import sys
names, sys.argv = sys.argv[1].split(), ["candor", *sys.argv[2:]]
sys.modules.update(dict.fromkeys(names))
from {}.__main__ import main
main()
"""


def built(folder: Path, **environment: str) -> Path:
    """The wheel. Its back end is locked, so nothing is downloaded."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(
        [*command, "--directory", str(folder)],
        cwd=ROOT, env=os.environ | environment, check=True, capture_output=True,
    )  # fmt: skip
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.mark.fast
def test_the_wheel_has_the_program_in_one_package_and_nothing_else(wheel):
    command = ["git", "ls-files", *PROGRAM, *DOCUMENTS]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {name for name in listed.splitlines() if (ROOT / name).exists()}
    assert len(files) > 900
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        program = {name.removeprefix(f"{NAME}/program/") for name in names if "/program/" in name}
        started = archive.read(f"{NAME}/__main__.py")
        about = archive.read(f"{NAME}-{VERSION}.dist-info/METADATA").decode()
        commands = archive.read(f"{NAME}-{VERSION}.dist-info/entry_points.txt").decode()
    assert len(names) == len(set(names))
    assert program == files
    assert {name for name in names if "/program/" not in name} == {
        f"{NAME}/__init__.py",
        f"{NAME}/__main__.py",
        *(
            f"{NAME}-{VERSION}.dist-info/{name}"
            for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
        ),
    }
    assert started == (ROOT / "deploy" / "wheel" / "__main__.py").read_bytes()
    assert f"\nVersion: {VERSION}\n" in about
    extras = re.findall(r"^Provides-Extra: (\S+)$", about, re.MULTILINE)
    assert sorted(extras) == sorted(MODULES)
    assert commands.split() == ["[console_scripts]", "candor", "=", f"{NAME}.__main__:main"]


@pytest.mark.fast
def test_two_builds_have_the_same_bytes(wheel, tmp_path):
    again = built(tmp_path, TZ="Asia/Bangkok", PYTHONHASHSEED="7", LC_ALL="C")
    assert again.read_bytes() == wheel.read_bytes()


# Installed


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """A folder with the unpacked wheel. Its packages are those of the tests."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def fetched(address: str) -> tuple[int, bytes]:
    with urllib.request.urlopen(address, timeout=30) as reply:
        return reply.status, reply.read()


class Installed:
    """The command `candor` of an unpacked wheel, for a user with an empty home folder."""

    def __init__(self, site: Path, folder: Path):
        self.site, self.folder, self.home = site, folder, folder / "home"
        self.home.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(site),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PORT": str(free_port()),
        }

    def command(self, *arguments: str, without: str = "") -> list[str]:
        return [sys.executable, "-c", WITHOUT.format(NAME), without, *arguments]

    def run(self, *arguments: str, without: str = "", **environment: str) -> tuple[int, str]:
        done = subprocess.run(
            self.command(*arguments, without=without),
            cwd=self.folder, env=self.environment | environment, capture_output=True, text=True,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    @contextmanager
    def serving(self, name: str, without: str = "") -> Iterator[tuple[str, str]]:
        """The address and the greeting of a server."""
        process = subprocess.Popen(
            self.command(name, without=without),
            cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        with greeted(process, f"http://127.0.0.1:{self.environment['PORT']}") as (address, _, said):
            # The folder of the data is in the line after the link and its remark.
            assert process.stdout is not None
            yield address, said + process.stdout.readline() + process.stdout.readline()

    def written(self) -> set[str]:
        """All files below the working folder, which contains the home folder."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


@pytest.fixture
def installed(site, tmp_path) -> Installed:
    return Installed(site, tmp_path)


DATA = "home/.local/share/candor"
EXTRAS = " ".join(["uvloop", "httptools", "pandas", *MODULES.values()])


@pytest.mark.slow
def test_help_and_version_write_nothing(installed):
    status, said = installed.run("--help")
    assert status == 0
    for name in ("account", "attack", "database", "demo", "serve", "survey", "verify"):
        assert f"\n  {name} " in said
    assert installed.run("--version") == (0, f"Candor {VERSION}\n")
    assert installed.run("survey", "import", "--help")[0] == 0
    assert installed.written() == {"home"}


@pytest.mark.slow
@pytest.mark.parametrize("without", ["", EXTRAS], ids=["all extras", "no extra"])
def test_the_demo_serves_and_writes_only_into_the_data_folder(installed, site, without):
    before = sorted(site.rglob("*"))
    with installed.serving("demo", without) as (address, greeting):
        assert f"Folder of the data     {installed.folder / DATA}\n" in greeting
        assert "/s/smoking-and-exams\n" in greeting
        for path, content in {
            "/s/smoking-and-exams": b"</html>",
            "/help": b"Tutorials",
            "/help/explanation/features": b"For respondents",
            "/learn": b"</html>",
            "/static/style.css": b"{",
        }.items():
            status, body = fetched(address + path)
            assert (status, content in body) == (200, True), path
    status, said = installed.run("database", "check", without=without)
    assert (status, said.startswith("No damage found")) == (0, True), said
    data = {name for name in installed.written() if name.startswith(f"{DATA}/")}
    assert f"{DATA}/candor.db" in data
    assert installed.written() - data == {
        "home", "home/.local", "home/.local/share", DATA,
    }  # fmt: skip
    assert sorted(site.rglob("*")) == before


@pytest.mark.slow
def test_serve_adds_no_survey(installed):
    with installed.serving("serve") as (_, greeting):
        assert "/s/" not in greeting
    assert installed.run("survey", "list") == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "arguments", "settings"),
    [
        ("postgresql", ["survey", "list"], {"CANDOR_DATABASE": "postgresql://u@127.0.0.1:9/x"}),
        ("metrics", ["survey", "list"], {"CANDOR_METRICS_TOKEN": "t" * 40}),
    ],
)
def test_a_setting_that_needs_a_missing_extra_says_what_to_install(
    installed, extra, arguments, settings
):
    settings |= {"CANDOR_SECRET_KEY": "k" * 64}
    status, said = installed.run(*arguments, without=MODULES[extra], **settings)
    assert status == 1
    assert f"Run `pip install '{DISTRIBUTION}[{extra}]'`" in said
