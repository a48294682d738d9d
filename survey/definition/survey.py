"""A whole survey, parsed from its definition, and its privacy loss for one respondent."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from survey.core.errors import DefinitionError, SurveyError
from survey.core.exact_numbers import epsilon_of_ratio_bound, exact
from survey.core.json_text import parse_json
from survey.core.languages import LANGUAGES, MAIN
from survey.core.mechanisms import LocalRandomizer
from survey.core.nfc import to_nfc
from survey.core.translate import later, translate_number
from survey.definition.answer_bounds.largest_ratio import largest_ratio
from survey.definition.choices import (
    HYPHENATED,
    TRUE_OR_FALSE,
    known_keys,
    names_of,
    parse_text,
)
from survey.definition.coin_rule import by_hand_faults
from survey.definition.derived_answers import sources_of
from survey.definition.fieldwork import (
    FIELDWORK_FIELDS,
    MAX_TEXT_CHARACTERS,
    Fieldwork,
    parse_fieldwork,
)
from survey.definition.known_tables import KnownTables
from survey.definition.parse_question import (
    parse_question,
    require_little_work,
    require_rows_alike,
)
from survey.definition.questions import Question, with_sections
from survey.definition.relevance import Arms, arms_asking, arms_meeting
from survey.definition.survey_level import (
    REVEALS_MORE,
    SURVEY_LEVELS,
    SurveyProtection,
    parse_protection,
)
from survey.definition.translation import (
    Path,
    Texts,
    missing,
    nest_texts,
    parse_translations,
    question_texts,
    translate_question,
)
from survey.definition.types.joint import joint_answers

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
MAX_SLUG_CHARACTERS = 63
MAX_TITLE_CHARACTERS = 300
# The slug of a frozen part (survey/definition/sub_surveys.py). Users cannot choose one.
PART_SLUG = re.compile(
    rf"{SLUG.pattern}"
    r"(\.(by-hand|comprehension|texts|pilot|pilot-answers|practice|practice-texts))?"
)
MAX_QUESTIONS = 200
# With more, bounds and plans would be slow. They then ignore conditions on the other arms, so that
# bounds are larger than necessary.
MAX_COMBINED_ARMS = 1_000
# With more, a response would be too long (survey/definition/responses/parse_response.py).
MAX_TEXTS = 50
MAX_INTRODUCTION_CHARACTERS = 20_000
OVER_BUDGET = later(
    "is %(budget)s, but the private questions add up to %(total)s. Choose stronger protection, ask "
    "fewer private questions, or increase the budget."
)
TEXT_FOR_SOME = later(
    "cannot be set for a text or a date in a survey with private questions. The texts that someone "
    "leaves empty would show which response this person sent. Ask everyone, for example “If you "
    "chose other: which one?”. Remove the condition, also that of the section."
)
SAMPLE_OVER_BUDGET = later(
    "is %(budget)s, but the private questions asked add up to %(total)s. Choose stronger "
    "protection, ask fewer private questions, or increase the budget."
)
# The fields of a survey, each with its sentence in docs/reference/definition.md.
SURVEY_FIELDS = {
    "slug": "Name in the survey's link: small letters, digits, and hyphens between them; at most "
    f"{MAX_SLUG_CHARACTERS} characters.",
    "title": f"Title, at most {MAX_TITLE_CHARACTERS} characters.",
    "language": "Main language: `en`, `vi`, `th` or `zh`. It decides the words for Yes and No. "
    "Default: `en`.",
    "introduction": "Text on the first page, in Markdown without images and HTML. Optional.",
    "budget": "Limit on the privacy loss of one respondent: an object with the fields in "
    "[Budget](#budget). Optional.",
    "protection": "One level of protection for all private questions: an object with the fields in "
    "[Protection](#protection). Optional.",
    "questions": f"List of 1 to {MAX_QUESTIONS} questions.",
    **FIELDWORK_FIELDS,
    "texts_apart": "`true`: texts are stored apart from the other answers of the same person "
    "(see [Sub-surveys](#sub-surveys)). Default in a survey with private questions. `false` is "
    "for responses that were collected elsewhere: Candor cannot open such a survey.",
    "translations": "The texts of the survey in further languages. Before the survey can open, "
    "every text except `contact` and `unit` needs a translation. Optional.",
    "translations_not_offered": "The texts of languages that respondents cannot choose, in the "
    "same form as `translations`. Some texts may be missing. The builder keeps the "
    "translations of a language here when a researcher removes the language. Optional.",
}
BUDGET_FIELDS = {
    "epsilon": "Maximum total ε of the private questions on which one respondent reports. Required "
    "unless `per_respondent` has a `sample` or `at_most`.",
    "per_respondent": '`"all"` (default), or for example `{"sample": 2}`: each browser picks 2 '
    'private questions at random. `{"at_most": 2}` is for responses from files only: each reports '
    "on at most 2 private questions.",
}
KEYS = frozenset(SURVEY_FIELDS)


@dataclass(frozen=True)
class PrivacyBudget:
    """The privacy budget of one respondent.

    Attributes
    ----------
    epsilon : the maximum total privacy loss ε, or None
    sample : the number of private questions, picked at random, on which each respondent reports;
        None for all of them
    at_most : whether some respondents report on fewer, as in files from elsewhere. Such a survey
        cannot open
    """

    epsilon: float | None
    sample: int | None
    at_most: bool = False


@dataclass(frozen=True, kw_only=True)
class Survey:
    """A parsed and checked survey definition.

    `not_offered` has the translations into languages that respondents cannot choose.

    `texts_apart` says whether texts are stored apart from the other answers, in a sub-survey
    (survey/definition/sub_surveys.py). If there are no private questions or no texts, it is None,
    and texts are stored with the other answers.
    """

    slug: str
    title: str
    language: str
    introduction: str
    budget: PrivacyBudget
    questions: tuple[Question, ...]
    fieldwork: Fieldwork = field(default_factory=Fieldwork)
    protection: SurveyProtection | None = None
    translations: Mapping[str, Texts] = field(default_factory=dict)
    not_offered: Mapping[str, Texts] = field(default_factory=dict)
    texts_apart: bool | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which it can be answered, the main one first."""
        return (self.language, *self.translations)

    def in_language(self, language: str) -> "Survey":
        """The survey with its texts in another of its languages."""
        if language == self.language:
            return self
        translation = self.translations[language]
        work = self.fieldwork
        named = {
            name: translation.get((name,), getattr(work, name)) for name in MAX_TEXT_CHARACTERS
        }
        questions = [
            translate_question(question, translation, self.language, language)
            for question in self.questions
        ]
        return replace(
            self,
            language=language,
            title=translation.get(("title",), self.title),
            introduction=translation.get(("introduction",), self.introduction),
            fieldwork=replace(work, **named),
            questions=tuple(combined_again(question, questions) for question in questions),
        )

    @property
    def texts(self) -> dict[Path, str]:
        """All texts that the designer wrote in the main language, by their places."""
        named = {name: getattr(self.fieldwork, name) for name in MAX_TEXT_CHARACTERS}
        texts: dict[Path, str] = {("title",): self.title, ("introduction",): self.introduction}
        texts |= {(name,): value for name, value in named.items()}
        for question in self.questions:
            texts |= dict(question_texts(question, self.language))
        return {path: value for path, value in texts.items() if value}

    @property
    def untranslated(self) -> dict[str, list[Path]]:
        """The places of missing translations, for each language that has any."""
        lacking = {other: missing(self.texts, t) for other, t in self.translations.items()}
        return {other: paths for other, paths in lacking.items() if paths}

    @property
    def section_of(self) -> dict[str, Question]:
        """The section of each question by its name, for questions in a section."""
        return {
            question.name: section
            for section, question in with_sections(self.questions)
            if section is not None and section is not question
        }

    @property
    def own_conditions(self) -> dict[str, Mapping[str, Any]]:
        """The condition of each question by its name, without what its section requires."""
        conditions = dict[str, Mapping[str, Any]]()
        for section, question in with_sections(self.questions):
            required = question.kind.condition_from_section(section)
            conditions[question.name] = {
                name: condition
                for name, condition in (question.relevant or {}).items()
                if required.get(name) != condition
            }
        return conditions

    # Each response needs the questions, so they are remembered.
    @cached_property
    def with_answers(self) -> tuple[Question, ...]:
        """The questions that have an answer, given or derived: all except notes and sections."""
        return tuple(question for question in self.questions if question.kind.asks)

    @cached_property
    def texts_and_dates(self) -> tuple[Question, ...]:
        """The questions whose answers are texts in a data file."""
        return tuple(question for question in self.with_answers if question.kind.free_text)

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """The questions that respondents answer: all except notes and derived answers."""
        return tuple(question for question in self.with_answers if question.derived is None)

    @cached_property
    def sent(self) -> tuple[Question, ...]:
        """The questions whose answers, or reports on them, are sent."""
        return tuple(question for question in self.with_answers if question.sent)

    @cached_property
    def fields(self) -> tuple[Question, ...]:
        """The questions whose reports a response holds: all that are sent, without texts apart."""
        return tuple(question for question in self.sent if question not in self.apart)

    @cached_property
    def listed_fields(self) -> tuple[Question, ...]:
        """The fields whose answers are listed in advance: all except texts and dates."""
        return tuple(each for each in self.fields if each not in self.texts_and_dates)

    @cached_property
    def apart(self) -> tuple[Question, ...]:
        """The text questions whose answers are stored apart from the response."""
        return self.texts_and_dates if self.texts_apart else ()

    @property
    def sections(self) -> tuple[Question, ...]:
        """The sections, each of which begins a page."""
        return tuple(each for section, each in with_sections(self.questions) if section is each)

    @cached_property
    def text_fields(self) -> tuple[Question, ...]:
        """The fields whose answers are texts in a data file."""
        return tuple(each for each in self.fields if each in self.texts_and_dates)

    @cached_property
    def yes_no(self) -> tuple[Question, ...]:
        """The yes/no questions among the fields."""
        return tuple(each for each in self.fields if each.kind.dichotomous)

    @cached_property
    def groupings(self) -> tuple[Question, ...]:
        """The non-private fields with one answer out of a few, which can define groups."""
        return tuple(each for each in self.fields if each.non_private and each.kind.single_choice)

    @property
    def simulated(self) -> tuple[Question, ...]:
        """The questions that simulated respondents answer: all except texts, also unsent ones."""
        return tuple(each for each in self.with_answers if each not in self.texts_and_dates)

    @property
    def unsent(self) -> tuple[Question, ...]:
        """The questions whose answers stay in the respondent's page.

        The answers behind a joint question are not among them, because its report is about them.
        """
        kept = (question for question in self.asked if not question.sent)
        return tuple(question for question in kept if self.joint_of(question) is None)

    @cached_property
    def derived(self) -> tuple[Question, ...]:
        """The questions whose answers the page calculates."""
        return tuple(question for question in self.questions if question.derived is not None)

    def derived_from(self, question: Question) -> tuple[Question, ...]:
        """The derived answers that use an answer, also through other derived answers."""
        names = {question.name}
        for other in self.derived:
            if names & set(sources_of(other.derived or {})):
                names.add(other.name)
        return tuple(each for each in self.derived if each.name in names - {question.name})

    def decided_by(self, question: Question) -> tuple[Question, ...]:
        """The later questions whose answer, or "not asked", depends on the answer to a question.

        They use this answer, or it decides who is asked them. Both may be through other questions.
        """
        names = {question.name}
        for other in self.questions:
            behind = {
                *other.depends_on,
                *(sources_of(other.derived) if other.derived else ()),
            }
            if names & behind:
                names.add(other.name)
        return tuple(each for each in self.questions if each.name in names - {question.name})

    def joint_of(self, question: Question) -> Question | None:
        """The first joint question that a question is behind, or None."""
        return next((each for each in self.derived if question in self.items_of(each)), None)

    @property
    def randomised(self) -> tuple[Question, ...]:
        """The private questions as respondents see them: for a joint one, those behind it."""
        each = (self.items_of(question) or (question,) for question in self.private)
        return tuple({question.name: question for some in each for question in some}.values())

    def items_of(self, question: Question) -> tuple[Question, ...]:
        """The questions behind a joint question; none for others."""
        return tuple(items_of(question, self.questions))

    @property
    def private(self) -> tuple[Question, ...]:
        """The questions whose answers are randomised before they are sent."""
        return tuple(question for question in self.fields if not question.non_private)

    @property
    def protected(self) -> tuple[Question, ...]:
        """The questions whose reports have a privacy bound: private ones, and crosswise ones."""
        return tuple(question for question in self.fields if question.protected)

    @property
    def unprotected(self) -> tuple[Question, ...]:
        """The questions whose answers anyone with the data can read.

        The page draws experimental arms, so they are not among them.
        """
        return tuple(question for question in self.non_private if not question.protected)

    @property
    def non_private(self) -> tuple[Question, ...]:
        """The questions whose answers are sent as respondents give them.

        The page draws experimental arms, so they are not among them.
        """
        return tuple(each for each in self.sent if each.non_private and not each.is_arm)

    @cached_property
    def _arms_asking(self) -> dict[str, Arms]:
        return arms_asking(self.questions)

    def arms_asking(self, question: Question) -> Arms:
        """The arms in which a question can be asked, for each arm that its condition depends on."""
        return arms_meeting(question.relevant, self.questions, self._arms_asking)

    @cached_property
    def arms(self) -> tuple[dict[str, str], ...]:
        """All combinations of the experimental arms that every respondent draws.

        Arms with a condition are left out. With more than MAX_COMBINED_ARMS combinations, so are
        the last arms, and first those on which no condition depends. Without arms, it is one empty
        combination.
        """
        used = {name for arms in self._arms_asking.values() for name in arms}
        drawn = [question for question in self.derived if question.is_arm and not question.relevant]
        names: dict[str, list[str]] = {}
        for question in sorted(drawn, key=lambda each: each.name not in used):
            choices = names_of(question.choices)
            if math.prod(map(len, names.values())) * len(choices) <= MAX_COMBINED_ARMS:
                names[question.name] = choices
        return tuple(
            dict(zip(names, some, strict=True)) for some in itertools.product(*names.values())
        )

    def in_each_arm(self, questions: Sequence[Question]) -> list[list[Question]]:
        """Those of the questions that can be asked, for each combination of experimental arms."""
        if self.arms == ({},):
            return [list(questions)]
        asking = [self.arms_asking(question) for question in questions]
        return [
            [
                question
                for question, arms in zip(questions, asking, strict=True)
                if all(drawn[name] in arms[name] for name in drawn.keys() & arms.keys())
            ]
            for drawn in self.arms
        ]

    def most_asked(self, questions: Sequence[Question]) -> int:
        """The largest number of these questions in one combination of experimental arms."""
        return max(map(len, self.in_each_arm(questions)))

    def number_asked(self, questions: Sequence[Question]) -> int | None:
        """The number of these questions in every experimental arm, or None if it depends on it."""
        numbers = {len(each) for each in self.in_each_arm(questions)}
        return numbers.pop() if len(numbers) == 1 else None

    def always_reported(self, question: Question) -> bool:
        """Whether every respondent reports on it, and not only a random sample."""
        return question.non_private or self.budget.sample is None

    # A results page needs it for each question.
    @cached_property
    def ratio_bound(self) -> Fraction | None:
        """The exact likelihood ratio bound of all reports of one respondent.

        None if it is infinite.
        """
        return self.bound_of(self.protected)

    @property
    def largest_ratio_bound(self) -> Fraction | None:
        """The largest bound about one answer (`ratio_bound_about`); 1 if no answer is protected."""
        bounds = [self.ratio_bound_about(question) for question in self.answers_with_bounds]
        finite = [bound for bound in bounds if bound is not None]
        return None if len(finite) < len(bounds) else max(finite, default=Fraction(1))

    @property
    def answers_with_bounds(self) -> tuple[Question, ...]:
        """The questions whose answers are protected, or stay in the respondent's page."""
        return tuple(
            question for question in self.with_answers if question.protected or not question.sent
        )

    def ratio_bound_about(self, question: Question) -> Fraction | None:
        """The likelihood ratio bound of everything that reports reveal about one answer.

        It is the largest ratio of the probabilities of all reports of one respondent, over two
        values of this answer, with all other answers fixed. It covers the question's own table,
        "not asked" included, answers derived from it, joint questions, and questions that are asked
        only after some of its values. Experimental arms and the random sample of questions are
        public and do not depend on answers. The bound is exact for up to MAX_COMBINATIONS
        combinations of answers, and otherwise the product of the bounds of all these reports.

        It is for taking part once. In a series, each wave adds up to the same again, unless the
        device repeats its draw.

        None if the bound is infinite: for an answer that is sent as given without protection, or
        for a crosswise question that shares its second statement with another one.
        """
        if question.name not in self._bounds:
            self._bounds[question.name] = self._bound_about(question)
        return self._bounds[question.name]

    def epsilon_about(self, question: Question) -> float:
        """The privacy loss ε about one answer: the logarithm of `ratio_bound_about`."""
        return epsilon_of_ratio_bound(self.ratio_bound_about(question))

    @cached_property
    def _bounds(self) -> dict[str, Fraction | None]:
        return {}

    def _bound_about(self, question: Question) -> Fraction | None:
        if question.known_share is not None:
            # Later questions can depend on whether the answers are the same. This is public.
            return self.bound_of((question, *self.shares_statement(question)))
        if question.non_private:
            return None
        reports = self.reports_about(question)
        product = self.bound_of(reports)
        if product is None or reports in ((), (question,)):
            return product
        largest = largest_ratio(question, reports, self.questions, self.budget.sample)
        own = Fraction(1) if question.ratio_bound is None else question.ratio_bound
        return product if largest is None else max(largest, own)

    def reports_about(self, question: Question) -> tuple[Question, ...]:
        """The private questions whose reports depend on an answer, its own included."""
        return tuple(
            each
            for each in (question, *self.decided_by(question))
            if each.randomizer is not None and each.sent
        )

    def shares_statement(self, question: Question) -> tuple[Question, ...]:
        """The other crosswise questions with the same second statement as this one.

        Questions of different experimental arms are not among them, because nobody answers both.
        """
        return tuple(
            each
            for each in self.fields
            if each.second_statement
            and each.second_statement == question.second_statement
            and each.name != question.name
            and self.most_asked((question, each)) > 1
        )

    def bound_of(self, questions: Sequence[Question]) -> Fraction | None:
        """The product of the likelihood ratio bounds of some protected questions.

        None if one is infinite. It is also infinite if two crosswise questions have the same second
        statement. If someone knows one of the answers, the report on it shows whether the second
        statement is true, and then the report on the other answer shows that answer.

        If each respondent reports on a sample, these are the private questions with the largest
        bounds. With experimental arms, it is the largest product over all arms. An arm is drawn
        independently of all answers and is public. The report on a question of another arm is
        drawn for "not asked", whatever the answers are, so its bound is 1.
        """
        products = []
        for asked in self.in_each_arm(questions):
            statements = [each.second_statement for each in asked if each.second_statement]
            bounds = [each.ratio_bound for each in asked]
            if None in bounds or len(set(statements)) < len(statements):
                return None
            private = sorted(
                (q.ratio_bound or Fraction(1) for q in asked if not q.non_private), reverse=True
            )
            given = [q.ratio_bound or Fraction(1) for q in asked if q.non_private]
            factors = [*private[: self.budget.sample], *given]
            products.append(math.prod(factors, start=Fraction(1)))
        return max(products)

    @property
    def epsilon(self) -> float:
        """The total privacy loss of one respondent: the sum over all reports (composition).

        With experimental arms, it is that of the arm with the largest sum (`bound_of`).
        """
        return epsilon_of_ratio_bound(self.ratio_bound)

    def as_definition(self) -> dict[str, Any]:
        """The definition in its canonical form. Parsing it gives this survey again."""
        definition: dict[str, Any] = {
            "slug": self.slug,
            "title": self.title,
            "language": self.language,
            "introduction": self.introduction,
        }
        budget = self.budget
        if budget.epsilon is not None or budget.sample is not None:
            some = {"at_most" if budget.at_most else "sample": budget.sample}
            per_respondent = "all" if budget.sample is None else some
            definition["budget"] = {"per_respondent": per_respondent}
            if budget.epsilon is not None:
                definition["budget"]["epsilon"] = budget.epsilon
        if self.protection is not None:
            definition["protection"] = self.protection.as_definition()
        definition |= self.fieldwork.as_definition()
        if self.texts_apart is not None:
            definition["texts_apart"] = self.texts_apart
        definition["questions"] = [question.as_definition() for question in self.questions]
        if self.translations:
            definition["translations"] = {
                other: nest_texts(texts) for other, texts in self.translations.items()
            }
        if self.not_offered:
            definition["translations_not_offered"] = {
                other: nest_texts(texts) for other, texts in self.not_offered.items()
            }
        return definition


