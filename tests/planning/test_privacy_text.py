"""The protection of an answer in words, with numbers from the table."""

import math
import re
from fractions import Fraction

import pytest

from survey.core.languages import RESPONDENT
from survey.definition.certainty import epsilon_text, surest, survey_ratio_bound_text, times_text
from survey.definition.parse_question import parse_question
from survey.definition.survey import parse_survey
from survey.planning.privacy_text import (
    FOR_RESEARCHERS,
    after_sending,
    chances_near,
    people_of_hundred,
    per_hundred,
    per_hundred_for_researchers,
)
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tools.translations import sentences_of

pytestmark = pytest.mark.fast

PLACEHOLDER = re.compile(r"%\(\w+\)s")

CHOICES = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(10)]


def sentences(kind="yes_no", privacy=None, **more):
    entry = yes_no(privacy=privacy) | {"type": kind, **more}
    return per_hundred(parse_survey(definition(entry)).questions[0])


def test_the_coin_flip_per_hundred():
    assert sentences() == [
        "Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.",
        "Of 100 people who answer “No”, 25 send “Yes” and 75 send “No”.",
    ]


def test_one_sentence_for_many_choices():
    (sentence,) = sentences(
        "select_one", {"mechanism": "k_randomized_response", "odds": 5}, choices=CHOICES[:5]
    )
    assert sentence == (
        "Of 100 people with the same answer, about 56 send exactly that answer. Each of the "
        "other 4 answers is sent by about 11."
    )


def test_the_numbers_of_one_sentence_add_up_to_100():
    """40 of 85 are 47.06 of 100, and 9 of 85 are 10.59: with 11 the sum would be 102."""
    rows = [[40 if x == y else 9 for y in range(6)] for x in range(6)]
    privacy = {"mechanism": "table", "rows": rows}
    (sentence,) = sentences("select_one", privacy, choices=CHOICES[:6])
    assert sentence == (
        "Of 100 people with the same answer, about 47 send exactly that answer. Each of the "
        "other 5 answers is sent by about 10.6."
    )


def test_sets_of_choices():
    (sentence,) = sentences("select_one", {"mechanism": "subset_selection", "odds": 3, "size": 3},
                            choices=CHOICES)  # fmt: skip
    # 9 / (9 + 7) = 0.5625; (3 - 0.5625) / 9 = 0.2708
    assert sentence == (
        "Your device sends 3 of the 10 answers. Of 100 people with the same answer, about 56 send "
        "that answer as one of the 3. Each of the other answers is sent by about 27 of these 100 "
        "people."
    )


def test_bits():
    (sentence,) = sentences(
        "select_one", {"mechanism": "optimized_unary_encoding", "odds": 3}, choices=CHOICES
    )
    assert "50 send “yes” for it. For any other answer, 25 send “yes”." in sentence


def test_boxes():
    picked, odds = sentences("select_multiple", {"epsilon": "1.0986122886681098"}, choices=CHOICES)
    assert "picks 1 of the 10 boxes at random. It sends only that one" in picked
    assert "of 100 people who ticked it, 75 send “yes”." in odds
    assert "Of 100 people who did not tick it, 25 also send “yes”." in odds


def test_a_number_says_how_near_and_at_what_ratio_bound():
    near, odds = sentences("number", {"epsilon": 1}, min=30, max=150, unit="kg")
    assert "send a value at most 24 kg away from it" in near
    assert "at most 2.8 times more likely with one answer than with another" in odds
    (few, _) = sentences("number", {"epsilon": 1, "goal": "mean"}, min=30, max=150)
    assert "a few codes" in few


def test_a_number_of_two_points_has_none_beyond_them():
    said = sentences("number", {"epsilon": 1}, min=0, max=1)
    assert "Of 100 people with the same answer, 100 send a value at most 1 away from it." in said[0]


def test_an_answer_between_two_levels_has_fewer_reports_near_it():
    """Of 2 x 2 + 1 reports near a level, only 2 x 2 are near an answer between two levels."""
    fine = {"name": "q", "type": "number", "label": "?", "privacy": {"epsilon": 1}}
    same, coarse = (parse_question({**fine, "min": 0, "max": most}, "", "en") for most in (10, 40))
    for question, text in ((same, "answer, about 39 send"), (coarse, "at least about 32 send")):
        reach = question.levels.size // 4
        least, most = chances_near(question, question.table, reach)
        assert text in per_hundred(question)[0]
        assert (least < most) is (question is coarse)
        # Every possible answer, through the rounding to both of its levels.
        table, levels = question.table, question.levels
        beyond = (table.reports - levels.size) // 2
        width = round(levels.step / question.grid.step)
        for answer in range(question.grid.size):
            level, above = divmod(answer, width)
            weights = {level: 1 - above / width, level + 1: above / width}
            chance = sum(
                weight * table.rows[each][report] / table.total
                for each, weight in weights.items()
                if weight
                for report in range(table.reports)
                if abs((report - beyond) * width - answer) <= reach * width
            )
            assert float(least) - 1e-12 <= chance <= float(most) + 1e-12


