"""Pages promise that nobody can tell an answer only if this is true.

If someone could become more than 80 % sure of all answers together, no page says "they cannot" or
"nobody can be certain". The application renders the surveys in all languages. The test removes all
other sentences of the catalogs from a page, and searches the rest for the words of a promise.
"""

import html
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from survey.core.factored_randomizers import UnaryEncoding
from survey.core.languages import FOLDER, LANGUAGES, MAIN, Words
from survey.definition.certainty import certainty_of_question, nobody_can_tell
from survey.definition.frozen import freeze
from survey.definition.privacy_limits import PrivacyLimits
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.comprehension_results import understood
from survey.planning.privacy_text import practice_row
from tests.support.definitions import WIDE, definition, opened, yes_no
from tools.translations import catalog_at

EPSILONS = (0.1, 0.5, 1, 1.38, 1.39, 2, 3, 4.59, 8, 12)
COUNTS = range(1, 11)
# The words of a promise in each language.
WORDS = {
    "en": ("cannot", "nobody can", "no one can", "can't"),
    "vi": ("không thể biết", "không ai có thể", "không ai biết"),
    "th": ("ไม่สามารถรู้", "รู้ไม่ได้", "ไม่มีใคร", "ไม่อาจรู้"),
    "zh": ("无法知道", "无法确定", "谁也无法", "谁也分不清", "没有人能"),
}
PROMISES = (
    "No, they cannot",
    "Nobody can tell which. Over many people, the percentages still come out about right.",
    "Nobody can tell whether you chose it or your coin did.",
)
# The beginnings of sentences that use such words for another promise.
ABOUT_OTHER_THINGS = (
    "This site cannot be used",
    "This survey mixes up your answers on your own device. That needs JavaScript",
    "Getting ready",
    "This browser cannot protect",
    "So toss it where nobody can see",
    "One person's “Yes” says little",
    "Nobody was asked",
    "What you can check",
    "<strong>Is this very page",
    "It covers every question",
    "Your invitation stays used",
    "You cannot withdraw in this browser",
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


def asked(epsilon: float, count: int) -> list[dict]:
    return [yes_no(f"q{n}", privacy={"epsilon": epsilon}) for n in range(count)]


def content(slug: str, questions: list[dict], **more: object) -> dict:
    """A survey in all languages."""
    labels = {entry["name"]: {"label": "?"} for entry in questions}
    other = {"title": "Health", "questions": labels}
    translations = {language: other for language in LANGUAGES if language != MAIN}
    return definition(*questions, slug=slug, translations=translations, **more)


def pages(client, slug: str, *ends: str):
    for end in ends:
        for language in LANGUAGES:
            reply = client.get(f"/s/{slug}{end}", query_string={"language": language})
            assert reply.status_code == 200, (slug, end)
            yield language, reply.get_data(as_text=True)


def is_true(survey, language: str, page: str) -> None:
    """The first page of a survey: its words match the likelihood ratio bounds of its tables."""
    text = text_of(page)
    odds = survey.odds
    share = 100 * odds / (1 + odds)
    view = text_of(re.sub(r"<details.*?</details>", " ", page, flags=re.DOTALL))
    if share > 80:
        assert promises_in(page, language) == []
        # They are rounded up, and use the decimal sign of the language.
        shown = [Fraction(n.replace(",", ".")) for n in re.findall(r"([\d.,]*\d) ?%", view)]
        assert shown, view
        assert max(shown) >= share or max(shown) == Fraction("99.9"), view
        assert 100 not in shown
    else:
        for promise in PROMISES[:2]:
            (said,) = CATALOGS[language][promise]
            assert said in text


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_first_page_promises_more_than_its_tables_hold(client, store, epsilon):
    for count in COUNTS:
        frozen = opened(store, content(f"s{count}", asked(epsilon, count)), limits=WIDE)
        for language, page in pages(client, f"s{count}", ""):
            is_true(frozen.survey, language, page)


@pytest.mark.parametrize(
    ("epsilon", "count", "more"),
    [
        (1, 10, {"budget": {"per_respondent": {"sample": 1}}}),
        (1, 10, {"budget": {"per_respondent": {"sample": 2}}}),
        (4, 3, {"budget": {"per_respondent": {"sample": 1}}}),
    ],
)
def test_of_those_that_chance_picks_the_costliest_count(client, store, epsilon, count, more):
    frozen = opened(store, content("s", asked(epsilon, count), **more))
    for language, page in pages(client, "s", ""):
        is_true(frozen.survey, language, page)


@pytest.mark.parametrize("epsilon", [1, 2])
def test_questions_that_are_not_mixed_up_are_said_to_be_stored(client, store, epsilon):
    questions = [*asked(epsilon, 1), yes_no("plain", privacy="none")]
    frozen = opened(store, content("s", questions))
    for language, page in pages(client, "s", ""):
        is_true(frozen.survey, language, page)
        assert 'class="mark weak plain"' in page


CHIPS = {
    "1.5": "Protected", "4": "Protected", "4.01": "Weakly protected", "19": "Weakly protected",
    "19.01": "Hardly protected", "99": "Hardly protected", None: "Not protected",
}  # fmt: skip


def test_the_chip_of_each_question_follows_its_own_table(client, store):
    """Up to 80 %, up to 95 %, above; whatever the other questions are. Only the first is no
    warning."""
    questions = [
        yes_no(
            f"q{n}",
            privacy={"mechanism": "k_randomized_response", "odds": odds} if odds else "none",
        )
        for n, odds in enumerate(CHIPS)
    ]
    frozen = opened(store, content("s", questions), limits=WIDE)
    levels = [certainty_of_question(question) for question in frozen.survey.questions]
    assert levels == [0, 0, 1, 1, 2, 2, 2]
    for language, page in pages(client, "s", ""):
        chips = re.findall(r'<span class="mark( weak)?( plain)?"><strong>(.*?)</strong>', page)
        say = Words(language).say
        assert chips == [
            (" weak" if level else "", "" if odds else " plain", say(CHIPS[odds]))
            for level, odds in zip(levels, CHIPS, strict=True)
        ]


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
    ends = ("", "/verify", "/by-hand", ".comprehension", ".comprehension/verify", "/results")
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


def test_a_survey_from_before_there_were_limits_has_true_words(client, store):
    survey = parse_survey(content("s", asked(12, 2)))
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey, None, to_open=False), "open")
    for language, page in pages(client, "s", ""):
        is_true(survey, language, page)
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


