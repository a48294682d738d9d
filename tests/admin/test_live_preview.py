"""The builder's statements on a survey before its fieldwork."""

import math
import re

import pytest

from survey.admin.builder.fields import empty_question
from survey.admin.builder.form_to_definition import question_entry
from survey.admin.builder.live_preview import levels, preview_survey, respondents_of
from survey.core.languages import MAIN
from survey.definition.parse_question import parse_question
from survey.definition.survey import parse_survey
from survey.definition.survey_level import SURVEY_LEVELS
from survey.estimation.number_text import nonbreaking
from survey.planning.precision import precisions
from survey.planning.survey_protection import divide_protection
from tests.support.builder_forms import filled
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast
E = math.e


def form(*questions, respondents="500", sample="", language="en"):
    typed = [empty_question() | question for question in questions]
    return {
        "questions": typed, "respondents": respondents, "sample": sample, "language": language,
    }  # fmt: skip


TWO_ANSWERS = {"prefer_not_to_say": False}


@pytest.mark.parametrize(
    ("typed", "percent"),
    [
        # n times the largest variance: 1/4 (t + 2)² / (t - 1)² with this answer, and else
        # 1/4 (t + 1)² / (t - 1)², where t = e^ε.
        ({}, (5 / 4) ** 2),
        ({"privacy": "epsilon", "epsilon": "2"}, ((E**2 + 2) / (E**2 + 1)) ** 2),
        ({"type": "number", "min": "0", "max": "40", "goal": "mean"}, None),
        ({"type": "scale", "choices": "1\n2\n3\n4\n5", "privacy": "light", "goal": "mean"}, None),
    ],
)
def test_the_builder_states_what_prefer_not_to_say_costs(typed, percent):
    """The same whether the question offers it or not, and as the variances of both have it."""
    (offered,) = preview_survey(form(typed)).questions
    (without,) = preview_survey(form(typed | TWO_ANSWERS)).questions
    assert offered.declining == without.declining
    variances = []
    for change in ({}, TWO_ANSWERS):
        entry = question_entry(empty_question() | {"label": "?"} | typed | change, 0, "q")
        assert entry["prefer_not_to_say"] is not bool(change)
        figures = precisions(parse_question(entry, "", MAIN))
        variances.append(figures[-1 if "goal" in typed else 0].variance)
    factor = variances[0] / variances[1]
    assert percent is None or factor == pytest.approx(percent, rel=0.01)
    assert offered.declining == (
        "With “prefer not to say”, nobody has to answer a sensitive question. "
        "At the same ε and margin of error, it costs about "
        f"{100 * (factor - 1):.0f}\u00a0% more respondents."
    )


@pytest.mark.parametrize(
    "typed",
    [
        {"privacy": "none"},
        {"privacy": "not_sent"},
        {"type": "text"},
        {"label": "", "type": "note"},
        {"derived": "random", "arms": "yes: 1\nno: 1", "privacy": "none"},
    ],
)
def test_prefer_not_to_say_costs_nothing_where_nothing_is_randomised(typed):
    (look,) = preview_survey(form(typed)).questions
    assert look.declining == ""


def test_a_coin_flip_is_told_with_its_exact_precision():
    """The variance of 2P - 1/2 is at most 1/n."""
    (look,) = preview_survey(form(TWO_ANSWERS, respondents="1,000")).questions
    margin = 100 * 1.959963984540054 / math.sqrt(1000)
    assert look.precision == (
        f"With 1,000 respondents, the margin (95\u00a0%) is at most about ±\u00a0{margin:.1f} "
        "points for each share."
    )
    assert look.short == "Medium, ε = 1.10"


def test_a_non_private_question_has_the_binomials_precision():
    (look,) = preview_survey(form({"privacy": "none"}, respondents="100")).questions
    assert "±\u00a09.8 points" in look.precision
    assert look.epsilon is None


