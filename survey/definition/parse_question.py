"""Parse the questions of a definition. Errors name the place of the fault."""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.mechanisms import LocalRandomizer
from survey.core.translate import later
from survey.definition.choices import (
    DECLINED,
    MAX_MADE_NAME_CHARACTERS,
    NOT_ASKED,
    NOT_SENT,
    TRUE_OR_FALSE,
    Choice,
    answer_words,
    free_name,
    known_keys,
    names_of,
    parse_text,
    plain_ascii,
)
from survey.definition.derived_answers import (
    parse_derived,
    require_derivable,
    sources_of,
)
from survey.definition.known_tables import TOO_MUCH_WORK, KnownTables, randomizer_of
from survey.definition.questions import Question, with_sections
from survey.definition.relevance import (
    always_asked_if,
    combine_conditions,
    may_offer_none,
    parse_relevance,
)
from survey.definition.types import QUESTION_TYPES, QuestionType

QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


def parse_special_answers(
    entry: Mapping[str, Any],
    listed: Sequence[Choice],
    place: str,
    language: str,
    *,
    not_asked: bool,
) -> tuple[Choice, ...]:
    """The special answers "prefer not to say" and "not asked", if the question has them."""
    _, _, declined, unasked = answer_words(language)
    special_answers = []
    if not isinstance(entry.get("prefer_not_to_say", False), bool):
        raise DefinitionError(f"{place}.prefer_not_to_say", TRUE_OR_FALSE)
    if entry.get("prefer_not_to_say"):
        special_answers.append(Choice(DECLINED, declined))
    if not_asked:
        special_answers.append(Choice(NOT_ASKED, unasked))
    for special in special_answers:
        if special.name in names_of(listed):
            raise DefinitionError(
                f"{place}.choices",
                "Candor itself uses the name %(name)s for another answer.",
                "own",
                name=repr(special.name),
            )
    return tuple(special_answers)


def parse_order(
    entry: Mapping[str, Any], listed: Sequence[Choice], place: str
) -> tuple[bool, tuple[str, ...]]:
    """Whether the choices have a random order, and which of them keep their place.

    In a section, this is the order of its questions. Raises DefinitionError.
    """
    random_order, anchors = entry.get("random_order", False), entry.get("anchors", [])
    if not isinstance(random_order, bool):
        raise DefinitionError(f"{place}.random_order", TRUE_OR_FALSE)
    names = names_of(listed)
    if not isinstance(anchors, list) or any(name not in names for name in anchors):
        raise DefinitionError(
            f"{place}.anchors",
            "must be a list of some of: %(names)s.",
            "values",
            names=", ".join(names),
        )
    if anchors and not random_order:
        raise DefinitionError(f"{place}.anchors", "needs `random_order`.", "order")
    kept = tuple(name for name in names if name in anchors)
    if random_order and names and len(names) - len(kept) < 2:
        raise DefinitionError(
            f"{place}.anchors", "must leave at least two choices that can change places.", "few"
        )
    return random_order, kept


def parse_optional(entry: Mapping[str, Any], place: str) -> bool:
    """Whether respondents may skip the question. Raises DefinitionError."""
    optional = entry.get("optional", False)
    if not isinstance(optional, bool):
        raise DefinitionError(f"{place}.optional", TRUE_OR_FALSE)
    if optional and not entry.get("prefer_not_to_say"):
        raise DefinitionError(
            f"{place}.optional",
            "needs `prefer_not_to_say`, because a skipped question counts as this answer.",
        )
    return optional


def parse_battery(entry: Mapping[str, Any], place: str) -> bool:
    """Whether the questions of a section are rows with the same choices. Raises DefinitionError."""
    battery = entry.get("battery", False)
    if not isinstance(battery, bool):
        raise DefinitionError(f"{place}.battery", TRUE_OR_FALSE)
    return battery


def require_rows_alike(questions: Sequence[Question]) -> None:
    """Refuse a battery whose questions do not have the same choices. Raises DefinitionError."""
    first_rows = dict[str, Question]()
    for number, (section, question) in enumerate(with_sections(questions)):
        in_battery = section is not None and section.battery
        if section is None or not in_battery or question.derived or not question.kind.asks:
            continue
        first = first_rows.setdefault(section.name, question)
        if not question.kind.can_be_joint or question.offered != first.offered:
            raise DefinitionError(
                f"questions[{number}].choices",
                "must have the same choices as the other questions of its battery.",
                "battery",
            )


def parse_anchor_question(entry: Mapping[str, Any], place: str) -> bool:
    """Whether nobody has the sensitive trait of a crosswise question. Raises DefinitionError."""
    anchor = entry.get("anchor_question", False)
    if not isinstance(anchor, bool):
        raise DefinitionError(f"{place}.anchor_question", TRUE_OR_FALSE)
    return anchor


def parse_condition(
    entry: Mapping[str, Any], kind: QuestionType, earlier: Sequence[Question], place: str
) -> Mapping[str, Any] | None:
    """The condition of a question, together with that of its section. Raises DefinitionError."""
    where = f"{place}.relevant"
    relevant = parse_relevance(entry["relevant"], earlier, where) if "relevant" in entry else None
    section = [None, *(each for each, _ in with_sections(earlier))][-1]
    required = kind.condition_from_section(section)
    return combine_conditions(required, relevant or {}, earlier, where) if required else relevant


