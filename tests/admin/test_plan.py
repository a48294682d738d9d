"""The planner's page and command."""

import re

import pytest

from survey.definition.survey import parse_survey
from survey.planning.denial import DENIAL_STUDIES
from survey.planning.precision import planned_questions
from tests.support.definitions import definition, opened, yes_no
from tests.support.derived_survey import EVERY_DERIVED, JOINT
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked
from tests.support.joint_survey import EVERYTHING

FORCED = {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"}
FILLED = "n=500&margin=5&share=&null=10&truth=20&power=80&alpha=5"


def seen(researcher, slug, query=""):
    """The text of the page, and its HTML."""
    reply = researcher.client.get(f"/admin/surveys/{slug}/plan{'?' + query if query else ''}")
    assert reply.status_code == 200
    page = reply.get_data(as_text=True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)), page


def test_the_page_says_what_is_needed_and_what_privacy_costs(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    text, page = seen(researcher, "health")
    assert (
        "To estimate the share of Yes with a margin of ± 5 points, you need 1,537 respondents. A "
        "direct question needs 385." in text
    )
    assert "With 500 respondents the margin is ± 8.8 points" in text
    assert "4.0 ×" in text
    assert page.count('role="img"') == 3
    assert page.count("<title>How the margin decreases") == 2
    assert page.count("<title>Share of denial") == 1
    assert 'aria-current="page">Plan<' in page


def test_a_plan_is_a_link_and_changes_nothing(store, researcher):
    store.surveys.save_draft(parse_survey(definition(yes_no(privacy=FORCED))))
    before = store.surveys.by_slug("health")
    text, page = seen(researcher, "health", "n=500&margin=5&null=0&truth=5&power=80&alpha=5")
    assert "5 % against a known 0 % 878 1,025" in text
    assert 'method="get"' in page
    assert 'value="0"' in page
    text, _ = seen(researcher, "health", FILLED)
    assert "Two groups, 10 % and 20 %; respondents in each 689 649" in text
    assert store.surveys.by_slug("health") == before


def test_the_answer_comes_before_the_fields(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    store.surveys.save_draft(parse_survey(definition(yes_no(), yes_no("b"), slug="two")))
    for slug, answer in (
        ("health", "you need 1,537"),
        ("two", "all questions are equally precise"),
    ):
        text, _ = seen(researcher, slug)
        assert text.index(answer) < text.index("Number of respondents")
        assert ("Show details" in text) == (slug == "two")


@pytest.mark.parametrize(
    ("query", "unfolded"),
    [
        ("", False),
        (FILLED, False),
        ("n=90&margin=2&share=&null=10.0&truth=20&power=80&alpha=5", False),
        (FILLED.replace("share=", "share=30"), True),
        (FILLED.replace("power=80", "power=90"), True),
        (FILLED.replace("alpha=5", "alpha=x"), True),
        (FILLED.replace("n=500", "n=0"), False),
    ],
)
def test_what_is_folded_away_unfolds_where_it_is_not_by_default(store, researcher, query, unfolded):
    store.surveys.save_draft(parse_survey(definition()))
    _, page = seen(researcher, "health", query)
    assert ("<details open>" in page) == unfolded
    assert page.count("<details") == 4


def test_a_fault_keeps_the_question_that_was_looked_at(store, researcher):
    store.surveys.save_draft(parse_survey(definition(yes_no(), yes_no("b"))))
    _, page = seen(researcher, "health", f"question=b&{FILLED}".replace("n=500", "n=0"))
    assert '<option selected value="b">' in page
    assert page.count('name="question"') == 1


def test_it_says_whether_randomising_is_worth_it(store, researcher):
    store.surveys.save_draft(
        parse_survey(definition(yes_no(), asked("age", "number", {"epsilon": 1}, min=0, max=9)))
    )
    text, page = seen(
        researcher, "health", "n=300&margin=5&share=&null=10&truth=20&power=80&alpha=5"
    )
    assert "randomising has the smaller error if more than 25.6&nbsp;%" in page.replace(
        "\u00a0", "&nbsp;"
    )
    assert "The sensitive answer to this question is “Yes”." in text
    assert "To assume another true share than 20 %, open “More” above." in text
    for study in DENIAL_STUDIES:
        assert f'href="https://{study.link}"' in page
    text, _ = seen(researcher, "health", "question=age&" + FILLED)
    assert "Candor cannot calculate the error of a direct question" in text
    text, _ = seen(
        researcher, "health", FILLED.replace("share=", "share=1").replace("n=500", "n=20")
    )
    assert "has the smaller error, even if all those with the sensitive answer deny it." in text
    assert "To assume another true share" not in text


def test_a_guess_at_the_share_counts(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    text, _ = seen(researcher, "health", FILLED.replace("share=", "share=10"))
    assert "With 500 respondents the margin is ± 8 points. A direct question gives ± 2.6" in text
    assert "9.3 ×" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": "many"}, "Type a whole number from 1 to 10,000,000."),
        ({"n": "0"}, "Type a whole number from 1 to 10,000,000."),
        ({"margin": "60"}, "Type a number from 0.1 to 50."),
        ({"margin": "NaN"}, "Type a number from 0.1 to 50."),
        ({"margin": "sNaN"}, "Type a number from 0.1 to 50."),
        ({"margin": ""}, "Type a number from 0.1 to 50."),
        ({"share": "101"}, "Type a number from 0 to 100."),
        ({"null": "-1"}, "Type a number from 0 to 100."),
        (
            {"truth": "10.05"},
            "Type a share that differs from the first share by at least 0.1 points.",
        ),
        ({"truth": "Infinity"}, "Type a number from 0 to 100."),
        ({"power": "100"}, "Type a number from 50 to 99.9."),
        ({"alpha": "1e-9"}, "Type a number from 0.1 to 20."),
    ],
)
def test_errors_stand_beside_their_field(store, researcher, change, words):
    store.surveys.save_draft(parse_survey(definition()))
    query = dict(pair.split("=") for pair in FILLED.split("&")) | change
    (name,) = change
    _, page = seen(researcher, "health", "&".join(f"{k}={v}" for k, v in query.items()))
    assert f'<p class="error" id="{name}-error">{words}</p>' in page
    assert re.search(rf'<input[^>]*aria-describedby="[^"]*{name}-error"[^>]*>', page)
    assert f'href="#{name}"' in page
    assert page.count('class="error"') == 1
    # The estimates are shown, with the default in place of the invalid value.
    assert "Candor uses the default values of these fields:" in page
    assert "you need" in page


@pytest.mark.parametrize("extreme", [
    "n=1&margin=0.1&share=0&null=0&truth=100&power=99.9&alpha=0.1",
    "n=10000000&margin=50&share=100&null=100&truth=99.9&power=50&alpha=20",
    "n=7&margin=0.1&share=50&null=50&truth=50.1&power=99.9&alpha=0.1",
    "n=7&margin=1&question=nothing&null=50&truth=0&power=80&alpha=5",
])  # fmt: skip
def test_the_ends_of_what_may_be_typed_are_planned(store, researcher, extreme):
    content = definition(yes_no(privacy={"epsilon": 0.05}), yes_no("b", privacy={"epsilon": 9}))
    store.surveys.save_draft(parse_survey(content))
    assert "you need" in seen(researcher, "health", extreme)[0]


def test_questions_of_every_type_can_be_looked_at_closely(store, researcher):
    opened(store, EVERY_TYPE | {"slug": "every"}, "open")
    opened(store, SAMPLED | {"slug": "sampled"}, "closed")
    for question in parse_survey(EVERY_TYPE).private:
        text, page = seen(researcher, "every", f"question={question.name}&{FILLED}")
        assert f'<option selected value="{question.name}">' in page
        assert f"Details: {question.label}" in text
        assert "Margin and privacy" in text
        assert "±nan" not in text
    text, _ = seen(researcher, "sampled")
    assert "each respondent reports on only 3 of the 8 private questions" in text


def test_the_margin_among_those_asked_comes_with_their_number(app, store, researcher):
    cigars = yes_no("cigars") | {"relevant": {"smokes": "yes"}}
    content = definition(yes_no(privacy="none"), yes_no("drinks"), cigars)
    store.surveys.save_draft(parse_survey(content))
    text, _ = seen(researcher, "health")
    half = "If 50 % of the respondents are asked (about 250), the margin among those asked is ±"
    quarter = "If 25 % of the respondents are asked (about 125),"
    assert "Questions with a condition" in text
    assert half in text
    assert quarter in text
    assert half in planned(app, "health")[1]
    # Fewer are asked, so the margin is larger than that among all respondents.
    margins = []
    for percent in (100, 60, 30):
        text, _ = seen(researcher, "health", f"{FILLED}&asked={percent}")
        found = rf"If {percent} % of .* \(about {5 * percent}\), .* asked is ± ([\d.]+) points"
        margins.append(float(re.search(found, text)[1]))
        assert quarter not in text
    assert margins == sorted(margins)
    few = "the interval of a share among those asked can cover the whole range."
    assert few in seen(researcher, "health", "n=20&asked=1")[0]


def test_a_question_in_an_experimental_arm_is_planned_for_those_in_it(app, store, researcher):
    arm = {"name": "arm", "type": "select_one", "label": "Version", "privacy": "none",
           "choices": [{"name": n, "label": n} for n in "ab"],
           "derived": {"random": {"a": 1, "b": 3}}}  # fmt: skip
    smokes = yes_no() | {"relevant": {"arm": ["a"]}}
    store.surveys.save_draft(parse_survey(definition(arm, smokes)))
    text, page = seen(researcher, "health")
    said = (
        "Only some experimental arms ask this question: 25 % of the respondents (about 125) are in "
        "them. The figures are for an analysis of these arms."
    )
    assert said in text.replace("\N{NO-BREAK SPACE}", " ")
    assert said in planned(app, "health")[1]
    # The share is known, so the page does not ask for an assumption.
    assert 'name="asked"' not in page
    # p - q is 2/5: four times 1.96² (25/16) / 0.05² respondents.
    needs = "you need 9,604 respondents. A direct question needs 1,537."
    assert needs in text.replace("\N{NO-BREAK SPACE}", " ")


def test_sixty_questions_have_a_row_each(store, researcher):
    many = (yes_no(f"q{n}", {"epsilon": 1}, label=f"Thing {n}?") for n in range(60))
    store.surveys.save_draft(parse_survey(definition(*many)))
    _, page = seen(researcher, "health")
    assert page.count('<th scope="row">Thing') == 60
    assert page.count("<option") == 60


def test_labels_are_escaped(store, researcher):
    store.surveys.save_draft(parse_survey(definition(yes_no(label="<b>Bold</b> & plain?"))))
    _, page = seen(researcher, "health")
    assert "<b>Bold" not in page
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; plain?" in page


def test_a_survey_without_private_questions_says_so(store, researcher):
    store.surveys.save_draft(parse_survey(definition(yes_no(privacy="none"))))
    assert "This survey has no private question" in seen(researcher, "health", FILLED)[0]


def test_a_part_leads_to_the_plan_of_its_whole(store, researcher):
    store.surveys.save_draft(parse_survey(definition(by_hand=True)))
    assert "1,537" in seen(researcher, "health.by-hand")[0]


def planned(app, *arguments):
    result = app.test_cli_runner().invoke(args=["survey", "plan", *arguments])
    return result.exit_code, " ".join(result.output.split())


def test_the_command_says_the_same(app, store):
    store.surveys.save_draft(parse_survey(definition(yes_no(privacy=FORCED), yes_no("coins"))))
    code, text = planned(app, "health", "--null", "0", "--truth", "5")
    assert code == 0
    assert "you need 878 respondents" in text
    assert "The usual formula gives 1,025, and" in text
    assert "the share of Yes with a margin of ± 5 points, you need 1,537 respondents" in text
    assert "The usual formula gives 676, and 1,335 in each group." in planned(app, "health")[1]
    text = planned(app, "health", "--share", "10")[1]
    assert "for a true share of 10 %" in text
    assert text.count("of those with the sensitive answer deny it when asked directly.") == 2


def test_results_of_unsent_answers_are_planned_as_one_question(app, store, researcher):
    """The answers behind a result, and experimental arms, need no respondents of their own.

    Each question of a joint question has its own estimates, so it is planned.
    """
    store.surveys.save_draft(parse_survey(EVERY_DERIVED))
    code, text = planned(app, "health")
    assert code == 0
    page = seen(researcher, "health")[0]
    for question in parse_survey(EVERY_DERIVED).questions:
        derived = question.derived is not None and not question.non_private
        expected = derived or question.name in JOINT["derived"]["joint"]
        assert (f"{question.label} (epsilon 2.00)" in text) == expected, question.name
        estimate = " (each combination)" if question.kind.joint else ""
        assert (f"{question.label}{estimate} 2.00" in page) == expected or question.kind.numeric


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "nothing"),
        (["health", "--null", "20"], "at least 0.1 points apart"),
        (["health", "--margin", "0"], "0 is not in the range"),
        (["plain"], "has no private question"),
    ],
)
def test_the_command_refuses_in_a_sentence(app, store, arguments, words):
    store.surveys.save_draft(parse_survey(definition()))
    store.surveys.save_draft(parse_survey(definition(yes_no(privacy="none"), slug="plain")))
    code, text = planned(app, *arguments)
    assert code != 0
    assert words in text
    assert "Traceback" not in text