def test_fewer_respondents_or_more_protection_widen_it():
    def points(**question):
        n = question.pop("respondents", "500")
        look = preview_survey(form(question, respondents=n)).questions[0]
        return float(re.search(r"±\s(\S+) points", look.precision)[1])

    assert points(privacy="strong") > points(privacy="medium") > points(privacy="light")
    assert points(respondents="2000") == pytest.approx(points(respondents="500") / 2, abs=0.1)


def test_where_chance_picks_questions_fewer_report_on_each():
    whole = preview_survey(form({}, {}, {}, {}, sample="2"))
    assert (
        "With 500 respondents, of whom about 250 report on this question, the margin"
        in whole.questions[0].precision
    )
    assert whole.epsilon == f"{2 * math.log(3):.2f}"
    assert "Each respondent reports on 2 of the 4 private questions" in whole.sentences[1]


def test_a_number_is_told_by_its_mean_in_its_unit():
    number = {"type": "number", "min": "0", "max": "40", "unit": "cups", "goal": "mean"}
    (look,) = preview_survey(form(number, respondents="10000")).questions
    assert "is at most about ±\u00a0" in look.precision
    assert look.precision.endswith(" cups for the mean if everyone gives a number.")
    (few,) = preview_survey(form(number, respondents="1")).questions
    assert "too small to estimate the mean" in few.precision


def test_a_number_for_its_quantiles_is_told_by_its_median():
    number = {"type": "number", "min": "0", "max": "40", "unit": "cups", "goal": "quantiles"}
    (look,) = preview_survey(form(number, respondents="10000")).questions
    assert " cups for the median if answers are spread evenly." in look.precision
    (few,) = preview_survey(form(number, respondents="1")).questions
    assert "too small to estimate the median" in few.precision


def test_a_scale_is_told_by_its_shares_and_its_mean_rank():
    scale = {"type": "scale", "choices": "a\nb\nc", "privacy": "light"}
    (look,) = preview_survey(form(scale, respondents="5000")).questions
    assert "for each share and at most about ±\u00a0" in look.precision
    assert " for the mean rank if everyone gives one." in look.precision


def test_the_advice_fits_the_question():
    """A non-private question has no weaker protection, and a yes/no question no fewer answers."""
    private, plain = preview_survey(form({}, {"privacy": "none"}, respondents="2")).questions
    assert private.precision.endswith("Choose weaker protection, or ask more people.")
    assert plain.precision.endswith("too small to estimate the shares. Ask more people.")


def test_a_condition_leaves_the_margin_of_all_respondents():
    questions = ({"name": "smokes"}, {"relevant": "smokes: yes"})
    first, asked = preview_survey(form(*questions)).questions
    assert first.precision.endswith(" for each share.")
    assert asked.precision.endswith(" for each share of all respondents.")


def test_the_respondents_of_an_experimental_arm_are_counted():
    """A quarter of 2,000 respondents: 1.96 √(1.5625 / 500) is ± 11 points (with p - q = 2/5)."""
    arm = {"type": "select_one", "name": "arm", "choices": "a\nb", "derived": "random",
           "arms": "a: 1\nb: 3"}  # fmt: skip
    coin = {"privacy": "coin_flip", "prefer_not_to_say": False, "relevant": "arm: a"}
    *_, look = preview_survey(form(arm, coin, respondents="2000")).questions
    assert look.precision.replace("\N{NO-BREAK SPACE}", " ") == (
        "With 2,000 respondents, of whom about 500 are in an arm with this question and report on "
        "it, the margin (95 %) is at most about ± 11 points for each share."
    )
    number = {"type": "number", "min": "0", "max": "9", "privacy": "epsilon", "epsilon": "4"}
    *_, look = preview_survey(form(arm, number | {"relevant": "arm: a"})).questions
    assert "of whom about 125 are in an arm with this question" in look.precision.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    # An incomplete arm leaves nothing to say about its question.
    unclear = arm | {"arms": "a: 0\nb: 3"}
    *_, look = preview_survey(form(unclear, coin)).questions
    assert "in an arm" not in look.precision


