"""The pre-launch checklist: what stops a survey, and what a researcher should look at."""

import json
import re
from dataclasses import replace

import pytest

from survey.core.errors import DefinitionError
from survey.definition.certainty import protection_of_survey
from survey.definition.frozen import fingerprint_of, freeze
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.survey import parse_survey
from survey.planning.checklist import LOOK, PASSED, STOPS, checks, opens
from survey.planning.privacy_text import example_table
from survey.planning.sample_size import expected_margin, respondents_for
from survey.planning.sensitive import LIST, sensitive_words
from survey.store import ANALYST, Limits
from tests.support.builder_forms import sent_again
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.derived_survey import EVERY_DERIVED, ROWS, SOURCES
from tests.support.every_type import asked
from tests.support.researchers import signed_in

pytestmark = pytest.mark.fast

REACHABLE = {"asked_by": "A university", "contact": "02 123", "support": "A hotline", "batch": 25}


def survey_of(*questions, **rest):
    return parse_survey(definition(*questions, **(REACHABLE | rest)))


def found(survey, name, expected=1_000, earlier=()):
    return next(check for check in checks(survey, expected, earlier) if check.name == name)


def wide_table(columns):
    """Two answers and this many reports: 3 to 1 in half of them, 1 to 3 in the others."""
    half = columns // 2
    row = [3] * half + [1] * half
    return yes_no("wide", {"mechanism": "table", "rows": [row, row[::-1]]})


def test_a_plain_and_sound_survey_passes_everything():
    survey = survey_of()
    assert [(c.name, c.verdict) for c in checks(survey, 1_000) if c.verdict != PASSED] == []
    assert opens(checks(survey, 1_000))
    for check in checks(survey, 1_000):
        assert check.sentence.endswith(".")
        assert not check.advice


def test_what_stops_comes_first_then_what_to_look_at():
    certain = yes_no("certain", {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]})
    verdicts = [check.verdict for check in checks(survey_of(certain, batch=1))]
    order = [STOPS, LOOK, PASSED]
    assert verdicts == sorted(verdicts, key=order.index)
    assert set(verdicts) == set(order)


def test_a_report_that_proves_an_answer_stops():
    certain = yes_no("certain", {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]}, "Ever?")
    check = found(survey_of(yes_no(), certain), "finite")
    assert (check.verdict, check.details) == (STOPS, ("Ever?",))


def test_texts_are_said_to_be_apart_and_stop_if_they_are_not():
    why = asked("why", "text", "none")
    apart = found(survey_of(yes_no(), why), "texts")
    assert apart.verdict == PASSED
    assert "Nobody can read texts before the survey closes." in apart.why
    region = yes_no("region", privacy="none")
    for_some = survey_of(yes_no(), region, why | {"relevant": {"region": "yes"}})
    check = found(for_some, "texts")
    assert (check.verdict, check.places) == (STOPS, ("question:why",))
    assert check.sentence == "Some respondents would not be asked all texts and dates."
    with pytest.raises(DefinitionError, match="cannot be set for a text or a date"):
        freeze(for_some)
    together = survey_of(yes_no(), why, texts_apart=False)
    assert found(together, "texts").verdict == STOPS
    with pytest.raises(DefinitionError):
        freeze(together)
    for survey in (survey_of(), survey_of(region, why)):
        assert "texts" not in [check.name for check in checks(survey)]


def test_missing_translations_stop():
    survey = survey_of(translations={"vi": {"title": "Sức khỏe"}})
    check = found(survey, "translated")
    assert check.verdict == STOPS
    assert "Tiếng Việt: “Do you smoke?”" in check.details
    with pytest.raises(DefinitionError):
        freeze(survey)


def test_missing_translations_of_an_instrument_say_where_to_find_them():
    """Candor does not translate instruments. So the advice is another one."""
    gad, phq = (read_instruments()[slug] for slug in ("gad-2", "phq-2"))
    own = gad.survey().as_definition()["questions"]
    labels = {each["name"]: {"label": "…"} for each in own if each.get("label")}
    survey = survey_of(*own, yes_no(), translations={"th": {}, "vi": {}})
    check = found(survey, "translated")
    assert check.verdict == STOPS
    assert check.sentence.endswith(
        "texts are not translated yet. Among them are published texts of GAD-2."
    )
    assert check.advice == (
        "For GAD-2, enter the published and validated translation, which Candor does not contain. "
        "Do not translate these texts yourself. Complete the other texts. Or remove the language."
    )
    assert check.help_page == "reference/instruments"
    both = survey_of(*own, *phq.survey().as_definition()["questions"], translations={"th": {}})
    assert "For GAD-2 and PHQ-2, enter" in found(both, "translated").advice
    # The other texts alone need no such advice.
    choices = {
        each["name"]: {"choices": {choice["name"]: "…" for choice in each["choices"]}}
        for each in own if each["type"] == "scale"
    }  # fmt: skip
    texts = {name: entry | choices.get(name, {}) for name, entry in labels.items()}
    rest = survey_of(*own, yes_no(), translations={"th": {"questions": texts}})
    check = found(rest, "translated")
    assert check.verdict == STOPS
    assert check.advice == "Complete the translation, or remove the language."
    assert check.help_page == ""