def test_researchers_read_about_the_device_of_respondents():
    """The designer's texts are not changed."""
    number = yes_no(privacy={"epsilon": 1}) | {"type": "number", "min": 0, "max": 40}
    spread, bound = per_hundred_for_researchers(parse_survey(definition(number)).questions[0])
    assert spread.startswith("The respondent’s device picks a random value around the answer")
    assert bound.startswith("Anything that the device can send is at most 2.8 times")
    choices = [{"name": "yes", "label": "mixed up"}, {"name": "no", "label": "your answer"}]
    own = yes_no() | {"choices": choices}
    first, _ = per_hundred_for_researchers(parse_survey(definition(own)).questions[0])
    sent = "75 send “mixed up” and 25 send “your answer”"
    assert first == f"Of 100 people who answer “mixed up”, {sent}."


def test_a_non_private_question_has_none():
    assert sentences(privacy="none") == []


@check_each(
    ("odds", "text"),
    [
        (Fraction(3), "75 %"),
        (Fraction(1), "50 %"),
        (Fraction(19), "95 %"),
        (Fraction(4), "80 %"),
        # A bound is rounded up.
        (Fraction(4) + Fraction(1, 10**12), "81 %"),
        (Fraction(99), "99 %"),
        (Fraction(99) + Fraction(1, 10**12), "99.1 %"),
        (Fraction(998), "99.9 %"),  # 99.8998
        (Fraction(999), "99.9 %"),
        (Fraction(1001), "more than 99.9 %"),
        # Only complete certainty is shown as 100 %.
        (Fraction(10**9), "more than 99.9 %"),
        (None, "100 %"),
    ],
)
def test_how_sure_anyone_can_become(odds, text):
    assert surest(odds) == text


@check_each(
    ("epsilon", "text"),
    [
        (math.log(3), "1.10"),
        # 2.4849: a bound is rounded up.
        (math.log(12), "2.49"),
        (0.9999, "1.00"),
        (1.0, "1.00"),
        (3 * 0.1, "0.30"),  # 0.30000000000000004 as a float
        (5.001, "5.01"),
        (0.0995, "0.100"),
        (0.0501, "0.051"),
        (0.0, "0.00"),
        (math.inf, "no finite ε"),
    ],
)
def test_a_loss_is_rounded_up_the_same_way_everywhere(epsilon, text):
    assert epsilon_text(epsilon) == text


def test_one_answer_and_all_together():
    survey = parse_survey(definition(yes_no("a"), yes_no("b"), yes_no("c")))
    assert surest(survey.largest_ratio_bound) == "75 %"
    assert surest(survey.ratio_bound) == "97 %"  # 27 / 28 = 96.4 %, rounded up
    assert survey_ratio_bound_text(survey) == "27"


@check_each(
    ("odds", "text"),
    [
        (Fraction(999_999), "999,999"),
        (Fraction(10**6), "1 × 10⁶"),
        (Fraction(3**60), "4.3 × 10²⁸"),  # 42,391,158,275,216,203,514,294,433,201
        (Fraction(10**400 * 2, 3), "6.7 × 10³⁹⁹"),
        (Fraction(999_999_999), "1 × 10⁹"),  # not 10 × 10⁸
        (Fraction(9_950_000_000, 1), "1 × 10¹⁰"),
        (Fraction(10**9) + Fraction(1, 10**9), "1.1 × 10⁹"),
        (Fraction(27_183, 10_000), "2.8"),
        (Fraction(99_999, 1_000), "100"),
    ],
)
def test_very_large_ratio_bounds_are_powers_of_ten_rounded_up(odds, text):
    assert times_text(odds) == text


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ((4, 1, 1), ["about 66", "about 17", "about 17"]),
        ((142, 1), ["about 99.3", "about 0.7"]),
        ((3, 1), ["75", "25"]),
        ((98, 1, 1), ["98", "1", "1"]),
        ((9_999, 1), ["about 100", "about 0"]),
    ],
)
def test_people_of_a_hundred_add_up_to_a_hundred(parts, texts):
    chances = [Fraction(part, sum(parts)) for part in parts]
    assert people_of_hundred(chances) == texts
    numbers = [Fraction(text.removeprefix("about ")) for text in texts]
    assert sum(numbers) == 100


