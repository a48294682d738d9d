"""Every installed package is pinned, with its dependencies, by the hashes of its files."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import babel
import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from survey.core.extras import MODULES as EXTRAS
from survey.core.languages import LANGUAGES
from tests.support.check_each import check_each
from tests.support.project import ROOT
from tools import audit
from tools.audit import verdict
from tools.lock import HEAD, LOCKS, PROJECT, asked, faults, locked, plain

pytestmark = pytest.mark.fast

TEXTS = {name: (ROOT / name).read_text() for name in LOCKS}


@check_each("name", LOCKS)
def test_each_lock_agrees_with_the_project(name):
    """If this fails, run `make lock`."""
    text = TEXTS[name]
    assert faults(asked(LOCKS[name], ROOT / PROJECT), locked(text)) == []
    assert text.startswith(HEAD)
    # The installer chooses the index.
    assert not re.search(r"://|--(extra-)?index|--find-links", text)
    agrees = LOCKS[name].agrees
    if agrees:
        held, other = locked(text), locked((ROOT / agrees).read_text())
        for package, entry in other.items():
            assert held[package].version == entry.version
            assert held[package].hashes == entry.hashes


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text.replace("flask==3.1", "flask==3.2"), "Flask<3.2,>=3.1.3 is wanted, but"),
        (lambda text: text.replace("segno==", "segno-2=="), "segno is not in the lock"),
        (lambda text: re.sub("(?s)nh3==.*?# via", "nh3==0.3.8\n    # via", text), "nh3 has no"),
        (lambda text: text + "left-pad==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n",
         "nothing requires left-pad"),
    ],
)  # fmt: skip
def test_a_lock_that_does_not_agree_is_found_out(change, fault):
    changed = change(TEXTS["requirements.txt"])
    found = faults(asked(LOCKS["requirements.txt"], ROOT / PROJECT), locked(changed))
    assert any(each.startswith(fault) for each in found), found


def test_each_requirement_says_why_it_is_there():
    """What an installed Candor needs has a range of versions, and a tool at most a bound."""
    content = (ROOT / PROJECT).read_text()
    [packages, rest] = content.split("\n[dependency-groups]\n")
    tools = rest.partition("\n[tool.")[0]
    lines = [
        line
        for part in (packages.partition("\ndependencies = [")[2], tools)
        for line in part.splitlines()
        if line.startswith('    "')
    ]
    assert len(lines) == sum(map(len, declared().values()))
    for line in lines:
        assert re.fullmatch(r'    "[^"]+", +# [\w`].+', line), line
    for name in ("dependencies", *EXTRAS):
        for requirement in declared()[name]:
            operators = sorted(each.operator for each in requirement.specifier)
            assert operators == ["<", ">="], requirement


def declared() -> dict[str, list[Requirement]]:
    content = tomllib.loads((ROOT / PROJECT).read_text())
    lists = {"dependencies": content["project"]["dependencies"]}
    lists |= content["project"]["optional-dependencies"] | content["dependency-groups"]
    return {name: [*map(Requirement, lines)] for name, lines in lists.items()}


def test_each_extra_is_known_by_a_module_of_its_own():
    assert [*EXTRAS] == [*declared()][1 : 1 + len(EXTRAS)]
    assert [*declared()][1 + len(EXTRAS)] == "dev"
    locks = locked(TEXTS["requirements-central-dp.txt"])
    core = {plain(each.name) for each in declared()["dependencies"]}
    for name, module in EXTRAS.items():
        packages = {plain(each.name) for each in declared()[name]}
        assert plain(module) in packages <= locks.keys()
        assert not packages & core


def test_the_tests_run_on_just_what_is_locked():
    """The requirements of these packages are locked too."""
    lock = locked(TEXTS["requirements-dev.txt"])
    for name, entry in lock.items():
        if entry.marker and not Marker(entry.marker).evaluate():
            continue
        assert metadata.version(name) == entry.version, f"{name}: run `make test`"
        for need in map(Requirement, metadata.requires(name) or []):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                needed = lock[plain(need.name)]
                assert need.specifier.contains(needed.version, prereleases=True), (name, need)


def test_make_installs_the_locks_and_nothing_without_its_hash():
    makefile = (ROOT / "Makefile").read_text()
    stamps = dict(re.findall(r"^(\.venv[\w-]*/ready[\w-]*): (.*)", makefile, re.MULTILINE))
    for stamp, lock in {
        ".venv/ready": "requirements.txt",
        ".venv/ready-central-dp": "requirements-central-dp.txt",
        ".venv/ready-dev": "requirements-dev.txt",
        ".venv-bench/ready": "bench/requirements.txt",
        ".venv-audit/ready": "tools/requirements-audit.txt",
    }.items():
        assert stamps[stamp].split() == [lock, "tools/venv.sh"]
    [install] = re.findall(r"^.*pip\" install.*$", (ROOT / "tools/venv.sh").read_text(), re.M)
    assert " --require-hashes -r " in install


# Everything for which Candor asks Babel, in each of its languages.
ASKED = """
import babel
from datetime import date
from babel import Locale
from survey.formats.field_days import date_in
from survey.core.languages import LANGUAGES, Words, language_name
print(babel.__file__)
for code in LANGUAGES:
    words, english = Words(code), Locale.parse(code).get_display_name("en")
    days = [date_in(words, date(2026, 11, 29), length) for length in ("long", "medium")]
    print(code, language_name(code), english, days, words.number("1234.5", grouped=True))
