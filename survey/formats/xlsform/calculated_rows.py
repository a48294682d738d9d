"""Conversion of the rows `calculate` of the sheet survey into derived answers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from survey.core.number_grid import MAX_VALUES, json_number
from survey.core.translate import translate
from survey.definition.choices import DECLINED, MAX_CHOICES, NOT_SENT, choice_name
from survey.definition.protection_levels import MEDIUM, privacy_of_level
from survey.definition.relevance import implies
from survey.definition.survey import Survey
from survey.definition.types import QUESTION_TYPES
from survey.definition.types.joint import MAX_COMBINATIONS, MAX_ITEMS, MIN_ITEMS
from survey.formats.xlsform.choice_filters import only_conditional_choices
from survey.formats.xlsform.conditions import EarlierQuestion, read_condition
from survey.formats.xlsform.expressions import (
    Expression,
    UnsupportedCondition,
    names_in,
    parse_expression,
)
from survey.formats.xlsform.form import Form, Option
from survey.formats.xlsform.questions import (
    UNPROTECTED,
    add_own_members,
    asks_for_other,
    main_language_label,
    name_in_form,
    privacy_of,
    read_question,
    remember_question,
    sets_protection,
    translations_of,
)
from survey.formats.xlsform.read_calculation import (
    YES_AND_NO,
    CalculationReader,
    DerivedAnswer,
    Points,
    RandomNumber,
    derived_answer,
)
from survey.formats.xlsform.read_relevance import add_relevance
from survey.formats.xlsform.unsupported import note_unsupported
from survey.formats.xlsform.vocabulary import (
    ANSWER,
    CALCULATE,
    DERIVED,
    PRIVACY,
    SURVEY,
    Row,
    XLSFormColumn,
    XLSFormRow,
    xlsform_rows,
)
from survey.formats.xlsform.write_calculation import calculation_of

Asked = tuple[dict[str, Any], dict[str, dict[str, Any]]]


def is_calculated(line: XLSFormRow) -> bool:
    return line.text("type").lower() == CALCULATE


def names_outside_calculations(rows: Sequence[Row]) -> set[str]:
    """The names of questions on which more than calculations depends."""
    names = set[str]()
    for line in xlsform_rows(rows):
        if asks_for_other(line):
            names.add(line.text("name"))
        for column, cell in line.cells.items():
            if not (is_calculated(line) and column.key == "calculation"):
                names |= names_in(str(cell))
    return names


def read_calculated(line: XLSFormRow, form: Form) -> Asked | None:
    """The derived answer of a row and its texts in the other languages.

    None if Candor does not support the calculation, or only uses it in later ones.
    """
    question_line = as_question(line)
    if line.text(ANSWER) and line.text(DERIVED):
        asked = read_question(question_line, form)
        if asked is not None:
            form.stated[asked[0]["name"]] = line
        return asked
    name, why_unknown = line.text("name"), partial(form.why_unknown, line.number)
    reader = CalculationReader(known_to(line, form), form.calculated, why_unknown)
    try:
        expression = parse_expression(line.text("calculation"), form.unasked)
        if (answer := read_joint(expression, form)) is not None:
            return derived_question(answer, question_line, form)
        node = reader.calculation(expression)
        if isinstance(node, Points | RandomNumber):
            form.calculated[name] = node
        answer = derived_answer(node, reader.parents)
        require_possible(answer)
    except UnsupportedCondition as error:
        form.not_understood[name] = (line, str(error))
        return None
    form.consumed |= reader.consumed
    for key in (ANSWER, DERIVED):
        if line.text(key):
            form.drop(line, key, translate("other columns already define this."))
    return derived_question(answer, question_line, form)


def known_to(line: XLSFormRow, form: Form) -> dict[str, EarlierQuestion]:
    """The earlier questions. None is skippable if the condition of the row implies its own."""
    texts = [*(text for _, text in form.conditions), line.text("relevant")]
    own = read_condition([text for text in texts if text], form.known, form.unasked).relevant

    def is_asked(name: str) -> bool:
        entry = form.entries[name][0]
        conditions = entry.get("relevant", {}).items()
        implied = all(implies(own.get(parent), condition) for parent, condition in conditions)
        return implied and not only_conditional_choices(entry)

    return {
        written: replace(each, skippable=each.skippable and not is_asked(each.name))
        for written, each in form.known.items()
    }


def read_joint(expression: Expression, form: Form) -> DerivedAnswer | None:
    """The joint question of a calculation such as `concat(${a}, '+', ${b})`; None if it is another.

    Raises UnsupportedCondition if the answers cannot be combined.
    """
    parts = expression.parts if expression.calls("concat") else ()
    written = [str(part.value) for part in parts if part.kind == "name"]
    if not all(part.kind == "name" or part.is_constant(str) for part in parts):
        return None
    parents = [form.known.get(each) for each in written]
    if len(written) < MIN_ITEMS or not all(
        each is not None and each.kind.can_be_joint for each in parents
    ):
        return None
    names = [each.name for each in parents if each is not None]
    if len(names) > MAX_ITEMS or len(set(names)) < len(names):
        raise UnsupportedCondition(
            "does not combine 2 to %(most)s different questions", most=MAX_ITEMS
        )
    for name, each in zip(names, written, strict=True):
        unsent = form.entries[name][0]["privacy"] == NOT_SENT
        if "derived" in form.entries[name][0] or not (
            unsent or (name in form.unprotected and each not in form.outside)
        ):
            raise UnsupportedCondition(
                "combines %(name)s, which is sent on its own", name=repr(each)
            )
    combinations = math.prod(len(each.names) + each.skippable for each in parents if each)
    if combinations > MAX_COMBINATIONS:
        raise UnsupportedCondition("has more than %(most)s results", most=MAX_COMBINATIONS)
    form.consumed |= set(written)
    return DerivedAnswer(type="joint", derived={"joint": names}, used=names)


def as_question(line: XLSFormRow) -> XLSFormRow:
    """The row of the question whose answer the row calculates."""
    unused = {"type", "calculation", "required", ANSWER}
    cells = {column: cell for column, cell in line.cells.items() if column.key not in unused}
    if not (line.text(ANSWER) and line.text(DERIVED)):
        cells = {column: cell for column, cell in cells.items() if column.key != DERIVED}
    cells[XLSFormColumn.of("type")] = line.text(ANSWER)
    cells[XLSFormColumn.of("required")] = "yes"
    return XLSFormRow(line.number, cells, line.notes)


def require_possible(answer: DerivedAnswer) -> None:
    """Refuse results that Candor has no type of question for. Raises UnsupportedCondition."""
    texts = [text for text, _ in answer.results]
    if len(texts) > MAX_CHOICES:
        raise UnsupportedCondition("has more than %(most)s results", most=MAX_CHOICES)
    if DECLINED in texts:
        raise UnsupportedCondition("has the result %(name)s", name=repr(DECLINED))
    if answer.range:
        low, high, step = answer.range
        if (high - low) / step >= MAX_VALUES:
            raise UnsupportedCondition("has too many results")


def derived_question(answer: DerivedAnswer, line: XLSFormRow, form: Form) -> Asked | None:
    """The question of a derived answer and its texts in the other languages.

    None if nobody has this answer.
    """
    entry: dict[str, Any] = {"name": name_in_form(line, form), "type": answer.type}
    entry["label"] = main_language_label(line, form)
    kind = QUESTION_TYPES[answer.type]
    if (hint := form.hint(line)) and "hint" in kind.keys:
        entry["hint"] = hint
    elif hint:
        form.drop(line, "hint", translate("nobody sees a joint question, so it has no hint."))
    own_words = kind.xlsform_choices and tuple(text for text, _ in answer.results) in YES_AND_NO
    options = list[Option]()
    for text, stated in answer.results:
        taken = [option.name for option in options]
        name = stated if kind.xlsform_choices else choice_name(text, len(options) + 1, taken)
        options.append(
            Option(written=text, name=name, labels={form.tongues.main: text}, row=line.number)
        )
    if options and not own_words:
        entry["choices"] = [{"name": o.name, "label": o.written} for o in options]
    if answer.range:
        entry |= dict(zip(("min", "max", "step"), map(json_number, answer.range), strict=True))
    # Bands, conditions and weights are in the order of the choices.
    entry["derived"] = {
        key: dict(zip((o.name for o in options), value, strict=True))
        if isinstance(value, list) and options
        else value
        for key, value in answer.derived.items()
    }
    sources = [form.entries[name] for name in answer.used]
    if DECLINED in kind.keys and any(source.get(DECLINED) for source, _ in sources):
        entry[DECLINED] = True
    add_own_members(entry, line, form)
    add_privacy(entry, sources, line, form)
    conditional = line.text("relevant") or any(text for _, text in form.conditions)
    if conditional and "relevant" not in kind.keys:
        note = translate("everyone has a joint answer, so Candor omits the condition.")
        form.drop(line, "relevant", note)
    elif "random" not in entry["derived"]:
        if not add_relevance(entry, line, form):
            return None
    elif conditional:
        note = translate("everyone gets an experimental arm, so Candor omits the condition.")
        form.drop(line, "relevant", note)
    note_unsupported(entry, line, form)
    remember_question(entry, options, line, form)
    form.derived[entry["name"]] = line
    return entry, translations_of(entry, [], line, form)


def add_privacy(
    entry: dict[str, Any],
    sources: Iterable[tuple[dict[str, Any], XLSFormRow]],
    line: XLSFormRow,
    form: Form,
) -> None:
    """Set the protection of a derived answer, and keep the answers behind it in the page."""
    kind = QUESTION_TYPES[entry["type"]]
    if "random" in entry["derived"]:
        entry["privacy"] = "none"
        if sets_protection(line):
            note = translate("an experimental arm does not depend on answers, so it is sent as is.")
            form.drop(line, PRIVACY, note)
        return
    stated = privacy_of(entry, [], line, form) if states_protection(line) else None
    if stated != "none":
        for source, row in sources:
            if source["name"] in form.unprotected and row.text("name") not in form.outside:
                source["privacy"] = NOT_SENT
                form.private.add(source["name"])
                form.unprotected.remove(source["name"])
                form.left_out.withdraw(SURVEY, row.number, translate(UNPROTECTED))
                note = translate(
                    "only calculations use the answer, so it stays in the respondent’s page. "
                    "Choose another protection in the draft if needed."
                )
                form.left_out.add(SURVEY, row.number, "", note)
    if stated is not None:
        entry["privacy"] = stated
    elif any(source["privacy"] != "none" for source, _ in sources):
        entry["privacy"] = privacy_of_level(MEDIUM, kind)
        form.proposed.add(entry["name"])
    else:
        entry["privacy"] = "none"
        form.unprotected.append(entry["name"])


def states_protection(line: XLSFormRow) -> bool:
    return bool(line.text(PRIVACY) or line.under(PRIVACY))


def part_of_others(form: Form) -> set[str]:
    """The names of derived answers on which only later calculations depend. A note says so."""
    parts = set[str]()
    for name, line in form.derived.items():
        written = line.text("name")
        needed = written in form.outside or states_protection(line)
        if written in form.consumed and not needed:
            parts.add(name)
            form.left_out.withdraw(SURVEY, line.number)
            note = translate(
                "Candor calculates this only within later calculations, and does not send it. The "
                "row is omitted."
            )
            form.left_out.add(SURVEY, line.number, "calculation", note)
        elif name in form.proposed:
            note = translate(
                "the form sets no protection, so Candor set the level medium. Change it in the "
                "draft if needed."
            )
            form.left_out.add(SURVEY, line.number, "", note)
        elif name in form.unprotected:
            form.left_out.add(SURVEY, line.number, "", translate(UNPROTECTED))
    form.unprotected[:] = [name for name in form.unprotected if name not in parts]
    for name, (line, fault) in form.not_understood.items():
        if name not in form.consumed:
            note = translate(
                "%(fault)s. Candor does not understand this calculation. The question is omitted.",
                fault=fault,
            )
            form.drop(line, "calculation", note)
    return parts


def note_changed_calculations(survey: Survey, form: Form) -> None:
    """Add a note about each calculation that differs from the column candor::derived."""
    for question in survey.derived:
        line = form.stated.get(question.name)
        if line is None:
            continue
        written = "".join(line.text("calculation").split())
        if written not in ("", "".join(calculation_of(question, survey.questions).split())):
            note = translate(
                "differs from %(column)s, which Candor uses. To use the calculation, delete "
                "%(column)s and %(answer)s.",
                column=DERIVED,
                answer=ANSWER,
            )
            form.drop(line, "calculation", note)
