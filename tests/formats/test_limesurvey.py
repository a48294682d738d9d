"""Survey structures of LimeSurvey become drafts, with notes that name questions by their codes."""

import pytest

from survey.core.errors import DataFileError
from survey.formats.definition_files import read_survey
from tests.support.check_each import check_each
from tests.support.other_surveys import definition_and_notes, structure

pytestmark = pytest.mark.fast

UNPROTECTED = (
    "the form sets no protection, so answers are stored as given. Choose a protection in the draft "
    "if needed."
)
# The answers A1 and A2, and the subquestions SQ1 and SQ2, which each question of these tests has.
CODES = {"A1": ("Có", "Yes"), "A2": ("Không", "No")}
ROWS = {"SQ1": ("Trà", "Tea"), "SQ2": ("Cà phê", "Coffee")}
CHOICES = [{"name": "A1", "label": "Có"}, {"name": "A2", "label": "Không"}]
BOXES = [{"name": "SQ1", "label": "Trà"}, {"name": "SQ2", "label": "Cà phê"}]
PLAIN = {"label": "Câu hỏi?", "privacy": "none"}
OTHER = {"name": "other", "label": "Khác"}


def points(most):
    return [{"name": str(n), "label": str(n)} for n in range(1, most + 1)]


def named(**labels):
    return [{"name": name, "label": label} for name, label in labels.items()]


def question(number, kind, code, **more):
    row = {"qid": number, "parent_qid": 0, "sid": 1, "gid": 5, "type": kind, "title": code}
    return row | {"question_order": number, "mandatory": "Y", "relevance": "1", **more}


def survey(*questions, attributes=(), old=False, **tables):
    """A structure with these questions in Vietnamese and English, in an old or a new format."""
    numbers = [row["qid"] for row in questions]
    answers = [
        {"aid": 10 * qid + n, "qid": qid, "code": code, "sortorder": n}
        for qid in numbers
        for n, code in enumerate(CODES)
    ]
    rows = [
        {"qid": 1000 + 10 * qid + n, "parent_qid": qid, "title": code, "question_order": n}
        for qid in numbers
        for n, code in enumerate(ROWS)
    ]
    texts = [(row, "question", ("Câu hỏi?", "Question?")) for row in questions]
    texts += [(row, "question", ROWS[row["title"]]) for row in rows]
    labels = [(row, "answer", CODES[row["code"]]) for row in answers]

    def said(pairs, keys):
        return [
            {key: row[key] for key in keys if key in row} | {column: text, "language": language}
            for row, column, words in pairs
            for text, language in zip(words, ("vi", "en"), strict=True)
        ]

    shared = {"groups": [{"gid": 5, "group_order": 0}], "question_attributes": list(attributes)}
    shared |= {"languages": ("vi", "en"), "surveys": [{"sid": 1, "language": "vi"}], **tables}
    if old:
        keys = [*questions[0], "qid", "parent_qid", "title", "question_order"]
        return structure(
            questions=said([each for each in texts if "type" in each[0]], keys),
            subquestions=said([each for each in texts if "type" not in each[0]], keys),
            answers=[
                {k: v for k, v in row.items() if k != "aid"}
                for row in said(labels, ["qid", "code", "sortorder"])
            ],
            **shared,
        )
    return structure(
        questions=questions,
        subquestions=rows,
        answers=answers,
        question_l10ns=said(texts, ["qid"]),
        answer_l10ns=said(labels, ["aid"]),
        **shared,
    )


def read(*questions, **more):
    imported = read_survey(survey(*questions, **more))
    return definition_and_notes(imported)


def battery(choices):
    each = {"type": "select_one", "choices": choices, "privacy": "none"}
    return {
        "section1": {"type": "section", "label": "Câu hỏi?", "battery": True},
        "q_sq1": each | {"label": "Trà"},
        "q_sq2": each | {"label": "Cà phê"},
    }


def setting(attribute, value):
    return {"qid": 7, "attribute": attribute, "value": value}


WHOLE = [setting("num_value_int_only", "1"), setting("min_num_value_n", "18")]
WHOLE.append(setting("max_num_value_n", "99"))
DATES = [setting("date_min", "2020-01-31"), setting("date_max", "2026-12-31")]
NUMBERS = {"type": "number", "min": 18, "max": 99, "step": 1, "privacy": "none"}
BOXES_NOTE = "question Q, mandatory: respondents may leave a text empty, and boxes unticked."


