"""The store keeps the tables of drafts with the drafts, so that viewing a draft solves nothing.

The tests count linear programmes, not seconds.
"""

import hashlib
import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from survey.cli import greeting
from survey.core.errors import DefinitionError
from survey.core.mechanisms import MECHANISMS, numbers
from survey.core.mechanisms.registry import build_named
from survey.core.randomizer import exp_below
from survey.definition import known_tables
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import freeze
from survey.definition.known_tables import (
    MAX_WORK_CUBED_ANSWERS,
    TABLES_VERSION,
    KnownTables,
    read_tables,
    recipe_of,
    tables_of,
    write_tables,
)
from survey.definition.survey import Survey, parse_survey
from survey.planning import plan_curves
from survey.server import compaction
from survey.server.settings import Settings
from survey.store import Store
from survey.store.sql import surveys as sql_surveys
from tests.support.builder_forms import sent_again
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import Researcher
from tests.support.stores import connected

pytestmark = pytest.mark.both_stores
# The number of questions in each of two drafts.
HALF = 100
VIEWS = ("", "/edit", "/preview", "/plan", "/try-out", "/definition.json", "/log")


@dataclass
class Programmes:
    """Counts the linear programmes that were solved."""

    odds: list[float] = field(default_factory=list)

    def forget(self) -> None:
        """Empty the memory, as in a server that has just started."""
        self.odds.clear()
        for kept_ones in (
            numbers.optimal_mean_table,
            plan_curves.randomizer_at,
            sql_surveys.read_draft,
        ):
            kept_ones.cache_clear()

    @property
    def solved(self) -> int:
        return len(self.odds)


@pytest.fixture
def programmes(monkeypatch: pytest.MonkeyPatch) -> Programmes:
    counted, solve = Programmes(), numbers.optimal_mean_weights

    def counting(answers: int, odds: float) -> Any:
        counted.odds.append(odds)
        return solve(answers, odds)

    monkeypatch.setattr(numbers, "optimal_mean_weights", counting)
    counted.forget()
    return counted


def epsilon_of(number: int) -> float:
    """An epsilon that the planner does not compare with."""
    return round(1.001 + number / 1000, 3)


def mean(number: int, **rest: object) -> dict[str, Any]:
    """A number of three values with a unique table, which one small programme finds."""
    return {
        "name": f"q{number}",
        "type": "number",
        "label": "How many?",
        "min": 0,
        "max": 2,
        "privacy": {"epsilon": epsilon_of(number), "goal": "mean"},
        **rest,
    }


def means(start: int = 0, questions: int = HALF, **rest: Any) -> dict[str, Any]:
    return definition(*(mean(start + n) for n in range(questions)), **rest)


@pytest.fixture
def drafts(store: Store, programmes: Programmes) -> list[str]:
    """Two drafts with 200 different tables."""
    for survey in two_drafts():
        store.surveys.save_draft(survey)
    programmes.forget()
    return [survey.slug for survey in two_drafts()]


@cache
def two_drafts() -> tuple[Survey, Survey]:
    surveys = [parse_survey(means(start, slug=f"draft-{start}")) for start in (0, HALF)]
    assert len({table for each in surveys for table in tables_of(each.questions)}) == 2 * HALF
    return surveys[0], surveys[1]


def kept(database: object, slug: str) -> tuple[str | None, str | None]:
    with connected(database) as db:
        query = "SELECT tables, epsilon FROM surveys WHERE slug = ?"
        return tuple(db.execute(query, [slug]).fetchone())


def change_kept(database: object, slug: str, tables: str | None) -> None:
    with connected(database) as db:
        db.execute("UPDATE surveys SET tables = ? WHERE slug = ?", [tables, slug])


# --- viewing drafts solves nothing


