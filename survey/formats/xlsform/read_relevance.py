"""The condition of a row: that of its groups and its own, together, as far as Candor has it."""

import json
from functools import partial
from typing import Any

from survey.core.languages import Words
from survey.core.translate import translate
from survey.definition.choices import DECLINED, MAX_TEXT_CHARACTERS, free_name
from survey.definition.survey import MAX_QUESTIONS
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.conditions import (
    Condition,
    Formula,
    Held,
    Joined,
    as_condition,
    read_condition,
)
from survey.formats.xlsform.expressions import UnsupportedCondition
from survey.formats.xlsform.form import AddedAnswer, Form
from survey.formats.xlsform.vocabulary import OWN, SURVEY, XLSFormRow

ADDED = "_if"  # the end of the name of an added answer
MAX_ADDED_NAME_CHARACTERS = 55


def add_relevance(entry: dict[str, Any], line: XLSFormRow, form: Form) -> bool:
    """Add the condition of a question, and say whether anybody is asked it."""
    asked = add_condition(entry, line, form)
    if not asked:
        form.unasked.add(line.text("name"))
    return asked


def add_condition(entry: dict[str, Any], line: XLSFormRow, form: Form) -> bool:
    """Add the condition of a question, with notes. False if nobody is asked the question."""
    if "relevant" not in QUESTION_TYPES[entry["type"]].keys:
        return True
    rows = [*form.conditions, (line.number, line.text("relevant"))]
    texts = [text for _, text in rows if text]
    for number, text in rows:
        if text and not note_condition(number, text, form):
            return False
    why_unknown = partial(form.why_unknown, line.number)
    whole = read_condition(texts, form.known, form.unasked, why_unknown)
    if not whole.possible:
        note = translate(
            "the condition of the question, together with those of its groups, can never be true. "
            "The question is omitted."
        )
        form.drop(line, "relevant", note)
        return False
    relevant = whole.relevant
    for source, formula in () if QUESTION_TYPES[entry["type"]].begins_page else whole.others:
        try:
            name, answers = added_answer(formula, entry, line, form)
            relevant[name] = answers
        except UnsupportedCondition as error:
            form.drop(
                line, "relevant", asked_without(source, line.text("relevant"), str(error), form)
            )
    private = sorted(form.private & relevant.keys())
    if private and entry.get("privacy") == "none":
        note = translate(
            "depends on '%(name)s', whose answer is private. Asking this non-private question "
            "would reveal that answer, so the question is asked of everyone. Protect this "
            "question too, and then set the condition again.",
            name=private[0],
        )
        form.drop(line, "relevant", note)
        relevant = {}
    if relevant:
        entry["relevant"] = relevant
    elif entry.pop("otherwise", None) is not None:
        note = translate("needs a condition, but this question is asked of everyone.")
        form.drop(line, f"{OWN}::otherwise", note)
    return True


def note_condition(number: int, text: str, form: Form) -> bool:
    """Note the parts of a condition that are not understood, and say whether it can be true."""
    why_unknown = partial(form.why_unknown, number)
    read = read_condition([text], form.known, form.unasked, why_unknown)
    for source, fault in read.faults:
        form.left_out.add(SURVEY, number, "relevant", asked_without(source, text, fault, form))
    if not read.possible:
        note = translate("is never true. The questions with this condition are omitted.")
        form.left_out.add(SURVEY, number, "relevant", note)
    return read.possible


def asked_without(part: str, whole: str, fault: str, form: Form) -> str:
    """A note about a part of a condition. It quotes the part, unless it is the whole condition."""
    named = fault if part == whole else f"“{form.left_out.places.write_part(part)}” {fault}"
    return asked_without_condition(named)


def asked_without_condition(fault: str) -> str:
    return translate(
        "%(fault)s. The questions with this condition are asked without it.", fault=fault
    )


def added_answer(
    formula: Formula, entry: dict[str, Any], line: XLSFormRow, form: Form
) -> tuple[str, list[str]]:
    """The derived answer that says whether a condition holds, and its values if it does.

    A condition on questions that are all non-private becomes such an answer. Otherwise, the answer
    would be one more report on private answers. Raises UnsupportedCondition.
    """
    conditions = Condition()
    every = isinstance(formula, Joined) and not formula.any_holds
    for part in formula.parts if isinstance(formula, Joined) else (formula,):
        own = isinstance(part, Held) and (part.holds or part is formula)
        if isinstance(part, Held) and own and part.name not in conditions:
            require_non_private(part.name, form)
            conditions[part.name] = as_condition(part.allowed)
        else:
            name, answers = added_answer(part, entry, line, form)
            conditions[name] = answers
    declinable = any(form.entries[name][0].get(DECLINED) for name in conditions)
    rule = {"all" if every else "any": conditions}
    place = form.section + form.after_group, json.dumps(rule, sort_keys=True)
    if place not in form.added and not form.may_add:
        raise UnsupportedCondition(
            "needs one more question, but a survey has at most %(most)s", most=MAX_QUESTIONS
        )
    if place not in form.added:
        form.added[place] = new_answer(rule, entry, line, form, declinable=declinable)
    name = form.added[place].entry["name"]
    if isinstance(formula, Held) and not formula.holds:
        return name, ["no", *[DECLINED] * declinable]
    return name, ["yes"]


def require_non_private(name: str, form: Form) -> None:
    """Refuse a condition that would need one more report. Raises UnsupportedCondition."""
    if form.entries[name][0]["privacy"] != "none":
        raise UnsupportedCondition(
            "cannot be a condition in Candor, because the answer to %(name)s is private. Add a row "
            "of the type calculate with this condition and a protection, and use it here",
            name=repr(name),
        )


def new_answer(
    rule: dict[str, Any], entry: dict[str, Any], line: XLSFormRow, form: Form, *, declinable: bool
) -> AddedAnswer:
    """A new derived answer with this rule, whose label names the question of the row."""
    name = free_name(f"{entry['name'][:MAX_ADDED_NAME_CHARACTERS]}{ADDED}", form.taken)
    form.taken.add(name)
    tongues = form.tongues

    def label(language: str) -> str:
        asked = tongues.text(line, "label", language) or entry["label"]
        words = Words(language).say("Is this question asked? “%(question)s”", question=asked)
        return words[:MAX_TEXT_CHARACTERS]

    answer: dict[str, Any] = {
        "name": name,
        "type": "yes_no",
        "label": label(tongues.main),
        "derived": rule,
    }
    answer["privacy"] = "none"
    if declinable:
        answer[DECLINED] = True
    if form.section_condition and not form.after_group:
        answer["relevant"] = form.section_condition
    note = translate(
        "the condition becomes the derived answer '%(name)s', which the respondent’s page "
        "calculates.",
        name=name,
    )
    form.drop(line, "relevant", note)
    form.entries[name] = answer, line
    return AddedAnswer(answer, {other: {"label": label(other)} for other in tongues.others})