def test_one_table_beyond_the_limit_is_no_definition_and_many_are_to_be_looked_at():
    # The names of its reports are about 70 KB after compression.
    half = wide_table(30_000)
    assert found(survey_of(half | {"name": "one"}), "tables").verdict == PASSED
    two = survey_of(half, half | {"name": "again"})
    assert found(two, "tables").verdict == LOOK
    assert freeze(two).survey == two
    with pytest.raises(DefinitionError, match="The maximum is 600,000"):
        survey_of(wide_table(160_000))


@pytest.mark.parametrize(("questions", "verdict"), [(2, PASSED), (3, LOOK)])
def test_a_total_that_respondents_read_as_weak_is_to_be_looked_at(questions, verdict):
    """ln 3 = 1.0986 each: 2.20 and 3.30. The limit is ln 19 = 2.944, rounded up."""
    survey = survey_of(*(yes_no(f"q{number}") for number in range(questions)))
    check = found(survey, "total")
    assert check.verdict == verdict
    assert (protection_of_survey(survey) == "weak") == (verdict == LOOK)
    heading = "Respondents read “Weakly protected” on the first page."
    assert check.sentence.endswith(heading) == (verdict == LOOK)
    assert "A total above 2.95 is a weak guarantee." in check.why


@pytest.mark.parametrize(
    ("rows", "verdict", "level"),
    [([[19, 1], [1, 19]], PASSED, "weak"), ([[20, 1], [1, 20]], LOOK, "hardly")],
)
def test_the_limit_of_the_total_is_exact(rows, verdict, level):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": rows}))
    assert found(survey, "total").verdict == verdict
    assert protection_of_survey(survey) == level
    assert ("Respondents read “Hardly protected”" in found(survey, "total").sentence) == (
        level == "hardly"
    )


@pytest.mark.parametrize(("odds", "weak"), [(4, False), (5, True)])
def test_the_checklist_says_if_one_question_makes_the_protection_weak(odds, weak):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": [[odds, 1], [1, odds]]}))
    check = found(survey, "single")
    assert check.verdict == PASSED
    assert ("Respondents read “Weakly protected” on the first page." in check.sentence) == weak
    assert (protection_of_survey(survey) == "weak") == weak


def test_only_what_one_respondent_reports_on_counts():
    questions = [yes_no(f"q{number}") for number in range(9)]
    sampled = survey_of(*questions, budget={"per_respondent": {"sample": 2}})
    assert found(survey_of(*questions), "total").verdict == LOOK
    assert found(sampled, "total").verdict == PASSED


def test_a_survey_that_protects_nothing_says_so():
    check = found(survey_of(yes_no(privacy="none")), "total")
    assert check.verdict == LOOK
    assert "No question is private" in check.sentence


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([[19, 1], [1, 19]], PASSED),
        ([[20, 1], [1, 20]], LOOK),
        ([[99, 1], [1, 99]], LOOK),
        ([[100, 1], [1, 100]], STOPS),
    ],
)
def test_ratio_bounds_above_nineteen_nearly_tell_and_above_ninety_nine_stop(rows, verdict):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": rows}))
    assert found(survey, "single").verdict == verdict


def test_reports_that_together_nearly_tell_an_answer_are_named():
    """7 : 1 for each report, and 49 : 1 for the answer that decides who is asked the other."""
    odds = {"mechanism": "randomized_response", "odds": 7}
    child = yes_no("daily", odds, "Daily?") | {"relevant": {"smokes": "yes"}, "otherwise": "no"}
    survey = survey_of(yes_no("smokes", odds), child)
    check = found(survey, "single")
    assert check.verdict == LOOK
    (detail,) = check.details
    assert detail.startswith("“Do you smoke?”") and "at most 49 times more likely" in detail
    assert example_table(survey) == ((7, 1), (1, 7))
    # Results of one answer that is not sent, each of them well protected.
    results = [yes_no(name, odds) | {"derived": {"any": {"item": ["yes"]}}} for name in ("a", "b")]
    check = found(survey_of(yes_no("item", "not_sent", "Item?"), *results), "single")
    (detail,) = check.details
    assert (check.verdict, detail.startswith("“Item?”")) == (LOOK, True)