def test_odds_that_are_not_finite_promise_nothing():
    private = {"mechanism": "table", "rows": [[2, 0], [1, 1]]}
    assert not nobody_can_tell(parse_survey(definition(yes_no(privacy=private))))


# --- the practice toss


@pytest.mark.parametrize(
    ("privacy", "row"),
    [
        ({"mechanism": "coin_flip"}, "3 1"),
        ({"mechanism": "table", "rows": [[190, 10], [10, 190]]}, "19 1"),
    ],
)
def test_the_practice_is_mixed_up_as_the_answer_that_is_mixed_up_least(client, store, privacy, row):
    survey = definition(yes_no("a", privacy={"epsilon": 0.3}), yes_no("b", privacy=privacy))
    opened(store, survey, limits=PrivacyLimits(Fraction("99.99"), Fraction(50)))
    page = client.get("/s/health").get_data(as_text=True)
    assert f'<details id="practice" data-row="{row}">' in page


def test_the_practice_draws_with_odds_that_fit_one_draw():
    """For unary encoding it is a product, whose integers may have up to twenty digits."""
    bits = UnaryEncoding(4, ((100_001, 99_999), (49_999, 150_001)))
    survey = parse_survey(definition(yes_no()))
    survey = replace(survey, questions=(replace(survey.questions[0], randomizer=bits),))
    assert sum(survey.odds.as_integer_ratio()) > 2**32
    own, other = practice_row(survey)
    assert own + other == 2**32
    assert Fraction(own, other) == pytest.approx(survey.odds, rel=1e-8)


# --- the comprehension test


def earlier_test(store, epsilon: float) -> None:
    """A survey whose test opened when its words did not depend on ε."""
    survey = parse_survey(content("s", asked(epsilon, 1), comprehension=True))
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey), "open")
    written = store.surveys.by_slug("s.comprehension").survey.as_definition()
    (differs,) = (c for c in written["questions"][0]["choices"] if c["name"] == "differs")
    differs |= {"name": "mixed", "label": "A mixed-up answer, from which nobody can tell"}
    for translation in written["translations"].values():
        choices = translation["questions"]["learnt"]["choices"]
        choices["mixed"] = choices.pop("differs")
    test = freeze(parse_survey(written, stored={}), None, to_open=False)
    with store.database.transaction("s.comprehension") as db:
        db.execute(
            "UPDATE surveys SET document = ? WHERE slug = 's.comprehension'", [test.to_json()]
        )


@pytest.mark.parametrize(
    ("epsilon", "scored"), [(1, ["mixed", "either", "screen"]), (2, [None, "either", None])]
)
def test_an_earlier_test_scores_nobody_can_tell_only_where_that_is_so(
    researcher, store, epsilon, scored
):
    earlier_test(store, epsilon)
    for number in range(25):
        store.responses.add_response("s.comprehension", Response(bytes([number]) * 16, (1, 3, 0)))
    found = store.surveys.by_slug("s.comprehension")
    results = survey_results(found.frozen, store.counts.by_question("s.comprehension"), "browser")
    told = understood(results, store.surveys.by_slug("s").survey)
    assert [each.is_right for each in told] == scored
    assert [each.right is not None for each in told] == [name is not None for name in scored]
    page = researcher.client.get("/admin/surveys/s/results").text
    assert page.count('<span class="tag">right</span>') == 3 - scored.count(None)
    assert page.count("This question is not scored, because") == scored.count(None)
