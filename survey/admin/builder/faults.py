"""The faults of a builder form: all at once, each at its field.

The parser of a definition stops at the first fault. The faulty field then gets a stand-in value,
and the parser runs again, until it finds no more faults. A fault that may exist only because of a
stand-in is not reported. If it is real, it appears after the researcher has corrected the field.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from survey.admin.builder.derived_texts import FIELD_OF, OPERATION_FIELDS
from survey.admin.builder.fields import ANY_FAULTS, FIELDS, LIMITS
from survey.admin.builder.form_to_definition import names_of_questions, question_entry, to_survey
from survey.admin.builder.texts import parse_expected_respondents, parts_of_form, type_in_form
from survey.core.errors import DefinitionError, SurveyError
from survey.core.languages import LANGUAGES, MAIN
from survey.core.translate import join_sentences, translate, translate_number
from survey.definition.derived_answers import sources_of
from survey.definition.known_tables import KnownTables
from survey.definition.parse_question import parse_question
from survey.definition.protection_levels import MEDIUM
from survey.definition.questions import Question
from survey.definition.survey import Survey

# The maximum number of faults that are reported for one question.
MAX_QUESTION_FAULTS = 20
PLACE = re.compile(r"(?P<member>\w+)(\[(?P<line>\d+)\])?(\.(?P<rest>.+))?")
IN_QUESTION = re.compile(r"questions\[(\d+)\]\.?")
PARTS_OF_PRIVACY = ("gamma", "epsilon")
# If one of these is wrong, conditions on the question cannot be checked.
DEPENDED_ON = {"name", "type", "choices", "min", "max", "step"}
# If one of these is wrong, everything else can be checked.
WORDING = {"label", "hint"}
Typed = Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    """A fault of one field: the number of its question, from 0, or None; and a sentence that
    continues after the field's label."""

    number: int | None
    field: str
    sentence: str

    @property
    def at(self) -> str:
        """The id of the field on the page."""
        return self.field if self.number is None else f"questions-{self.number}-{self.field}"

    @property
    def text(self) -> str:
        """For a list of all faults."""
        label, sentence = translate(FIELDS[self.field].label), self.sentence
        if self.number is None:
            return translate("%(label)s: %(sentence)s", label=label, sentence=sentence)
        number = self.number + 1
        if self.field == "label":
            return translate("Question %(number)s: %(sentence)s", number=number, sentence=sentence)
        return translate(
            "Question %(number)s, %(label)s: %(sentence)s",
            number=number,
            label=label,
            sentence=sentence,
        )

    @property
    def within(self) -> str:
        """For a place that belongs to the question."""
        if self.field == "label":
            return self.sentence
        label = translate(FIELDS[self.field].label)
        return translate("%(label)s: %(sentence)s", label=label, sentence=self.sentence)

    @property
    def beside(self) -> str:
        """For a place next to the field."""
        return self.sentence[:1].upper() + self.sentence[1:]


@dataclass(frozen=True)
class CheckedQuestion:
    """A question of the form, parsed with stand-ins for its faults, or None if that fails. `waits`
    says that a stand-in replaces a value that depends on another question's fault."""

    question: Question | None
    faults: tuple[Fault, ...]
    typed: Typed
    waits: bool = False

    @property
    def sound(self) -> Question | None:
        return None if self.faults or self.waits else self.question

    @property
    def why_not(self) -> str:
        """Why it is not sound, for a place that belongs to the question."""
        if self.waits and not self.faults:
            return translate(
                "This question depends on another one that is incomplete. Complete that one first."
            )
        return join_sentences(*(fault.within for fault in self.faults))


@dataclass(frozen=True, kw_only=True)
class LocatedError:
    """An error of the parser with its field, reason and words. For a choice, also the line and the
    part of it."""

    field: str
    reason: str
    words: Mapping[str, object]
    line: int | None = None
    part: str = ""

    def hangs_on(self, stood_in: set[str]) -> bool:
        """Whether the error may exist only because of a stand-in."""
        fields = FIELDS[self.field].hangs_on
        return any(stood_in & fields.get(reason, frozenset()) for reason in ("", self.reason))

    def fault(self, number: int | None) -> Fault:
        own = FIELDS[self.field].faults
        reason = f"{self.part} {self.reason}".strip()
        sentences = (own.get(reason), own.get(self.part), ANY_FAULTS.get(self.reason))
        sentence = next(filter(None, sentences), ANY_FAULTS[""])
        limits = {name: translate_number(f"{limit:,}") for name, limit in LIMITS.items()}
        return Fault(number, self.field, translate(sentence, **limits, **self.words))