def test_too_few_respondents_for_the_margin_are_told_how_many_would_do():
    """A coin flip: the worst variance is 1 / (16 gamma^2 n) = 1 / n.

    Ten percentage points therefore need 385 respondents.
    """
    survey = survey_of()
    assert respondents_for(survey.questions[0], 0.1) == 385
    assert found(survey, "precision", 385).verdict == PASSED
    # With 384, the margin is shown as ± 10 points too.
    assert found(survey, "precision", 384).verdict == PASSED
    check = found(survey, "precision", 300)
    assert check.verdict == LOOK
    (detail,) = check.details
    assert detail == (
        "“Do you smoke?”: ±\u00a011 points; a margin of ±\u00a010 points needs 385 respondents"
    )


def test_where_chance_picks_the_questions_more_respondents_are_needed():
    sampled = survey_of(yes_no(), yes_no("b"), budget={"per_respondent": {"sample": 1}})
    assert expected_margin(sampled.questions[0], 600, survey=sampled) > 0.1
    assert found(sampled, "precision", 600).verdict == LOOK
    assert found(sampled, "precision", 770).verdict == PASSED


def test_without_a_number_of_respondents_one_is_asked_for():
    assert "depends on the sample size" in found(survey_of(), "precision", None).sentence


@check_each(
    "text",
    [
        "Have you ever stolen from a shop?", "Did you have an ABORTION?", "Your income last year",
        "Have you taken drugs?", "Did you cheat in an exam?", "Are you HIV positive?",
        "Was there violence at home?", "How many sexual partners did you have?",
        "Bạn có từng dùng ma túy không?", "Thu nhập của bạn là bao nhiêu?", "Bạn đã phá thai chưa?",
        "คุณเคยใช้ยาเสพติดหรือไม่", "รายได้ต่อเดือนของคุณเท่าไร", "คุณเคยทำแท้งหรือไม่",
        "您吸毒吗？", "您的月收入是多少？", "您作弊过吗？", "您感染了HIV吗？",
    ],
)  # fmt: skip
def test_non_private_questions_that_sound_sensitive_are_found(text):
    check = found(survey_of(yes_no(), yes_no("plain", "none", text)), "sensitive")
    assert check.verdict == LOOK
    assert check.details[0].startswith(f"“{text}” (")
    assert found(survey_of(yes_no("private", label=text)), "sensitive").verdict == PASSED


def test_an_unsent_question_that_no_derived_answer_uses_is_found():
    unsent = [yes_no(name, "not_sent", f"{name}?") for name in "abc"]
    # The second derived answer uses both only through the first one.
    first = yes_no("first") | {"derived": {"any": {"a": ["yes"], "b": ["yes"]}}}
    second = yes_no("second") | {"derived": {"all": {"first": ["yes"]}}}
    check = found(survey_of(*unsent, first, second), "unsent")
    assert (check.verdict, check.details, check.places) == (LOOK, ("c?",), ("question:c",))
    assert found(survey_of(*unsent[:2], first), "unsent").verdict == PASSED
    assert "unsent" not in {each.name for each in checks(survey_of())}


def test_without_a_private_question_the_total_speaks_of_what_is_sent():
    check = found(survey_of(yes_no("a", "none"), yes_no("b", "not_sent")), "total")
    assert check.verdict == LOOK
    assert check.sentence == "No question is private. Every answer that is sent is stored as given."


def test_the_page_says_what_stays_on_the_device(store, researcher):
    store.surveys.save_draft(parse_survey(EVERY_DERIVED))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    sent = page.partition("What each question sends")[2].partition("</details>")[0]
    assert sent.count("<br>The answer stays on the respondent’s device.") == len(SOURCES)
    assert sent.count("<br>The respondent’s device draws this arm at random.") == 1
    assert sent.count("stored as given") == len(ROWS)


@check_each(
    "text",
    [
        "How old are you?", "What is your sex?", "Which region do you live in?",
        "Do you live near a beehive?", "Is a drugstore near you?", "Do you like grapes?",
        "Bạn bao nhiêu tuổi?", "Bạn sống ở đâu?", "Bạn mua lương thực ở đâu?", "คุณอายุเท่าไร",
        "คุณอยู่ภาคไหน", "您多大年纪？", "您住在哪里？",
    ],
)  # fmt: skip
def test_harmless_questions_are_left_alone(text):
    assert sensitive_words(survey_of(yes_no(privacy="none", label=text)).questions[0]) == ()


def test_choices_and_hints_are_read_too():
    question = {
        "name": "used", "type": "select_multiple", "label": "Which of these?", "privacy": "none",
        "choices": [{"name": "a", "label": "Tea"}, {"name": "b", "label": "Cocaine"}],
    }  # fmt: skip
    assert sensitive_words(survey_of(question).questions[0]) == ("cocaine",)
    hinted = yes_no(privacy="none") | {"hint": "This is about theft."}
    assert sensitive_words(survey_of(hinted).questions[0]) == ("theft",)


