"""The texts that respondents wrote, with the codes that researchers gave them.

Texts are apart from all other answers here, also in surveys that store both in one row.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from survey.analysis.tables.agreement import Agreement, agreement
from survey.definition.sub_surveys import texts_sub_survey
from survey.definition.survey import Survey
from survey.estimation.progress import why_unread
from survey.formats.coded_texts_csv import WrittenText
from survey.store import StoredSurvey
from survey.store.sql.codes import NO_CODE, Code, Codings, coded_text_key
from survey.web.extensions import store
from survey.web.published_results import frozen_of

PAGE_TEXTS = 25
# The values of the filter by code that are not the number of a code.
ANY = ""
NOT_CODED = "none"


def text_sources(survey: Survey) -> tuple[Survey, ...]:
    """The surveys and sub-surveys that store the texts of a survey; empty if it asks for none."""
    apart = texts_sub_survey(survey)
    if apart is not None:
        return (apart,)
    return (survey,) if survey.text_fields else ()


def stored_texts(found: StoredSurvey) -> Iterator[WrittenText]:
    """The published texts, in the order of random ids. Empty answers are left out."""
    for source in text_sources(frozen_of(found).survey):
        places = [(n, each) for n, each in enumerate(source.fields) if each in source.text_fields]
        for id, reports in store().responses.rows_with_ids(source.slug):
            for place, question in places:
                text = str(reports[place] or "")
                if text.strip():
                    yield WrittenText(coded_text_key(id, question.name), question, text)


def why_texts_are_unread(found: StoredSurvey) -> str:
    """Why nobody can read the texts of a survey now; empty if somebody can, or if it has none."""
    part = texts_sub_survey(found.survey)
    if part is None or found.frozen is None or found.origin != "browser":
        return ""
    return why_unread(store().texts.progress(part.slug), found.state)


def texts_may_be_read(found: StoredSurvey) -> bool:
    """Whether the texts of a survey that stores them apart can be read now."""
    part = texts_sub_survey(found.survey)
    if part is None or found.frozen is None:
        return False
    return not store().surveys.by_slug(part.slug).unread


def fold_case(text: str) -> str:
    """A text for a search without regard to case."""
    return unicodedata.normalize("NFC", text).casefold()


@dataclass(frozen=True)
class TextFilter:
    """What a page of texts shows.

    Attributes
    ----------
    words : each must occur in the text, in any case
    question : the name of a question; empty for all
    code : the number of a code, as text; "0" for texts that no code fits, "none" for texts that the
        coder has not coded, and empty for all
    coder : the account whose codes count
    """

    words: str = ""
    question: str = ""
    code: str = ANY
    coder: str = ""

    def select(self, texts: Iterator[WrittenText], codings: Codings) -> list[WrittenText]:
        words = fold_case(self.words).split()
        return [
            each
            for each in texts
            if self.question in ("", each.question.name)
            and self.fits(codings.get(each.key, {}).get(self.coder))
            and (not words or all(word in fold_case(each.text) for word in words))
        ]

    def fits(self, given: frozenset[int] | None) -> bool:
        if self.code == NOT_CODED:
            return given is None
        return self.code == ANY or (given is not None and self.code in map(str, given))


@dataclass(frozen=True)
class CodingSummary:
    """How often each coder gave each code, and how far each two coders agree.

    Attributes
    ----------
    coders : the accounts that coded a published text, by name
    texts : for each coder, the number of coded texts
    given : for each code and NO_CODE, the number of texts of each coder
    pairs : for each two coders with a text in common, the agreement on each code
    """

    coders: tuple[str, ...]
    texts: Mapping[str, int]
    given: Mapping[int, Mapping[str, int]]
    pairs: tuple[tuple[str, str, tuple[tuple[Code, Agreement], ...]], ...]


def summarise(
    texts: Iterator[WrittenText], codes: Sequence[Code], codings: Codings
) -> CodingSummary:
    """The summary of all published texts."""
    coded = [codings[text.key] for text in texts if text.key in codings]
    coders = sorted({coder for each in coded for coder in each})
    numbers = [*(code.number for code in codes), NO_CODE]
    given = {
        number: {coder: sum(number in each.get(coder, ()) for each in coded) for coder in coders}
        for number in numbers
    }
    pairs = []
    for first, second in combinations(coders, 2):
        common = [(each[first], each[second]) for each in coded if {first, second} <= each.keys()]
        if common:
            every = tuple((code, agreement_on(code.number, common)) for code in codes)
            pairs.append((first, second, every))
    texts_of = {coder: sum(coder in each for each in coded) for coder in coders}
    return CodingSummary(tuple(coders), texts_of, given, tuple(pairs))


def agreement_on(code: int, common: Sequence[tuple[frozenset[int], frozenset[int]]]) -> Agreement:
    """The agreement of two coders on a code, over the texts that both coded."""
    cells = [0, 0, 0, 0]
    for first, second in common:
        cells[2 * (code not in first) + (code not in second)] += 1
    return agreement(*cells)