def combined_again(question: Question, questions: Sequence[Question]) -> Question:
    """A joint question with the combinations of translated answers; any other one unchanged."""
    items = items_of(question, questions)
    return replace(question, choices=joint_answers(items)) if items else question


def items_of(question: Question, questions: Sequence[Question]) -> list[Question]:
    """The questions whose answers a joint question combines; none for other questions."""
    return [each for each in questions if each.name in question.joined]


def parse_budget(value: Any, private: int) -> PrivacyBudget:
    if value is None:
        return PrivacyBudget(None, None)
    if not isinstance(value, Mapping):
        raise DefinitionError("budget", 'must be an object such as {"epsilon": 3}.')
    known_keys(value, BUDGET_FIELDS, "budget")
    epsilon, sample, at_most = None, None, False
    per_respondent = value.get("per_respondent", "all")
    if isinstance(per_respondent, Mapping):
        at_most = "at_most" in per_respondent
        member = "at_most" if at_most else "sample"
        known_keys(per_respondent, {member}, "budget.per_respondent")
        sample = per_respondent.get(member)
        if at_most and (type(sample) is not int or not 1 <= sample <= private):
            raise DefinitionError(
                "budget.per_respondent.at_most",
                "must be a whole number from 1 to the number of private questions, %(n)s.",
                n=private,
            )
        if not at_most and (type(sample) is not int or not 1 <= sample < private):
            raise DefinitionError(
                "budget.per_respondent.sample",
                "must be a whole number below the number of private questions, %(n)s.",
                "below" if type(sample) is int and sample > 0 else "number",
                n=private,
            )
    elif per_respondent != "all":
        raise DefinitionError("budget.per_respondent", 'must be "all" or {"sample": 2}.')
    if "epsilon" in value or sample is None:
        try:
            epsilon = float(exact(value.get("epsilon"), "epsilon"))
        except SurveyError as error:
            raise DefinitionError("budget.epsilon", str(error), "number") from error
        if not 0 < epsilon < math.inf:
            raise DefinitionError("budget.epsilon", "must be above 0.", "number")
    return PrivacyBudget(epsilon, sample, at_most)


