"""The words about protection follow the tables, in each language.

The tests calculate from the tables in the public document, with fractions, how sure someone could
become. The box on the first page must say exactly that, and nothing else. If someone could become
more than 80 % sure of all answers together, no page says "they cannot" or "nobody can tell". To
find such words, the tests remove all other sentences of the catalogs from a page.
"""

import html
import json
import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from survey.core.factored_randomizers import UnaryEncoding
from survey.core.languages import FOLDER, LANGUAGES, MAIN, Words
from survey.definition.certainty import (
    Certainty,
    certainty_of_answer,
    nobody_can_tell,
    protection_of_survey,
)
from survey.definition.privacy_limits import PrivacyLimits
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.planning.privacy_text import example_chances, example_table
from tests.support.certainty_grid import EPSILONS, GRID, asked, content
from tests.support.definitions import WIDE, definition, opened, yes_no
from tools.translations import catalog_at

LOW, GUESS = Fraction(80, 100), Fraction(95, 100)
ONE = (
    "Of 100 guesses between two answers, 50 are right if blind, and %(times)s with your mixed-up "
    "answer."
)
SEVERAL = (
    "Of 100 guesses between two answers, 50 are right if blind, %(one)s with one mixed-up answer, "
    "and %(all)s with all."
)
# The words of a promise in each language.
WORDS = {
    "en": ("cannot", "nobody can", "no one can", "can't"),
    "vi": ("không thể biết", "không ai có thể", "không ai biết"),
    "th": ("ไม่สามารถรู้", "รู้ไม่ได้", "ไม่มีใคร", "ไม่อาจรู้"),
    "zh": ("无法知道", "无法确定", "谁也无法", "谁也分不清", "没有人能"),
}
PROMISES = (
    "No, they cannot",
    "Nobody can tell which of the two decided. "
    "Over many people, the percentages still come out about right.",
    "Nobody can tell whether you chose it or your coin did.",
)
# The beginnings of sentences that use such words for another promise.
ABOUT_OTHER_THINGS = (
    "This site cannot be used",
    "This survey mixes up answers on your own device. That needs JavaScript",
    "Getting ready",
    "This page needs JavaScript",
    "This browser cannot protect",
    "So toss it where nobody can see",
    "Over many people, chance evens out",
    "Nobody was asked",
    "Simulated data: nobody was asked",
    "What you can check",
    "<strong>Is this very page",
    "It covers every question",
    "Your invitation stays used",
    "You cannot withdraw in this browser",
    "%(name)s: too uncertain to show",
)


def sentences(language: str) -> dict[str, list[str]]:
    """Each English sentence of the catalogs with its translation into a language."""
    path = FOLDER / (language if language != MAIN else "vi") / "LC_MESSAGES" / "messages.po"
    found = {}
    for message in catalog_at(path):
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        strings = [message.string] if isinstance(message.string, str) else list(message.string)
        if ids[0]:
            found[ids[-1]] = ids if language == MAIN else strings
    return found


CATALOGS = {language: sentences(language) for language in LANGUAGES}


def words_in(text: str, language: str) -> list[str]:
    return [word for word in WORDS[language] if word in text.lower()]