def test_an_interval_that_tells_nothing_is_said_to_tell_nothing():
    (look,) = preview_survey(form({"privacy": "strong"}, respondents="5")).questions
    assert "too small to estimate the shares" in look.precision


@check_each("kind", ["yes_no", "select_one", "select_multiple", "scale"])
@check_each("privacy", ["strong", "medium", "light", "none"])
def test_each_level_goes_with_each_kind(kind, privacy):
    choices = "" if kind == "yes_no" else "a\nb\nc\nd\ne\nf\ng\nh"
    (look,) = preview_survey(form({"type": kind, "privacy": privacy, "choices": choices})).questions
    assert look.fault == ""
    assert look.precision


def test_a_question_that_is_not_ready_is_told_apart_and_the_others_are_counted():
    whole = preview_survey(
        form({}, {"type": "select_one"}, {"relevant": "q2: a"}, {"type": "note"})
    )
    assert [bool(look.fault) for look in whole.questions] == [False, True, True, False]
    assert (
        whole.questions[1].fault
        == "Choices, one per line: give 2 to 100 choices (up to 1,000 if non-private)."
    )
    assert whole.questions[2].fault == (
        "This question depends on another one that is incomplete. Complete that one first."
    )
    assert whole.epsilon == "1.10"
    assert whole.sentences[-1] == "2 questions are incomplete. This total excludes them."


def test_the_total_says_how_sure_anyone_could_become():
    assert preview_survey(form({}, {})).sentences == (
        "Suppose that someone first considers two answers equally likely. In the worst case, "
        "this person becomes 75 % sure of the answer to one question, and 90 % sure about all "
        "private questions together.",
    )
    assert not preview_survey(form({}, {})).wary
    three = preview_survey(form({}, {}, {}))
    assert three.wary and "This total is a weak guarantee" in three.sentences[1]
    many = preview_survey(form(*[{}] * 8))
    assert many.wary
    assert "almost certain about all private questions together" in many.sentences[0]
    assert "This total is a weak guarantee" in many.sentences[1]
    plain = preview_survey(form({"privacy": "none"}))
    assert plain.sentences == ("No question is private. Every answer is stored as given.",)
    assert plain.epsilon == "0.00"


def test_the_levels_are_told_from_their_tables():
    """The coin flip: 75 of 100, and four times as many respondents as a direct question."""
    strong, medium, light = levels()
    assert medium == ("Medium", "75", "1.10", "4.0")
    assert strong[0] == "Strong" and float(strong[3]) > 4
    assert light[0] == "Light" and float(light[3]) < 4


@pytest.mark.parametrize(
    ("text", "n"),
    [("20", 20), ("1,000", 1000), ("2 000", 2000), ("", 500), (None, 500)],
)  # fmt: skip
def test_the_number_of_respondents_is_read(text, n):
    assert respondents_of(text) == (n, "")


@pytest.mark.parametrize("text", ["many", "0", "-5", "9" * 50, "10,000,001", "1.5"])
def test_a_number_of_respondents_that_cannot_be_is_told(text):
    whole = preview_survey(form({}, respondents=text))
    assert whole.sentences[-1] == (
        "“Target sample size” is not a valid number. The precision shown is for 500 respondents."
    )
    assert "With 500 respondents" in whole.questions[0].precision


def sampled_boxes(sample, number=5):
    mechanism = f'{{"mechanism": "sampled_boxes", "epsilon": 1, "sample": {sample}}}'
    choices = "\n".join("abcdefgh"[:number])
    return {"type": "select_multiple", "choices": choices, "privacy": "other", "other": mechanism,
            "prefer_not_to_say": False}  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        (1, "Each respondent reports on 1 of the 5 boxes, chosen at random. So the results can "
            "never show how two boxes are related, for example in a cross-tabulation."),
        (2, "Each respondent reports on 2 of the 5 boxes, chosen at random. So an analysis can "
            "use at most 2 boxes together."),
        (5, None),
    ],
)  # fmt: skip
def test_sampled_boxes_say_what_they_rule_out(sample, sentence):
    [question] = preview_survey(form(sampled_boxes(sample))).questions
    assert not question.fault
    ruled_out = [each for each in question.sentences if "boxes, chosen at random" in each]
    assert ruled_out == ([] if sentence is None else [sentence])


