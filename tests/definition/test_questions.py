"""Definitions: parsed, refused with the place of the fault, frozen with a fingerprint."""

import hashlib
import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import DefinitionError, ZeroEntry
from survey.core.randomizer import Randomizer
from survey.definition.frozen import fingerprint_of, freeze, thaw
from survey.definition.privacy_limits import DEFAULT_LIMITS
from survey.definition.survey import parse_survey, read_definition
from tests.conftest import definition, yes_no

pytestmark = pytest.mark.fast

PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [
        {"name": "a", "label": "A"},
        {"name": "b", "label": "B"},
        {"name": "c", "label": "C"},
    ],
    "privacy": {"epsilon": 1.0},
}
REGION = {**PARTY, "name": "region", "privacy": "none"}
WEIGHT = {
    "name": "weight", "type": "number", "label": "How heavy?", "min": 30, "max": 150, "step": 0.5,
    "unit": "kg", "privacy": {"epsilon": 1},
}  # fmt: skip
DRUGS = {**PARTY, "name": "drugs", "type": "select_multiple"}
MOOD = {**PARTY, "name": "mood", "type": "scale", "privacy": {"epsilon": 1, "goal": "mean"}}
WHY = {"name": "why", "type": "text", "label": "Why?", "privacy": "none"}
NOTE = {"name": "nearly", "type": "note", "label": "Nearly there."}


def changed(question, **change):
    return {key: value for key, value in {**question, **change}.items() if value is not ...}


def test_it_reads_the_whole_of_a_definition():
    survey = parse_survey(
        definition(yes_no(), PARTY, REGION, language="vi", budget={"epsilon": 3}, introduction="Hi")
    )
    assert [question.name for question in survey.questions] == ["smokes", "party", "region"]
    assert [choice.label for choice in survey.questions[0].choices] == ["Có", "Không"]
    assert survey.questions[1].randomizer.odds.denominator <= 100
    assert survey.questions[2].plain
    assert survey.epsilon == pytest.approx(math.log(3) + math.log(106 / 39))
    assert parse_survey(survey.as_definition()) == survey


def test_yes_and_no_may_be_worded():
    words = [{"name": "yes", "label": "Often"}, {"name": "no", "label": "Never"}]
    survey = parse_survey(definition({**yes_no(), "choices": words}))
    assert [choice.label for choice in survey.questions[0].choices] == ["Often", "Never"]


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        ([], "", "is a JSON object"),
        (definition(slug="Health!"), "slug", "small letters"),
        (definition(slug="-a"), "slug", "small letters"),
        (definition(slug="a" * 64), "slug", "at most 63"),
        (definition(slug=7), "slug", "is a text"),
        ({"slug": "a", "questions": [yes_no()]}, "title", "is missing"),
        (definition(title=" "), "title", "is empty"),
        (definition(title="x" * 301), "title", "longer than 300"),
        (definition(title="\ud800"), "title", "lone surrogate"),
        (definition(language="xx"), "language", "is one of en, th, vi, zh"),
        (definition(questions=[]), "questions", "1 to 200 questions"),
        (definition(questions={}), "questions", "1 to 200 questions"),
        (definition(colour="red"), "colour", "is not known here"),
        (definition(budget=3), "budget", "is an object"),
        (definition(budget={"epsilon": -1}), "budget.epsilon", "above 0"),
        (definition(budget={"epsilon": "x"}), "budget.epsilon", "a number"),
        (definition(budget={"epsilon": 1}), "budget.epsilon", "add up to 1.0986"),
        (
            definition(budget={"epsilon": 9, "per_respondent": "some"}),
            "budget.per_respondent",
            'is "all" or',
        ),
        (
            definition(budget={"per_respondent": {"sample": 1}}),
            "budget.per_respondent.sample",
            "below that of the private questions, 1",
        ),
        (
            definition(yes_no("a"), yes_no("b"), budget={"per_respondent": {"sample": True}}),
            "budget.per_respondent.sample",
            "a whole number",
        ),
        (
            definition(yes_no("a"), yes_no("b"), budget={"per_respondent": {"part": 1}}),
            "budget.per_respondent.part",
            "not known",
        ),
        (
            definition(
                yes_no("a"), yes_no("b"), budget={"epsilon": 1, "per_respondent": {"sample": 1}}
            ),
            "budget.epsilon",
            "the costliest of them add up to 1.0986",
        ),
        (definition("smokes?"), "questions[0]", "is an object"),
        (definition(yes_no("Smokes")), "questions[0].name", "small letter"),
        (definition(yes_no("id")), "questions[0].name", "do not use id"),
        (definition(yes_no(), yes_no()), "questions[1].name", "twice"),
        (definition(changed(yes_no(), type="rank")), "questions[0].type", "'rank' is not known"),
        (definition(changed(yes_no(), label=...)), "questions[0].label", "is missing"),
        (definition(changed(yes_no(), relevant={})), "questions[0].relevant", "is an object"),
        (definition(changed(yes_no(), min=1)), "questions[0].min", "not known"),
        (definition(NOTE), "questions", "notes only"),
        (definition(*({**WHY, "name": f"w{n}"} for n in range(51))), "questions", "50 texts"),
        (definition(changed(yes_no(), privacy=...)), "questions[0].privacy", 'is "none"'),
        (
            definition(changed(yes_no(), privacy={"epsilon": 99})),
            "questions[0].privacy",
            "at most 12",
        ),
        (
            definition(changed(yes_no(), choices=PARTY["choices"])),
            "questions[0].choices",
            "named yes and no",
        ),
        (definition(changed(PARTY, choices=...)), "questions[0].choices", "2 to 100 choices"),
        (
            definition(changed(PARTY, choices=PARTY["choices"][:1])),
            "questions[0].choices",
            "2 to 100 choices",
        ),
        (
            definition(changed(PARTY, choices=["a", "b"])),
            "questions[0].choices[0]",
            "is an object",
        ),
        (
            definition(changed(PARTY, choices=[{"name": "=1", "label": "A"}, *PARTY["choices"]])),
            "questions[0].choices[0].name",
            "letters without accents",
        ),
        (
            definition(changed(PARTY, choices=[*PARTY["choices"], {"name": "a", "label": "D"}])),
            "questions[0].choices[3].name",
            "twice",
        ),
        (
            definition(changed(PARTY, choices=[*PARTY["choices"], {"name": "d", "label": "A"}])),
            "questions[0].choices[3].label",
            "twice",
        ),
        (
            definition(changed(PARTY, privacy={"mechanism": "table", "rows": [[3, 1], [1, 4]]})),
            "questions[0].privacy",
            "adds up to 5",
        ),
    ],
)
def test_a_fault_is_refused_with_its_place(content, place, words):
    with pytest.raises(DefinitionError, match=words) as refused:
        parse_survey(content)
    assert refused.value.place == place


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff", '{"slug": NaN'])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(DefinitionError, match="not JSON"):
        read_definition(text)