def text_of(page: str) -> str:
    """The text that a reader sees, and the text that scripts may show later."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    shown = re.findall(r'(?:data-[\w-]+|aria-label|title)="([^"]*)"', page)
    text = html.unescape(" ".join([re.sub(r"<[^>]+>", "", page), *shown]))
    return " ".join(text.replace("\u00a0", " ").split())


def parts_of(sentence: str) -> list[str]:
    """The pieces of a sentence between its placeholders and tags, as on a page."""
    pieces = re.split(r"%\(\w+\)[sd]|\{\w+\}", re.sub(r"<[^>]+>", "", sentence))
    return [" ".join(piece.replace("%%", "%").split()) for piece in pieces if piece.strip()]


def promises_in(page: str, language: str) -> list[str]:
    """The words of promises that remain on a page."""
    text = text_of(page)
    if not words_in(text, language):
        return []
    for english, said in CATALOGS[language].items():
        if english.startswith(ABOUT_OTHER_THINGS):
            for piece in (piece for sentence in said for piece in parts_of(sentence)):
                text = text.replace(piece, " ")
    return words_in(text, language)


# --- the lists of words


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_promise_of_the_catalogs_has_one_of_the_words(language):
    for promise in PROMISES:
        (said,) = CATALOGS[language][promise]
        assert words_in(said, language), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sentence_with_such_a_word_is_a_promise_or_is_about_another_thing(language):
    for english, said in CATALOGS[language].items():
        if words_in(english, MAIN) or any(words_in(each, language) for each in said):
            assert english in PROMISES or english.startswith(ABOUT_OTHER_THINGS), english


# --- the pages


def pages(client, slug: str, *ends: str, languages=LANGUAGES):
    for end in ends:
        for language in languages:
            reply = client.get(f"/s/{slug}{end}", query_string={"language": language})
            assert reply.status_code == 200, (slug, end)
            yield language, reply.get_data(as_text=True)


def say(language: str, sentence: str, **values: object) -> str:
    said = sentence if language == MAIN else CATALOGS[language][sentence][0]
    return said % values if values else said


def bounds(document: dict) -> tuple[Fraction, Fraction]:
    """How sure someone could become of one answer and of all, from two equally likely ones."""
    odds = sorted(
        max(Fraction(max(column), min(column)) for column in zip(*table["rows"], strict=True))
        for table in document["tables"].values()
    )
    asked_of_all = document["definition"].get("budget", {}).get("per_respondent", "all")
    count = len(odds) if asked_of_all == "all" else asked_of_all["sample"]
    one, together = odds[-1], math.prod(odds[-count:])
    return one / (1 + one), together / (1 + together)


def times_in_hundred(certainty: Fraction, language: str) -> str:
    if certainty > Fraction(999, 1000):
        text = say(language, "more than %(share)s", share="99.9")
    else:
        digits = 1 if certainty > Fraction(99, 100) else 0
        number = f"{math.ceil(certainty * 100 * 10**digits) / 10**digits:g}"
        text = say(language, "at most %(number)s", number=number)
    return text.replace(".", ",") if language == "vi" else text


def expected_box(document: dict, language: str) -> str:
    """The whole text of the box on the first page."""
    fields = document["definition"]["questions"]
    private = len(document["tables"])
    one, together = bounds(document)
    if one > GUESS:
        heading = "Hardly protected"
    elif one > LOW or together > GUESS:
        heading = "Weakly protected"
    else:
        heading = "Protected" if private == len(fields) else "Partly protected"
    parts = [say(language, heading)]
    sample = document["definition"].get("budget", {}).get("per_respondent", "all")
    if private < len(fields):
        mixes = "Your device mixes up %(count)s of %(all)s answers before sending."
        count = private if sample == "all" else sample["sample"]
        parts.append(say(language, mixes, count=count, all=count + len(fields) - private))
    else:
        parts.append(say(language, "Your device mixes up each answer before sending."))
    times = times_in_hundred(one, language)
    if private > 1 and sample != {"sample": 1}:
        all_times = times_in_hundred(together, language)
        parts.append(say(language, SEVERAL, one=times, all=all_times))
    else:
        parts.append(say(language, ONE, times=times))
    if "series" in document["definition"]:
        parts.append(say(language, "Answering again can add to this."))
    return "".join("".join(parts).split())


def box_of(page: str) -> str:
    (box,) = re.findall(r'<div class="protection \w+">(.*?)</div>', page, re.DOTALL)
    return "".join(text_of(box).split())


def is_true(document: dict, language: str, page: str) -> None:
    """The first page of a survey says how sure someone could become, and not less."""
    assert box_of(page) == expected_box(document, language)
    one, together = bounds(document)
    rows = re.findall(r"<dd><strong>(.*?)</strong>", page)
    if one > GUESS:
        able = "They can be almost sure"
    elif together > LOW or "series" in document["definition"]:
        able = "They can guess"
    else:
        able = "No, they cannot"
    assert rows == [say(language, able)] * 3 + [say(language, "Yes, they can")] * 2
    promised = PROMISES[1] if language == MAIN else CATALOGS[language][PROMISES[1]][0]
    if able == "No, they cannot":
        assert promised in text_of(page)
    else:
        assert promises_in(page, language) == []


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_each_first_page_of_the_grid_says_what_its_tables_hold(client, store, epsilon):
    """Each survey in one language. The choice of sentences and numbers is the same in all.

    Over all ε, each design comes in each language, and each ε in each language for 20 designs.
    """
    for number, (count, sample, plain) in enumerate(GRID):
        language = LANGUAGES[(number + EPSILONS.index(epsilon)) % len(LANGUAGES)]
        questions = asked(epsilon, count)
        # The tables of a survey differ.
        if count > 1:
            questions[0] = yes_no("q0", privacy={"epsilon": epsilon / 2})
        questions += [yes_no(f"p{n}", privacy="none") for n in range(plain)]
        more = {} if sample is None else {"budget": {"per_respondent": {"sample": sample}}}
        opened(store, content(f"s{number}", questions, **more), limits=WIDE)
        document = client.get(f"/s/s{number}.json").json
        ((_, page),) = pages(client, f"s{number}", "", languages=[language])
        is_true(document, language, page)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("more", [{}, {"series": "waves"}])
def test_the_first_page_says_what_its_tables_hold(client, store, epsilon, more):
    questions = [*asked(epsilon, 2), yes_no("plain", privacy="none")]
    opened(store, content("s", questions, **more), limits=WIDE)
    document = client.get("/s/s.json").json
    for language, page in pages(client, "s", ""):
        is_true(document, language, page)


HEADINGS = ("Protected", "Partly protected", "Weakly protected", "Hardly protected")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_planted_wrong_label_or_number_is_found(client, store, language):
    opened(store, content("s", asked(2, 3)))
    document = client.get("/s/s.json").json
    page = client.get("/s/s", query_string={"language": language}).get_data(as_text=True)
    is_true(document, language, page)
    own = say(language, "Weakly protected")
    planted = [(own, say(language, heading)) for heading in HEADINGS]
    planted += [("89", "88"), ("89", "90"), (say(language, "They can guess"), "No")]
    for right, wrong in planted:
        assert right in page
        if right != wrong:
            with pytest.raises(AssertionError):
                is_true(document, language, page.replace(right, wrong))
    # A page that mixes up less than its words say.
    weaker = json.loads(json.dumps(document))
    for table in weaker["tables"].values():
        table["rows"] = [[99, 1], [1, 99]]
    with pytest.raises(AssertionError):
        is_true(weaker, language, page)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_questions_that_are_not_mixed_up_are_said_to_be_stored(client, store, epsilon):
    questions = [*asked(epsilon, 1), yes_no("plain", privacy="none")]
    opened(store, content("s", questions))
    document = client.get("/s/s.json").json
    for language, page in pages(client, "s", ""):
        is_true(document, language, page)
        assert 'class="mark warn plain"' in page


CHIPS = {
    "1.5": "Protected", "4": "Protected", "4.01": "Weakly protected", "19": "Weakly protected",
    "19.01": "Hardly protected", "99": "Hardly protected", None: "Not protected",
}  # fmt: skip


def test_the_chip_of_each_question_follows_its_own_table(client, store):
    """Up to 80 %, up to 95 %, above; whatever the other questions are. Only the last is a warning,
    as on the first screen."""
    questions = [
        yes_no(
            f"q{n}",
            privacy={"mechanism": "k_randomized_response", "odds": odds} if odds else "none",
        )
        for n, odds in enumerate(CHIPS)
    ]
    frozen = opened(store, content("s", questions), limits=WIDE)
    levels = [certainty_of_answer(question, frozen.survey) for question in frozen.survey.questions]
    assert levels == [0, 0, 1, 1, 2, 2, 2]
    for language, page in pages(client, "s", ""):
        chips = re.findall(
            r'<span class="mark( weak| warn)?( plain)?"><strong>(.*?)</strong>', page
        )
        say = Words(language).say
        assert chips == [
            (("", " weak", " warn")[level], "" if odds else " plain", say(CHIPS[odds]))
            for level, odds in zip(levels, CHIPS, strict=True)
        ]


def test_a_first_page_with_experimental_arms_counts_what_one_respondent_is_asked(client, store):
    """Each arm has one question, which is mixed up, stored as given, or a second mixed-up one."""
    arms = ("mixed", "direct", "strong")
    arm = {"name": "arm", "type": "select_one", "label": "Arm", "privacy": "none",
           "choices": [{"name": name, "label": name} for name in arms],
           "derived": {"random": dict.fromkeys(arms, 1)}}  # fmt: skip
    odds = {"mixed": 3, "strong": 2}
    questions = [
        yes_no(
            name,
            {"mechanism": "randomized_response", "odds": odds[name]} if name in odds else "none",
        )
        | {"relevant": {"arm": name}, "otherwise": "no"}
        for name in arms
    ]
    opened(store, content("s", [arm, *questions]))
    assert client.get("/s/s.json").json["epsilon"] == pytest.approx(math.log(3))
    # In two of the three arms, the question is mixed up.
    mixes = "Your device mixes up answers, but by chance not everyone’s."
    for language, page in pages(client, "s", ""):
        parts = [
            say(language, "Partly protected"),
            say(language, mixes),
            say(language, ONE, times=say(language, "at most %(number)s", number=75)),
        ]
        assert box_of(page) == "".join("".join(parts).split())
    page = client.get("/s/s").get_data(as_text=True)
    assert "1 question<" in page
    assert "Some questions may be marked" in page
    # Without the direct question, everything is mixed up: the page draws the arm.
    opened(store, content("t", [arm | {"derived": {"random": dict.fromkeys(arms, 1)}},
                                questions[0], questions[2]]))  # fmt: skip
    page = client.get("/s/t").get_data(as_text=True)
    assert say("en", "Your device mixes up each answer before sending.") in page
    assert ">Protected<" in page


def test_a_survey_that_mixes_nothing_up_promises_nothing(client, store):
    opened(store, content("s", [yes_no(privacy="none")]))
    for language, page in pages(client, "s", "", "/verify"):
        assert promises_in(page, language) == []


def test_a_series_promises_nothing_since_waves_add_up(client, store):
    opened(store, content("s", asked(0.1, 1), series="waves"))
    for language, page in pages(client, "s", "", "/verify"):
        assert promises_in(page, language) == []


def test_no_page_around_a_survey_promises_more(client, store):
    """Above 80 %: verification, paper-and-coin mode, comprehension test, and results."""
    coin = [yes_no(f"q{n}", privacy={"mechanism": "coin_flip"}) for n in range(2)]
    opened(store, content("s", coin, by_hand=True, comprehension=True, receipts=False))
    store.shares.publish("s", True)
    for number in range(25):
        store.responses.add_response("s", Response(bytes([number]) * 16, (number % 2, number % 2)))
    ends = (
        "",
        "/how",
        "/verify",
        "/by-hand",
        ".comprehension",
        ".comprehension/verify",
        "/results",
    )
    for language, page in pages(client, "s", *ends):
        assert promises_in(page, language) == []
    for path in ("/", "/how", "/verify"):
        for language in LANGUAGES:
            page = client.get(path, query_string={"language": language}).get_data(as_text=True)
            assert promises_in(page, language) == [], path


def test_by_hand_one_coin_flip_keeps_its_promise(client, store):
    coin = [yes_no(privacy={"mechanism": "coin_flip"})]
    opened(store, content("s", coin, by_hand=True, receipts=False))
    for language, page in pages(client, "s", "/by-hand"):
        for promise in (PROMISES[0], PROMISES[2]):
            assert CATALOGS[language][promise][0] in text_of(page)


def test_a_survey_above_the_usual_limits_has_true_words(client, store):
    opened(store, content("s", asked(12, 2)), limits=WIDE)
    document = client.get("/s/s.json").json
    for language, page in pages(client, "s", ""):
        is_true(document, language, page)
        # Not only the two boxes that always say "can".
        assert page.count('<div class="warn">') == 5


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("planted", PROMISES)
def test_a_planted_promise_is_found(client, store, planted, language):
    opened(store, content("s", asked(2, 1)))
    page = client.get("/s/s", query_string={"language": language}).get_data(as_text=True)
    assert promises_in(page, language) == []
    (said,) = CATALOGS[language][planted]
    wrong = page.replace("<strong>", f"<strong>{html.escape(said)} ", 1)
    assert promises_in(wrong, language)


# --- the boundary of 80 %


@pytest.mark.parametrize(
    ("rows", "promised"),
    [
        # Exactly 80 %.
        ([[4, 1], [1, 4]], True),
        ([[4_000_000, 1_000_001], [1_000_001, 4_000_000]], True),
        ([[4_000_001, 1_000_000], [1_000_000, 4_000_001]], False),
    ],
)
def test_eighty_percent_is_the_last_that_promises(rows, promised):
    private = {"mechanism": "table", "rows": rows}
    assert nobody_can_tell(parse_survey(definition(yes_no(privacy=private)))) is promised


def test_ratio_bounds_that_are_not_finite_promise_nothing():
    private = {"mechanism": "table", "rows": [[2, 0], [1, 1]]}
    assert not nobody_can_tell(parse_survey(definition(yes_no(privacy=private))))


# --- the practice toss


CHOICES = {
    "name": "c",
    "type": "select_one",
    "label": "?",
    "choices": [{"name": name, "label": name} for name in ("x", "y", "z")],
}


@pytest.mark.parametrize(
    ("question", "table"),
    [
        (yes_no("b", {"mechanism": "coin_flip"}), "3 1 1 3"),
        (yes_no("b", {"mechanism": "table", "rows": [[190, 10], [10, 190]]}), "19 1 1 19"),
        # Both answers are protected differently.
        (yes_no("b", {"mechanism": "table", "rows": [[8, 2], [4, 6]]}), "4 1 2 3"),
        # The other answer is sent more often, so the example only has the same bound.
        (yes_no("b", {"mechanism": "table", "rows": [[1, 3], [3, 1]]}), "3 1 1 3"),
        # Three answers.
        (CHOICES | {"privacy": {"mechanism": "k_randomized_response", "odds": 5}}, "5 1 1 5"),
    ],
)
def test_the_practice_and_the_explanation_have_the_chances_of_the_answer_mixed_up_least(
    client, store, question, table
):
    survey = definition(yes_no("a", privacy={"epsilon": 0.3}), question)
    opened(store, survey, limits=PrivacyLimits(Fraction("99.99"), Fraction(50)))
    assert f'<div id="practice" data-table="{table}">' in client.get("/s/health").text
    assert f'<main id="how" data-table="{table}"' in client.get("/s/health/how").text


def test_the_explanation_states_the_chances_of_its_table(client, store):
    rows = {"mechanism": "table", "rows": [[80, 20], [40, 60]]}
    opened(store, definition(yes_no(privacy=rows)))
    text = text_of(client.get("/s/health/how").text)
    for sentence in (
        "Of 100 people who answer “Yes”, 80 send “Yes” and 20 send “No”. "
        "Of 100 people who answer “No”, 40 send “Yes” and 60 send “No”.",
        # The answer is kept with (80 - 40) / 100. Chance then says Yes in 40 of 60 cases.
        "In 40 of 100 draws, it keeps your own answer.",
        "“Yes” in about 67 of 100 draws",
        "chance alone would still make 40 of 100 people send “Yes”",
        "at most 2 times as likely to come from the first",
        "A “No” is at most 3 times as likely to come from the second",
        # Before, and after: 2 x 10 / (2 x 10 + 90), 2 x 50 / 150, 2 x 90 / 190; rounded up.
        "10 % 19 %", "50 % 67 %", "90 % 95 %",
    ):  # fmt: skip
        assert sentence in text, sentence
    assert "coin" not in text
    assert "die" not in text.split()
    general = text_of(client.get("/how").text)
    assert "3 to 1, and never more" in general
    assert "10 % 25 %" in general
    opened(store, definition(yes_no(privacy={"mechanism": "coin_flip"}), slug="coins"))
    assert "3 to 1, and never more" in text_of(client.get("/s/coins/how").text)


def test_the_two_draws_of_the_explanation_are_the_table():
    """The first draw keeps the answer with the difference of both rows, as the page says."""
    for table in (((3, 1), (1, 3)), ((4, 1), (2, 3)), ((99, 1), (1, 99)), ((7, 93), (5, 95))):
        (yes_yes, yes_no), (no_yes, _) = table
        total = yes_yes + yes_no
        kept, rest = Fraction(yes_yes - no_yes, total), Fraction(no_yes, no_yes + yes_no)
        assert kept + (1 - kept) * rest == Fraction(yes_yes, total)
        assert (1 - kept) * rest == Fraction(no_yes, total)
        chances = example_chances(table)
        assert chances.ratio_bound == max(
            Fraction(max(column), min(column)) for column in zip(*table, strict=True)
        )


def test_where_an_answer_is_almost_sure_the_explanation_does_not_say_otherwise(client, store):
    opened(store, content("s", asked(4, 1)))
    for language, page in pages(client, "s", "/how"):
        doubtful = next(
            said[0] for english, said in CATALOGS[language].items()
            if english.startswith("<strong>A “Yes” in the data does not mean")
        )  # fmt: skip
        assert doubtful not in page
        assert say(language, "Your tries so far") in page
    assert "This survey changes few answers." in client.get("/s/s/how").text


def test_a_survey_that_mixes_nothing_up_has_the_general_explanation(client, store):
    opened(store, content("s", [yes_no(privacy="none")]))
    text = text_of(client.get("/s/s/how").text)
    assert "These numbers come from two coin tosses." in text
    assert client.get("/s/unknown/how").status_code == 404


@pytest.mark.parametrize(
    ("rows", "level", "protection"),
    [
        ([[4, 1], [1, 4]], Certainty.LOW, "full"),
        ([[4_000_001, 1_000_000], [1_000_000, 4_000_001]], Certainty.GUESS, "weak"),
        ([[19, 1], [1, 19]], Certainty.GUESS, "weak"),
        ([[19_000_001, 1_000_000], [1_000_000, 19_000_001]], Certainty.NEARLY_SURE, "hardly"),
        ([[2, 0], [1, 1]], Certainty.NEARLY_SURE, "hardly"),
    ],
)
def test_a_question_and_its_survey_have_one_of_three_levels(rows, level, protection):
    survey = parse_survey(definition(yes_no(privacy={"mechanism": "table", "rows": rows})))
    assert certainty_of_answer(survey.private[0], survey) == level
    assert protection_of_survey(survey) == protection


def test_the_practice_draws_with_ratio_bounds_that_fit_one_draw():
    """For unary encoding it is a product, whose integers may have up to twenty digits."""
    bits = UnaryEncoding(4, ((100_001, 99_999), (49_999, 150_001)))
    survey = parse_survey(definition(yes_no()))
    survey = replace(survey, questions=(replace(survey.questions[0], randomizer=bits),))
    assert sum(survey.ratio_bound.as_integer_ratio()) > 2**32
    (own, other), reverse = example_table(survey)
    assert reverse == (other, own)
    assert own + other == 2**32
    assert Fraction(own, other) == pytest.approx(survey.ratio_bound, rel=1e-8)