def test_the_preview_says_what_is_sent_about_unsent_and_derived_answers():
    """An answer that is not sent has no ε and no precision; a derived one has its own."""
    total = {
        "name": "total",
        "label": "Is the total high?",
        "derived": "any",
        "conditions": "smokes: yes",
    }
    arm = {"type": "select_one", "choices": "a\nb", "derived": "random", "arms": "a: 1\nb: 1"}
    unsent = {"name": "smokes", "privacy": "not_sent"}
    look = preview_survey(form(unsent, {"privacy": "not_sent"}, total, arm))
    used, unused, derived, drawn = look.questions
    assert used.sentences == (
        "The answer stays on the respondent’s device. The device calculates these answers from "
        "it: “3. Is the total high?”.",
    )
    assert unused.sentences == (
        "The answer stays on the respondent’s device. No derived answer uses it yet.",
    )
    for each in (used, unused):
        assert (each.epsilon, each.precision, each.short) == (None, "", "not sent")
    assert (
        derived.source == "The respondent’s device calculates this answer from: “1. (no text yet)”."
    )
    assert derived.epsilon == look.epsilon == "1.10"
    assert "±" in derived.precision
    assert drawn.source == "The respondent’s device draws this arm at random."
    assert drawn.sentences == ("The arm is stored as it is.",)
    assert (drawn.epsilon, drawn.precision, drawn.short) == (None, "", "experimental arm")


def test_the_preview_of_a_joint_question_has_combinations_margins_and_the_price():
    """At odds of 9 : 1 over 3 × 2 combinations, Var = P (1 - P) / (p - q)^2 at P = 1/2, where
    (p - q) = 8/14. So 1.96 √(49/64 / 2,000) is ± 3.83 points for any share.
    """
    long = "How often, if you are honest, do you smoke at least a pipe or a cigarette?"
    items = ({"name": "smokes", "privacy": "not_sent", "prefer_not_to_say": True, "label": long},
             {"name": "drinks", "privacy": "not_sent", "prefer_not_to_say": False})  # fmt: skip
    joint = {"type": "joint", "name": "both", "joint": "smokes\ndrinks", "privacy": "other",
             "other": '{"mechanism": "k_randomized_response", "odds": 9}'}  # fmt: skip
    *_, look = preview_survey(form(*items, joint, respondents="2000")).questions
    assert look.source == (
        "The respondent’s device combines the answers to: “1. How often, if you ar…cigarette?” "
        "and “2. (no text yet)”. 6 combinations of answers are possible."
    )
    assert look.precision.replace("\N{NO-BREAK SPACE}", " ") == (
        "With 2,000 respondents, the margin (95 %) is at most about ± 3.8 points for the share of "
        "each combination. For the share of each answer to one of these questions, it is at most "
        "about ± 3.8 points."
    )
    assert look.epsilon == "2.20"
    # Exactly 9 / 10.
    price = look.price.replace("\N{NO-BREAK SPACE}", " ")
    assert price.startswith(
        "Someone who knows the other answers learns at most as much about one answer as ε = 2.20 "
        "allows. If this person first considers two answers equally likely, the certainty is at "
        "most 90 % afterwards. If the answers are randomised together, the cross-tabulation of "
    )
    assert "If each respondent reports on 1 of the 2 questions, picked at random, it needs" in price
    assert preview_survey(form(*items)).questions[0].price == ""


