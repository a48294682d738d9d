"""The column choice_filter: the filter of a list is the conditions of its choices, and back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text
from survey.core.translate import translate
from survey.definition.choices import free_name
from survey.definition.questions import Question
from survey.definition.types import QUESTION_TYPES
from survey.formats.types import FORMATS
from survey.formats.xlsform.conditions import ReadCondition, read_condition
from survey.formats.xlsform.expressions import words_in
from survey.formats.xlsform.form import Form, Option
from survey.formats.xlsform.vocabulary import ALIASES, CHOICES, FILTER, TRANSLATED, Cell, XLSFormRow

# The columns of the sheet choices that have another meaning.
RESERVED_COLUMNS = {*ALIASES, *TRANSLATED, "list_name", "name", "value", "order", "media"}


def add_choice_conditions(
    entry: dict[str, Any], options: list[Option], line: XLSFormRow, form: Form
) -> list[Option]:
    """Add the conditions of the choices to a question, and return those that can be offered.

    Notes say which parts of the filter Candor leaves out.
    """
    text, kind = line.text(FILTER), QUESTION_TYPES[entry["type"]]
    if not text:
        return options
    if not kind.conditional_choices:
        form.drop(line, FILTER, translate("Candor offers all choices of such a question."))
        return options
    if entry["privacy"] != "none":
        note = translate(
            "Candor offers all choices, because the randomisation of a private answer needs them. "
            "Set no protection to use the filter."
        )
        form.drop(line, FILTER, note)
        return options
    read, faults = read_filter(text, options, line, form)
    kept = [option for option, each in zip(options, read, strict=True) if each.possible]
    least = 1 if kind.boxes else 2
    if len(kept) < least:
        note = translate(
            "the filter offers fewer than %(least)s choices, whatever the answers are. Candor "
            "offers all choices.",
            least=least,
        )
        form.drop(line, FILTER, note)
        return options
    for fault in faults:
        form.drop(line, FILTER, fault)
    for option in options:
        if option not in kept:
            note = translate(
                "no answer offers this choice in '%(name)s', so it is omitted there.",
                name=entry["name"],
            )
            form.left_out.add(CHOICES, option.row, "name", note)
    conditions = [each.relevant for each in read if each.possible]
    names = {option.name for option in kept}
    listed = [choice for choice in entry["choices"] if choice["name"] in names]
    entry["choices"] = [
        choice | ({"relevant": relevant} if relevant else {})
        for choice, relevant in zip(listed, conditions, strict=True)
    ]
    return kept


def only_conditional_choices(entry: Mapping[str, Any]) -> bool:
    """Whether all choices of a question have conditions, so that none may be offered."""
    choices = entry.get("choices", ())
    return bool(choices) and all("relevant" in choice for choice in choices)


def read_filter(
    text: str, options: Sequence[Option], line: XLSFormRow, form: Form
) -> tuple[list[ReadCondition], list[str]]:
    """What Candor understands of the filter for each option, and notes about the rest."""
    columns = {column for option in options for column in option.cells}
    used = sorted(words_in(text) & columns)
    found = dict[tuple[str, ...], ReadCondition]()
    conditions, notes = list[ReadCondition](), dict[str, None]()
    for option in options:
        if not option.cells:  # The choice "Other", which Candor adds, is always offered.
            conditions.append(ReadCondition())
            continue
        cells = tuple(option.cells.get(column, "") for column in used)
        if cells not in found:
            row = dict(zip(used, cells, strict=True))
            why_unknown = partial(form.why_unknown, line.number)
            each = read_condition([text], form.known, form.unasked, why_unknown, row)
            found[cells] = without_private(each, form)
            notes |= dict.fromkeys(notes_on_filter(text, each, form))
        conditions.append(found[cells])
    return conditions, [*notes]


def without_private(read: ReadCondition, form: Form) -> ReadCondition:
    """The condition without its parts on answers that are private or stay on the device."""
    non_private = {name: each for name, each in read.condition.items() if name not in form.private}
    return replace(read, condition=non_private)


def notes_on_filter(text: str, read: ReadCondition, form: Form) -> Iterator[str]:
    """Notes about the parts of a filter that Candor leaves out."""
    unlike = translate(
        "joins or excludes answers in a way that the condition of a choice does not support"
    )
    for source, fault in (*read.faults, *((source, unlike) for source, _ in read.others)):
        named = fault if source == text else f"“{source}” {fault}"
        yield translate(
            "%(fault)s. Candor offers the choices without this part of the filter.", fault=named
        )
    for name in sorted(form.private & read.condition.keys()):
        yield translate(
            "depends on '%(name)s', whose answer is private. The choices that are offered would "
            "reveal that answer, so Candor offers them without this part of the filter.",
            name=name,
        )


@dataclass
class FilterColumns:
    """The columns of the sheet choices that filters compare with answers.

    Attributes
    ----------
    taken : the names of columns that have another meaning
    names : the name of each column, by the question and the part of its condition
    """

    taken: set[str] = field(default_factory=lambda: set(RESERVED_COLUMNS))
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def column_of(self, name: str, part: str = "") -> str:
        """The column for a question and a part of its condition, such as `_min`."""
        if (name, part) not in self.names:
            column = free_name(f"{name}{part}", self.taken)
            self.taken.add(column)
            self.names[name, part] = column
        return self.names[name, part]

    def cells(self, condition: Mapping[str, Any], lengths: Mapping[str, int]) -> dict[str, Cell]:
        """The cells of a choice with this condition.

        Parameters
        ----------
        lengths : for each question with boxes, the number of columns
        """
        cells = dict[str, Cell]()
        for name, allowed in condition.items():
            if isinstance(allowed, Mapping):
                for end, bound in allowed.items():
                    cells[self.column_of(name, f"_{end}")] = decimal_text(exact(bound, end))
            elif name in lengths:
                # Each column has a box, because no function compares two lists.
                for place in range(lengths[name]):
                    part = f"_{place + 1}" if place else ""
                    cells[self.column_of(name, part)] = allowed[min(place, len(allowed) - 1)]
            else:
                cells[self.column_of(name)] = " ".join(allowed)
        return cells

    def filter_of(self, question: Question, lengths: Mapping[str, int]) -> str:
        """The filter that offers the choices of a question as Candor does."""
        conditions = [choice.relevant or {} for choice in question.choices]
        # The list has the choice "prefer not to say", which everyone is offered.
        conditions += [{}] * question.offers_to_decline
        terms = []
        names = dict.fromkeys(name for condition in conditions for name in condition)
        for name in names:
            allowed = [condition.get(name, {}) for condition in conditions]
            for column, term in self.terms(name, allowed, lengths):
                always = all(column in self.cells(each, lengths) for each in conditions)
                terms.append(term if always else f"(not({column}) or {term})")
        return " and ".join(terms)

    def terms(
        self, name: str, allowed: Sequence[Any], lengths: Mapping[str, int]
    ) -> Iterator[tuple[str, str]]:
        """The comparisons of an answer, each with the column that is empty without a condition."""
        answer = f"${{{name}}}"
        lists = [each for each in allowed if not isinstance(each, Mapping)]
        if not lists:
            # The evaluator of Enketo misreads a name of a column before "and".
            for end, sign in (("min", "<="), ("max", ">=")):
                if any(end in each for each in allowed):
                    column = self.column_of(name, f"_{end}")
                    yield column, f"{column} {sign} {answer}"
        elif name in lengths:
            columns = [
                self.column_of(name, f"_{place + 1}" if place else "")
                for place in range(lengths[name])
            ]
            each = [f"selected({answer}, {column})" for column in columns]
            yield columns[0], each[0] if len(each) == 1 else f"({' or '.join(each)})"
        elif all(len(each) == 1 for each in lists):
            yield self.column_of(name), f"{self.column_of(name)} = {answer}"
        else:
            yield self.column_of(name), f"selected({self.column_of(name)}, {answer})"


def columns_of_boxes(question: Question, known: Mapping[str, Question]) -> dict[str, int]:
    """The most boxes that a condition of a choice lists, for each question with boxes."""
    lengths: dict[str, int] = {}
    for condition, _ in question.choice_conditions:
        for name, allowed in condition.items():
            if columns := FORMATS[known[name]].filter_columns(allowed):
                lengths[name] = max(lengths.get(name, 0), columns)
    return lengths
