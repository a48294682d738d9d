"""Survey definitions: parsed, written again, and refused with the place of the fault."""

import math
from fractions import Fraction
from itertools import product

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey, read_definition
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import DRUGS, MOOD, NOTE, PARTY, REGION, WEIGHT, WHY, changed

pytestmark = pytest.mark.fast

ARM = {"name": "arm", "type": "select_one", "label": "Arm", "privacy": "none",
       "choices": [{"name": "a", "label": "A"}, {"name": "b", "label": "B"}],
       "derived": {"random": {"a": 1, "b": 3}}}  # fmt: skip


def test_it_reads_the_whole_of_a_definition():
    survey = parse_survey(
        definition(yes_no(), PARTY, REGION, language="vi", budget={"epsilon": 3}, introduction="Hi")
    )
    assert [question.name for question in survey.questions] == ["smokes", "party", "region"]
    assert [choice.label for choice in survey.questions[0].choices] == ["Có", "Không"]
    assert survey.questions[1].randomizer.ratio_bound.denominator <= 100
    assert survey.questions[2].non_private
    assert survey.epsilon == pytest.approx(math.log(3) + math.log(106 / 39))
    assert parse_survey(survey.as_definition()) == survey


@check_each(
    ("content", "place", "words"),
    [
        ([], "", "must be a JSON object"),
        (definition(slug="Health!"), "slug", "small letters"),
        (definition(slug="-a"), "slug", "small letters"),
        (definition(slug="a" * 64), "slug", "at most 63"),
        (definition(slug=7), "slug", "must be a text"),
        ({"slug": "a", "questions": [yes_no()]}, "title", "is missing"),
        (definition(title=" "), "title", "is empty"),
        (definition(title="x" * 301), "title", "longer than 300"),
        (definition(title="\ud800"), "title", "lone surrogate"),
        (definition(language="xx"), "language", "must be one of en, th, vi, zh"),
        (definition(questions=[]), "questions", "1 to 200 questions"),
        (definition(questions={}), "questions", "1 to 200 questions"),
        (definition(colour="red"), "colour", "there is no such field here"),
        (definition(budget=3), "budget", "must be an object"),
        (definition(budget={"epsilon": -1}), "budget.epsilon", "above 0"),
        (definition(budget={"epsilon": "x"}), "budget.epsilon", "a number"),
        (definition(budget={"epsilon": 1}), "budget.epsilon", "add up to 1.0986"),
        (
            definition(budget={"epsilon": 9, "per_respondent": "some"}),
            "budget.per_respondent",
            'must be "all" or',
        ),
        (
            definition(budget={"per_respondent": {"sample": 1}}),
            "budget.per_respondent.sample",
            "below the number of private questions, 1",
        ),
        (
            definition(budget={"per_respondent": {"at_most": 2}}),
            "budget.per_respondent.at_most",
            "from 1 to the number of private questions, 1",
        ),
        (
            definition(yes_no("a"), yes_no("b"), budget={"per_respondent": {"sample": True}}),
            "budget.per_respondent.sample",
            "a whole number",
        ),
        (
            definition(yes_no("a"), yes_no("b"), budget={"per_respondent": {"part": 1}}),
            "budget.per_respondent.part",
            "no such field",
        ),
        (
            definition(
                yes_no("a"), yes_no("b"), budget={"epsilon": 1, "per_respondent": {"sample": 1}}
            ),
            "budget.epsilon",
            "the private questions asked add up to 1.0986",
        ),
        (definition("smokes?"), "questions[0]", "must be an object"),
        (definition(yes_no("Smokes")), "questions[0].name", "small letter"),
        (definition(yes_no("id")), "questions[0].name", "do not use id"),
        (definition(yes_no(), yes_no()), "questions[1].name", "twice"),
        (definition(changed(yes_no(), type="rank")), "questions[0].type", "'rank' is not known"),
        (definition(changed(yes_no(), label=...)), "questions[0].label", "is missing"),
        (definition(changed(yes_no(), relevant={})), "questions[0].relevant", "must be an object"),
        (definition(changed(yes_no(), min=1)), "questions[0].min", "no such field"),
        (definition(NOTE), "questions", "nothing to answer"),
        (
            definition(*({**WHY, "name": f"w{n}"} for n in range(51))),
            "questions",
            "50 text questions",
        ),
        (definition(changed(yes_no(), privacy=...)), "questions[0].privacy", 'must be "none"'),
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
            "must be an object",
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


def test_every_type_is_read_and_written_again():
    survey = parse_survey(
        definition(
            changed(yes_no(), prefer_not_to_say=True), PARTY, DRUGS, MOOD, WEIGHT, REGION, WHY,
            NOTE,
            budget={"epsilon": 5, "per_respondent": {"sample": 2}},
        )
    )  # fmt: skip
    assert survey.asked == survey.questions[:-1]
    assert [q.name for q in survey.apart] == ["why"]
    assert survey.fields == survey.asked[:-1]
    assert [q.name for q in survey.private] == ["smokes", "party", "drugs", "mood", "weight"]
    mechanisms = [q.mechanism for q in survey.asked]
    assert mechanisms == [
        "coin_flip", "k_randomized_response", "sampled_boxes", "optimal_mean", "window", "none",
        "none",
    ]  # fmt: skip
    again = parse_survey(survey.as_definition())
    assert again == survey
    assert FrozenSurvey.from_json(freeze(survey).to_json()).survey == survey


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


def test_the_bound_for_an_answer_includes_the_questions_that_it_decides():
    """Enumerated: the largest ratio of the probabilities of two reports, over all true answers."""
    child = changed(yes_no("daily", {"mechanism": "randomized_response", "odds": 2}),
                    relevant={"smokes": "yes"})  # fmt: skip
    survey = parse_survey(definition(yes_no(), child))
    smokes, daily = survey.questions
    assert daily.table is not None and smokes.table is not None
    # The rows of both tables for a smoker who smokes daily or not, and for a person who is not.
    smokers, others = [(0, 0), (0, 1)], [(1, 2)]
    reports = list(product(range(smokes.table.reports), range(daily.table.reports)))

    def chance(answers: tuple[int, int], sent: tuple[int, int]) -> Fraction:
        tables = (smokes.table, daily.table)
        parts = zip(tables, answers, sent, strict=True)
        return math.prod((table.probability(y, x) for table, x, y in parts), start=Fraction(1))

    ratios = [
        chance(one, sent) / chance(other, sent)
        for first, second in ((smokers, others), (others, smokers))
        for one, other in product(first, second)
        for sent in reports
    ]
    assert survey.ratio_bound_about(smokes) == max(ratios) == survey.largest_ratio_bound == 6
    assert survey.ratio_bound_about(daily) == 2


def test_a_chain_of_conditions_adds_up_through_answers_that_are_not_sent():
    questions = [
        yes_no("a", "not_sent"),
        changed(yes_no("b", "not_sent"), relevant={"a": "yes"}),
        yes_no("c") | {"derived": {"any": {"a": ["yes"]}}},
        yes_no("d") | {"derived": {"any": {"b": ["yes"]}}},
        changed(yes_no("e"), relevant={"d": "yes"}),
    ]
    survey = parse_survey(definition(*questions))
    bounds = [survey.ratio_bound_about(question) for question in survey.questions]
    # Two coin flips with three answers have the odds 4:1.
    assert survey.private[-1].randomizer.ratio_bound in (3, 4)
    last = survey.private[-1].randomizer.ratio_bound
    assert bounds == [9 * last, 3 * last, 3, 3 * last, last]


def test_the_bound_is_that_of_the_experimental_arm_with_the_largest_product():
    """3 · 5 in one arm, 7 in the other, and 2 in both. No respondent reports on all four."""

    def private(name: str, odds: int, **rest: object) -> dict:
        return yes_no(name, {"mechanism": "randomized_response", "odds": odds}) | rest

    def in_arm(name: str) -> dict:
        return {"relevant": {"arm": name}, "otherwise": "no"}

    survey = parse_survey(
        definition(
            ARM,
            private("first", 3, **in_arm("a")),
            private("second", 5, **in_arm("a")),
            private("third", 7, **in_arm("b")),
            private("everyone", 2),
            yes_no("open", "none") | {"relevant": {"arm": ["a", "b"]}},
        )
    )
    assert survey.ratio_bound == 3 * 5 * 2
    assert survey.epsilon == pytest.approx(math.log(30))
    assert survey.largest_ratio_bound == 7
    assert [question.name for question in survey.non_private] == ["open"]
    assert survey.most_asked(survey.asked) == 4
    assert survey.number_asked(survey.private) is None
    assert survey.number_asked(survey.non_private) == 1
    assert survey.arms == ({"arm": "a"}, {"arm": "b"})


def test_an_answer_that_decides_questions_of_two_arms_counts_those_of_one():
    odds = {"mechanism": "randomized_response", "odds": 3}
    later = [
        yes_no(name, odds) | {"relevant": {"arm": name[-1], "smokes": "yes"}, "otherwise": "no"}
        for name in ("how_a", "how_b")
    ]
    survey = parse_survey(definition(ARM, yes_no("smokes", odds), *later))
    assert survey.ratio_bound_about(survey.questions[1]) == 9 == survey.ratio_bound


@pytest.mark.parametrize(("otherwise", "odds"), [("no", 3 * 3), ("yes", 3 * 3 * 3)])
def test_a_follow_up_belongs_to_the_arms_of_the_question_before_it(otherwise, odds):
    """It does not, if people in other arms meet its condition with the answer of `otherwise`."""
    three = {"mechanism": "randomized_response", "odds": 3}
    survey = parse_survey(
        definition(
            ARM,
            yes_no("smokes", three) | {"relevant": {"arm": "a"}, "otherwise": otherwise},
            yes_no("daily", three) | {"relevant": {"smokes": "yes"}, "otherwise": "no"},
            yes_no("drinks", three) | {"relevant": {"arm": "b"}, "otherwise": "no"},
            yes_no("weekly", three) | {"relevant": {"drinks": "yes"}, "otherwise": "no"},
        )
    )
    assert survey.ratio_bound == odds