def test_the_list_has_every_language_and_each_word_once():
    lists = json.loads(LIST.read_text(encoding="utf-8"))
    assert set(lists) == {"en", "vi", "th", "zh"}
    for words in lists.values():
        assert len(words) >= 40
        assert len(set(words)) == len(words)


@pytest.mark.parametrize(("points", "verdict"), [(21, PASSED), (22, LOOK)])
def test_a_number_on_many_points_is_to_be_looked_at(points, verdict):
    number = {
        "name": "age", "type": "number", "label": "?", "min": 0, "max": 1000,
        "privacy": {"mechanism": "window", "epsilon": 1, "points": points},
    }  # fmt: skip
    assert found(survey_of(number), "points").verdict == verdict


@pytest.mark.parametrize("missing", ["asked_by", "contact", "support"])
def test_who_asks_and_where_to_turn_are_missed(missing):
    check = found(survey_of(**{missing: ""}), "contact")
    assert (check.verdict, len(check.details)) == (LOOK, 1)


@pytest.mark.parametrize(
    ("offering", "words"),
    [
        ((False, False), "Respondents must answer every private question"),
        ((True, False), "1 of 2 private questions offer"),
        ((True, True), "Every private question offers"),
        ((), "The survey has no private question."),
    ],
)
def test_whether_anyone_may_decline_is_told_and_is_nothing_to_tick(offering, words):
    asked = [
        yes_no(f"n{number}") | {"prefer_not_to_say": offered}
        for number, offered in enumerate(offering)
    ]
    check = found(survey_of(*(asked or [yes_no(privacy="none")])), "declining")
    assert check.verdict == PASSED
    assert check.sentence.startswith(words)


def test_each_question_behind_a_joint_one_may_offer_to_decline():
    items = [yes_no(name, privacy="not_sent") | {"prefer_not_to_say": name == "a"}
             for name in "ab"]  # fmt: skip
    joint = {"name": "both", "type": "joint", "label": "?", "derived": {"joint": ["a", "b"]},
             "privacy": {"epsilon": 2}}  # fmt: skip
    check = found(survey_of(*items, joint), "declining")
    assert check.sentence.startswith("1 of 2 private questions offer")


def test_a_batch_of_one_is_to_be_looked_at():
    assert found(survey_of(batch=1), "batch").verdict == LOOK
    assert found(survey_of(batch=2), "batch").verdict == PASSED


def test_a_renamed_or_changed_question_in_a_wave_draws_afresh():
    first = survey_of(yes_no(), yes_no("cheats", label="Do you cheat?"), series="waves")
    same = survey_of(yes_no(), yes_no("new", label="Do you drive?"), series="waves")
    assert found(first, "waves", earlier=[]).verdict == PASSED
    assert found(same, "waves", earlier=[first]).verdict == PASSED
    renamed = survey_of(yes_no("tobacco"), series="waves")
    check = found(renamed, "waves", earlier=[first])
    assert check.verdict == LOOK
    assert check.details == ("“Do you smoke?”: renamed from smokes to tobacco",)
    other = survey_of(yes_no(privacy={"epsilon": 2}), series="waves")
    assert found(other, "waves", earlier=[first]).verdict == LOOK
    with pytest.raises(StopIteration):
        found(survey_of(), "waves", earlier=[first])


# --- on the page


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


def test_a_class_says_that_it_is_erased():
    check = found(survey_of(class_mode=True, batch=5), "class")
    assert check.verdict == LOOK
    assert check.sentence == (
        "Candor erases this survey and all its responses when the class ends."
    )
    assert check.places == ("class_mode",)
    assert opens(checks(survey_of(class_mode=True, batch=5), 20))
    assert not [each for each in checks(survey_of(), 20) if each.name == "class"]


@pytest.mark.parametrize(
    ("slug", "about"),
    [("phq-9", "self-harm"), *((each, "distress") for each in ("gad-2", "gad-7", "k6", "phq-2"))],
)
def test_a_survey_whose_result_can_worry_says_where_to_find_help(slug, about):
    content = read_instruments()[slug].survey().as_definition()
    [found] = [each for each in checks(parse_survey(content)) if each.name == "distress"]
    assert (found.verdict, found.places) == (LOOK, ("support",))
    assert found.sentence == (
        f"The survey asks about {about}, but does not say where to find help."
    )
    helped = parse_survey(content | {"support": "Call 123."})
    [found] = [each for each in checks(helped) if each.name == "distress"]
    assert found.verdict == PASSED
    assert found.sentence == f"The survey asks about {about}, and says where to find help."


def test_a_survey_without_such_an_instrument_needs_no_help_text():
    for survey in (read_instruments()["audit-c"].survey(), survey_of()):
        assert not [each for each in checks(survey) if each.name == "distress"]