@check_each(
    ("kind", "attributes", "questions", "notes"),
    [
        ("L", [], {"q": PLAIN | {"type": "select_one", "choices": CHOICES}}, []),
        (
            "!",
            [setting("random_order", "1")],
            {"q": PLAIN | {"type": "select_one", "choices": CHOICES, "random_order": True}},
            [],
        ),
        (
            "O",
            [],
            {
                "q": PLAIN | {"type": "select_one", "choices": CHOICES},
                "qcomment": {"type": "text", "label": "Bình luận", "privacy": "none"},
            },
            [],
        ),
        ("Y", [], {"q": PLAIN | {"type": "yes_no", "choices": named(yes="Có", no="Không")}}, []),
        ("G", [], {"q": PLAIN | {"type": "select_one", "choices": named(F="Nữ", M="Nam")}}, []),
        ("5", [], {"q": PLAIN | {"type": "scale", "choices": points(5)}}, []),
        ("M", [], {"q": PLAIN | {"type": "select_multiple", "choices": BOXES}}, [BOXES_NOTE]),
        (
            "P",
            [],
            {"q": PLAIN | {"type": "select_multiple", "choices": BOXES}},
            [
                "question Q, question type: Candor has no comments on choices, so these are "
                "omitted.",
                BOXES_NOTE,
            ],
        ),
        ("R", [], {"q": PLAIN | {"type": "ranking", "choices": CHOICES}}, []),
        ("N", WHOLE, {"q": PLAIN | NUMBERS}, []),
        (
            "K",
            WHOLE,
            {
                "q": {"type": "note", "label": "Câu hỏi?"},
                "q_sq1": NUMBERS | {"label": "Trà"},
                "q_sq2": NUMBERS | {"label": "Cà phê"},
            },
            [],
        ),
        (
            "D",
            DATES,
            {"q": PLAIN | {"type": "date", "earliest": "2020-01-31", "latest": "2026-12-31"}},
            [BOXES_NOTE],
        ),
        ("S", [], {"q": PLAIN | {"type": "text"}}, [BOXES_NOTE]),
        ("T", [], {"q": PLAIN | {"type": "text"}}, [BOXES_NOTE]),
        ("U", [], {"q": PLAIN | {"type": "text"}}, [BOXES_NOTE]),
        ("X", [], {"q": {"type": "note", "label": "Câu hỏi?"}}, []),
        ("F", [], battery(CHOICES), []),
        ("H", [], battery(CHOICES), []),
        ("A", [], battery(points(5)), []),
        ("B", [], battery(points(10)), []),
        ("C", [], battery(named(Y="Có", U="Không chắc", N="Không")), []),
        ("E", [], battery(named(I="Tăng", S="Không đổi", D="Giảm")), []),
        (
            "L",
            [setting("array_filter", "Q0")],
            {"q": PLAIN | {"type": "select_one", "choices": CHOICES}},
            ["question Q, array_filter: is not supported."],
        ),
        (
            "1",
            [],
            {},
            [
                "question Q, question type: Candor has no tables with two scales. Make two "
                "tables in LimeSurvey. The question is omitted."
            ],
        ),
        (
            ":",
            [],
            {},
            [
                "question Q, question type: Candor has no tables of numbers. Ask one "
                "question for each cell. The question is omitted."
            ],
        ),
        (
            ";",
            [],
            {},
            [
                "question Q, question type: Candor has no tables of texts. Ask one "
                "question for each cell. The question is omitted."
            ],
        ),
        (
            "I",
            [],
            {},
            [
                "question Q, question type: respondents choose the language of a survey on "
                "its first page. The question is omitted."
            ],
        ),
        (
            "|",
            [],
            {},
            ["question Q, question type: Candor accepts no files. The question is omitted."],
        ),
        (
            "L",
            [setting("hidden", "1")],
            {},
            ["question Q, hidden: respondents never see this question. The question is omitted."],
        ),
        (
            "*",
            [],
            {},
            [
                "question Q, equation: cannot be parsed from '?' on. Candor does not "
                "calculate this. The question is omitted."
            ],
        ),
    ],
)
def test_each_type_becomes_a_question_or_a_note(kind, attributes, questions, notes):
    for old in (False, True):
        found, said = read(
            question(3, "X", "first"),
            question(7, kind, "Q"),
            question(9, "L", "Last"),
            attributes=attributes,
            old=old,
        )
        assert found.pop("first") == {"type": "note", "label": "Câu hỏi?"}
        assert found.pop("last") == PLAIN | {"type": "select_one", "choices": CHOICES}
        found.pop("section", None)
        assert found == questions
        assert [each for each in said if UNPROTECTED not in each] == notes


@check_each("kind", ["F", "K", "Q"])
def test_a_table_without_rows_is_omitted_with_a_note(kind):
    asked = question(7, kind, "Q"), question(8, "Y", "Last")
    content = survey(*asked).replace(b"<parent_qid>7<", b"<parent_qid>9<")
    found, said = definition_and_notes(read_survey(content))
    assert [*found] == ["last"]
    assert said[0] == (
        "question Q, question type: the table has no rows, so it asks nothing. Add a row to it. "
        "The question is omitted."
    )


def test_a_choice_that_is_other_asks_for_a_text():
    found, _ = read(
        question(7, "L", "Q", other="Y"), question(8, "T", "T", relevance="Q == '-oth-'")
    )
    assert found["q"]["choices"] == [*CHOICES, OTHER]
    assert found["q_other"]["relevant"] == found["t"]["relevant"] == {"q": ["other"]}