def test_a_budget_that_is_kept_to_the_last_digit_is_accepted():
    assert parse_survey(definition(budget={"epsilon": math.log(3)})).budget.epsilon == math.log(3)


def test_freezing_fixes_tables_and_fingerprint():
    frozen = freeze(parse_survey(definition(yes_no(), PARTY, REGION)))
    document = frozen.document()
    assert set(document["tables"]) == {"smokes", "party"}
    assert document["tables"]["smokes"]["rows"] == ((3, 1), (1, 3))
    assert document["tables"]["smokes"]["reports"] == ["yes", "no"]
    assert document["epsilon"] == frozen.survey.epsilon
    assert thaw(frozen.to_json()) == frozen


def test_another_table_is_another_fingerprint():
    first = fingerprint_of(parse_survey(definition(yes_no())))
    other = fingerprint_of(parse_survey(definition(yes_no(privacy={"epsilon": 1}))))
    assert first != other


def test_a_stored_table_is_used_and_not_computed_anew():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[30, 10], [10, 30]]
    survey = parse_survey(definition(yes_no()))
    question = survey.questions[0]
    stored = replace(
        survey, questions=(replace(question, randomizer=Randomizer(((30, 10), (10, 30)))),)
    )
    document["fingerprint"] = fingerprint_of(stored, DEFAULT_LIMITS)
    assert thaw(json.dumps(document)).survey.questions[0].randomizer.rows == ((30, 10), (10, 30))


def test_a_tampered_document_is_refused():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[99, 1], [1, 99]]
    with pytest.raises(DefinitionError, match="fingerprint"):
        thaw(json.dumps(document))


def test_a_survey_without_finite_epsilon_cannot_be_frozen_for_opening():
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    survey = parse_survey(definition(one_sided))
    with pytest.raises(ZeroEntry, match="Question 'smokes': Row 1, column 2"):
        freeze(survey)
    assert freeze(survey, to_open=False).document()["epsilon"] is None


@given(st.text(min_size=1, max_size=200), st.text(max_size=300))
def test_any_texts_survive_freezing_or_are_refused(title, introduction):
    try:
        survey = parse_survey(definition(title=title, introduction=introduction))
    except DefinitionError:
        return
    # one that was frozen before characters that nobody sees were refused comes back as it was
    assert thaw(freeze(survey, to_open=False).to_json()).survey == survey


# Every kind of question