def with_conditions(
    choices: Sequence[Choice],
    entry: Mapping[str, Any],
    kind: QuestionType,
    earlier: Sequence[Question],
    place: str,
) -> tuple[Choice, ...]:
    """The choices with the conditions under which they are offered. Raises DefinitionError."""
    found, parsed = list(choices), dict[str, dict[str, Any]]()
    for number, listed in enumerate(entry.get("choices", ())):
        if "relevant" not in listed:
            continue
        where = f"{place}.choices[{number}].relevant"
        if not kind.conditional_choices or "derived" in entry:
            raise DefinitionError(
                where, "is only for single choices and boxes that respondents answer.", "kind"
            )
        if entry.get("privacy") != "none":
            raise DefinitionError(
                where,
                "does not fit a private question, because its randomisation needs all choices. "
                "Remove the conditions of the choices, or the protection.",
                "protected",
            )
        # Many choices of a long list have the same condition.
        key = repr(listed["relevant"])
        if key not in parsed:
            parsed[key] = parse_relevance(listed["relevant"], earlier, where)
        found[number] = replace(found[number], relevant=parsed[key])
    return tuple(found)


def require_non_private_conditions(private: Sequence[str], place: str, *, is_arm: bool) -> None:
    """Refuse a non-private question with a condition on private ones. Raises DefinitionError.

    An experimental arm cannot be protected, so it needs other advice.
    """
    if not private:
        return
    sentence = (
        later(
            "depends on %(name)s, which is private. An experimental arm is sent as it is, so it "
            "would reveal that answer. Remove the condition, also that of its section."
        )
        if is_arm
        else later(
            "depends on %(name)s, which is private. Whether this non-private question was "
            "asked would reveal that answer. Protect this question too."
        )
    )
    raise DefinitionError(f"{place}.relevant", sentence, name=repr(private[0]))


def require_non_private_choice_conditions(
    question: Question, earlier: Sequence[Question], place: str
) -> None:
    """Refuse choices whose conditions name an answer that is not sent as it is.

    The chosen answer would reveal something of that answer. Raises DefinitionError.
    """
    hidden = {each.name for each in earlier if not each.non_private}
    for condition, (first, *_) in question.choice_conditions:
        for name in sorted(hidden & set(condition)):
            raise DefinitionError(
                f"{place}.choices[{first}].relevant.{name}",
                "depends on %(name)s, whose answer is private or stays on the device. The choices "
                "that are offered would reveal that answer. Use a non-private question.",
                "private",
                name=repr(name),
            )


def require_sent_conditions(unsent: Sequence[str], place: str) -> None:
    """Refuse a condition of a question that is sent on one that is not. Raises DefinitionError.

    Analyses could not say who was asked. A derived answer, which is sent, can be the condition.
    """
    if unsent:
        raise DefinitionError(
            f"{place}.relevant",
            "depends on %(name)s, whose answer is not sent. Use a derived answer as the condition.",
            "unsent",
            name=repr(unsent[0]),
        )


def parse_derived_of(
    entry: Mapping[str, Any],
    kind: QuestionType,
    answers: tuple[Sequence[Choice], Any],
    earlier: Sequence[Question],
    place: str,
) -> Mapping[str, Any] | None:
    """How the answer is calculated, or None if the respondent gives it. Raises DefinitionError."""
    if "derived" not in entry:
        return None
    for field in ("optional", "random_order", "anchors"):
        if entry.get(field):
            raise DefinitionError(
                f"{place}.{field}", "does not fit a derived answer, which nobody enters.", "derived"
            )
    return parse_derived(entry["derived"], kind, answers, earlier, f"{place}.derived")


def parse_otherwise(
    entry: Mapping[str, Any],
    kind: QuestionType,
    answers: tuple[Sequence[Choice], Any],
    place: str,
    *,
    sometimes: bool,
) -> Any:
    """The answer of respondents who are not asked, or None. Raises DefinitionError.

    `sometimes` says whether there may be such respondents.
    """
    if "otherwise" not in entry:
        return None
    where = f"{place}.otherwise"
    if not sometimes:
        raise DefinitionError(where, "needs a question with `relevant`.", "relevant")
    return kind.parse_otherwise(entry["otherwise"], (tuple(answers[0]), answers[1]), where)


def require_coherent_conditions(
    question: Question, earlier: Sequence[Question], place: str
) -> None:
    """Refuse a question that is sent if its condition would reveal or hide too much.

    Raises DefinitionError.
    """
    require_non_private_choice_conditions(question, earlier, place)
    if not question.sent or not question.kind.asks or question.relevant is None:
        return
    named = [each for each in earlier if each.name in question.relevant]
    require_sent_conditions([each.name for each in named if not each.sent], place)
    if question.non_private:
        private = [each.name for each in named if not each.non_private]
        require_non_private_conditions(private, place, is_arm=question.is_arm)


