""""""

import re
from dataclasses import replace

import pytest

from survey.definition.frozen import fingerprint_of
from survey.definition.survey import parse_survey
from survey.planning.checklist import LOOK, PASSED, checks
from survey.store import ANALYST, Limits
from tests.support.builder_forms import sent_again
from tests.support.checked_surveys import found, survey_of
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import signed_in

pytestmark = pytest.mark.fast


OVERVIEW = "/admin/surveys/health"


def test_the_page_of_a_draft_lists_what_was_looked_at_above_the_button(store, researcher):
    store.surveys.save_draft(survey_of(yes_no(), yes_no("plain", "none", "Your income?")))
    page = researcher.client.get(OVERVIEW).text
    for name in ("sensitive", "precision", "total", "tables", "contact", "batch"):
        assert f'data-check="{name}"' in page
    assert "“Your income?” (income)" in page
    assert page.index('data-check="batch"') < page.index("Open survey")


def test_the_number_of_respondents_is_asked_for_or_taken_from_the_target(store, researcher):
    store.surveys.save_draft(survey_of())
    page = researcher.client.get(OVERVIEW).text
    assert "depends on the sample size" in page
    assert (
        "With 100 respondents, the margin of these results"
        in researcher.client.get(f"{OVERVIEW}?expected=100").text
    )
    assert (
        "With 1,000 respondents, the margin of every result"
        in researcher.client.get(f"{OVERVIEW}?expected=1,000").text
    )
    store.lifecycle.set_limits("health", Limits(target=200))
    page = researcher.client.get(OVERVIEW).text
    assert "With 200 respondents, the margin of these results" in page
    assert 'name="expected" value="200"' in page


@pytest.mark.parametrize("typed", ["0", "-1", "many", "1e9", "10000001", "٣", "9" * 30])
def test_impossible_numbers_are_told_to_be_so(store, researcher, typed):
    store.surveys.save_draft(survey_of())
    page = researcher.client.get(OVERVIEW, query_string={"expected": typed})
    assert page.status_code == 200
    assert "Type a whole number from 1 to 10,000,000." in page.text


def test_every_point_says_why_it_matters_and_where_it_is_mended():
    certain = yes_no("certain", {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]})
    loose = yes_no("loose", {"mechanism": "table", "rows": [[500, 1], [1, 500]]})
    number = {
        "name": "age", "type": "number", "label": "?", "min": 0, "max": 1000,
        "privacy": {"mechanism": "window", "epsilon": 1, "points": 61},
    }  # fmt: skip
    asked = (yes_no(), certain, loose, number, yes_no("pay", "none", "Your income?"))
    bad = survey_of(*asked, batch=1, contact="", series="s", translations={"vi": {"title": "S"}})
    first = survey_of(yes_no(privacy={"epsilon": 2}), series="s")
    seen = {}
    for survey, expected in ((bad, 10), (bad, None), (survey_of(yes_no(privacy="none")), 1_000)):
        for check in checks(survey, expected, [first]):
            assert check.why.endswith(".")
            assert check.advice or check.verdict == PASSED
            assert len(check.places) == (len(check.details) or (check.verdict != PASSED)), check
            for place in check.places:
                seen.setdefault(check.name, place)
    assert seen == {
        "finite": "question:certain",
        "translated": "translation:vi",
        "total": "questions",
        "single": "question:loose",
        "precision": "question:smokes",
        "denial": "question:smokes",
        "sensitive": "question:pay",
        "points": "question:age",
        "contact": "contact",
        "batch": "batch",
        "waves": "question:smokes",
    }


def test_what_is_missing_leads_to_where_it_is_mended(app, store, researcher):
    translations = {"vi": {"title": "Sức khỏe"}}
    asked = (yes_no(), yes_no("plain", "none", "Your income?"))
    store.surveys.save_draft(survey_of(*asked, contact="", translations=translations))
    links = re.findall(r'<a href="([^"]+)">([^<]+)</a>', researcher.client.get(OVERVIEW).text)
    edit = f"{OVERVIEW}/edit"
    assert (f"{edit}#contact", "“Contact” is empty.") in links
    assert (f"{edit}#question-2", "“Your income?” (income)") in links
    assert (f"{OVERVIEW}/translations/vi", "Tiếng Việt: “Do you smoke?”") in links
    assert ("#expected", "Enter a sample size below.") in links
    form = researcher.client.get(edit).text
    for place in ("contact", "asked_by", "support", "batch", "questions"):
        assert f'id="{place}"' in form
    # The scripts of the page use the numbers of its questions.
    assert sent_again(researcher, edit)["questions-1-label"] == "Your income?"
    for_analyst = signed_in(app, "bob", ANALYST).client.get(OVERVIEW).text
    assert "“Contact” is empty." in for_analyst
    assert edit not in for_analyst


