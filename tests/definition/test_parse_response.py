"""Parsing of responses: exactly a response to this survey, or a refusal with the reason."""

import json
import random

import pytest

from survey.core.errors import MalformedResponse, StaleFingerprint, WrongReport
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import MAX_BODY_BYTES, parse_response
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import (
    COUNTS,
    DASHES,
    EVERY_TYPE,
    FIELDS,
    PICKED,
    PRIVATE_FIELDS,
    SAMPLED,
    drawn,
    sent,
    sound,
    stored,
    wide,
)

pytestmark = pytest.mark.fast

FROZEN = freeze(parse_survey(definition(yes_no(), yes_no("drinks", privacy="none"))))
EVERY = freeze(parse_survey(EVERY_TYPE), to_open=False)
SOME = freeze(parse_survey(SAMPLED), to_open=False)
ID = "0123456789abcdef0123456789abcdef"


def body(frozen=FROZEN, **change) -> bytes:
    content = {
        "id": ID,
        "fingerprint": frozen.fingerprint,
        "reports": {"smokes": "1", "drinks": "0"},
        **change,
    }
    return json.dumps({k: v for k, v in content.items() if v is not ...}).encode()


def read(frozen, reports):
    return parse_response(body(frozen, reports=reports), frozen).reports


def test_a_good_response_is_read():
    response = parse_response(body(), FROZEN)
    assert response.id == bytes.fromhex(ID)
    assert response.reports == (1, 0)


def test_a_report_of_every_form_is_read_as_it_is_stored():
    reports = {
        "smokes": "2", "party": "01000001", "colour": "1101", "tried": "-1--0", "pets": "8",
        "mood": "4", "glasses": "18", "weight": "2", "years": "121", "region": "4", "news": "010",
        "sleep": "0", "remarks": "=1+1 ไม่มี 😀\n\n\x1b",
    }  # fmt: skip
    assert read(EVERY, reports) == (
        2, "01000001", "1101", "-1--0", 8, 4, 18, 2, 121, 4, "010", 0, "=1+1 ไม่มี 😀\n\n\x1b",
    )  # fmt: skip


@pytest.mark.parametrize(("frozen", "sample"), [(EVERY, None), (SOME, PICKED)])
def test_whatever_a_browser_can_send_is_read(frozen, sample):
    """500 drawn responses contain every report of the small questions, in the order of the
    questions.

    Each of these has at most 28 sets or 122 numbers, with a probability of 1/122 or more for each
    draw.
    """
    r = random.Random(3)
    rows = []
    for _ in range(500):
        reports = drawn(r, sample)
        shuffled = dict(r.sample(list(reports.items()), len(reports)))
        rows.append(read(frozen, shuffled))
        assert rows[-1] == stored(reports)
    by_column = dict(zip(FIELDS, map(set, zip(*rows, strict=True)), strict=True))
    if sample is None:
        assert {name: len(by_column[name]) for name in ("smokes", "party", "pets", "glasses")} == {
            "smokes": 3, "party": 28, "pets": 9, "glasses": COUNTS["glasses"],
        }  # fmt: skip
    else:
        assert all(None in by_column[name] for name in PRIVATE_FIELDS)


def test_the_longest_texts_of_a_survey_fit_into_a_body():
    reports = drawn(random.Random(1)) | {"remarks": "😀" * 1_000}
    assert len(json.dumps(reports)) < MAX_BODY_BYTES
    assert read(EVERY, reports)[-1] == "😀" * 1_000


