"""The catalogs: every sentence of a page is translated into every language."""

import ast
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest
from babel import Locale
from babel.messages.catalog import Message

from survey.core import languages
from survey.core.languages import (
    ENGLISH,
    LANGUAGES,
    MAIN,
    RESEARCHER,
    RESPONDENT,
    Words,
    catalog_path,
    language_name,
    reviewed_by_native_speaker,
)
from survey.core.translate import in_language, translate_number
from tools.translations import COMMANDS, ERRORS, ROOT, catalog_at, said, with_native_review

PLACE = re.compile(r"%\((\w+)\)[sd]|%%")
TRANSLATED = [language for language in LANGUAGES if language != MAIN]
CATALOGS = [(language, name) for language in TRANSLATED for name in (RESPONDENT, RESEARCHER)]


def messages(language: str, name: str) -> Iterator[Message]:
    catalog = catalog_at(catalog_path(language, name))
    return (message for message in catalog if message.id)


def original(message: Message) -> str:
    """The sentence, or its plural if it has one."""
    return message.id if isinstance(message.id, str) else message.id[-1]


def translations(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string)


def places(sentence: str) -> list[str]:
    return sorted(filter(None, PLACE.findall(sentence)))


def tags(sentence: str) -> list[str]:
    return sorted(re.findall(r"</?\w+", sentence))


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_every_sentence_is_translated_and_no_other(language, name):
    """`make translations` adds missing sentences and removes unused ones."""
    there = {original(message) for message in messages(language, name)}
    wanted = {original(message) for message in said(name) if message.id}
    assert there == wanted


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_translations_are_finished_and_fill_the_same_places(language, name):
    for message in messages(language, name):
        assert not message.fuzzy, message.id
        for text in translations(message):
            assert text, f"not translated into {language}: {message.id}"
            assert places(text) == places(original(message)), text
            assert tags(text) == tags(original(message)), text
            if places(text):
                assert "%" not in PLACE.sub("", text), text


# Words that the glossaries at the heads of the catalogs reject: respondents would read them as
# shuffling, lying or anonymity, or they are a second word for one thing.
REJECTED = {
    "vi": r"trộn|xáo|đánh tráo|làm giả|gây nhiễu",
    "th": r"(?<!สุ่ม)สลับ|บิดเบือน|อุปกรณ์|คุ้มครอง|ไม่ปกป้อง",
    "zh": r"打乱|混淆|掺|调查",
}


def rejected_in(text: str, language: str) -> list[str]:
    return re.findall(REJECTED[language], text)


@pytest.mark.parametrize("language", TRANSLATED)
def test_respondents_read_one_word_for_one_thing(language):
    for message in messages(language, RESPONDENT):
        for text in translations(message):
            assert rejected_in(text, language) == [], text


def test_a_rejected_word_is_found():
    assert rejected_in("Thiết bị không trộn câu trả lời này.", "vi") == ["trộn"]
    assert rejected_in("เครื่องไม่สลับคำตอบนี้", "th") == ["สลับ"]
    assert rejected_in("เครื่องไม่สุ่มสลับคำตอบนี้", "th") == []
    assert rejected_in("版本 1（打乱）", "zh") == ["打乱"]


# The word of each language for an English one, which both catalogs and all pages share.
TERMS = {
    r"\bledger\b": {"vi": "sổ cái", "th": "บัญชีรายการ", "zh": "账本"},
    r"\bbudget\b": {"vi": "ngân sách", "th": "งบ", "zh": "预算"},
    r"^mode$|\band the mode\b|, median and mode\b": {"vi": "mốt", "th": "ฐานนิยม", "zh": "众数"},
    r"\bcourse texts?\b": {"vi": "tài liệu", "th": "เอกสาร", "zh": "资料"},
    r"\bheads\b": {"vi": "ngửa", "th": "หัว", "zh": "正面"},
    r"\btails\b": {"vi": "úp", "th": "ก้อย", "zh": "反面"},
}
# Second words for the same things. A textbook or a lecture may still be called one.
SECOND_WORDS = {
    "vi": {
        r"yếu vị|sổ ghi|mặt hình|mặt số|sấp\b|\btỉ (?:lệ|số) |chỗ nhầm": None,
        "bài giảng": "lecture",
    },
    "th": {
        "งบประมาณ|ความคลาดเคลื่อนมาตรฐาน|กลไกเลขชี้กำลัง|ความควรจะเป็น": None,
        "ตำรา": "textbook",
    },
    "zh": {"台账": None, "教材": "textbook"},
}