def test_people_of_a_hundred_add_up_whatever_the_chances():
    for a in range(1, 40):
        for b in range(1, 40):
            chances = [Fraction(each, a + b + 7) for each in (a, b, 7)]
            numbers = [Fraction(each.removeprefix("about ")) for each in people_of_hundred(chances)]
            assert sum(numbers) == 100
            assert all(abs(100 * c - n) <= 1 for c, n in zip(chances, numbers, strict=True))


# What respondents read after sending.

PLAIN = yes_no("region", privacy="none")
SCALE = yes_no(privacy={"epsilon": 1}) | {"type": "scale", "choices": CHOICES[:4]}
NUMBER = {"type": "number", "min": 0, "max": 40, "privacy": {"epsilon": 1}}
AFTER = {
    "a yes": ([yes_no()], "A “Yes” in our data does not mean you said “Yes”."),
    "the first yes": (
        [SCALE | {"name": "mood"}, yes_no()], "A “Yes” in our data does not mean you said “Yes”.",
    ),
    "own word": ([SCALE], "“Choice 3” in our data does not mean you said “Choice 3”."),
    "next to answers as given": (
        [yes_no(), PLAIN], "“Yes” among the mixed-up answers does not mean you said “Yes”.",
    ),
    "no word": (
        [yes_no() | NUMBER], "A mixed-up answer in our data does not mean you gave that answer.",
    ),
    "codes": (
        [yes_no(privacy={"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]})],
        "A mixed-up answer in our data does not mean you gave that answer.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("questions", "sentence"), AFTER.values(), ids=AFTER)
def test_after_sending_the_page_says_what_an_answer_in_the_data_means(questions, sentence):
    assert after_sending(parse_survey(definition(*questions))) == sentence


@check_each("odds", [2, 4, 19, "19.01", 99, 5000])
@check_each("more", [[], [yes_no("other")], [PLAIN]])
def test_after_sending_nothing_is_denied_of_what_is_nearly_certain(odds, more):
    """Above 95 %, the page says how certain someone could become instead."""
    privacy = {"mechanism": "k_randomized_response", "odds": odds}
    survey = parse_survey(definition(yes_no(privacy=privacy), *more))
    sentence = after_sending(survey)
    if survey.largest_ratio_bound <= 19:
        assert "does not mean" in sentence
    else:
        assert "does not mean" not in sentence
        assert f"become {surest(survey.largest_ratio_bound)} sure of it" in sentence


def test_each_sentence_for_researchers_replaces_one_for_respondents():
    assert FOR_RESEARCHERS.keys() <= {message.id for message in sentences_of(RESPONDENT)}
    for sentence, described in FOR_RESEARCHERS.items():
        assert PLACEHOLDER.findall(sentence) == PLACEHOLDER.findall(described)
        assert not re.search(r"\b[Yy]our\b|mixed up", described)


@pytest.mark.parametrize(
    ("more", "count", "counted"),
    [
        ({}, 3, ""),
        ({"prefer_not_to_say": True}, 8, " “Prefer not to say” also counts as an answer."),
        (
            {"prefer_not_to_say": True, "relevant": {"dog": ["yes"]}},
            9,
            " “Prefer not to say” and “Not asked” also count as answers.",
        ),
    ],
)
def test_the_number_of_combinations_says_which_special_answers_count(more, count, counted):
    """Two yes/no questions: 2 x 2, 3 x 3, and 3 x 3 + 1 if nobody or both are asked."""
    items = [yes_no(name, "not_sent") | more for name in "ab"]
    joint = {"name": "both", "type": "joint", "label": "?", "derived": {"joint": ["a", "b"]}}
    whole = joint | {"privacy": {"epsilon": 2}}
    survey = parse_survey(definition(yes_no("dog", "none"), *items, whole))
    (sentence,) = per_hundred(survey.questions[-1])
    assert f" of the other {count} combinations is sent by " in sentence
    assert sentence.partition(" is sent by ")[2].partition(". ")[2] == counted.strip()
    if not counted:
        assert "counts" not in sentence


def test_special_answers_count_in_other_questions_too():
    choices = {"choices": CHOICES[:4], "prefer_not_to_say": True}
    (sentence,) = sentences(
        "select_one", {"mechanism": "k_randomized_response", "odds": 5}, **choices
    )
    assert "Each of the other 4 answers is sent by" in sentence
    assert sentence.endswith("“Prefer not to say” also counts as an answer.")