@check_each(
    ("bad", "words"),
    [
        (b"", "not a JSON object"),
        (b"\xff\xfe", "not a JSON object"),
        (b"\xef\xbb\xbf{}", "not a JSON object"),
        (b"[" * 60_000, "not a JSON object"),
        (b'{"id": ' + b"1" * 50_000 + b"}", "not a JSON object"),
        (b'{"id": 1, "id": 1, "fingerprint": 1, "reports": 1}', "not a JSON object"),
        (b"[]", "exactly the members"),
        (body(special=1), "exactly the members"),
        (body(id=...), "exactly the members"),
        (body(id=ID.upper()), "32 hexadecimal"),
        (body(id=ID + "\n"), "32 hexadecimal"),
        (body(id=ID[:-1]), "32 hexadecimal"),
        (body(id=7), "32 hexadecimal"),
        (body(fingerprint=None), "fingerprint is a text"),
        (body(reports=[1, 0]), "reports is an object"),
    ],
)
def test_malformed_responses_are_refused(bad, words):
    with pytest.raises(MalformedResponse, match=words):
        parse_response(bad, FROZEN)


def test_another_version_of_the_survey_is_refused():
    with pytest.raises(StaleFingerprint, match="another version"):
        parse_response(body(fingerprint="0" * 64), FROZEN)


GOOD = drawn(random.Random(2)) | {"remarks": "Nothing"}
OUTSIDE = {name: wide(n, n) for name, n in COUNTS.items() if len(str(n)) == len(str(n - 1))}
NO_NUMBER = {
    "too narrow": "1",
    "too wide": "011",
    "empty": "",
    "a sign": "-1",
    "a plus sign": "+1",
    "white space before": " 1",
    "white space after": "1\n",
    "underscores": "1_",
    "a point": "1.",
    "an exponent": "e1",
    "hexadecimal": "0x",
    "Thai digits": "๑๒",
    "full-width digits": "１２",
    "superscripts": "²³",
    "dashes where all is reported": "--",
}
NO_BITS = {
    "too narrow": "0101",
    "too wide": "010101",
    "empty": "",
    "another character": "01a01",
    "a two": "01201",
    "Thai digits": "๐๑๐๑๐",
    "full-width digits": "０１０１０",
    "white space": " 0101",
    "a minus sign that is no dash": "−1−−0",
}
NO_TEXT = {
    "too long": ("x" * 1_001, "at most 1000 characters"),
    "NUL": ("a\0b", "zero character"),
    "half an emoji": ("\ud83d", "half characters"),
    "the other half": ("a\ude00", "half characters"),
}
BY_FORM = [
    # Numbers of two, of many, and of a non-private question.
    *(("glasses", text, "a number from 00 to 18", what) for what, text in NO_NUMBER.items()),
    *(("smokes", text, "a number from 0 to 2", text) for text in ("00", "-", "๑", "", "¹", "yes")),
    *(("years", text, "a number from 000 to 121", text) for text in ("--- ", "1e1", "-01", "18")),
    *((name, text, "a number from", "out of range") for name, text in OUTSIDE.items()),
    # Boxes, two of which are reported.
    *(("tried", text, "5 characters, each 0, 1 or -", what) for what, text in NO_BITS.items()),
    ("tried", "-1---", "has 2 characters that are not -", "too few reported"),
    ("tried", "-10-1", "has 2 characters that are not -", "too many reported"),
    ("tried", "01010", "has 2 characters that are not -", "all reported"),
    ("tried", "-----", "has 2 characters that are not -", "none reported"),
    # A set of two, one bit for each, and boxes as given: all are reported.
    ("party", "11000001", "has 2 times 1", "too many ones"),
    ("party", "01000000", "has 2 times 1", "too few ones"),
    ("party", "00000000", "has 2 times 1", "no ones"),
    ("party", "0100001-", "has 8 characters that are not -", "a dash in a set"),
    ("party", "--------", "has 8 characters that are not -", "a set of dashes"),
    ("colour", "101-", "has 4 characters that are not -", "a dash among bits"),
    ("colour", "----", "has 4 characters that are not -", "bits of dashes"),
    ("news", "01-", "has 3 characters that are not -", "a dash in plain boxes"),
    ("news", "---", "has 3 characters that are not -", "plain boxes of dashes"),
    # Free texts.
    *(("remarks", text, words, what) for what, (text, words) in NO_TEXT.items()),
]