@pytest.mark.parametrize("path", ["", "/plan", "/try-out", "/load"])
def test_chinese_sentences_have_no_space_between_them(store, researcher, path):
    survey = parse_survey(SAMPLED)
    store.surveys.save_draft(survey)
    address = f"/admin/surveys/{survey.slug}{path}"
    reply = researcher.client.get(address, headers={"Accept-Language": "zh"})
    assert reply.status_code == 200
    page = reply.get_data(as_text=True)
    assert re.findall(r".{9}。\s+[\u4e00-\u9fff“].{9}", page) == []


def test_a_plan_compares_joint_questions_with_others(app, store, researcher):
    store.surveys.save_draft(EVERYTHING)
    names = [question.name for question in planned_questions(EVERYTHING)]
    for name in names:
        text, page = seen(researcher, "health", f"question={name}&{FILLED}")
        assert f'<option selected value="{name}">' in page
        assert "±nan" not in text
    text, page = seen(researcher, "health", f"question=habits&{FILLED}")
    assert "To estimate the share of each combination of answers with a margin of ± 5" in text
    assert "So it is possible only for single questions: choose one under “Details”." in text
    assert "Questions randomised together" in text
    assert "A joint question combines “smokes?”, “cigars?” and “drinks?”." in text
    assert "A joint question could combine “One?” and “Two?”. In each row of the table" in text
    assert "Together, as a joint question" in text
    assert "not possible" in text
    # The ε of a question is that of the joint report.
    row = re.search(r"smokes\?</th>\s*<td[^>]*>([^<]+)<", page)
    assert row[1] == "2.00"
    # The numbers are those of the results page.
    numbers = re.findall(r'<option[^>]* value="habits[^>]*>(\w+)\. ', page)
    assert numbers == ["3", "3a", "3b", "3c"]
    code, said = planned(app, "health")
    assert code == 0
    assert "smokes? (epsilon 2.00)" in said
    assert "Habits (epsilon 2.00)" in said
    assert "share of each combination of answers" in said
    assert "the cross-tabulation of “One?” and “Two?” needs" in said
    assert said.count("A joint report protects each single answer less than separate") == 2


def test_a_plan_without_two_choices_compares_nothing(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    assert "Questions randomised together" not in seen(researcher, "health")[0]