@check_each(
    ("relevance", "relevant", "note"),
    [
        ('((One.NAOK == "A1"))', {"one": ["A1"]}, ""),
        ('1X5X3 == "A2"', {"one": ["A2"]}, ""),
        ('Boxes_SQ2.NAOK == "Y"', {"boxes": ["SQ2"]}, ""),
        ('1X5X4SQ1.NAOK == "Y" and Told == "N"', {"boxes": ["SQ1"], "told": ["no"]}, ""),
        ("Age.NAOK >= 18 && Age le 30", {"age": {"min": 18, "max": 30}}, ""),
        ('Table_SQ1.NAOK == "A1"', {"table_sq1": ["A1"]}, ""),
        ("!is_empty(Boxes_SQ1)", {"boxes": ["SQ1"]}, ""),
        (
            "Age > 20 and count(One, Told) == 2",
            {"age": {"min": 21}},
            "“count(One, Told) == 2” uses 'count', which Candor does not compute. The "
            "questions with "
            "this condition are asked without it.",
        ),
        (
            'Asked == "A1"',
            None,
            "depends on the answer to its own question. A condition can only use earlier "
            "questions. "
            "The questions with this condition are asked without it.",
        ),
    ],
)
def test_a_relevance_becomes_a_condition(relevance, relevant, note):
    whole = [row | {"qid": 6} for row in WHOLE]
    found, said = read(
        question(3, "L", "One"),
        question(4, "M", "Boxes"),
        question(5, "Y", "Told"),
        question(6, "N", "Age"),
        question(7, "F", "Table"),
        question(8, "L", "Asked", relevance=relevance),
        attributes=whole,
    )
    assert found["asked"].get("relevant") == relevant
    notes = [each for each in said if "condition" in each]
    assert notes == ([f"question Asked, condition: {note}"] if note else [])


def test_texts_in_the_languages_of_candor_come_in_and_others_are_named():
    settings = [
        {
            "surveyls_language": "vi",
            "surveyls_title": "Khảo sát",
            "surveyls_welcometext": "<p>Chào",
        },
        {"surveyls_language": "en", "surveyls_title": "Survey", "surveyls_welcometext": "Hello"},
    ]
    group = {
        "group_l10ns": [
            {"gid": 5, "group_name": "Về bạn", "description": "Ba câu", "language": "vi"},
            {"gid": 5, "group_name": "About you", "language": "en"},
        ],
        "groups": [{"gid": 5, "group_order": 0, "grelevance": ""}],
    }
    content = survey(question(7, "L", "Q"), surveys_languagesettings=settings, **group)
    content = content.replace(b"</languages>", b"<language>fr</language></languages>")
    imported = read_survey(content)
    assert imported.survey.as_definition() == {
        "slug": "khao-sat",
        "title": "Khảo sát",
        "language": "vi",
        "introduction": "Chào",
        "questions": [
            {"name": "section1", "type": "section", "label": "Về bạn", "hint": "Ba câu"},
            PLAIN | {"name": "q", "type": "select_one", "choices": CHOICES},
        ],
        "translations": {
            "en": {
                "title": "Survey",
                "introduction": "Hello",
                "questions": {
                    "section1": {"label": "About you"},
                    "q": {"label": "Question?", "choices": {"A1": "Yes", "A2": "No"}},
                },
            }
        },
    }
    assert imported.left_out == (
        f"question Q: {UNPROTECTED}",
        "language: texts in fr are omitted. Candor’s pages for respondents are in English, ไทย, "
        "Tiếng Việt, 中文.",
    )


def test_an_equation_becomes_a_derived_answer():
    whole = [row | {"qid": 6} for row in WHOLE]
    content = survey(question(6, "N", "Age"), question(7, "*", "Twice"), attributes=whole)
    content = content.replace(
        b"<qid>7</qid><question>C\xc3\xa2u h\xe1\xbb\x8fi?", b"<qid>7</qid><question>{Age * 2}"
    )
    found, _ = definition_and_notes(read_survey(content))
    assert found["twice"]["derived"] == {"sum": {"age": 2}}


BOMB = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'


@check_each(
    ("content", "words"),
    [
        (survey(question(7, "L", "Q")).replace(b"<document>", BOMB + b"<document>"), "is damaged"),
        (survey(question(7, "L", "Q"))[:-30], "is damaged. Export the survey structure"),
        (survey(question(7, "L", "Q")).replace(b"UTF-8", b"UTF-9"), "is damaged"),
        (survey(question(7, "L", "Q")).replace(b"<languages>", b"<languages>\xff"), "is damaged"),
        (survey(question(7, "L", "Q")).replace(b"<languages>", b"<a>" * 200_000), "is damaged"),
        (structure(), "This file has no questions."),
        (survey(*[question(n, "X", f"q{n}") for n in range(1, 60)]), "can store no answer"),
    ],
)
def test_a_file_that_is_no_survey_structure_is_refused(content, words):
    with pytest.raises(DataFileError, match=words):
        read_survey(content)


def test_a_deep_file_is_read_without_an_error_of_the_machine():
    deep = b"<a>" * 100_000 + b"</a>" * 100_000
    content = survey(question(7, "L", "Q")).replace(b"<languages>", deep + b"<languages>")
    assert [each.name for each in read_survey(content).survey.questions] == ["q"]