SOUND = {"expected": "1000"}


def test_opening_with_points_to_look_at_takes_a_tick(store, researcher):
    store.surveys.save_draft(survey_of(batch=1))
    page = researcher.client.get(f"{OVERVIEW}?expected=1000").text
    assert "I have checked the item above" in page
    assert page.index("What opening means") < page.index("Open survey")
    seen = SOUND | {"fingerprint": fingerprint_of(store.surveys.by_slug("health").survey)}
    reply = researcher.post(f"{OVERVIEW}/open", seen, form=OVERVIEW)
    assert reply.status_code == 422
    assert "The survey is not open yet. Check the item above, then tick this box." in reply.text
    assert 'name="expected" value="1000"' in reply.text
    assert store.surveys.by_slug("health").state == "draft"
    assert researcher.post(f"{OVERVIEW}/open", seen | {"looked": "yes"}, form=OVERVIEW).location
    assert store.surveys.by_slug("health").state == "open"
    assert "Next, share the link." in researcher.client.get(OVERVIEW).text


def test_opening_with_nothing_to_look_at_is_one_press(store, researcher):
    store.surveys.save_draft(survey_of())
    page = researcher.client.get(f"{OVERVIEW}?expected=1000").text
    assert "I have checked" not in page
    seen = {"fingerprint": fingerprint_of(store.surveys.by_slug("health").survey)}
    # Without a number of respondents, one item needs attention.
    assert researcher.post(f"{OVERVIEW}/open", seen, form=OVERVIEW).status_code == 422
    assert researcher.post(f"{OVERVIEW}/open", seen | SOUND, form=OVERVIEW).status_code == 302
    assert store.surveys.by_slug("health").state == "open"


@pytest.mark.parametrize(
    ("limits", "sent", "hoped_for"),
    [
        # The target that was entered last.
        (Limits(target=500), "3000", 3000),
        (Limits(), "3,000", 3000),
        (Limits(target=500), "", 500),
        (Limits(target=500), "many", 500),
        # More than the survey accepts.
        (Limits(cap=1000, target=500), "3000", 500),
    ],
)
def test_as_many_are_hoped_for_as_were_looked_at(store, researcher, limits, sent, hoped_for):
    store.surveys.save_draft(survey_of())
    store.lifecycle.set_limits("health", limits)
    seen = {"fingerprint": fingerprint_of(store.surveys.by_slug("health").survey), "looked": "yes"}
    researcher.post(f"{OVERVIEW}/open", seen | {"expected": sent}, form=OVERVIEW)
    assert store.surveys.by_slug("health").state == "open"
    assert store.surveys.by_slug("health").limits == replace(limits, target=hoped_for)


def test_opening_says_who_can_answer(store, researcher):
    store.surveys.save_draft(survey_of())
    page = researcher.client.get(OVERVIEW).text
    assert "Anyone who has the link <code>http://127.0.0.1:8000/s/health</code>" in page
    store.surveys.save_draft(survey_of(slug="invited", invitations=True))
    page = researcher.client.get("/admin/surveys/invited").text
    assert (
        "Only people with an invitation, which you create after opening. Each invitation works "
        "once." in page
    )
    assert "Anyone who has the link <code>" not in page


def test_what_stops_leaves_no_button_and_cannot_be_forced(store, researcher):
    certain = {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]}
    store.surveys.save_draft(survey_of(yes_no(privacy=certain)))
    page = researcher.client.get(OVERVIEW).text
    assert "Problem" in page
    assert "prove that an answer was not given" in page
    assert "Open survey" not in page
    seen = {"fingerprint": fingerprint_of(store.surveys.by_slug("health").survey), "looked": "yes"}
    reply = researcher.post(f"{OVERVIEW}/open", seen, form=OVERVIEW)
    assert reply.status_code == 422
    assert "no finite epsilon" in reply.text
    assert store.surveys.by_slug("health").state == "draft"


def test_an_earlier_wave_in_the_store_is_found(store, researcher):
    opened(store, definition(slug="first", series="waves"))
    store.surveys.save_draft(survey_of(yes_no("tobacco"), series="waves"))
    assert "renamed from smokes to tobacco" in researcher.client.get(OVERVIEW).text