def test_the_preview_of_a_joint_question_with_few_respondents_promises_nothing():
    items = ({"name": "smokes", "privacy": "not_sent"}, {"name": "drinks", "privacy": "not_sent"})
    joint = {"type": "joint", "joint": "smokes\ndrinks", "privacy": "strong"}
    *_, look = preview_survey(form(*items, joint, respondents="20")).questions
    assert look.precision == (
        "With 20 respondents, the sample is too small to estimate the shares of the combinations. "
        "Choose weaker protection, offer fewer answers, or ask more people."
    )


def test_without_a_private_question_the_total_speaks_of_what_is_sent():
    look = preview_survey(form({"privacy": "none"}, {"privacy": "not_sent"}))
    assert look.sentences == (
        "No question is private. Every answer that is sent is stored as given.",
    )


def test_a_derived_answer_waits_for_an_incomplete_question():
    unready = {"type": "select_one", "choices": "", "name": "smokes"}
    look = preview_survey(form(unready, {"derived": "any", "conditions": "smokes: yes"}))
    assert look.questions[1].fault == (
        "This question depends on another one that is incomplete. Complete that one first."
    )


@pytest.mark.parametrize("question", [
    {"type": "number", "min": "0", "max": "40", "privacy": "strong", "goal": "mean"},
    {"type": "number", "min": "0", "max": "40", "privacy": "mean", "epsilon": "1"},
    {"type": "scale", "choices": "1\n2\n3\n4\n5", "privacy": "light", "goal": "mean"},
])  # fmt: skip
@pytest.mark.parametrize("declines", [True, False])
def test_a_question_whose_mean_alone_can_be_estimated_says_what_that_rules_out(question, declines):
    """The numbers of levels and the goals are those of the builder."""
    question = question | {"prefer_not_to_say": declines}
    [preview] = preview_survey(form(question)).questions
    assert not preview.fault
    assert preview.sentences[-1] == (
        "The reports allow an estimate of the mean only, not of the share of each answer. So this "
        "question cannot be in a cross-tabulation, and cannot be a predictor in a regression. It "
        "can be the outcome. If you need more, choose another goal or protection."
    )
    other = "quantiles" if question["type"] == "number" else "shares"
    changed = {"privacy": "strong", "goal": other}
    [preview] = preview_survey(form(question | changed)).questions
    assert not preview.fault
    assert not any("mean only" in sentence for sentence in preview.sentences)


def odds(researcher, **question):
    """The preview of a question after one on smoking."""
    language = question.pop("language", "en")
    form = filled({"name": "smokes"}, {"name": "q", "label": "", **question}, language=language)
    reply = researcher.post("/admin/odds", form, form="/admin/surveys/new")
    return reply.get_json()["questions"][1]


def test_ratio_bounds_come_as_sentences_for_the_builder(researcher):
    assert odds(researcher, privacy="coin_flip") == {
        "fault": "",
        "sentences": [
            "Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.",
            "Of 100 people who answer “No”, 25 send “Yes” and 75 send “No”.",
        ],
        "precision": (
            "With 500 respondents, the margin (95\u00a0%) is at most about ±\u00a08.8 points for "
            "each share."
        ),
        "epsilon": "1.10",
        "short": "Custom, ε = 1.10",
        "source": "",
        "price": "",
        "declining": (
            "With “prefer not to say”, nobody has to answer a sensitive question. "
            "At the same ε and margin of error, it costs about 56\u00a0% more respondents."
        ),
    }
    assert odds(researcher, language="vi")["sentences"][0].startswith(
        "Of 100 people who answer “Có”"
    )
    plain = odds(researcher, privacy="none")
    assert plain["sentences"] == ["The answer is stored as given."]
    assert plain["epsilon"] is None
    assert "above 0 and below 1/2" in odds(researcher, privacy="gamma", gamma="1")["fault"]
    assert "2 to 100 choices" in odds(researcher, type="select_one")["fault"]
    table = '{"mechanism": "table", "rows": [[2, 0], [1, 1]]}'
    assert "no finite epsilon" in odds(researcher, privacy="other", other=table)["fault"]
    many = odds(
        researcher, type="select_one", choices="a\nb\nc\nd\ne", privacy="epsilon", epsilon="1"
    )
    assert many["sentences"][0] == (
        "Of 100 people with the same answer, about 40 send exactly that answer. Each of the "
        "other 4 answers is sent by about 15."
    )