def locate_error(error: DefinitionError, privacy: str = "") -> LocatedError:
    """The place of an error in the form. `privacy` is the protection of its question."""
    place = IN_QUESTION.sub("", error.place)
    place_match = PLACE.fullmatch(place)
    member, line, rest = (
        place_match.group("member", "line", "rest") if place_match else ("", None, None)
    )
    words = error.values | {
        "fault": error.fault,
        "line": str(int(line or 0) + 1),
        "name": rest or "",
    }
    if not member:
        # The error is about a whole question, that is its range, or about an unknown member.
        member = error.parameter or ("label" if place != error.place else "title")
    elif member == "privacy":
        member = "other" if privacy == "other" else "privacy"
        if error.parameter in PARTS_OF_PRIVACY and member == "privacy":
            member = error.parameter
    elif member in ("budget", "protection") and rest:
        member = f"{member}.{rest}"
    elif member == "derived":
        member, words["name"] = place_in_derived(rest or "", error.reason)
    name = next((name for name, row in FIELDS.items() if row.member == member), member)
    part = rest if rest and name == "choices" else ""
    if part.startswith("relevant"):
        words["name"] = part.partition(".")[2]
        return LocatedError(field="choice_conditions", reason=error.reason, words=words)
    return LocatedError(
        field=name,
        reason=error.reason,
        words=words,
        line=None if line is None else int(line),
        part=part,
    )


def place_in_derived(rest: str, reason: str) -> tuple[str, str]:
    """The field of a fault in a derived answer, and the name of the question or choice."""
    if reason == "arm":
        return "arms", ""
    member, *names = rest.split(".")
    if reason == "outcome" or member not in FIELD_OF:
        return "derived", ""
    if member == "recode":
        names = names[-1:]
    return FIELD_OF[member], ": ".join(names)


def put_right(typed: dict[str, Any], at: LocatedError, number: int) -> None:
    """Replace a faulty value with a stand-in, so that the rest can be checked."""
    if at.field == "choices" and at.line is not None:
        lines = [line for line in typed["choices"].splitlines() if line.strip()]
        lines[at.line] = f"stand_in_{at.line} | Stand-in {at.line}"
        typed["choices"] = "\n".join(lines)
    elif at.field == "choices":
        typed["choices"] = "a\nb" if "choices" in parts_of_form(type_in_form(typed)) else ""
    elif at.field == "name":
        typed["name"] = f"stand_in_{number}"
    elif at.field == FIELD_OF["joint"]:
        # No other question can depend on it.
        typed["type"] = FIELDS["type"].stand_in
    elif at.field in OPERATION_FIELDS:
        if typed["derived"] == "random":
            typed["privacy"] = "none"
        typed["derived"] = FIELDS["derived"].stand_in
    elif at.field in ("privacy", "gamma", "epsilon", "other"):
        typed["privacy"] = MEDIUM if type_in_form(typed).mechanisms is not None else "none"
    else:
        typed[at.field] = FIELDS[at.field].stand_in


