"""Checks of texts: questions that sound sensitive, in every language."""

import json

import pytest

from survey.planning.checklist import LOOK, PASSED
from survey.planning.sensitive import LIST, sensitive_words
from tests.support.check_each import check_each
from tests.support.checked_surveys import found, survey_of
from tests.support.definitions import yes_no

pytestmark = pytest.mark.fast


@check_each(
    "text",
    [
        "Have you ever stolen from a shop?", "Did you have an ABORTION?", "Your income last year",
        "Have you taken drugs?", "Did you cheat in an exam?", "Are you HIV positive?",
        "Did your partner hit you?", "Has he ever slapped or kicked you?",
        "Did anyone threaten you at home?", "Chồng bạn có đánh bạn không?", "伴侣打过您吗？",
        "คู่ของคุณเคยทุบตีคุณหรือไม่", "Was there violence at home?",
        "How many sexual partners did you have?",
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


@check_each(
    "text",
    [
        "How old are you?", "What is your sex?", "Which region do you live in?",
        "Which team beat yours?", "Do you like hit songs?", "Do you push your bicycle?",
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


def test_a_word_is_told_once_in_whatever_form():
    label = "Your income: which of these incomes?"
    assert sensitive_words(survey_of(yes_no(privacy="none", label=label)).questions[0]) == (
        "income",
    )


def test_the_list_has_every_language_and_each_word_once():
    lists = json.loads(LIST.read_text(encoding="utf-8"))
    assert set(lists) == {"en", "vi", "th", "zh"}
    for words in lists.values():
        assert len(words) >= 40
        assert len(set(words)) == len(words)
