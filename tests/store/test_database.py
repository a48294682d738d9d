"""The store is composed: each method is declared once, in the class of its subject."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from survey.core.errors import StoreUnavailable
from survey.definition.sub_surveys import sub_surveys_of
from survey.definition.survey import parse_survey
from survey.store.database import column_definitions, count
from survey.store.sqlite.store import SQLiteStore
from tests.support.definitions import definition, yes_no
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

STORE = ROOT / "survey" / "store"
# The methods that differ between the databases. A store has one or the other.
SQLITE, POSTGRESQL = "sqlite", "postgresql"


def classes() -> list[tuple[Path, ast.ClassDef]]:
    paths = sorted(STORE.rglob("*.py"))
    trees = [(path.relative_to(STORE), ast.walk(ast.parse(path.read_text()))) for path in paths]
    return [(path, node) for path, tree in trees for node in tree if isinstance(node, ast.ClassDef)]


def methods(kinds: set[str]) -> list[str]:
    """The methods of all classes in these folders, with repetitions."""
    return [
        each.name
        for path, node in classes()
        if path.parts[0] in kinds or (path.parts[0] not in (SQLITE, POSTGRESQL) and "" in kinds)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")
    ]


@pytest.mark.parametrize("kind", [SQLITE, POSTGRESQL])
def test_of_a_store_no_method_is_declared_in_two_places(kind: str) -> None:
    """No two parts declare a method, so that a name leads to one place.

    Nor do classes above or below.
    """
    declared = Counter(methods({"", kind}))
    assert len(declared) > 120
    assert [name for name, times in declared.items() if times > 1] == []


def test_the_two_databases_have_the_same_methods() -> None:
    """The exceptions are helpers of the other classes for SQLite."""
    assert {*methods({POSTGRESQL})} <= {*methods({SQLITE}), "execute"}


def test_nothing_declares_what_another_class_has_to_do() -> None:
    for _, node in classes():
        bases = {ast.unparse(base) for base in node.bases}
        assert not bases & {"Protocol", "ABC"}, node.name


def test_a_store_has_few_ancestors() -> None:
    assert len(SQLiteStore.__mro__) - 1 <= 4


@pytest.fixture
def store(tmp_path: Path) -> SQLiteStore:
    return SQLiteStore(tmp_path / "candor.db")


def test_a_part_reads_and_changes_by_one_statement(store: SQLiteStore) -> None:
    part = store.accounts
    assert part.fetch_one("SELECT token_hash FROM setup") is None
    assert [part.change("INSERT INTO setup VALUES (?)", each) for each in ("b", "a")] == [1, 1]
    assert part.fetch_one("SELECT 1 FROM setup WHERE token_hash = ?", "b") == (1,)
    assert part.fetch_all("SELECT token_hash FROM setup ORDER BY 1") == [("a",), ("b",)]
    assert part.change("DELETE FROM setup") == 2
    with store.database.reading() as db:
        assert count(db, "setup") == 0
    store.close()
    with pytest.raises(StoreUnavailable):
        part.fetch_all("SELECT token_hash FROM setup")


def test_a_change_that_fails_changes_nothing(store: SQLiteStore) -> None:
    store.accounts.change("INSERT INTO setup VALUES ('a')")
    with pytest.raises(Exception, match="UNIQUE"):
        store.accounts.change("INSERT INTO setup VALUES ('b'), ('a')")
    assert store.accounts.fetch_all("SELECT token_hash FROM setup") == [("a",)]
    store.close()


def test_a_response_has_a_column_for_each_question() -> None:
    plain = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
    survey = parse_survey(definition(yes_no(), plain))
    assert column_definitions(survey, "bigint") == ['"smokes" bigint NOT NULL']
    [part] = sub_surveys_of(survey)
    assert column_definitions(part, "bigint") == ['"remarks" TEXT NOT NULL']
