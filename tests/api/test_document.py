"""The OpenAPI document: it agrees with the routes and with docs/reference/api.md."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from app import create_app
from survey.api.blueprint import OPERATIONS
from survey.definition.responses.parse_response import Response
from survey.server.settings import Settings
from survey.store import ANALYST, Account
from survey.web import api_tokens
from tests.support.api_examples import EXAMPLES, blocks
from tests.support.api_programs import Program
from tests.support.definitions import definition, opened
from tests.support.researchers import password_hash
from tests.support.servers import Live


def test_the_document_is_openapi(document: dict) -> None:
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_control_a_document_with_a_fault_is_found(document: dict) -> None:
    del document["components"]["parameters"]["slug"]["schema"]
    with pytest.raises(OpenAPIValidationError):
        validate(document)


def test_the_document_and_the_routes_say_the_same(app: Flask, document: dict) -> None:
    prefix = document["servers"][0]["url"].removeprefix(app.config["CANDOR_URL"])
    routes = {
        (re.sub("<(.*?)>", r"{\1}", rule.rule), method.lower(), rule.endpoint)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api")
        for method in rule.methods - {"HEAD"}
    }
    written = {
        (prefix + path, method, f"api.{about['operationId']}")
        for path, methods in document["paths"].items()
        for method, about in methods.items()
    }
    assert routes == written


def test_all_that_asks_for_a_token_says_so(document: dict) -> None:
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"] == {
        "type": "http", "scheme": "bearer",
    }  # fmt: skip
    for methods in document["paths"].values():
        assert "security" not in methods["get"]
        assert "401" in methods["get"]["responses"]


@pytest.fixture
def health(live: Live, app: Flask) -> Iterator[dict[str, str]]:
    """A live server with the survey of the examples, and their environment."""
    opened(live.store, definition())
    for number in range(40):
        live.store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))
    live.store.accounts.add_account(
        Account(name="bob", role=ANALYST, password_hash=password_hash())
    )
    with app.app_context():
        token = api_tokens.make_token("bob", "script", 90)
    # without a proxy, since these requests go to this machine
    yield {**os.environ, "CANDOR_TOKEN": token, "no_proxy": "*", "URL": live.url}


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(example: str, environment: dict[str, str]) -> str:
    assert "https://survey.example.org" in example
    return example.replace("https://survey.example.org", environment["URL"])


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_lines_for_curl_work(health: dict[str, str], tmp_path: Path, live: Live) -> None:
    [example] = blocks("sh")
    printed = run(["sh", "-e", "-c", here(example, health)], health, tmp_path)
    assert [each["slug"] for each in json.loads(printed)["surveys"]] == ["health"]
    lines = (tmp_path / "responses.csv").read_bytes().split(b"\r\n")
    assert lines[0] == b"smokes.randomised"
    assert sorted(lines[1:-1]) == [b"no"] * 20 + [b"yes"] * 20


def test_the_lines_for_python_work(health: dict[str, str], tmp_path: Path) -> None:
    example = blocks("python")[0]
    printed = run([sys.executable, "-c", here(example, health)], health, tmp_path)
    # Half of the reports are Yes: 2 * 1/2 - 1/2.
    for line, label in zip(printed.splitlines(), ["Yes", "No"], strict=True):
        question, answer, estimate, low, high = line.split()
        assert (question, answer) == ("smokes", label)
        assert float(estimate) == pytest.approx(0.5)
        assert float(low) < 0.5 < float(high)


@pytest.mark.needs_r
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_lines_for_r_work(health: dict[str, str], tmp_path: Path) -> None:
    [example] = blocks("r")
    printed = run(["Rscript", "-e", here(example, health)], health, tmp_path)
    assert re.search(r"smokes +Yes +0\.5 ", printed)
    assert re.search(r"smokes +No +0\.5 ", printed)


def test_the_table_of_addresses_is_what_there_is() -> None:
    assert set(re.findall(r"^\| `GET (/api/v1[^`]*)`", EXAMPLES, re.MULTILINE)) == {
        f"/api/v1{each.path}" for each in OPERATIONS
    }


def test_the_table_of_refusals_is_what_is_written(document: dict) -> None:
    in_the_text = set(re.findall(r"^\| `(\d{3})` \|", EXAMPLES, re.MULTILINE))
    written = {
        status for methods in document["paths"].values() for status in methods["get"]["responses"]
    }
    assert in_the_text == written | {"405"}  # This status belongs to no operation.


def test_the_address_in_the_document_is_the_one_that_people_type(settings: Settings) -> None:
    from dataclasses import replace

    app = create_app(replace(settings, url="https://survey.example.org"))
    store = app.extensions["candor.store"]
    store.accounts.add_account(Account(name="bob", role=ANALYST, password_hash=password_hash()))
    with app.app_context():
        program = Program(app.test_client(), api_tokens.make_token("bob", "script", 1))
    document = program.get("/openapi.json").get_json()
    assert document["servers"] == [{"url": "https://survey.example.org/api/v1"}]
    store.close()
