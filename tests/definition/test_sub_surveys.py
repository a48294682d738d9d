"""Sub-surveys: surveys of their own that freeze, open and close with the whole survey."""

from datetime import date
from shutil import copyfile

import pytest

from survey.core.errors import DefinitionError, StateError, StoreUnavailable, UnknownSurvey
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import (
    comprehension_sub_survey,
    is_sub_survey,
    paper_and_coin_sub_survey,
    pilot_answers_of,
    sub_surveys_of,
    whole_of,
)
from survey.definition.survey import parse_survey
from survey.estimation.types.comprehension_results import RIGHT
from survey.store import open_store
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.derived_survey import EVERY_DERIVED, derived, unsent
from tests.support.joint_survey import joint_question, joint_questions
from tests.support.stores import connected

pytestmark = pytest.mark.both_stores

REGION = yes_no("region", "none", "Do you live in the north?")
BOTH = definition(
    yes_no(), REGION, by_hand=True, comprehension=True, receipts=True,
    translations={"vi": {
        "title": "Sức khỏe",
        "questions": {"smokes": {"label": "Bạn có hút thuốc không?"}, "region": {"label": "Bắc?"}},
    }},
)  # fmt: skip
SURVEY = parse_survey(BOTH)
ONE, TWO = Response(b"\1" * 16, (0, 0)), Response(b"\2" * 16, (1, 1))


def test_a_survey_has_the_parts_that_are_switched_on():
    def slugs(**switches):
        return [part.slug for part in sub_surveys_of(parse_survey(definition(**switches)))]

    assert slugs() == []
    assert slugs(by_hand=True) == ["health.by-hand"]
    assert slugs(comprehension=True) == ["health.comprehension"]
    assert slugs(by_hand=True, comprehension=True) == ["health.by-hand", "health.comprehension"]
    assert [whole_of(slug) for slug in ("health", "health.by-hand")] == ["health", "health"]
    assert [is_sub_survey(slug) for slug in ("by-hand", "health.by-hand")] == [False, True]


def test_the_part_by_hand_is_the_same_survey_with_the_same_tables():
    part = paper_and_coin_sub_survey(SURVEY)
    assert part.questions == SURVEY.questions
    assert part.in_language("vi").title == "Sức khỏe"
    assert freeze(part).document()["tables"] == freeze(SURVEY).document()["tables"]
    assert freeze(part).fingerprint != freeze(SURVEY).fingerprint
    assert not part.fieldwork.receipts
    assert sub_surveys_of(part) == ()


def test_the_test_is_asked_plainly_in_every_language_of_the_survey():
    part = comprehension_sub_survey(SURVEY)
    assert part.languages == ("en", "vi")
    assert not part.untranslated
    assert [question.type for question in part.questions] == ["select_one"] * 3
    assert all(question.non_private for question in part.questions)
    # The tables decide which of the two is right.
    for right in (RIGHT | {"learnt": "guess"}, RIGHT | {"learnt": "sure"}):
        for question in part.questions:
            names = [choice.name for choice in question.choices]
            assert right[question.name] in names[:-1]
            assert names[-1] == "unsure"
            assert question.choices[-1].label == "I don't know"
        # A habit of choosing the first or any other fixed place must not pass for understanding.
        places = [[c.name for c in q.choices].index(right[q.name]) for q in part.questions]
        assert len(set(places)) == 3


def test_a_survey_in_another_language_is_followed_by_a_test_in_it():
    part = comprehension_sub_survey(parse_survey(definition(language="th", comprehension=True)))
    assert part.languages == ("th",)


@check_each("part", sub_surveys_of(SURVEY), ids=lambda part: part.slug)
def test_a_frozen_part_is_read_again_as_it_was(part):
    frozen = freeze(part)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen


@pytest.mark.parametrize("slug", ["health.by-hand", "health.comprehension", "health.x", "a.b.c"])
def test_nobody_can_choose_the_slug_of_a_part(slug):
    with pytest.raises(DefinitionError) as raised:
        parse_survey(definition(slug=slug))
    assert raised.value.place == "slug"


def test_only_the_known_parts_are_read_from_the_database():
    for slug in ("health.x", "health.by-hand.by-hand", ".by-hand"):
        with pytest.raises(DefinitionError):
            parse_survey(definition(REGION, slug=slug), stored={})


def test_a_test_of_what_is_mixed_up_needs_something_that_is():
    with pytest.raises(DefinitionError, match="at least one private question") as raised:
        parse_survey(definition(REGION, comprehension=True))
    assert raised.value.place == "comprehension"


def test_the_true_answers_have_all_that_is_sent_and_nothing_else():
    """Results are ordinary questions, and notes lose what they depend on."""
    content = definition(
        {"name": "head", "type": "section", "label": "Feelings", "battery": True},
        unsent("sad"),
        unsent("tired"),
        derived("high", {"any": {"sad": ["often"]}}),
        {"name": "more", "type": "section", "label": "More", "relevant": {"sad": ["often"]}},
        {"name": "told", "type": "note", "label": "Often!", "relevant": {"high": ["yes"]}},
        unsent("deep", "yes_no"),
        {"name": "last", "type": "section", "label": "Last"},
        yes_no("help") | {"relevant": {"high": ["yes"]}, "otherwise": "no"},
        {"name": "why", "type": "text", "label": "Why?", "privacy": "none"},
        translations={"vi": {"title": "T", "questions": {"sad": {"label": "S"}}}},
    )
    survey = parse_survey(content)
    part = pilot_answers_of(survey)
    frozen = freeze(part, None, to_open=False)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    conditions = {question.name: question.relevant for question in part.questions}
    assert conditions == {
        "head": None,
        "high": None,
        "more": None,
        "told": {"high": ["yes"]},
        "last": None,
        "help": {"high": ["yes"]},
    }
    assert not part.private
    assert not part.derived
    assert [q.name for q in part.fields] == [q.name for q in survey.fields]
    assert [q.answers for q in part.fields] == [q.answers for q in survey.fields]