def parse_survey(
    definition: Any,
    stored: Mapping[str, LocalRandomizer] | None = None,
    tables: KnownTables | None = None,
) -> Survey:
    """Parse a survey definition (docs/reference/definition.md).

    Parameters
    ----------
    stored : for a frozen survey, the randomizers of its private questions by name. They are used
        unchanged, without a mechanism. Such a survey may have the slug of a part.
    tables : for any other survey, randomizers that need not be calculated; newly calculated ones
        are added to them

    Raises DefinitionError; its `place` is that of the fault.
    """
    if not isinstance(definition, Mapping):
        raise DefinitionError("", "A survey definition must be a JSON object.")
    known_keys(definition, KEYS, "")
    title = parse_text(definition, "title", "", limit=MAX_TITLE_CHARACTERS)
    slug = parse_text(definition, "slug", "")
    if not (SLUG if stored is None else PART_SLUG).fullmatch(slug):
        raise DefinitionError("slug", HYPHENATED, "name", name=repr(slug))
    language = definition.get("language", MAIN)
    if language not in LANGUAGES:
        raise DefinitionError(
            "language", "must be one of %(languages)s.", languages=", ".join(LANGUAGES)
        )
    introduction = parse_text(
        definition, "introduction", "", limit=MAX_INTRODUCTION_CHARACTERS, optional=True
    )
    entries = definition.get("questions")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_QUESTIONS:
        raise DefinitionError(
            "questions", "must be a list of 1 to %(most)s questions.", "count", most=MAX_QUESTIONS
        )
    tables = KnownTables() if tables is None else tables
    questions = parse_questions(entries, language, stored, tables)
    private = sum(question.randomizer is not None for question in questions)
    budget = parse_budget(definition.get("budget"), private)
    work = parse_fieldwork(definition)
    survey = Survey(
        slug=slug,
        title=title,
        language=language,
        introduction=introduction,
        budget=budget,
        questions=tuple(questions),
        fieldwork=work,
    )
    names = [each.name for each in survey.private]
    survey = replace(
        survey,
        texts_apart=parse_texts_apart(definition, survey),
        protection=parse_protection(definition.get("protection"), names),
    )
    translations = parse_translations(definition.get("translations"), survey.texts, {language})
    not_offered = parse_translations(
        definition.get("translations_not_offered"),
        survey.texts,
        translations,
        "translations_not_offered",
    )
    survey = replace(survey, translations=translations, not_offered=not_offered)
    require_coherence(survey)
    return survey