"""


def test_pruned_libraries_have_what_candor_loads(tmp_path):
    libraries = Path(babel.__file__).parents[1]
    shutil.copytree(libraries / "babel", tmp_path / "babel")
    (tmp_path / "scipy" / "stats" / "tests").mkdir(parents=True)
    subprocess.run(["sh", "tools/prune.sh", tmp_path], cwd=ROOT, check=True)
    assert [path.name for path in (tmp_path / "scipy").rglob("*")] == ["stats"]
    assert len([*(tmp_path / "babel" / "locale-data").glob("*.dat")]) == len(LANGUAGES) + 1
    whole, pruned = (
        subprocess.run(
            [sys.executable, "-c", ASKED],
            env=os.environ | {"PYTHONPATH": str(folder)}, cwd=ROOT, check=True,
            capture_output=True, text=True,
        ).stdout.splitlines()
        for folder in (libraries, tmp_path)
    )  # fmt: skip
    assert pruned[0] == str(tmp_path / "babel" / "__init__.py")
    assert len(whole) == 1 + len(LANGUAGES)
    assert pruned[1:] == whole[1:]


def test_an_audit_that_looked_nothing_up_is_no_pass():
    clean = {"name": "Flask", "version": "3.1.3", "vulns": []}
    skipped = {"name": "numpy", "version": "2.4.6", "skip_reason": "not found"}
    hole = {"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["3.1.4"]}
    assert verdict({"flask"}, {"dependencies": [clean]}) == []
    assert verdict({"flask", "numpy"}, {"dependencies": [clean, skipped]}) == [
        "numpy was not looked up"
    ]
    assert verdict({"flask"}, {"dependencies": []}) == ["flask was not looked up"]
    assert verdict({"flask"}, {"dependencies": [clean | {"vulns": [hole]}]}) == [
        "flask 3.1.3 has a known vulnerability, fixed in 3.1.4: PYSEC-1, CVE-1"
    ]


def test_an_audit_claims_no_packages_of_other_systems(monkeypatch, tmp_path, capsys):
    lock = tmp_path / "requirements.txt"
    hashed = f"    --hash=sha256:{'0' * 64}\n"
    lock.write_text(
        f"flask==3.1.3 \\\n{hashed}colorama==0.4.6 ; sys_platform == 'win32' \\\n{hashed}"
    )
    asked_for = []
    report = '{"dependencies": [{"name": "flask", "version": "3.1.3", "vulns": []}]}'

    def pip_audit(command, **how):
        asked_for.append(command[-1])
        return subprocess.CompletedProcess(command, 0, stdout=report, stderr="")

    monkeypatch.setattr(audit.subprocess, "run", pip_audit)
    monkeypatch.setattr(audit, "LOCKS", [lock])
    audit.main()
    assert asked_for == [str(lock)]
    assert capsys.readouterr().out == (
        "Each package that the locks install on this system and Python version was looked up. "
        "None has a known vulnerability.\n"
    )