def test_an_open_survey_with_invitations_and_none_made_says_that_nobody_can_answer(
    store, researcher
):
    opened(store, definition(invitations=True))
    assert "Nobody can answer yet." in researcher.client.get(OVERVIEW).text
    store.invitations.add_invitations("health", [bytes(32)])
    assert "Nobody can answer yet." not in researcher.client.get(OVERVIEW).text


def test_the_checklist_expects_people_who_are_alone():
    """With m combinations and n people, one is alone with probability (1 - 1/m)^(n - 1)."""
    region = {"name": "region", "type": "select_one", "label": "Where?", "privacy": "none",
              "choices": [{"name": n, "label": n} for n in "nesw"]}  # fmt: skip
    age = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 99, "privacy": "none"}
    boxes = region | {"name": "news", "type": "select_multiple", "label": "News?"}
    survey = survey_of(yes_no(), region, age, boxes)
    check = found(survey, "alone", 1_000)
    # 4 × 100 × 16 = 6,400 and (1 - 1/6400)^999 = 0.855.
    assert check.sentence == (
        "The answers to the non-private questions have up to 6,400 combinations. If all "
        "combinations are equally common, about 85 % of 1,000 respondents have a combination that "
        "nobody else has."
    )
    assert check.verdict == LOOK
    assert check.details == (
        "“Age?”: 100 answers", "“News?”: 16 answers", "“Where?”: 4 answers",
    )  # fmt: skip
    assert check.places == ("question:age", "question:news", "question:region")
    assert found(survey_of(yes_no(), region), "alone", 1_000).verdict == PASSED
    assert "less than 1 %" in found(survey_of(yes_no(), region), "alone", 1_000).sentence
    for n in (None, 1_000):
        assert not [c for c in checks(survey_of(), n) if c.name == "alone"]
    assert not [c for c in checks(survey, None) if c.name == "alone"]
    many = [boxes | {"name": f"b{n}"} for n in range(20)]
    assert "up to 10^24 combinations" in found(survey_of(yes_no(), *many), "alone").sentence


def draft_page(store, researcher, *questions, **rest):
    store.surveys.save_draft(parse_survey(definition(*questions, **rest)))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    return " ".join(re.sub("<[^>]+>", "", page).replace("\u00a0", " ").split())


def test_a_draft_says_how_sure_anyone_can_become_at_worst(store, researcher):
    """Coin flips: 3:1 for each, so 3/4 and 9/10."""
    page = draft_page(store, researcher, yes_no(), yes_no("drinks"), yes_no("plain", "none"))
    assert (
        "In the worst case, this person becomes 75 % sure of the answer to one question, and 90 "
        "% sure "
        "about all private questions together." in page
    )


def test_a_draft_with_a_single_private_question_says_it_once(store, researcher):
    page = draft_page(store, researcher, yes_no())
    assert "becomes 75 % sure of the answer to one question." in page
    assert "about all private questions together" not in page


def test_a_draft_of_which_chance_picks_says_so_and_counts_what_is_picked(store, researcher):
    """Two of the ratios 3:1, 3:1 and 9:1 are sampled.

    The worst case is 27:1, which is 96 %.
    """
    strong = yes_no("c", {"mechanism": "randomized_response", "odds": 9})
    budget = {"per_respondent": {"sample": 2}}
    page = draft_page(store, researcher, yes_no("a"), yes_no("b"), strong, budget=budget)
    assert (
        "90 % sure of the answer to one question, and 97 % sure about all private questions "
        "together." in page
    )
    assert "Each respondent reports on 2 of the 3 private questions, chosen at random." in page
    assert "times smaller" not in page  # it is already sampled


def test_a_draft_lists_every_type_in_the_words_of_the_builder(store, researcher):
    """Names of mechanisms mean nothing to a person who has not read a paper on them."""
    page = draft_page(store, researcher, *EVERY_TYPE["questions"])
    private = [
        q for q in parse_survey(EVERY_TYPE).questions if not q.non_private and q.type != "note"
    ]
    for name in {question.mechanism for question in private}:
        assert name not in page
    words = re.findall(r"(Medium|Another mechanism), ε = ", page)
    assert len(words) == len(private)
    assert set(words) == {"Medium", "Another mechanism"}
    assert page.count("Answers are stored as given, without protection.") == 5
    assert "Now something else. A note has no answer." in page


def test_a_survey_that_protects_nothing_says_so(store, researcher):
    opened(store, definition(yes_no(privacy="none")))
    assert "not protected" in researcher.client.get("/admin/").get_data(as_text=True)
    opened(store, definition(yes_no(), yes_no("b", privacy="none"), slug="mixed"))
    assert "1.10 + 1 non-private question" in researcher.client.get("/admin/").get_data(
        as_text=True
    )