def parse_texts_apart(definition: Mapping[str, Any], survey: Survey) -> bool | None:
    """Whether texts are stored apart from the other answers, or None if it does not matter.

    Raises DefinitionError.
    """
    stated = definition.get("texts_apart", True)
    if not isinstance(stated, bool):
        raise DefinitionError("texts_apart", TRUE_OR_FALSE)
    return stated if survey.private and survey.texts_and_dates else None


def parse_questions(
    entries: Sequence[Any],
    language: str,
    stored: Mapping[str, LocalRandomizer] | None,
    tables: KnownTables,
) -> list[Question]:
    """Parse the questions of a survey, in order. Raises DefinitionError."""
    if stored is None:
        require_little_work(entries, language, tables)
    questions: list[Question] = []
    for number, entry in enumerate(entries):
        place = f"questions[{number}]"
        fixed = (
            stored.get(str(entry.get("name"))) if stored and isinstance(entry, Mapping) else None
        )
        question = parse_question(entry, place, language, questions, fixed, tables)
        if question.name in {other.name for other in questions}:
            raise DefinitionError(
                f"{place}.name", "%(name)s is used twice.", "twice", name=repr(question.name)
            )
        questions.append(question)
    require_rows_alike(questions)
    if sum(question.kind.free_text for question in questions) > MAX_TEXTS:
        raise DefinitionError(
            "questions",
            "has more than %(most)s text questions. Use fewer.",
            "texts",
            most=MAX_TEXTS,
        )
    if all(not (question.kind.asks and question.sent) for question in questions):
        raise DefinitionError(
            "questions", "has nothing to answer. Add at least one question.", "notes"
        )
    return questions


