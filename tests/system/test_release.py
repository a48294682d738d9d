"""`make release` builds nothing unless version, tag, changelog and citation agree."""

import hashlib
import shutil
import subprocess
import sys

import pytest
import yaml

from survey import VERSION
from tests.support.project import ROOT
from tools import release, sbom
from tools.release import faults

DATED, OPEN = "# Changelog\n\n## [0.1.0] - 2026-12-24\n", "# Changelog\n\n## [0.1.0] - Unreleased\n"
CITED = "title: Candor\nversion: {}\nlicense: Apache-2.0\n"


@pytest.mark.fast
@pytest.mark.parametrize(
    ("version", "tags", "changelog", "status", "expected"),
    [
        ("0.1.0", ["v0.1.0"], DATED, "", ""),
        ("0.1.0", ["first", "v0.1.0"], DATED, "", ""),
        ("0.1.0", [], DATED, "", "does not have the tag v0.1.0"),
        ("0.1.0", ["v0.1.1"], DATED, "", "does not have the tag v0.1.0"),
        ("0.1.0", ["v0.1.0"], OPEN, "", "not the section of 0.1.0"),
        ("0.1.0", ["v0.1.0"], "", "", "not the section of 0.1.0"),
        ("0.1.0", ["v0.1.0"], DATED, " M app.py\n", "not committed"),
        ("0.1.0.dev0", [], OPEN, "", ""),
        ("0.1.0.dev0", [], DATED, "", "not the section of 0.1.0.dev0"),
        ("0.1.0.dev0", ["demo"], OPEN, "", ""),
        ("0.1.0.dev0", ["v0.1.0"], OPEN, "", "tag of a release, but the version is 0.1.0.dev0"),
        ("0.1.0.dev0", ["v0.1.0.dev0"], OPEN, "", "tag of a release"),
        ("0.2.0", ["v0.2.0"], DATED, "", "not the section of 0.2.0"),
    ],
)
def test_what_forbids_a_release_is_named(version, tags, changelog, status, expected):
    found = faults(version, tags, changelog, CITED.format(version), status)
    assert [expected in fault for fault in found] == ([True] if expected else [])
    [other] = set(faults(version, tags, changelog, CITED.format("9"), status)) - {*found}
    assert other == f"CITATION.cff does not have the version {version}"


@pytest.mark.fast
def test_this_version_could_be_built_but_for_its_tag():
    changelog, citation = ((ROOT / name).read_text() for name in ("CHANGELOG.md", "CITATION.cff"))
    tags = [] if ".dev" in VERSION else [f"v{VERSION}"]
    assert faults(VERSION, tags, changelog, citation, "") == []


@pytest.mark.fast
def test_the_workflow_of_a_pushed_tag_does_not_fetch_it_twice():
    """The action gets the tag that started the workflow, and fails if it must get all tags.

    https://github.com/actions/checkout/issues/1467
    """
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    [checkout] = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"] == {"persist-credentials": False}
    assert {"run": "make release"} in steps


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder without faults in which a release is built."""
    monkeypatch.chdir(tmp_path)
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(release, "output", lambda *command: "")
    monkeypatch.setattr(sbom, "main", lambda: sbom.WRITTEN.write_text("{}"))
    monkeypatch.delenv("KEY", raising=False)
    return tmp_path


def small_build(folder):
    (folder / "candor.whl").write_bytes(b"wheel")
    return {"candor.whl": hashlib.sha256(b"wheel").hexdigest()}


@pytest.mark.slow
def test_the_checksums_are_signed_and_verified_as_the_guide_says(clone, monkeypatch, capsys):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("No ssh-keygen here.")
    monkeypatch.setattr(release, "build", small_build)
    release.main()
    assert "not signed" in capsys.readouterr().out
    assert not (clone / "dist" / "SHA256SUMS.sig").exists()
    key = clone / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    monkeypatch.setenv("KEY", str(key))
    release.main()
    public = key.with_suffix(".pub").read_text()
    (clone / "dist" / "allowed_signers").write_text(
        f'maintainer namespaces="candor-release" {public}'
    )
    guide = (ROOT / "docs" / "how-to" / "make-a-release.md").read_text()
    commands = [line.strip() for line in guide.splitlines() if line.startswith("       s")]
    assert len(commands) == 2
    for command in commands:
        subprocess.run(["sh", "-c", command], cwd=clone / "dist", check=True)
    (clone / "dist" / "candor.whl").write_bytes(b"another")
    assert subprocess.run(["sh", "-c", commands[1]], cwd=clone / "dist").returncode == 1
    (clone / "dist" / "SHA256SUMS").write_bytes(b"another")
    assert subprocess.run(["sh", "-c", commands[0]], cwd=clone / "dist").returncode != 0


@pytest.mark.fast
def test_builds_that_differ_are_refused(clone, monkeypatch):
    sums = iter(({"candor.whl": "1"}, {"candor.whl": "2"}))
    monkeypatch.setattr(release, "build", lambda folder: next(sums))
    with pytest.raises(SystemExit, match="Two builds differ"):
        release.main()
    assert not (clone / "dist" / "SHA256SUMS").exists()


@pytest.mark.fast
def test_a_fault_builds_nothing(clone, monkeypatch):
    monkeypatch.setattr(release, "output", lambda *command: " M app.py\n")
    with pytest.raises(SystemExit, match="Nothing was built"):
        release.main()
    assert not (clone / "dist").exists()


@pytest.mark.slow
def test_the_real_build_has_a_wheel_and_an_archive_that_builds_the_same_wheel(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(ROOT)
    sums = release.build(tmp_path)
    [wheel], [archive] = (
        [tmp_path / name for name in sums if name.endswith(ending)]
        for ending in (".whl", ".tar.gz")
    )
    shutil.unpack_archive(archive, tmp_path / "sources", filter="data")
    [sources] = (tmp_path / "sources").iterdir()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "again"],
        cwd=sources, check=True, capture_output=True,
    )  # fmt: skip
    [again] = (tmp_path / "again").iterdir()
    assert again.read_bytes() == wheel.read_bytes()
