"""Web and e-mail addresses in texts that only some respondents see, because of a private answer.

Anyone who opens such an address tells its owner the answer, because nobody else saw the address.
The page shows these texts without links, but a respondent can type the address. So a survey with
one does not open. An address for everyone belongs in `support`, or in a note without a condition.

This finds only what looks like an address. It has a scheme such as `https:`, a path, a common
ending such as `.org`, or `www.`, or it is an e-mail or IP address. Another word with a dot inside
is often a missing space or an abbreviation. The pre-launch checklist names it.
"""

import re
import unicodedata
from collections.abc import Iterator

from survey.core.translate import translate
from survey.definition.imitation import DefinitionText, written_texts
from survey.definition.questions import Question
from survey.definition.survey import Survey

# Common endings that are no words. Those of countries with many free or short addresses are here.
ENDINGS = (
    "com|org|net|edu|gov|mil|info|biz|io|ai|app|dev|xyz|site|website|link|icu|example|onion|"
    "vn|th|cn|tw|hk|sg|jp|kr|uk|eu|de|fr|nl|ch|ru|tk|cc|ly|gl|gg|ws|tv|co"
)
NAME = r"(?:[a-z0-9\u00a1-\uffff](?:[a-z0-9\u00a1-\uffff-]*)\.)+"
ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]*://|\bmailto:|\bwww\.\w|\b\w[\w.+-]*@\w[\w-]*\.\w"
    rf"|{NAME}(?:{ENDINGS})(?![a-z0-9\u00a1-\uffff])|\b[a-z0-9-]+\.[a-z]{{2,}}(?::\d+)?/\w"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
PERHAPS = re.compile(r"\b[a-z0-9-]+\.[a-z]{2,}\b")


def comparable_address(text: str) -> str:
    """A text in which browsers' other signs for a dot are dots: an ideographic one, for example."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"(?<=[a-z0-9])\u3002(?=[a-z0-9])", ".", plain)


def depends_on_private(question: Question, survey: Survey) -> bool:
    """Whether a private answer decides who sees the texts of a question."""
    named = question.relevant or {}
    return any(each.name in named and not each.non_private for each in survey.questions)


def conditional_texts(survey: Survey) -> Iterator[DefinitionText]:
    """The texts in each language whose display depends on a private answer."""
    names = {each.name for each in survey.questions if depends_on_private(each, survey)}
    for written in written_texts(survey):
        if written.path[0] == "questions" and written.path[1] in names:
            yield written


def texts_with_addresses(survey: Survey) -> Iterator[tuple[DefinitionText, str]]:
    """The conditional texts with an address, each with the fault and how to fix it.

    A survey with such a text cannot open.
    """
    for written in conditional_texts(survey):
        if found := ADDRESS.search(comparable_address(written.text)):
            yield (
                written,
                translate(
                    "contains an address (“%(address)s”), and only people with certain answers to "
                    "a private question see it. Anyone who opens the address reveals the answer. "
                    "Show the address to everyone, for example in “Help and support”.",
                    address=found[0],
                ),
            )


def texts_with_perhaps_addresses(survey: Survey) -> Iterator[tuple[DefinitionText, str]]:
    """The conditional texts with a word that may be an address, each with this word."""
    for written in conditional_texts(survey):
        plain = comparable_address(written.text)
        if not ADDRESS.search(plain) and (found := PERHAPS.search(plain)):
            yield written, found[0]
