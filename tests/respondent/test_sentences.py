"""Every sentence about protection is true for its survey, over a grid of designs.

The pages mark their sentences (tests/support/marked_sentences.py). A table has the condition under
which each sentence is true. The conditions use only the public document, with fractions of their
own (tests/support/sent_facts.py). A sentence about protection that the table lacks fails the test.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from survey.core.errors import AboveLimit
from survey.core.languages import LANGUAGES, MAIN
from tests.support.certainty_grid import all_designs
from tests.support.definitions import opened
from tests.support.marked_sentences import mark_sentences, sentences_on, unmarked
from tests.support.sent_facts import GUESS, LOW, Facts, facts_of, percent_up, rows_of

Values = dict[str, str]
Condition = Callable[[Facts, Values], bool]


def number(text: str) -> float:
    """The number in a text of any language."""
    (found,) = re.findall(r"[0-9]+(?:[.,][0-9]+)?", text)
    return float(found.replace(",", "."))


def is_percent(text: str, odds: Fraction) -> bool:
    expected = percent_up(odds)
    return number(text) == float("99.9" if expected == "more" else expected)


def is_between(text: str, low: Fraction, high: Fraction) -> bool:
    ends = [percent_up(odds).replace("more", "99.9") for odds in (low, high)]
    return float(ends[0]) <= number(text) <= float(ends[1])


def is_epsilon(text: str, odds: Fraction) -> bool:
    """Rounded up to two decimals, or to two digits below 0.1."""
    loss = math.log(odds.numerator) - math.log(odds.denominator)
    places = 2 if loss >= 0.1 else 1 - math.floor(math.log10(loss))
    return number(text) == pytest.approx(math.ceil(loss * 10**places - 1e-6) / 10**places)


def count_in(values: Values) -> int:
    """The number in a sentence, or 1 for the English singular, which has none."""
    return int(values.get("count", 1))


def several(facts: Facts) -> bool:
    """Whether some person sends more than one report."""
    reports = max(facts.mixed) + facts.hidden
    joint = sum("joint" in each["derived"] for each in facts.derived)
    return reports > 1 and not (joint == 1 and facts.product == facts.one)


def nobody_knows(facts: Facts, values: Values) -> bool:
    return facts.product <= LOW and not facts.waves


def people(facts: Facts, values: Values, derived: bool) -> bool:
    """Whether the numbers of 100 people are those of an answer of such a table."""
    shown = [
        float(each.replace(",", ".")) for each in re.findall(r"\d+(?:[.,]\d+)?", values["sent"])
    ]
    for question in facts.questions:
        if ("derived" in question) == derived and question["name"] in facts.document["tables"]:
            for row in rows_of(facts.document, question) or ():
                chances = [float(100 * each) for each in row]
                pairs = zip(shown, chances, strict=True)
                if len(shown) == len(chances) and all(abs(a - b) <= 0.51 for a, b in pairs):
                    return True
    return False


def joint_people(facts: Facts, values: Values) -> bool:
    own, other = (number(values[name]) for name in ("own", "other"))
    for each in facts.derived:
        (first, *_), *_ = rows_of(facts.document, each), ()
        if abs(first[0] * 100 - own) <= 0.5 and abs(first[1] * 100 - other) <= 0.5:
            return int(values["others"]) == len(first) - 1
    return False


def marked_given(facts: Facts, values: Values) -> bool:
    return facts.given == {count_in(values)} and facts.asked == {int(values["all"])}


def no_less(facts: Facts, values: Values) -> bool:
    """All sets: the number is exact, or larger for answers that depend on each other."""
    return several(facts) and is_between(values["all"], facts.together, facts.product)


def mixed(facts: Facts, values: Values) -> bool:
    return facts.private


def only_mixed(facts: Facts, values: Values) -> bool:
    return facts.private and not facts.hidden and facts.given == {0}


def hidden(facts: Facts, values: Values) -> bool:
    return facts.hidden > 0


def waves(facts: Facts, values: Values) -> bool:
    return facts.waves


def some_given(facts: Facts, values: Values) -> bool:
    return max(facts.given) > 0


def as_given(facts: Facts, values: Values) -> bool:
    """Some answers are sent as given, also those that a second statement hides."""
    return max(facts.given) > 0 or facts.hidden > 0


def kept(facts: Facts, values: Values) -> bool:
    return facts.kept > 0


def joint(facts: Facts, values: Values) -> bool:
    return any("joint" in each["derived"] for each in facts.derived)


def doubtful(facts: Facts, values: Values) -> bool:
    return facts.private and facts.one <= GUESS


def protected(facts: Facts, values: Values) -> bool:
    return facts.private or facts.hidden > 0


def by_hand(facts: Facts, values: Values) -> bool:
    return facts.document["definition"]["slug"].endswith(".by-hand")


# The beginning of each sentence about protection, and when it is true.
SENTENCES: dict[str, Condition] = {
    # what is mixed up
    "Your device mixes up each answer before": lambda f, v: only_mixed(f, v) and f.kept == 0,
    "Your device mixes up what it sends about": lambda f, v: only_mixed(f, v) and f.kept > 0,
    "Your device mixes up %(count)s of %(all)s": lambda f, v: (
        f.mixed == {count_in(v)} and f.given == {int(v["all"]) - count_in(v)}
    ),
    "Your device mixes up all your answers but": lambda f, v: f.given == {count_in(v)},
    "Your device mixes up answers, but by chance": lambda f, v: (
        f.arms > 1 and len(f.mixed) > 1 and max(f.given) > 0
    ),
    "Your device mixes up some answers, and": lambda f, v: f.private and max(f.given) > 0,
    "Your device or a second statement hides some": lambda f, v: (
        f.private and f.hidden > 0 and max(f.given) > 0
    ),
    "Your device or a second statement hides each": lambda f, v: (
        f.private and f.hidden > 0 and f.given == {0}
    ),
    "A second statement hides some": lambda f, v: not f.private and f.hidden and max(f.given),
    "A second statement hides each": lambda f, v: not f.private and f.hidden and f.given == {0},
    "This survey does not mix up your answers.": lambda f, v: not protected(f, v),
    "This survey mixes up answers on your own": mixed,
    "To mix up an answer, your device tosses": mixed,
    "Your device picks <strong>%(count)s": lambda f, v: f.mixed == {count_in(v)},
    # how well someone can guess
    "Of 100 guesses between two answers, 50 are right if blind, and %(times)s with your mixed": (
        lambda f, v: not several(f) and f.hidden == 0 and is_percent(v["times"], f.one)
    ),
    "Of 100 guesses between two answers, 50 are right if blind, and %(times)s with your hidden": (
        lambda f, v: not several(f) and f.hidden == 1 and is_percent(v["times"], f.one)
    ),
    "Of 100 guesses between two answers, 50 are right if blind, %(one)s with one mixed": (
        lambda f, v: no_less(f, v) and f.hidden == 0 and is_percent(v["one"], f.one)
    ),
    "Of 100 guesses between two answers, 50 are right if blind, %(one)s with one hidden": (
        lambda f, v: no_less(f, v) and f.hidden > 0 and is_percent(v["one"], f.one)
    ),
    "Suppose someone thinks that two answers": lambda f, v: (
        is_percent(v["one"], f.one) and ("all" not in v or no_less(f, v))
    ),
    "Compare two sets of answers": lambda f, v: is_epsilon(v["epsilon"], f.product),
    "Someone who knows you, or knows how common": protected,
    "The protection as one number": lambda f, v: (
        any(is_epsilon(v["epsilon"], odds) for odds in f.about.values())
    ),
    "%(n)s results depend on this answer.": lambda f, v: (
        any(is_epsilon(v["epsilon"], odds) for odds in f.about.values())
    ),
    "What was sent almost reveals": lambda f, v: f.one > GUESS and is_percent(v["sure"], f.one),
    # who can know
    "No, they cannot": nobody_knows,
    "They can guess": lambda f, v: f.one <= GUESS and not nobody_knows(f, v),
    "They can be almost sure": lambda f, v: f.one > GUESS,
    "They get only mixed": lambda f, v: f.private and f.hidden == 0,
    "They get what is sent, but not whether B": hidden,
    "Someone who knows whether statement B": hidden,
    "If they get what is sent.": hidden,
    "Where you compare statements A and B": hidden,
    "They never learn whether": lambda f, v: nobody_knows(f, v) and f.hidden == 0,
    "They get the same": protected,
    "Nobody can tell which of the two": lambda f, v: f.private and nobody_knows(f, v),
    "Nobody can tell whether you chose it": nobody_knows,
    "What you send may be your answer, or": by_hand,
    # what is stored as given
    "Some questions may be marked <strong>Not": lambda f, v: (
        max(f.given) > 0 and (len(f.given) > 1 or len(f.asked) > 1)
    ),
    "%(count)s of the %(all)s questions are marked": marked_given,
    "stored as you give it": some_given,
    "Answers to questions marked “Not protected”": some_given,
    "What you write is stored": some_given,
    "Answers that were sent as you gave them stay": as_given,
    "Protected answers:": as_given,
    # what stays in the page, results, and joint reports
    "Your device does not send %(count)s": lambda f, v: f.kept == count_in(v),
    "%(count)s answers stay on your device.": lambda f, v: f.kept == count_in(v),
    "stays on your device": kept,
    "only a mixed-up result is sent": kept,
    "mixed up on your device, together": joint,
    "mixed up on your device": mixed,
    "These answers are mixed up together:": joint,
    "For “%(result)s”, which your device": lambda f, v: len(f.derived) > 0,
    "For the question that is mixed up least": lambda f, v: len(f.document["tables"]) > 1,
    "Of 100 people who answer “%(answer)s”": lambda f, v: people(f, v, derived=False),
    "Of 100 people with the result": lambda f, v: people(f, v, derived=True),
    "Of 100 people with the same answers, %(own)s": joint_people,
    # crosswise questions
    "hidden by statement B, not mixed up": hidden,
    "How well statement B hides": hidden,
    "Compare statements A and B.": hidden,
    "Your device does not mix up this answer.": lambda f, v: (
        any(is_percent(v["times"], odds) for odds in f.about.values())
    ),
    "Of 100 people for whom A is true": hidden,
    # the review, sending, and the last page
    "When you press “%(button)s”, each answer is": lambda f, v: (
        only_mixed(f, v) and f.kept == 0 and f.arms == 1 and f.mixed == f.asked
    ),
    "When you press “%(button)s”, the answers that your device picked": only_mixed,
    "When you press “%(button)s”, the answers under": mixed,
    "When you press “%(button)s”, your answers": lambda f, v: not f.private,
    "Your answers are mixed up and erased": lambda f, v: only_mixed(f, v) and f.kept == 0,
    "Your answers are erased from this page. Only": lambda f, v: only_mixed(f, v) and f.kept > 0,
    "Your answers to the mixed-up questions are": lambda f, v: f.private and as_given(f, v),
    "Your answers are erased from this page, except": lambda f, v: f.kept and as_given(f, v),
    "Your answers are being sent.": lambda f, v: not f.private,
    "Your real answers are erased from": only_mixed,
    "A “%(answer)s” in our data does not": lambda f, v: doubtful(f, v) and not as_given(f, v),
    "“%(answer)s” among the mixed-up answers does": doubtful,
    "A mixed-up answer in our data does not": doubtful,
    "<strong>Mixed-up answers</strong> may differ from what you chose. This": doubtful,
    "<strong>Mixed-up answers</strong> may differ from what you chose, but": (
        lambda f, v: f.private and f.one > GUESS
    ),
    # waves
    "Answering again can add": waves,
    "These numbers are for taking part once.": waves,
    "This survey runs several times.": waves,
    "Without this number, others may guess": waves,
    "Anyone who compares two rounds": waves,
    # paper and coin
    "You mix up your answers yourself": by_hand,
    "On this page, your own coin mixes up answers.": by_hand,
    "How your coin fell is never sent.": by_hand,
    "Someone who sees both your coin and": by_hand,
    "Toss your coin": by_hand,
    "Take a real coin.": by_hand,
    "Choose what the table says, even": by_hand,
    "The coin shows": by_hand,
    "How well the coin hides your answer": by_hand,
    "No coin is needed here.": as_given,
    "toss ": by_hand,
    "choose your real answer below.": by_hand,
    "When you press “Send”, what you chose above is": by_hand,
}  # fmt: skip
# The headings and chips have a test of their own below. The rest is true for each survey.
LEVELS = ("Protected", "Partly protected", "Weakly protected", "Hardly protected", "Not protected")
TRUE_FOR_ALL = (
    "Who can see my answers?", "Who can learn your real answers?", "How to check",
    "Someone who looks at your screen", "While your answers are on the screen.",
    "Someone who runs this site, if they", "Anyone who hosts this site", "Yes, they can",
    "Your network, this browser’s history", "This browser cannot protect your answers",
    "Over many people, the percentages", "Have you ever talked to a plant?",
    "You said “%(answer)s”. This time", "How this answer is mixed up", "What is sent about this",
    "Taking part is up to you", "What are the numbers?", "Mix up and send", "Will be mixed up",
    "Will be sent as", "Will not be sent", "Stay on your device", "Sent mixed up", "Sent as you",
    "Not sent", "Drawn at random", "not sent: your device did not", "Your answers have not left",
    "Send", "Sending",     "You can close this page now.",
    "If you leave this page", "What left this device", "Exactly what was sent",
    "<span>Mixed up</span>", "The server did not accept", "This device is offline",
    "The code of your invitation is not stored", "%(people)s send “%(report)s”",
    "Remember this device", "This device is remembered", "Forget this device",
    "This browser does not let",
    "Yes, keep a random number", "No connection yet.", "Not sent yet.", "Sent. Thank you.",
    "The code could not be checked", "This page needs JavaScript", "This page does not work",
    "Take part without JavaScript", "Take part in this browser", "So toss it where nobody",
    "The other language could not", "Contact and help", "This survey was answered in this tab.",
    "From the people running", "The people running",
)  # fmt: skip
# What a sentence about protection can contain.
WORDS = re.compile(
    r"protect|mix|sure|guess|real|hid|reveal|\btell|learn|know|ε|likely|chance|drawn|coin|toss|"
    r"stays?\b|kept|\bkeep|stored|\bsen[dt]|given|device|statement|\bcan\b|cannot|nobody|never",
    re.IGNORECASE,
)
CHIP = re.compile(r'<span class="mark( weak| warn)?( plain)?"><strong>(.*?)</strong>', re.DOTALL)
QUESTION = re.compile(r'data-question="(\w+)"')
BOX = re.compile(r'<div class="protection (\w+)">\s*<h2>(.*?)</h2>', re.DOTALL)
HEADINGS = dict(zip(("full", "partial", "weak", "hardly", "none"), LEVELS, strict=True))


def condition_of(sentence: str) -> Condition | None:
    """The condition of a sentence; None if it is about something else. Fails if it is unknown."""
    for beginning, condition in SENTENCES.items():
        if sentence.startswith(beginning):
            return condition
    known = sentence in LEVELS or sentence.startswith(TRUE_FOR_ALL)
    assert known or not WORDS.search(sentence), f"not in the table: {sentence!r}"
    return None


def check_sentences(facts: Facts, page: str) -> None:
    found = sentences_on(page)
    for sentence, values in found:
        condition = condition_of(sentence)
        if condition is not None:
            about = facts.document["definition"]["slug"], sentence, values
            assert condition(facts, values), about
    # What is said of all other questions follows the questions that are not protected.
    scoped = any("marked <strong>Not protected" in sentence for sentence, _ in found)
    answering = any(sentence == "What left this device" for sentence, _ in found)
    if answering and protected(facts, {}):
        assert scoped == (max(facts.given) > 0)


def check_levels(facts: Facts, page: str) -> None:
    """The heading follows the weakest answer and all together, and each chip its own answer."""
    if "data-question" not in page:
        return
    ((level, heading),) = BOX.findall(page)
    assert level == facts.level
    assert sentences_on(heading)[0][0] == HEADINGS[level]
    for part in re.split(r"(?=data-question=)", page)[1:]:
        (name,), chip = QUESTION.findall(part)[:1], CHIP.search(part)
        if chip is None:
            continue
        odds = facts.about.get(name)
        if name in {each["name"] for each in facts.derived}:
            continue
        expected = (
            "Not protected"
            if odds is None
            else (
                "Hardly protected"
                if odds > GUESS
                else "Weakly protected"
                if odds > LOW
                else "Protected"
            )
        )
        assert sentences_on(chip.group(3))[0][0] == expected, (name, expected)


def open_designs(store):
    """The designs that can open, each with its facts and pages."""
    for content in all_designs():
        try:
            opened(store, content)
        except AboveLimit:
            continue
        yield content


def check(client, slug: str, end: str, *languages: str) -> Facts:
    facts = facts_of(client.get(f"/s/{slug}{end.replace('/', '.')}.json").json)
    # No survey lets anyone become surer of one answer than the limit.
    assert facts.one <= 99, (slug, facts.one)
    for language in languages:
        reply = client.get(f"/s/{slug}{end}", query_string={"language": language})
        assert reply.status_code == 200, slug
        check_sentences(facts, reply.text)
        check_levels(facts, reply.text)
    return facts


def check_designs(client, store, languages_of) -> int:
    number = 0
    for number, content in enumerate(open_designs(store), start=1):
        for end in ("", "/by-hand") if content.get("by_hand") else ("",):
            check(client, content["slug"], end, *languages_of(number))
    return number


def test_each_sentence_about_protection_is_true_for_its_survey(client, store, monkeypatch):
    """Each design in one of the languages, which take turns."""
    mark_sentences(monkeypatch)
    count = check_designs(client, store, lambda number: [LANGUAGES[number % len(LANGUAGES)]])
    assert count > 55


@pytest.mark.slow
def test_each_sentence_about_protection_is_true_in_each_language(client, store, monkeypatch):
    mark_sentences(monkeypatch)
    assert check_designs(client, store, lambda number: LANGUAGES) > 55


def test_a_sentence_that_is_false_or_unknown_is_found(client, store, monkeypatch):
    mark_sentences(monkeypatch)
    for content in all_designs():
        if content["slug"] in ("g-3-00-1", "copies-0-5", "mixed"):
            opened(store, content)
    facts = {slug: check(client, slug, "", MAIN) for slug in ("g-3-00-1", "copies-0-5", "mixed")}
    pages = {slug: client.get(f"/s/{slug}").text for slug in facts}
    for slug, other in (("g-3-00-1", "mixed"), ("mixed", "copies-0-5"), ("copies-0-5", "mixed")):
        with pytest.raises(AssertionError):
            check_sentences(facts[slug], pages[other])
        with pytest.raises(AssertionError):
            check_levels(facts[slug], pages["g-3-00-1" if slug == "mixed" else "mixed"])
    with pytest.raises(AssertionError, match="not in the table"):
        condition_of("Real answers never leave this page.")


def test_the_number_of_a_crosswise_question_is_that_of_its_share(client, store):
    """At 1/6, anyone is 83 % sure, and at 1/1000 the survey does not open."""
    designs = {content["slug"]: content for content in all_designs()}
    opened(store, designs["crosswise-1-6"])
    page = unmarked(client.get("/s/crosswise-1-6").text)
    assert "at most 84 with your hidden answer" in page
    assert "Someone who knows whether statement B is true for you Yes, they can" in page
    with pytest.raises(AboveLimit):
        opened(store, designs["crosswise-1-1000"])
