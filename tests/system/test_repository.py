"""The files around the project parse, and what they name exists."""

import os
import re

import pytest
import yaml

from survey import VERSION
from tests.support.check_each import check_each
from tests.support.project import ROOT
from tests.support.tutorials import unknown_names
from tools.prose import FORBIDDEN

pytestmark = pytest.mark.fast

GITHUB = ROOT / ".github"
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*_*.yml"))
PARTS_OF_FORMS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
# The members that Citation File Format 1.2.0 requires, and those that this project uses.
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {"type", "abstract", "version", "date-released", "license", "keywords"}
MAX_CHANGELOG_LINES = 15


def test_the_citation_is_one():
    content = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert set(content) >= REQUIRED
    assert set(content) <= ALLOWED
    assert content["cff-version"] == "1.2.0"
    assert content["type"] == "software"
    assert content["title"] == "Candor"
    assert content["authors"] == [{"name": "The Candor team"}]
    assert content["version"] == VERSION
    assert content["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert len(set(content["keywords"])) == len(content["keywords"])


def test_the_workflow_runs_what_every_change_must_pass():
    text = (GITHUB / "workflows" / "ci.yml").read_text()
    content = yaml.safe_load(text)
    [job] = content["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert content["permissions"] == {"contents": "read"}
    assert ":" in job["container"]["image"]


def test_a_release_is_published_by_a_tag_alone_with_attestations():
    content = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text())
    assert content[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true.
    assert content["permissions"] == {"contents": "read"}
    build, publish = content["jobs"]["build"], content["jobs"]["publish"]
    assert "make release" in [step.get("run") for step in build["steps"]]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["steps"][-1]["with"] == {"attestations": True}


@pytest.mark.parametrize(
    "path", sorted((GITHUB / "workflows").iterdir()), ids=lambda path: path.name
)
def test_actions_are_pinned_by_commit_and_name_their_full_version(path):
    used = re.findall(r"uses: (.+)", path.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@check_each("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_is_one_and_warns_of_private_data(path):
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= set(form)
    parts = form["body"]
    assert {part["type"] for part in parts} <= PARTS_OF_FORMS
    names = [part["id"] for part in parts if part["type"] != "markdown"]
    assert len(names) == len(set(names)) > 0
    for part in parts:
        attributes = part["attributes"]
        assert attributes["value" if part["type"] == "markdown" else "label"]
    [warning] = [part["attributes"]["value"] for part in parts if part["type"] == "markdown"]
    for word in ("answers", "tokens", "addresses"):
        assert word in warning


def test_there_are_two_forms_and_security_problems_go_elsewhere():
    assert len(FORMS) == 2
    content = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "config.yml").read_text())
    assert content["blank_issues_enabled"] is False
    [link] = content["contact_links"]
    assert set(link) == {"name", "url", "about"}
    assert link["url"].startswith("https://")
    assert "SECURITY.md" in link["about"]


@check_each("path", sorted(GITHUB.rglob("*.*")), ids=lambda path: path.name)
def test_what_the_templates_name_exists(path):
    text = path.read_text()
    for name in re.findall(r"(?<![\w/.-])((?:docs|tools|tests)/[\w./-]+\w|[A-Z]{5,}\.md)", text):
        assert (ROOT / name).exists(), name
    assert not [
        fault for part in re.findall(r"`(make [^`]+)`", text) for fault in unknown_names(part)
    ]


def test_the_changelog_has_its_form():
    """Its first section is that of the version. Sections are short: features.md has the rest."""
    text = (ROOT / "CHANGELOG.md").read_text()
    number, development, _ = VERSION.partition(".dev")
    versions = re.findall(r"^## .+", text, re.MULTILINE)
    if development:
        assert versions.pop(0) == f"## [{number}] - Unreleased"
    else:
        assert versions[0].startswith(f"## [{number}] - ")
    for version in versions:
        assert re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", version)
    for section in text.split("\n## ")[1:]:
        assert len(section.strip().splitlines()) - 1 <= MAX_CHANGELOG_LINES


def test_the_words_to_avoid_are_those_of_the_prose_check():
    text = (ROOT / "docs" / "reference" / "writing.md").read_text()
    starred = re.findall(r"^\| (.+) \| .+ \| \* \|$", text, re.MULTILINE)
    words = [word for cell in starred for word in re.findall(r"`([^`]+)`", cell)]
    for word in words:
        assert any(pattern.fullmatch(word) for pattern, _ in FORBIDDEN), word
    for pattern, better in FORBIDDEN:
        assert any(pattern.fullmatch(word) for word in words), better