def question_name(written: str, number: int, taken: Collection[str]) -> str:
    """A free name of a question: `written` itself if it is a valid name, else made from it.

    Without a letter at its start, the name begins with q. Without letters and digits, it is q and
    the number.
    """
    name = written
    if not QUESTION_NAME.fullmatch(name):
        name = plain_ascii(written, "_")[:MAX_MADE_NAME_CHARACTERS] or str(number)
        name = name if name[0].isalpha() else f"q{name}"
    taken = {*taken, "id"}
    return free_name(name if name not in taken else name[:MAX_MADE_NAME_CHARACTERS], taken)


def parse_name(entry: Mapping[str, Any], place: str) -> str:
    """The name of a question. Raises DefinitionError if it cannot be a column name."""
    name = parse_text(entry, "name", place)
    if not QUESTION_NAME.fullmatch(name) or name == "id":
        raise DefinitionError(
            f"{place}.name",
            "is %(name)s; start with a small letter, go on with small letters, digits and _ "
            "(at most 63), and do not use id.",
            "name",
            name=repr(name),
        )
    return name


def parse_type(entry: Mapping[str, Any], place: str) -> QuestionType:
    """The type of a question. Raises DefinitionError if there is no such type."""
    name = parse_text(entry, "type", place)
    if name not in QUESTION_TYPES:
        raise DefinitionError(
            f"{place}.type",
            "%(name)s is not known. Known: %(types)s.",
            name=repr(name),
            types=", ".join(sorted(QUESTION_TYPES)),
        )
    return QUESTION_TYPES[name]


def parse_question(
    entry: Any,
    place: str,
    language: str,
    earlier: Sequence[Question] = (),
    stored: LocalRandomizer | None = None,
    tables: KnownTables | None = None,
) -> Question:
    """Parse a question of a definition.

    Parameters
    ----------
    earlier : the questions before it, on which `relevant` may depend
    stored : the randomizer of a frozen survey, which is used unchanged
    tables : randomizers that need not be calculated; newly calculated ones are added to them

    Raises DefinitionError, whose `place` begins with the argument `place`.
    """
    if not isinstance(entry, Mapping):
        raise DefinitionError(place, "must be an object with name, type, label and privacy.")
    name = parse_name(entry, place)
    kind = parse_type(entry, place)
    known_keys(entry, kind.keys, place)
    label = kind.parse_label(entry, place)
    hint = parse_text(entry, "hint", place, optional=True)
    answers = choices, grid = kind.parse_answers(entry, place, language)
    choices = kind.combine_answers(entry, earlier, place) or choices
    relevant = parse_condition(entry, kind, earlier, place)
    choices = with_conditions(choices, entry, kind, earlier, place)
    may_be_empty = may_offer_none(choices, relevant, earlier)
    sometimes = relevant is not None or may_be_empty
    otherwise = parse_otherwise(entry, kind, answers, place, sometimes=sometimes)
    # The answer "not asked" is for those types that can have another answer instead of it.
    not_asked = sometimes and "otherwise" in kind.keys - entry.keys()
    listed = kind.listed_choices(choices)
    special_answers = parse_special_answers(entry, listed, place, language, not_asked=not_asked)
    sent = kind.parse_sent(entry, place)
    derived = parse_derived_of(entry, kind, answers, always_asked_if(relevant, earlier), place)
    privacy, randomizer = entry.get("privacy"), stored
    if "privacy" not in kind.keys or privacy in ("none", NOT_SENT):
        privacy, randomizer = None, None
    elif stored is None:
        where, tables = f"{place}.privacy", tables or KnownTables()
        randomizer = randomizer_of(
            privacy, kind.name, len(choices), grid, len(special_answers), where, tables
        )
    random_order, anchors = parse_order(entry, listed, place)
    question = Question(
        name=name,
        type=kind.name,
        label=label,
        hint=hint,
        choices=choices,
        privacy=None if privacy is None else dict(privacy),
        randomizer=randomizer,
        special_answers=special_answers,
        grid=grid,
        relevant=relevant,
        otherwise=otherwise,
        random_order=random_order,
        anchors=anchors,
        optional=parse_optional(entry, place),
        known_share=kind.parse_known_share(entry, place),
        anchor_question=parse_anchor_question(entry, place),
        dates=kind.parse_dates(entry, place),
        sent=sent,
        derived=derived,
        battery=parse_battery(entry, place),
        may_be_empty=may_be_empty,
    )
    require_coherent_conditions(question, earlier, place)
    if derived is not None:
        named = sources_of(derived)
        require_derivable(question, [each for each in earlier if each.name in named], place)
    return question


def require_little_work(entries: Sequence[Any], language: str, tables: KnownTables) -> None:
    """Refuse questions whose tables would take too long, before the first is calculated.

    The parser reports every other fault. Raises DefinitionError.
    """
    foreseen = tables.foreseen()
    earlier: list[Question] = []
    for entry in entries:
        with suppress(DefinitionError):
            earlier.append(parse_question(entry, "", language, earlier, tables=foreseen))
    if tables.max_work is not None and foreseen.work > tables.max_work:
        raise DefinitionError("questions", TOO_MUCH_WORK, "work")