def wrong_terms(sentence: str, text: str, language: str) -> list[str]:
    """The terms that a translation lacks, and the second words that it has."""
    missing = [
        words[language]
        for english, words in TERMS.items()
        if re.search(english, sentence, re.IGNORECASE) and words[language] not in text.casefold()
    ]
    second = [
        each
        for words, allowed in SECOND_WORDS[language].items()
        if not (allowed and allowed in sentence.casefold())
        for each in re.findall(words, text, re.IGNORECASE)
    ]
    return missing + second


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_each_term_has_one_word_on_all_pages(language, name):
    for message in messages(language, name):
        for text in translations(message):
            assert wrong_terms(original(message), text, language) == [], text


def test_a_second_word_and_a_missing_term_are_found():
    assert wrong_terms("The ledger", "Sổ ghi", "vi") == ["sổ cái", "Sổ ghi"]
    assert wrong_terms("Mode", "Yếu vị", "vi") == ["mốt", "Yếu vị"]
    assert wrong_terms("Test mode", "Chế độ thử", "vi") == []
    assert wrong_terms("A course text", "ตำราเล่มหนึ่ง", "th") == ["เอกสาร", "ตำรา"]
    assert wrong_terms("A textbook", "一本教材", "zh") == []


VIETNAMESE_LETTERS = re.compile("[ăđơưạ-ỹ]", re.IGNORECASE)
THAI_LETTERS, CHINESE_LETTERS = re.compile("[ก-๛]"), re.compile("[一-鿿]")
# The letters that only one language has, and the languages that may not have them.
FOREIGN_LETTERS = {
    "vi": (THAI_LETTERS, CHINESE_LETTERS),
    "th": (VIETNAMESE_LETTERS, CHINESE_LETTERS),
    "zh": (VIETNAMESE_LETTERS, THAI_LETTERS),
}


def foreign_words(sentence: str, text: str, language: str) -> list[str]:
    """Words with letters of another language, unless the original sentence has such letters."""
    return [
        word
        for word in text.split()
        for letters in FOREIGN_LETTERS[language]
        if letters.search(word) and not letters.search(sentence)
    ]


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_no_catalog_has_a_sentence_of_another_language(language, name):
    for message in messages(language, name):
        for text in translations(message):
            assert foreign_words(original(message), text, language) == [], text


def test_a_word_of_another_language_is_found():
    assert foreign_words("Before", "ก่อน và หลัง", "th") == []
    assert foreign_words("Before and after", "Một คลินิก", "th") == ["Một"]
    assert foreign_words("Heads", "หัว 正面", "th") == ["正面"]
    assert foreign_words("Heads", "ngửa หัว", "vi") == ["หัว"]
    assert foreign_words("The text “Tóm lại...” says so", "“Tóm lại...” 如此说", "zh") == []


# What stands between quotation marks in a sentence, and the end of the short name of a control.
QUOTED, NAME_END = re.compile("“([^”%]+)”"), re.compile("[:,…]|：|，|（")


def short_name(label: str) -> str:
    """A label without its explanation, which the page shows after it."""
    return NAME_END.split(label, maxsplit=1)[0].strip().casefold()


def labels_of(language: str) -> dict[str, set[str]]:
    """The short name of each sentence in English, with its translations."""
    found: dict[str, set[str]] = {}
    for name in (RESPONDENT, RESEARCHER):
        for message in messages(language, name):
            words = found.setdefault(short_name(original(message)), set())
            words.update(short_name(text) for text in translations(message))
    return found


def misquoted(sentence: str, text: str, labels: dict[str, set[str]]) -> list[str]:
    """The labels that a sentence quotes, and that its translation calls something else.

    A translation may keep the English word, because the names of files and columns do.
    """
    return [
        quoted
        for quoted in QUOTED.findall(sentence)
        if (words := labels.get(quoted.casefold()))
        and not any(word in text.casefold() for word in (*words, quoted.casefold()))
    ]