@pytest.mark.slow
def test_no_list_of_surveys_solves_or_reads_a_draft(
    app: Flask,
    store: Store,
    researcher: Researcher,
    settings: Settings,
    drafts: list[str],
    programmes: Programmes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The start of a server does not do it either."""

    def no_draft(*arguments: object) -> None:
        raise AssertionError("a draft was read")

    monkeypatch.setattr(sql_surveys, "read_draft", no_draft)
    page = researcher.client.get("/admin/").get_data(as_text=True)
    assert all(f"/admin/surveys/{slug}" in page for slug in drafts)
    assert all(f">{epsilon_text(survey.epsilon)}</td>" in page for survey in two_drafts())
    assert researcher.client.get("/admin/log").status_code == 200
    listed = app.test_cli_runner().invoke(args=["survey", "list"])
    assert [line.partition(":")[0] for line in listed.output.splitlines()] == drafts[::-1]
    store.database.uncompacted = compaction.MIN_UNCOMPACTED_RESPONSES
    assert compaction.due(store)
    assert "Candor is running" in greeting(store, settings, None)
    with closing(create_app(settings).extensions["candor.store"]) as started:
        assert len(started.surveys.list_surveys()) == 2
    assert programmes.solved == 0


@pytest.mark.slow
def test_no_view_of_a_saved_draft_solves_its_tables(
    researcher: Researcher, drafts: list[str], programmes: Programmes
) -> None:
    own = {float(exp_below(epsilon_of(number))) for number in range(2 * HALF)}
    for slug in drafts:
        for view in VIEWS:
            programmes.forget()
            assert researcher.client.get(f"/admin/surveys/{slug}{view}").status_code == 200, view
            # The plan compares one question with its tables at other ε.
            if view == "/plan":
                assert len(programmes.odds) <= len(plan_curves.EPSILONS_OF_MEANS) + len(
                    plan_curves.CURVE_EPSILONS
                )
                assert not own & set(programmes.odds)
            else:
                assert programmes.solved == 0, view


@pytest.mark.slow
def test_typing_in_the_builder_solves_only_what_is_new(
    researcher: Researcher, drafts: list[str], programmes: Programmes
) -> None:
    edit = f"/admin/surveys/{drafts[0]}/edit"
    form = sent_again(researcher, edit)
    page = researcher.client.get(edit).get_data(as_text=True)
    assert f'data-odds="/admin/odds?draft={drafts[0]}"' in page
    programmes.forget()
    for path in ("/admin/odds", "/admin/preview"):
        reply = researcher.client.post(f"{path}?draft={drafts[0]}", data=form)
        assert reply.status_code == 200
    assert programmes.solved == 0
    form["questions-7-epsilon"] = "2.5"
    programmes.forget()
    researcher.client.post(f"/admin/odds?draft={drafts[0]}", data=form)
    assert programmes.solved == 1
    programmes.forget()
    form |= {"do": "save", "questions-8-label": "Another label"}
    assert researcher.client.post(edit, data=form).status_code == 302
    assert programmes.solved == 1
    programmes.forget()
    assert researcher.client.get(edit).status_code == 200
    assert programmes.solved == 0


def test_a_copy_of_a_draft_has_its_tables(
    store: Store, researcher: Researcher, drafts: list[str], programmes: Programmes
) -> None:
    page = f"/admin/surveys/{drafts[0]}"
    assert researcher.post(f"{page}/copy", form=page).status_code == 302
    assert programmes.solved == 0
    assert len(store.surveys.list_surveys()) == 3


# --- what the store keeps


def test_every_randomizer_comes_back_and_stands_in_the_frozen_survey(
    store: Store, settings: Settings, programmes: Programmes
) -> None:
    survey = parse_survey({**EVERY_TYPE, "questions": [*EVERY_TYPE["questions"], mean(1)]})
    store.surveys.save_draft(survey)
    content, epsilon = kept(settings.database, survey.slug)
    assert read_tables(content) == tables_of(survey.questions)
    assert float(epsilon or 0) == survey.epsilon
    assert [each.epsilon for each in store.surveys.list_surveys()] == [survey.epsilon]
    programmes.forget()
    found = store.surveys.by_slug(survey.slug)
    assert found.survey == survey
    store.surveys.freeze(freeze(found.survey, to_open=False), "open")
    assert programmes.solved == 0
    assert store.surveys.by_slug(survey.slug).frozen == freeze(survey, to_open=False)
    assert kept(settings.database, survey.slug) == (None, None)


def test_a_label_a_name_and_a_place_are_no_part_of_a_recipe() -> None:
    def recipes(*questions: dict[str, Any]) -> list[str]:
        return [recipe_of(question) for question in parse_survey(definition(*questions)).private]

    one = recipes(mean(1))
    assert recipes(mean(2, name="other", label="Other?", privacy=mean(1)["privacy"])) == one
    assert recipes(mean(1, privacy={"epsilon": "1.002", "goal": "mean"})) == one
    assert recipes(mean(1, min=10, max=14, step=2, unit="kg")) == one
    for change in (
        {"max": 3},
        {"prefer_not_to_say": True},
        {"privacy": {"epsilon": 1.003, "goal": "mean"}},
        {"privacy": {"epsilon": 1.002}},
        {"privacy": {"mechanism": "optimal_mean", "epsilon": 1.002, "points": 3}},
    ):
        assert recipes(mean(1, **change)) != one, change
    assert len(set(recipes(yes_no("a"), yes_no("b"), yes_no("c", {"epsilon": 1})))) == 2


def broken(content: str, kind: str) -> str | None:
    """The stored tables of a draft, with a fault."""
    read = json.loads(content)
    first = next(iter(read["tables"].values()))
    row = first["rows"][0]
    match kind:
        case "nothing":
            return None
        case "cut":
            return content[: len(content) // 2]
        case "list":
            return "[]"
        case "entry":
            read["tables"][next(iter(read["tables"]))] = 7
        # The same totals with other probabilities.
        case "rows":
            row[0], row[1] = row[0] + 1, row[1] - 1
        case "no table":
            row[0] = -row[0]
        # Each table is valid, but belongs to the other question.
        case "exchanged":
            (a, b) = read["tables"]
            read["tables"][a], read["tables"][b] = read["tables"][b], read["tables"][a]
        case "version":
            read["version"] = TABLES_VERSION - 1
    return json.dumps(read)


@pytest.mark.parametrize(
    ("kind", "solved"),
    [
        ("nothing", 2), ("cut", 2), ("list", 2), ("entry", 1), ("rows", 1), ("no table", 1),
        ("exchanged", 2), ("version", 2),
    ],
)  # fmt: skip
def test_what_is_damaged_or_of_another_version_is_calculated_again(
    store: Store, settings: Settings, programmes: Programmes, kind: str, solved: int
) -> None:
    survey = parse_survey(means(questions=2))
    store.surveys.save_draft(survey)
    content, _ = kept(settings.database, survey.slug)
    assert content is not None
    change_kept(settings.database, survey.slug, broken(content, kind))
    programmes.forget()
    assert store.surveys.by_slug(survey.slug).survey == survey
    assert programmes.solved == solved
    store.surveys.save_draft(survey, replacing=survey.slug)
    assert kept(settings.database, survey.slug)[0] == content


def test_a_later_version_calculates_again_and_keeps_that(
    store: Store, settings: Settings, programmes: Programmes, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = parse_survey(means(questions=1))
    store.surveys.save_draft(survey)
    programmes.forget()
    monkeypatch.setattr(known_tables, "TABLES_VERSION", TABLES_VERSION + 1)
    found = store.surveys.by_slug(survey.slug).survey
    assert programmes.solved == 1
    store.surveys.save_draft(found, replacing=survey.slug)
    programmes.forget()
    store.surveys.by_slug(survey.slug)
    assert programmes.solved == 0


def test_an_exchanged_table_states_its_own_epsilon(store: Store, settings: Settings) -> None:
    """Someone exchanges it who can write to the database and knows how to compute the digest."""
    survey = parse_survey(means(questions=1))
    store.surveys.save_draft(survey)
    (question,) = survey.private
    assert question.table is not None
    near, far = 999, 1
    weak = replace(question.table, rows=((near, far), (500, 500), (far, near)))
    change_kept(settings.database, survey.slug, write_tables({recipe_of(question): weak}))
    found = store.surveys.by_slug(survey.slug).survey
    assert found.ratio_bound == weak.ratio_bound == 999


# --- limits of one definition


def heavy() -> dict[str, Any]:
    """The smallest number of tables on 21 points that exceeds the limit."""
    needed = MAX_WORK_CUBED_ANSWERS // 21**3 + 1
    return definition(*(mean(n, max=20) for n in range(needed)))


def test_too_many_slow_tables_are_refused_before_the_first_is_solved(
    researcher: Researcher, programmes: Programmes, tmp_path: Path
) -> None:
    with pytest.raises(DefinitionError, match="too many different tables"):
        parse_survey(heavy())
    token = researcher.token("/admin/import")
    file = tmp_path / "heavy.json"
    file.write_text(json.dumps(heavy()))
    reply = researcher.client.post(
        "/admin/import",
        data={"csrf_token": token, "file": (file.open("rb"), file.name)},
        content_type="multipart/form-data",
    )
    assert reply.status_code == 422
    assert "save some of the questions first" in reply.get_data(as_text=True)
    assert programmes.solved == 0


def test_what_is_known_is_no_work() -> None:
    survey = parse_survey(means(questions=3))
    tables = KnownTables.of(survey.questions)
    tables.max_work = 0
    assert parse_survey(means(questions=3), tables=tables) == survey
    with pytest.raises(DefinitionError):
        parse_survey(means(questions=4), tables=tables)


def test_a_stored_draft_is_read_however_much_work_it_is(
    store: Store, settings: Settings, programmes: Programmes, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = parse_survey(means(questions=3))
    store.surveys.save_draft(survey)
    change_kept(settings.database, survey.slug, None)
    programmes.forget()
    monkeypatch.setattr(known_tables, "MAX_WORK_CUBED_ANSWERS", 0)
    assert store.surveys.by_slug(survey.slug).survey == survey
    assert programmes.solved == 3


# --- the version

# For each version, the digest of the tables of every mechanism.
DIGESTS = {
    1: "6f2aa28cad79a937968a705ce8a97a4e26c93b3e45df41ece8686b00976f346f",
    2: "f24862b48e28627dfba9fe60fdfcd6927cb34d6be241b478f5d050c019a42e92",
}
# The mechanisms that were added since. No earlier draft has their tables, so the version stays.
ADDED: dict[str, str] = {}


def digest_of_tables(names: Iterable[str]) -> str:
    digests = [
        build_named(name, parameters, MECHANISMS[name].serves[0], answers, 0).sha256
        for name in sorted(names)
        for answers, parameters in MECHANISMS[name].examples
    ]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@pytest.mark.sqlite_only
def test_mechanisms_make_the_tables_of_this_version() -> None:
    """If this fails, raise TABLES_VERSION and add the digest. Earlier digests stay."""
    assert digest_of_tables(MECHANISMS.keys() - ADDED.keys()) == DIGESTS[TABLES_VERSION]
    assert {name: digest_of_tables([name]) for name in ADDED} == ADDED
    assert max(DIGESTS) == TABLES_VERSION