def test_every_type_is_read_and_written_again():
    survey = parse_survey(
        definition(
            changed(yes_no(), prefer_not_to_say=True), PARTY, DRUGS, MOOD, WEIGHT, REGION, WHY,
            NOTE,
            budget={"epsilon": 5, "per_respondent": {"sample": 2}},
        )
    )  # fmt: skip
    assert [q.name for q in survey.fields] == [q.name for q in survey.questions[:-1]]
    assert [q.name for q in survey.private] == ["smokes", "party", "drugs", "mood", "weight"]
    mechanisms = [q.mechanism for q in survey.fields]
    assert mechanisms == [
        "coin_flip", "k_randomized_response", "sampled_boxes", "optimal_mean", "window", "none",
        "none",
    ]  # fmt: skip
    again = parse_survey(survey.as_definition())
    assert again == survey
    assert thaw(freeze(survey).to_json()).survey == survey


def test_a_number_is_rounded_to_a_few_points_that_divide_its_range():
    (weight,) = parse_survey(definition(WEIGHT)).questions
    assert weight.grid.size == 241
    assert weight.points.size == 11
    assert weight.grid.width(11) == 24
    assert weight.reports[0].label.endswith(" kg")
    mean = parse_survey(definition({**WEIGHT, "privacy": {"epsilon": 1, "goal": "mean"}}))
    assert mean.questions[0].points.size == 21
    own = parse_survey(definition({**WEIGHT, "privacy": {"epsilon": 1, "points": 5}}))
    assert own.questions[0].points.size == 5


def test_prefer_not_to_say_is_a_row_in_the_surveys_language():
    (question,) = parse_survey(
        definition(changed(yes_no(), prefer_not_to_say=True), language="th")
    ).questions
    assert question.table.rows == ((3, 1, 1), (1, 3, 1), (1, 1, 3))
    assert [choice.label for choice in question.offered][-1] == "ไม่ประสงค์จะตอบ"


def test_who_is_not_asked_has_an_answer_too():
    survey = parse_survey(
        definition(
            yes_no(),
            changed(yes_no("daily"), relevant={"smokes": "yes"}),
            changed(yes_no("alone"), relevant={"smokes": ["yes"]}, otherwise="no"),
            changed(WEIGHT, relevant={"smokes": "no"}, otherwise=60.5),
            changed(DRUGS, relevant={"weight": {"max": 80, "min": 50.5}}, otherwise=[]),
        )
    )
    _, daily, alone, weight, drugs = survey.questions
    assert [answer.name for answer in daily.answers] == ["yes", "no", "not_asked"]
    assert [answer.name for answer in alone.answers] == ["yes", "no"]
    assert [choice.name for choice in daily.offered] == ["yes", "no"]
    assert weight.extras == ()
    assert drugs.otherwise == []
    assert (
        parse_survey(
            definition(yes_no(), changed(WEIGHT, relevant={"smokes": "no"}, otherwise="121/2"))
        )
        .questions[1]
        .otherwise
        == 60.5
    )  # as the page can read it
    assert drugs.relevant == {"weight": {"max": 80, "min": 50.5}}
    assert thaw(freeze(survey).to_json()).survey == survey