@pytest.mark.parametrize("language", TRANSLATED)
def test_sentences_quote_buttons_and_pages_by_their_translated_names(language):
    labels = labels_of(language)
    for name in (RESPONDENT, RESEARCHER):
        for message in messages(language, name):
            for text in translations(message):
                assert misquoted(original(message), text, labels) == [], text


def test_a_button_that_is_quoted_by_another_name_is_found():
    labels = {"draw again": {"rút ngẫu nhiên lần nữa"}}
    assert misquoted("Press “Draw again”.", "Hãy bấm “Rút lại”.", labels) == ["Draw again"]
    assert misquoted("Press “Draw again”.", "Bấm “Rút ngẫu nhiên lần nữa”.", labels) == []
    assert misquoted("They say “Yes”.", "Họ nói “Có”.", labels) == []


# A number or the place of one, with a percent sign after it.
SPACED_PERCENT = re.compile(r"(\d|\)[sd]) +%(?!\()")
TIGHT_PERCENT = re.compile(r"(\d|\)[sd])%(?!\()")


def plain_spaces(sentence: str) -> str:
    return re.sub("[\u00a0\u202f]", " ", sentence).replace("%%", "%")


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_percentages_are_written_as_cldr_writes_them(language, name):
    """95% in Vietnamese, Thai and Chinese. English has the space of ISO 80000: 95 %."""
    assert Locale(language).percent_formats[None].pattern == "#,##0%"
    for message in messages(language, name):
        assert not TIGHT_PERCENT.search(plain_spaces(original(message))), message.id
        for text in translations(message):
            assert not SPACED_PERCENT.search(plain_spaces(text)), text


def test_calculated_percentages_are_written_the_same_way():
    written = {}
    for language in LANGUAGES:
        with in_language(language):
            written[language] = translate_number("12.5 %")
    assert written == {"en": "12.5 %", "vi": "12,5%", "th": "12.5%", "zh": "12.5%"}


def test_a_percent_sign_with_a_space_is_found():
    assert SPACED_PERCENT.search(plain_spaces("khoảng 95 %%"))
    assert SPACED_PERCENT.search(plain_spaces("%(level)s\u00a0%%"))
    assert not SPACED_PERCENT.search(plain_spaces("tính bằng %%; 95%%, %(n)s %(m)s"))
    assert TIGHT_PERCENT.search(plain_spaces("95%% of %(n)s%(m)s"))


# --- the review by a native speaker


@pytest.mark.parametrize(
    ("header", "reviewed"),
    [
        ('"X-Native-Review: yes\\n"\n', True),
        ('"X-Native-Review: no\\n"\n', False),
        ("", False),
        ('# "X-Native-Review: yes\\n"\n', False),
    ],
)
def test_the_mark_is_read_from_the_header_of_the_catalog(tmp_path, monkeypatch, header, reviewed):
    folder = tmp_path / "vi" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    text = catalog_path("vi").read_text(encoding="utf-8")
    without = re.sub(r'"X-Native-Review: .*\n', "", text)
    changed = without.replace('"MIME-Version', header + '"MIME-Version', 1)
    (folder / "messages.po").write_text(changed, encoding="utf-8")
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    reviewed_by_native_speaker.cache_clear()
    try:
        assert reviewed_by_native_speaker("vi") is reviewed
    finally:
        reviewed_by_native_speaker.cache_clear()


@pytest.mark.parametrize(("language", "name"), CATALOGS)
def test_each_catalog_has_the_mark(language, name):
    source = catalog_path(language, name).read_text(encoding="utf-8")
    assert len(languages.NATIVE_REVIEW.findall(source)) == 1


@pytest.mark.parametrize("mark", ["yes", "no"])
def test_an_update_of_a_catalog_keeps_the_mark(mark):
    line = f'"X-Native-Review: {mark}\\n"\n'
    written = with_native_review('msgid ""\n"Generated-By: Babel\\n"\n', f'msgid ""\n{line}')
    assert written == f'msgid ""\n{line}"Generated-By: Babel\\n"\n'