def require_coherence(survey: Survey) -> None:
    """Raise DefinitionError if settings of a survey contradict each other."""
    budget, work = survey.budget, survey.fieldwork
    if work.by_hand:
        faults = by_hand_faults(survey.questions, budget.sample, work.series, work.invitations)
        if fault := next(faults, ""):
            raise DefinitionError("by_hand", fault)
    if work.comprehension and not survey.private:
        raise DefinitionError("comprehension", "needs at least one private question.", "sum")
    if survey.protection is not None and survey.protected:
        level = SURVEY_LEVELS[survey.protection.level]
        if not level.allows(survey.largest_ratio_bound, survey.ratio_bound):
            raise DefinitionError("protection.level", REVEALS_MORE, "sum")
    if budget.epsilon is not None and survey.epsilon > budget.epsilon:
        sentence = OVER_BUDGET if budget.sample is None else SAMPLE_OVER_BUDGET
        raise DefinitionError(
            "budget.epsilon",
            sentence,
            "sum",
            budget=translate_number(f"{budget.epsilon:g}"),
            total=translate_number(f"{survey.epsilon:.4f}"),
        )


def texts_for_some(survey: Survey) -> Iterator[tuple[int, Question]]:
    """The texts and dates apart from the response that only some respondents see, with places.

    Such a text is empty for all others. What decides who sees it is stored with the response: an
    answer to a non-private question, or an experimental arm. So a few such texts would join a row
    of texts to a response.
    """
    for number, question in enumerate(survey.questions):
        if question.relevant and question in survey.apart:
            yield number, question


def require_texts_for_all(survey: Survey) -> None:
    """Refuse a text that is stored apart and that only some respondents see.

    Only drafts may have one. Raises DefinitionError.
    """
    for number, _ in texts_for_some(survey):
        place = f"questions[{number}].relevant"
        raise DefinitionError(place, TEXT_FOR_SOME, "apart")


def read_definition(
    document: str | bytes, tables: KnownTables | None = None, *, nfc: bool = False
) -> Survey:
    """Parse a survey from JSON text. Raises DefinitionError.

    With `nfc`, texts get normalisation form C. A stored definition never changes: it has a
    fingerprint.
    """
    try:
        content = parse_json(document)
    except ValueError as error:
        raise DefinitionError("", "This is not JSON: %(error)s.", error=error) from error
    return parse_survey(to_nfc(content) if nfc else content, tables=tables)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal content has equal bytes."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