@pytest.mark.parametrize(
    ("questions", "place", "words"),
    [
        ([changed(WEIGHT, min=...)], "questions[0]", "min is a number"),
        ([changed(WEIGHT, max=20)], "questions[0]", "max is above min"),
        ([changed(WEIGHT, step=0)], "questions[0]", "step is above 0"),
        ([changed(WEIGHT, step=7)], "questions[0]", "do not lead to 150"),
        ([changed(WEIGHT, step="1/3")], "questions[0]", "a decimal number"),
        ([changed(WEIGHT, min=1e16, max=10000000000000002)], "questions[0]", "more digits"),
        (
            [changed(WEIGHT, min=0, max="0.99999999999999999999", step="0.33333333333333333333")],
            "questions[0]",
            "more digits than can be kept",
        ),
        ([changed(WEIGHT, step=0.0001)], "questions[0]", "at most 1,000,001 values"),
        ([changed(WEIGHT, choices=[])], "questions[0].choices", "not known"),
        (
            [changed(WEIGHT, privacy={"epsilon": 1, "points": 62})],
            "questions[0].privacy",
            "from 2 to 61",
        ),
        (
            [changed(WEIGHT, privacy={"mechanism": "warner", "p": 0.3})],
            "questions[0].privacy",
            "warner is for choices or ordered; this question has numbers",
        ),
        ([changed(WHY, privacy={"epsilon": 1})], "questions[0].privacy", "always plain"),
        ([changed(WHY, privacy=...)], "questions[0].privacy", 'is "none"'),
        ([changed(WHY, prefer_not_to_say=True)], "questions[0].prefer_not_to_say", "not known"),
        ([changed(yes_no(), prefer_not_to_say=1)], "questions[0].prefer_not_to_say", "true or"),
        ([changed(NOTE, privacy="none")], "questions[0].privacy", "not known"),
        ([changed(yes_no(), otherwise="no")], "questions[0].otherwise", "`relevant` only"),
        (
            [yes_no("a"), changed(yes_no(), relevant={"a": "yes"}, otherwise="maybe")],
            "questions[1].otherwise",
            "is one of: yes, no",
        ),
        (
            [yes_no("a"), changed(WEIGHT, relevant={"a": "yes"}, otherwise=60.2)],
            "questions[1].otherwise",
            "could be answered",
        ),
        (
            [yes_no("a"), changed(DRUGS, relevant={"a": "yes"}, otherwise="a")],
            "questions[1].otherwise",
            "is a list",
        ),
        (
            [changed(yes_no("b"), relevant={"a": "yes"}), yes_no("a")],
            "questions[0].relevant.a",
            "no earlier question",
        ),
        (
            [WHY, changed(yes_no(), relevant={"why": "x"})],
            "questions[1].relevant.why",
            "no earlier question",
        ),
        (
            [yes_no("a"), changed(yes_no(), relevant={"a": "maybe"})],
            "questions[1].relevant.a",
            "one or a list of: yes, no",
        ),
        (
            [WEIGHT, changed(yes_no(), relevant={"weight": "60"})],
            "questions[1].relevant.weight",
            '{"min": 18, "max": 65}',
        ),
        (
            [WEIGHT, changed(yes_no(), relevant={"weight": {"min": "x"}})],
            "questions[1].relevant.weight",
            "a number",
        ),
        (
            [
                changed(
                    PARTY,
                    prefer_not_to_say=True,
                    choices=[*PARTY["choices"], {"name": "prefer_not_to_say", "label": "D"}],
                )
            ],
            "questions[0].choices",
            "a name of Candor's own",
        ),
    ],
)
def test_a_faulty_question_of_any_type_is_refused(questions, place, words):
    with pytest.raises(DefinitionError, match=re.escape(words)) as refused:
        parse_survey(definition(*questions))
    assert refused.value.place == place


def test_a_plain_question_cannot_hang_on_a_protected_one():
    """Whether it was asked would be stored as it is, and with it the protected answer."""
    with pytest.raises(DefinitionError, match="would give that answer away"):
        parse_survey(definition(yes_no(), changed(REGION, relevant={"smokes": "yes"})))
    with pytest.raises(DefinitionError, match="would give that answer away"):
        parse_survey(definition(yes_no(), changed(WHY, relevant={"smokes": "yes"})))
    parse_survey(definition(REGION, changed(WHY, relevant={"region": "a"})))
    parse_survey(definition(yes_no(), changed(NOTE, relevant={"smokes": "yes"})))  # sends nothing


def test_a_table_too_large_for_a_page_is_refused():
    privacy = {"mechanism": "window", "odds": "27183:10000", "reach": 120, "points": 61}
    with pytest.raises(DefinitionError, match=r"characters long; the most is 100,000"):
        parse_survey(definition({**WEIGHT, "privacy": privacy}))


def test_sampling_costs_the_largest_losses_only():
    questions = [
        yes_no("a"),
        yes_no("b", privacy={"epsilon": 1}),
        yes_no("c", privacy={"epsilon": 2}),
    ]
    whole = parse_survey(definition(*questions))
    sampled = parse_survey(definition(*questions, budget={"per_respondent": {"sample": 2}}))
    losses = sorted((q.epsilon for q in whole.private), reverse=True)
    assert whole.epsilon == pytest.approx(sum(losses))
    assert sampled.epsilon == pytest.approx(sum(losses[:2]))
    assert not sampled.always_reported(sampled.questions[0])


def test_old_documents_are_read_as_they_were_frozen():
    """As the first version wrote them: rows alone, and no kind."""
    document = {
        "definition": {
            "introduction": "", "language": "en", "slug": "health", "title": "Health",
            "questions": [
                {
                    "name": "smokes", "type": "yes_no", "label": "Do you smoke?",
                    "choices": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}],
                    "privacy": {"mechanism": "coin_flip"},
                }
            ],
        },
        "tables": {"smokes": {"answers": ["yes", "no"], "reports": ["yes", "no"],
                              "rows": [[3, 1], [1, 3]], "sha256": "", "epsilon": 1.0986}},
        "epsilon": 1.0986,
        "fingerprint": "OLD",
    }  # fmt: skip
    content = [document["definition"], {"smokes": [[3, 1], [1, 3]]}]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    document["fingerprint"] = hashlib.sha256(text.encode()).hexdigest()
    assert thaw(json.dumps(document)).survey == parse_survey(definition(batch=25))