def test_the_document_says_which_languages_a_native_speaker_has_reviewed():
    document = (ROOT / "docs" / "reference" / "languages.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|(]+) (?:\([^|]+\) )?\| ([^|]+) \|$", document, re.MULTILINE
    )
    marks = {True: "yes", False: "no"}
    assert rows == [(MAIN, language_name(MAIN), "not a translation")] + [
        (each, language_name(each), marks[reviewed_by_native_speaker(each)]) for each in TRANSLATED
    ]


# --- names and numbers


def test_the_languages_that_are_promised_are_there():
    assert set(LANGUAGES) >= {"en", "vi", "th", "zh"}
    assert [language_name(each) for each in ("en", "vi", "th", "zh")] == [
        "English", "Tiếng Việt", "ไทย", "中文",
    ]  # fmt: skip


def test_numbers_are_written_as_each_language_does():
    assert [Words(each).number(-1234.5) for each in ("en", "vi", "th", "zh")] == [
        "−1234.5", "−1234,5", "−1234.5", "−1234.5",
    ]  # fmt: skip
    assert Words("vi").number(1234.5, grouped=True) == "1.234,5"
    assert ENGLISH.number(0.1234567) == "0.123457"


def test_between_chinese_sentences_there_is_no_space():
    assert [Words(each).gap for each in ("en", "vi", "th", "zh")] == [" ", " ", " ", ""]


def test_numbers_of_any_length_are_written():
    """The odds of sixty coin flips have 29 digits. The page of such a survey once failed."""
    assert ENGLISH.number(3**60, grouped=True) == f"{3**60:,}"
    assert Words("vi").number(Fraction(-(10**400))) == "−1" + "0" * 400


def test_chinese_is_tagged_as_the_script_that_it_is_in():
    assert [Words(each).tag for each in ("en", "zh")] == ["en", "zh-Hans"]


def test_a_number_in_english_gets_the_signs_of_each_language():
    shown = {
        language: Words(language).write_number("1,234.50") for language in ("en", "vi", "th", "zh")
    }
    assert shown == {"en": "1,234.50", "vi": "1.234,50", "th": "1,234.50", "zh": "1,234.50"}


def uncounted(template: str) -> list[str]:
    """The plurals of a template that do not count n, count or minutes.

    A block counts its first variable, unless `pluralize` names another. If this is a text, the page
    works in English only.
    """
    block = re.compile(r"\{%-?\s*trans\s+(\w+)(?:(?!endtrans).)*?\{%-?\s*pluralize\s*(\w*)", re.S)
    counted = [named or first for first, named in block.findall(template)]
    return [name for name in counted if name not in {"n", "count", "minutes"}]


def test_plurals_count_a_number():
    planted = "{% trans role=a, n=b %}{{ role }}, {{ n }}{% pluralize %}x{% endtrans %}"
    assert uncounted(planted) == ["role"]
    assert not uncounted(planted.replace("pluralize", "pluralize n"))
    for path in (ROOT / "templates").rglob("*.*"):
        assert not uncounted(path.read_text()), path


# Errors whose sentences stay English. Some are for the people who run a server. The others are read
# by programs, because a page has its own words for a response that is not accepted.
IN_ENGLISH = {
    *("SettingsError", "MoveError", "BackupError", "StoreUnavailable"),
    *("MalformedResponse", "WrongReport", "StaleFingerprint", "ConflictingResponse"),
    *("UnknownInvitation", "SpentInvitation", "SurveyClosed"),
}


def test_each_error_with_a_sentence_is_translated_or_stays_english_on_purpose():
    """Otherwise a new class of errors would be English on every page, without a sign of it."""
    nodes = [
        (path.relative_to(ROOT).as_posix(), node)
        for path in sorted((ROOT / "survey").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef | ast.Call)
    ]
    errors = {"SurveyError"}
    for _ in range(4):  # the depth of the tree
        errors |= {
            node.name
            for _, node in nodes
            if isinstance(node, ast.ClassDef)
            and errors & {ast.unparse(each) for each in node.bases}
        }
    told = {
        node.func.id
        for path, node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in errors
        and not path.startswith(COMMANDS)
        and any(map(is_sentence, node.args))
    }
    assert told - set(ERRORS) == IN_ENGLISH


def is_sentence(node: ast.expr) -> bool:
    """Whether an argument is a literal text of several words, and not a translated one."""
    texts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and " " in each.value
        for each in texts
    )