def test_the_true_answers_of_every_result_are_read_again():
    part = pilot_answers_of(parse_survey(EVERY_DERIVED))
    frozen = freeze(part, None, to_open=False)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen


def test_the_true_answers_behind_a_joint_question_keep_their_combinations():
    """The second question depends on one that nobody sends, so its conditions are kept."""
    content = definition(
        unsent("met"),
        *joint_questions(),
        unsent("alone", relevant={"met": ["often"]}),
        unsent("kept"),
        derived("high", {"any": {"kept": ["often"]}}),
        joint_question("alone", "smokes", name="other"),
    )
    survey = parse_survey(content)
    part = pilot_answers_of(survey)
    frozen = freeze(part, None, to_open=False)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    assert [q.name for q in part.fields] == [q.name for q in survey.fields]
    assert [q.answers for q in part.fields] == [q.answers for q in survey.fields]
    assert [q.name for q in part.questions if not q.sent] == [
        "met", "drinks", "drives", "smokes", "alone"
    ]  # fmt: skip
    assert [part.items_of(q) != () for q in part.fields] == [True, False, True]


# --- storage


def states(store):
    slugs = ("health", "health.by-hand", "health.comprehension")
    return [store.surveys.by_slug(slug).state for slug in slugs]


def test_parts_are_frozen_with_their_whole_and_left_out_of_the_list(store):
    frozen = opened(store, BOTH)
    assert [found.survey.slug for found in store.surveys.all()] == ["health"]
    assert store.surveys.by_slug("health").frozen == frozen
    for part in sub_surveys_of(SURVEY):
        found = store.surveys.by_slug(part.slug)
        assert (found.survey, found.frozen) == (part, freeze(part))
        assert (found.state, found.origin) == ("open", "browser")


def test_a_draft_has_no_parts_yet(store):
    store.surveys.save_draft(SURVEY)
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health.by-hand")


def test_parts_open_and_close_with_their_whole_and_never_alone(store):
    opened(store, BOTH)
    store.lifecycle.set_state("health", "closed")
    assert states(store) == ["closed"] * 3
    store.lifecycle.set_state("health", "open")
    assert states(store) == ["open"] * 3
    for state in ("open", "closed"):
        with pytest.raises(StateError, match="a part of survey 'health'"):
            store.lifecycle.set_state("health.by-hand", state)
    assert states(store) == ["open"] * 3


def test_a_part_takes_no_responses_from_files_and_cannot_be_changed(store):
    opened(store, BOTH, "closed")
    with pytest.raises(StateError, match="a part of survey 'health'"):
        store.responses.add_batches("health.by-hand", [[ONE]], "loaded")
    with pytest.raises(StateError, match="You can change only drafts"):
        store.deleted_drafts.delete_draft("health.by-hand", date.today())
    with pytest.raises(StateError, match="You can change only drafts"):
        store.surveys.save_draft(SURVEY, replacing="health.comprehension")
    assert store.counts.by_question("health.by-hand") == {}


def test_what_is_recorded_in_a_part_is_counted_there_alone(store):
    opened(store, BOTH)
    assert store.responses.add_response("health", ONE)
    assert store.responses.add_response("health.by-hand", TWO)
    assert store.responses.add_response("health.by-hand", TWO) is False
    # The same id may be in both, because neither looks into the other.
    assert store.responses.add_response("health.by-hand", ONE)
    assert store.responses.add_response("health.comprehension", Response(b"\3" * 16, (1, 3, 0)))
    assert store.counts.by_question("health") == {"smokes": {0: 1}, "region": {0: 1}}
    assert store.counts.by_question("health.by-hand") == {
        "smokes": {0: 1, 1: 1},
        "region": {0: 1, 1: 1},
    }
    tested = {"learnt": {1: 1}, "meaning": {3: 1}, "who": {0: 1}}
    assert store.counts.by_question("health.comprehension") == tested
    assert list(store.responses.rows("health.by-hand")) == [(0, 0), (1, 1)]


def test_a_hyphen_in_a_slug_is_not_taken_for_the_dot_of_a_part(store):
    opened(store, BOTH)
    opened(store, definition(yes_no(), REGION, slug="health-by-hand"))
    store.responses.add_response("health.by-hand", ONE)
    assert list(store.responses.rows("health-by-hand")) == []


def test_whole_and_parts_are_frozen_in_one_transaction_or_not_at_all(store, settings):
    store.surveys.save_draft(SURVEY)
    with connected(settings.database) as connection:
        connection.execute('CREATE TABLE "responses_health.comprehension" (in_the_way integer)')
    with pytest.raises(StoreUnavailable):
        store.surveys.freeze(freeze(SURVEY), "open")
    assert store.surveys.by_slug("health").state == "draft"
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health.by-hand")


def test_compacted_parts_do_not_tell_the_order_of_arrival_either(tmp_path):
    origin, *twins = (tmp_path / f"{name}.db" for name in ("origin", "first", "second"))
    store = open_store(str(origin))
    opened(store, BOTH)
    store.close()
    for path, responses in zip(twins, ([ONE, TWO], [TWO, ONE]), strict=True):
        copyfile(origin, path)
        store = open_store(str(path))
        for response in responses:
            store.responses.add_response("health.by-hand", response)
        store.compact()
        store.close()
    assert twins[0].read_bytes() == twins[1].read_bytes() != origin.read_bytes()