def checked_question(
    typed: Typed,
    number: int,
    name: str,
    language: str,
    earlier: Sequence[Question],
    unclear: set[str],
    tables: KnownTables,
) -> CheckedQuestion:
    """One question of the form with all its faults.

    Parameters
    ----------
    earlier : the questions before it, with stand-ins
    unclear : the names of questions on which conditions cannot be checked
    tables : randomizers that need not be calculated
    """
    place = f"questions[{number}]"
    now = dict(typed, name=name)
    faults: list[Fault] = []
    stood_in: set[str] = set()
    tried: set[tuple[str, int | None]] = set()
    sources: set[str] = set()
    for _ in range(MAX_QUESTION_FAULTS):
        try:
            if now["name"] in {question.name for question in earlier}:
                raise DefinitionError(f"{place}.name", "is used twice.", "twice")
            entry = question_entry(now, number, now["name"])
            sources |= set(sources_of(entry["derived"])) if "derived" in entry else set()
            question = parse_question(entry, place, language, earlier, tables=tables)
            waits = bool(stood_in or unclear & ({*question.depends_on} | sources))
            return CheckedQuestion(question, tuple(faults), now, waits)
        except DefinitionError as error:
            at = locate_error(error, now["privacy"])
        condition = at.field in ("relevant", "choice_conditions")
        calculation = at.field in OPERATION_FIELDS and at.reason != "line"
        if (condition and at.words["name"] in unclear) or (calculation and sources & unclear):
            stood_in.add(at.field)
        elif not at.hangs_on(stood_in):
            faults.append(at.fault(number))
        if (at.field, at.line) in tried:
            break
        tried.add((at.field, at.line))
        stood_in.add(at.field)
        put_right(now, at, number)
    return CheckedQuestion(None, tuple(faults), now)


def checked_questions(
    data: Typed, tables: KnownTables, *, worded: bool = True
) -> list[CheckedQuestion]:
    """Each question of the form with its faults.

    Parameters
    ----------
    tables : randomizers that need not be calculated; new ones are added
    worded : whether a question without a text has a fault
    """
    language = data["language"] if data["language"] in LANGUAGES else MAIN
    questions: list[CheckedQuestion] = []
    earlier: list[Question] = []
    unclear: set[str] = set()
    names = names_of_questions(data["questions"])
    for number, (typed, name) in enumerate(zip(data["questions"], names, strict=True)):
        if not worded:
            typed = dict(typed, label=(typed["label"] or "").strip() or "…")
        one = checked_question(typed, number, name, language, earlier, unclear, tables)
        questions.append(one)
        if one.question is not None:
            earlier.append(one.question)
        if one.question is None or DEPENDED_ON & {fault.field for fault in one.faults}:
            unclear.add(name)
    return questions


def fault_among(at: LocatedError, number: int, questions: Sequence[Typed]) -> Fault:
    """A fault of a question that only shows next to others.

    The rows of a battery differ, or only some people are asked a text.
    """
    if at.field == "relevant":
        return at.fault(number)
    shown = "choices" in parts_of_form(type_in_form(questions[number]))
    return replace(at, field="choices" if shown else "type").fault(number)


def check_builder_form(data: Typed, before: Survey | None) -> tuple[Survey | None, list[Fault]]:
    """The survey that a form describes, or everything that is wrong with it, in the order of the
    form.

    Parameters
    ----------
    before : the draft that it takes the place of (`builder.to_survey`)
    """
    tables = KnownTables.of(() if before is None else before.questions)
    questions = checked_questions(data, tables)
    faults = [fault for each in questions for fault in each.faults]
    now = dict(data, questions=[each.typed for each in questions if each.question is not None])
    unready = any(fault.field not in WORDING for fault in faults)
    stood_in = {"questions"} if unready else set()
    if faults:
        now["level"] = ""  # It is divided when all questions are ready.
    own: list[Fault] = []
    try:
        parse_expected_respondents(data["respondents"])
    except DefinitionError as error:
        own.append(locate_error(error).fault(None))
    survey = None
    for _ in FIELDS:
        try:
            survey = to_survey(now, before, tables)
            break
        except DefinitionError as error:
            at, in_question = locate_error(error), IN_QUESTION.match(error.place)
        if in_question:
            if not unready:
                faults.append(fault_among(at, int(in_question[1]), now["questions"]))
            break
        if not at.hangs_on(stood_in):
            own.append(at.fault(None))
        if at.field in stood_in or at.field == "questions":
            break
        stood_in.add(at.field)
        now[at.field] = FIELDS[at.field].stand_in
    order = list(FIELDS)
    everything = sorted(own, key=lambda fault: order.index(fault.field)) + faults
    return (None, everything) if everything else (survey, [])


def fault_of_table(question: Question) -> str:
    """Why a table without a finite ε cannot protect, or an empty text."""
    if question.table is None:
        return ""
    try:
        question.table.require_finite()
    except SurveyError as error:
        return str(error)
    return ""