ODDS = {
    "boxes": (
        {"type": "select_multiple", "choices": "a\nb\nc\nd\ne\nf\ng", "privacy": "epsilon"},
        ["The respondent’s device picks 1 of the 7 boxes at random. It sends only that one, "
         "randomised.",
         "If a box is picked, of 100 people who ticked it, about 73 send “yes”. Of 100 people who "
         "did not tick it, about 27 also send “yes”.",
         "Each respondent reports on 1 of the 7 boxes, chosen at random. So the results can never "
         "show how two boxes are related, for example in a cross-tabulation."],
    ),
    "all boxes, each with its share of epsilon": (
        {"type": "select_multiple", "choices": "a\nb", "privacy": "other",
         "other": '{"mechanism": "sampled_boxes", "odds": 3, "sample": 2}'},
        ["Each box is randomised separately.",
         "Of 100 people who ticked a box, 75 send “yes” for it. Of 100 people who did not tick it, "
         "25 also send “yes”."],
    ),
    "combinations of boxes": (
        {"type": "select_multiple", "choices": "a\nb\nc", "privacy": "other",
         "other": '{"mechanism": "joint_boxes", "odds": 9}'},
        ["Of 100 people with the same ticks, about 56 send exactly those ticks. Each of the "
         "other 7 possible answers is sent by about 6.2."],
    ),
    "a set of choices": (
        {"type": "select_one", "choices": "a\nb\nc\nd\ne\nf\ng\nh", "privacy": "epsilon"},
        ["The respondent’s device sends 2 of the 8 answers. Of 100 people with the same answer, "
         "about 48 send that answer as one of the 2. Each of the other answers is sent by about 22 "
         "of these 100 people."],
    ),
    "a bit for each choice": (
        {"type": "select_one", "choices": "a\nb\nc", "privacy": "other",
         "other": '{"mechanism": "optimized_unary_encoding", "odds": 3}'},
        ["The respondent’s device sends “yes” or “no” for each answer. Of 100 people with the "
         "same answer, 50 send “yes” for it. For any other answer, 25 send “yes”."],
    ),
    "prefer not to say": (
        {"prefer_not_to_say": "y"},
        ["Of 100 people who answer “Yes”, 60 send “Yes”, 20 send “No” and 20 send “Prefer not to "
         "say”.",
         "Of 100 people who answer “No”, 20 send “Yes”, 60 send “No” and 20 send “Prefer not to "
         "say”.",
         "Of 100 people who answer “Prefer not to say”, 20 send “Yes”, 20 send “No” and 60 send "
         "“Prefer not to say”."],
    ),
    "not asked": (
        {"relevant": "smokes: yes"},
        ["Of 100 people who answer “Yes”, 60 send “Yes”, 20 send “No” and 20 send “Not asked”.",
         "Of 100 people who answer “No”, 20 send “Yes”, 60 send “No” and 20 send “Not asked”.",
         "Of 100 people who answer “Not asked”, 20 send “Yes”, 20 send “No” and 60 send “Not "
         "asked”."],
    ),
    "not asked, but an answer": (
        {"relevant": "smokes: yes", "otherwise": "no"},
        ["Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.",
         "Of 100 people who answer “No”, 25 send “Yes” and 75 send “No”."],
    ),
    "number": (
        {"type": "number", "min": "0", "max": "40", "unit": "cups", "privacy": "epsilon"},
        ["The respondent’s device picks a random value around the answer and sends that. Of 100 "
         "people with the same answer, at least about 32 send a value at most 8 cups away from it.",
         "Anything that the device can send is at most 2.8 times more likely with one answer than "
         "with another."],
    ),
    "number for its mean": (
        {"type": "number", "min": "0", "max": "40", "privacy": "mean"},
        ["The respondent’s device sends one of a few codes, not the number itself.",
         "Anything that the device can send is at most 2.8 times more likely with one answer than "
         "with another.",
         "The reports allow an estimate of the mean only, not of the share of each answer. So this "
         "question cannot be in a cross-tabulation, and cannot be a predictor in a regression. It "
         "can be the outcome. If you need more, choose another goal or protection."],
    ),
    "plain number": (
        {"type": "number", "min": "0", "max": "40", "privacy": "none"},
        ["The answer is stored as given."],
    ),
}  # fmt: skip


