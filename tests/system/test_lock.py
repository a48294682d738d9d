"""Every installed package is pinned, with its dependencies, by the hashes of its files."""

import re
import subprocess
from importlib import metadata

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.support.check_each import check_each
from tests.support.project import ROOT
from tools import audit
from tools.audit import verdict
from tools.lock import HEAD, LOCKS, asked, faults, lock_of, locked, plain

pytestmark = pytest.mark.fast

TEXTS = {name: (ROOT / lock_of(name)).read_text() for name in LOCKS}


@check_each("name", LOCKS)
def test_each_lock_agrees_with_its_requirements(name):
    """If this fails, run `make lock`."""
    text = TEXTS[name]
    assert faults(asked(ROOT / name), locked(text)) == []
    assert text.startswith(HEAD.format(name))
    # The installer chooses the index.
    assert not re.search(r"://|--(extra-)?index|--find-links", text)
    agrees = LOCKS[name]
    if agrees:
        held, other = locked(text), locked((ROOT / agrees).read_text())
        for package, entry in other.items():
            assert held[package].version == entry.version
            assert held[package].hashes == entry.hashes


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text.replace("flask==3.1.3", "flask==3.1.2"), "flask is 3.1.3, but 3.1.2"),
        (lambda text: text.replace("segno==", "segno-2=="), "segno is not in the lock"),
        (lambda text: re.sub("(?s)nh3==.*?# via", "nh3==0.3.8\n    # via", text), "nh3 has no"),
        (lambda text: text + "left-pad==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n",
         "nothing requires left-pad"),
    ],
)  # fmt: skip
def test_a_lock_that_does_not_agree_is_found_out(change, fault):
    changed = change(TEXTS["requirements.txt"])
    found = faults(asked(ROOT / "requirements.txt"), locked(changed))
    assert any(each.startswith(fault) for each in found), found


def test_each_requirement_is_pinned_and_says_why_it_is_there():
    for name in LOCKS:
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-r ")):
                assert re.fullmatch(r"[\w.\[\],-]+==[\w.]+( +# .+)?", line), line
                assert " # " in line or name.startswith("bench"), line


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
        ".venv/ready": "requirements.lock",
        ".venv/ready-central-dp": "requirements-central-dp.lock",
        ".venv/ready-dev": "requirements-dev.lock",
        ".venv-bench/ready": "bench/requirements.lock",
        ".venv-audit/ready": "tools/requirements-audit.lock",
    }.items():
        assert stamps[stamp].split() == [lock, "tools/venv.sh"]
    assert not re.search(r"requirements[\w-]*\.txt", makefile)
    [install] = re.findall(r"^.*pip\" install.*$", (ROOT / "tools/venv.sh").read_text(), re.M)
    assert " --require-hashes -r " in install


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
    lock = tmp_path / "requirements.lock"
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
    monkeypatch.setattr(audit, "LOCKS", {"requirements.txt": None})
    monkeypatch.setattr(audit, "lock_of", lambda name: lock)
    audit.main()
    assert asked_for == [str(lock)]
    assert capsys.readouterr().out == (
        "Each package that the locks install on this system and Python version was looked up. "
        "None has a known vulnerability.\n"
    )