@check_each(("question", "report", "words"), [case[:3] for case in BY_FORM])  # fmt: skip
def test_a_report_of_another_form_is_refused_naming_its_question(question, report, words):
    with pytest.raises(WrongReport, match=words) as refused:
        read(EVERY, GOOD | {question: report})
    assert refused.value.question == question
    assert repr(question) in str(refused.value)
    assert not sound(GOOD | {question: report})


@check_each("question", FIELDS)
@check_each("report", [0, 1, -1, 1.0, True, None, [], ["0"], {}, 10**400], ids=str)
def test_a_report_that_is_no_text_is_refused(question, report):
    with pytest.raises(WrongReport, match="a report is a text") as refused:
        read(EVERY, GOOD | {question: report})
    assert refused.value.question == question


@check_each("question", FIELDS)
def test_a_missing_report_is_refused(question):
    with pytest.raises(WrongReport, match="is missing") as refused:
        read(EVERY, {name: text for name, text in GOOD.items() if name != question})
    assert refused.value.question == question


@pytest.mark.parametrize("name", ["welcome", "eats", "", "Smokes", "smokes ", "id", "x" * 1_000])
def test_what_is_no_question_that_is_reported_on_is_refused(name):
    """`welcome` is a note: it is in the survey, but it has no answer."""
    with pytest.raises(WrongReport, match="no such question") as refused:
        read(EVERY, GOOD | {name: "0"})
    assert refused.value.question == name[:63]


PICKED_GOOD = drawn(random.Random(8), PICKED)
NOT_PICKED = [name for name in PRIVATE_FIELDS if PICKED_GOOD[name] == DASHES[name]]
THE_PICKED = [name for name in PRIVATE_FIELDS if name not in NOT_PICKED]


@check_each("question", NOT_PICKED)
def test_one_report_more_than_chance_picks_is_refused(question):
    with pytest.raises(MalformedResponse, match="exactly 3 private questions"):
        read(SOME, PICKED_GOOD | {question: GOOD[question]})


@check_each("question", THE_PICKED)
def test_one_report_fewer_than_chance_picks_is_refused(question):
    with pytest.raises(MalformedResponse, match="exactly 3 private questions"):
        read(SOME, PICKED_GOOD | {question: DASHES[question]})


def test_all_and_none_of_the_private_questions_are_refused():
    for reports in (GOOD, GOOD | {name: DASHES[name] for name in PRIVATE_FIELDS}):
        with pytest.raises(MalformedResponse, match="exactly 3 private questions"):
            read(SOME, reports)


@check_each("question", PRIVATE_FIELDS)
def test_dashes_of_another_number_are_no_report(question):
    for width in (len(DASHES[question]) - 1, len(DASHES[question]) + 1):
        with pytest.raises(WrongReport) as refused:
            read(SOME, PICKED_GOOD | {question: "-" * width})
        assert refused.value.question == question


@pytest.mark.parametrize("question", ["years", "region", "news", "sleep"])
def test_a_non_private_question_is_reported_on_whatever_chance_picks(question):
    with pytest.raises(WrongReport) as refused:
        read(SOME, PICKED_GOOD | {question: "-" * len(GOOD[question])})
    assert refused.value.question == question


def test_a_survey_without_a_sample_takes_no_dashes():
    with pytest.raises(WrongReport):
        read(EVERY, PICKED_GOOD)


def test_the_tests_own_ideas_of_a_report_agree():
    """A control: drawn reports are valid, belong to one kind of survey, and match their rows."""
    r = random.Random(5)
    for _ in range(200):
        for sample, other in ((None, PICKED), (PICKED, None)):
            reports = drawn(r, sample)
            assert sound(reports, sample)
            assert not sound(reports, other)
            assert sent(stored(reports)) == reports