@check_each(("query", "sentences"), ODDS.values())
def test_the_builder_tells_the_ratio_bounds_of_each_type(researcher, query, sentences):
    assert odds(researcher, **query)["sentences"] == sentences


@check_each(
    ("query", "words"),
    [
        ({"type": "number", "min": "5", "max": "1"}, "Largest value: type a number above"),
        ({"type": "number"}, "Smallest value: type a number. Largest value: type a number."),
        ({"type": "number", "min": "0", "max": "9", "relevant": "x: y"}, "Asked only if: there"),
        ({"type": "select_multiple", "choices": "a\nb"}, "Protection: this protection does not"),
        ({"type": "scale", "choices": "a"}, "Choices, one per line: give 2 to 100 choices (up"),
        ({"type": "date"}, "Earliest date: choose a date. Latest date: choose a date."),
        ({"type": "colour"}, "Type: choose one from the list."),
        ({"type": "select_one", "choices": "a\nb", "privacy": "other", "other": "[" * 9_999},
         "Mechanism as JSON: type the mechanism as JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_yet_is_a_sentence_without_the_place_in_a_list(
    researcher, query, words
):
    assert odds(researcher, **query)["fault"].startswith(words)


def test_the_preview_divides_the_level_among_the_questions_that_are_ready():
    """The question without choices is named, and the others get their share."""
    unready = {"type": "select_one", "choices": ""}
    looks = preview_survey(form(TWO_ANSWERS, TWO_ANSWERS, unready) | {"level": "protected"})
    shares = {look.epsilon for look in looks.questions[:2]}
    assert shares == {"1.10"}
    assert looks.questions[0].short == "Protected, ε = 1.10"
    assert looks.questions[2].fault
    assert not looks.wary
    needed = divide_protection(
        parse_survey(definition(*(yes_no(f"q{n}", {"epsilon": 1}) for n in range(2)))),
        SURVEY_LEVELS["protected"],
    ).respondents
    assert looks.sentences[-1] == nonbreaking(
        "For a margin of ±\u00a05 points (for a mean, 5 % of its range), "
        f"you need {needed:,} respondents."
    )


def test_the_preview_says_why_a_level_is_not_kept():
    by_hand = TWO_ANSWERS | {"privacy": "epsilon", "epsilon": "5"}
    looks = preview_survey(form(by_hand, TWO_ANSWERS) | {"level": "strong"})
    assert "reveal more than this level allows" in looks.sentences[-1]
    own = preview_survey(form(by_hand) | {"level": "strong"})
    assert "reveal more than this level allows" in own.sentences[-1]


def test_the_preview_of_twelve_questions_says_on_how_many_each_respondent_reports():
    looks = preview_survey(form(*[{}] * 12) | {"level": "protected"})
    assert any("private questions, chosen at random" in each for each in looks.sentences)


def test_the_preview_divides_as_saving_does_for_a_population_and_in_paper_and_coin_mode():
    questions = form(*[TWO_ANSWERS] * 3) | {"level": "protected"}
    small = preview_survey(questions | {"results_about": "population", "population": "300"})
    assert small.sentences[-1].endswith("because the population is too small.")
    large = preview_survey(questions | {"results_about": "population", "population": "5000"})
    assert large.sentences[-1] != preview_survey(questions).sentences[-1]
    assert "respondents." in large.sentences[-1]
    by_hand = preview_survey(questions | {"by_hand": True})
    assert by_hand.sentences[-1].endswith("Set their protection by hand.")
