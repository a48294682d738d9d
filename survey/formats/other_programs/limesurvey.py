"""The survey structure of LimeSurvey (.lss, XML) as rows of an XLSForm."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, ParseError
from xml.parsers.expat import ExpatError

from survey.core.errors import DataFileError
from survey.core.languages import MAIN, Words
from survey.core.nfc import to_nfc
from survey.core.translate import later, translate
from survey.definition.choices import OTHER
from survey.formats.other_programs.condition_language import WORDS, OtherExpression, token_pattern
from survey.formats.other_programs.form_rows import (
    HIDDEN,
    NO_ROWS,
    Choice,
    FormRows,
    NamedSection,
    Texts,
    limit_cells,
)
from survey.formats.xlsform.vocabulary import NOT_SUPPORTED as UNSUPPORTED
from survey.formats.xlsform.vocabulary import (
    RANDOMIZE,
    RANK,
    SELECT_MULTIPLE,
    SELECT_ONE,
    SELECTS,
    FormOrigin,
    Sheets,
    language_of,
)
from survey.formats.xlsx_reader import parse

# What notes call the columns of the rows that the questions become.
COLUMNS = {
    "type": later("question type"),
    "label": later("question text"),
    "name": later("question code"),
    "hint": later("help"),
    "relevant": later("condition"),
    "required": later("mandatory"),
    "constraint": later("smallest and largest value"),
    "calculation": later("equation"),
    "default_language": later("language"),
    "form_title": later("title"),
    "form_id": later("title"),
}
CHOICES = later("answer options")
# The column type of the question types with one answer and without choices of their own.
TYPES = {"N": "decimal", "D": "date", "X": "note", "|": "file", "S": "text", "T": "text"}
TYPES |= {"U": "text"}
# The types with a list of choices: L and ! one, O one with a comment, M and P several, R a ranking.
CHOICE_TYPES = {"L": SELECT_ONE, "!": SELECT_ONE, "O": SELECT_ONE, "R": RANK}
CHOICE_TYPES |= {"M": SELECT_MULTIPLE, "P": SELECT_MULTIPLE}
# The values of the choices that LimeSurvey itself has, see `fixed_words`.
FIXED = {"G": ("F", "M"), "C": ("Y", "U", "N"), "E": ("I", "S", "D")}
POINTS = {"5": 5, "A": 5, "B": 10}
MATRICES = ("F", "H", "A", "B", "C", "E")
SEVERAL = {"K": "decimal", "Q": "text"}
NOT_SUPPORTED = {
    "1": later("Candor has no tables with two scales. Make two tables in LimeSurvey."),
    ":": later("Candor has no tables of numbers. Ask one question for each cell."),
    ";": later("Candor has no tables of texts. Ask one question for each cell."),
    "I": later("respondents choose the language of a survey on its first page."),
}
COMMENT = later("Candor has no comments on choices, so these are omitted.")
ALWAYS = ("", "1")  # the conditions of questions that everyone is asked
# Attributes of questions that change what is asked. Each becomes a note.
ATTRIBUTES = (
    *("array_filter", "array_filter_exclude", "em_validation_q", "em_validation_sq"),
    *("exclude_all_others", "min_answers", "max_answers"),
)
EQUATION = re.compile(r"\s*(?:<[^<>]*>\s*)*\{([^{}]+)\}\s*(?:<[^<>]*>\s*)*")
SUFFIX = re.compile(r"\.(NAOK|code|value|valueNAOK)$")
LIMITS = {
    ">=": ("min_num_value_n", "min_num_value", "date_min"),
    "<=": ("max_num_value_n", "max_num_value", "date_max"),
}
# The columns with texts, and the tables that have them, in old and in new files.
TEXTS = [
    *(
        (table, column)
        for table in ("questions", "subquestions", "question_l10ns")
        for column in ("question", "help")
    ),
    *(
        (table, column)
        for table in ("groups", "group_l10ns")
        for column in ("group_name", "description")
    ),
    ("answers", "answer"),
    ("answer_l10ns", "answer"),
    ("surveys_languagesettings", "surveyls_title"),
    ("surveys_languagesettings", "surveyls_welcometext"),
]
Fields = Mapping[str, str]


class LimeSurveyExpression(OtherExpression):
    """An expression in which the code of a question, or its number, is the answer to it."""

    token: ClassVar = token_pattern(
        rf"(?!(?:{'|'.join(sorted(WORDS))}|eq|ne|lt|le|gt|ge|true|false)\b)"
        r"(?:\d+X\d+X\d+\w*|[A-Za-z]\w*)(?:\.\w+)?\b(?!\s*\()"
    )

    @staticmethod
    def name_of(written: str) -> str:
        return SUFFIX.sub("", written)


class Structure:
    """The tables of a survey structure.

    Attributes
    ----------
    main, languages : the main language, and all languages
    groups : the groups of questions, in order
    questions : the questions of each group, by its number
    subquestions, answers : those of each question, by its number
    attributes : the further settings of each question, by its number
    """

    def __init__(self, root: Element):
        self.root = root
        settings = next(self.rows("surveys"), {})
        self.languages = [to_nfc(each.text or "") for each in root.iterfind("languages/language")]
        self.main = settings.get("language") or next(iter(self.languages), MAIN)
        self.groups = self.in_order("groups", "group_order")
        self.questions, self.subquestions, self.answers = (
            defaultdict[str, list[Fields]](list) for _ in range(3)
        )
        self.attributes: dict[str, dict[str, str]] = defaultdict(dict)
        for each in self.rows("question_attributes"):
            values = self.attributes[each.get("qid", "")]
            values[each.get("attribute", "")] = each.get("value", "")
        for row in self.in_order("questions", "question_order"):
            if row.get("parent_qid", "0") in ("", "0"):
                self.questions[row.get("gid", "")].append(row)
            else:
                self.subquestions[row["parent_qid"]].append(row)
        for row in self.in_order("subquestions", "question_order"):
            self.subquestions[row.get("parent_qid", "")].append(row)
        for row in self.in_order("answers", "sortorder"):
            self.answers[row.get("qid", "")].append(row)
        self.texts: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for table, column in TEXTS:
            for each in self.rows(table):
                language = each.get("language") or each.get("surveyls_language", self.main)
                if text := each.get(column):
                    self.texts[column, self.key(table, each)][language] = text

    def rows(self, table: str) -> Iterator[dict[str, str]]:
        """The rows of a table: the text of each column."""
        for row in self.root.iterfind(f"{table}/rows/row"):
            yield {each.tag: to_nfc((each.text or "").strip()) for each in row}

    @staticmethod
    def key(table: str, row: Fields) -> str:
        """What identifies a row of a table, in every language."""
        if table.startswith("answer"):
            return row.get("aid") or " ".join(
                row.get(key, "") for key in ("qid", "code", "scale_id")
            )
        return row.get("gid" if table.startswith("group") else "qid", "")

    def in_order(self, table: str, order: str) -> list[Fields]:
        """The rows of a table in their order. Old files have each row once for each language."""
        found = dict[str, Fields]()
        for row in self.rows(table):
            found.setdefault(self.key(table, row), row)
        return sorted(found.values(), key=lambda row: whole_number(row.get(order, "")))

    def text(self, column: str, row: Fields, table: str = "question") -> Texts:
        """A text of a row in each language."""
        return self.texts.get((column, self.key(table, row)), {})

    def choices(self, rows: Sequence[Fields], table: str) -> list[Choice]:
        """The choices in rows of answers or subquestions."""
        value, column = ("code", "answer") if table == "answer" else ("title", "question")
        first = [row for row in rows if row.get("scale_id", "0") in ("", "0")]
        return [(row.get(value, ""), self.text(column, row, table)) for row in first]


def whole_number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text) else 0


def read_limesurvey(content: bytes) -> tuple[Sheets, FormOrigin]:
    """The rows of a survey structure. Raises DataFileError if it is not valid XML."""
    try:
        structure = Structure(parse(content))
    except (ValueError, LookupError, ExpatError, ParseError) as error:
        raise DataFileError(
            "This file of LimeSurvey is damaged. Export the survey structure (.lss) again, and "
            "do not edit it."
        ) from error
    columns = {key: translate(words) for key, words in COLUMNS.items()}
    form = FormRows(
        columns,
        translate(CHOICES),
        main=structure.main,
        languages=structure.languages,
        box="{}_{}",
        piped=(r"\{[^{}\s][^{}]*\}", "{…}"),
    )
    if any(structure.rows("quota")):
        form.note_setting("quota", translate(UNSUPPORTED))
    form.title(structure.text("surveyls_title", {}), structure.text("surveyls_welcometext", {}))
    for group in structure.groups:
        place = NamedSection(next(iter(structure.text("group_name", group, "group").values()), ""))
        form.section(
            place,
            structure.text("group_name", group, "group"),
            hint=structure.text("description", group, "group"),
            conditions=relevance_condition(group.get("grelevance", "")),
        )
        for question in structure.questions[group.get("gid", "")]:
            QuestionRows(question, structure, form).add()
    return form.finish(LimeSurveyExpression)


def relevance_condition(relevance: str) -> list[str]:
    return [] if relevance in ALWAYS else [relevance]


class QuestionRows:
    """Adds the rows of one question."""

    def __init__(self, question: Fields, structure: Structure, form: FormRows):
        self.question, self.structure, self.form = question, structure, form
        self.number, self.name = question.get("qid", ""), question.get("title", "")
        self.attributes = structure.attributes[self.number]
        self.subquestions = structure.subquestions[self.number]
        self.label, self.help = (
            structure.text("question", question),
            structure.text("help", question),
        )

    def add(self) -> None:
        """Add the question."""
        kind, form = self.question.get("type", ""), self.form
        required = "yes" if self.question.get("mandatory") == "Y" else "no"
        cells = {key: self.attributes[key] for key in ATTRIBUTES if self.attributes.get(key)}
        if kind not in ("X", "*"):
            cells["required"] = required
        conditions = relevance_condition(self.question.get("relevance", ""))
        more: dict[str, Any] = {"hint": self.help, "conditions": conditions, "cells": cells}
        if kind in NOT_SUPPORTED:
            form.omit(self.name, self.name, self.label, "type", translate(NOT_SUPPORTED[kind]))
        elif self.attributes.get("hidden") == "1" and kind != "*":
            form.omit(self.name, self.name, self.label, "hidden", translate(HIDDEN))
        elif kind == "*":
            self.add_equation(conditions)
        elif kind in MATRICES:
            self.add_matrix(kind, more)
        elif kind in SEVERAL:
            self.add_several(SEVERAL[kind], more)
        elif kind == "Y":
            form.yes_or_no(self.name, self.name, self.label, ("Y", "N"), **more)
        elif kind in CHOICE_TYPES or kind in FIXED or kind in POINTS:
            self.add_choices(kind, more)
        else:
            word = self.type_of_number() if kind == "N" else TYPES.get(kind, kind)
            cells |= self.limits(word)
            form.add(self.name, word, self.name, self.label, **more)
        self.add_aliases()

    def add_choices(self, kind: str, more: dict[str, Any]) -> None:
        """Add a question with choices, and the text for a comment on them."""
        form, word = self.form, CHOICE_TYPES.get(kind, SELECT_ONE)
        if kind in POINTS:
            more["cells"]["appearance"] = "likert"
        if self.attributes.get("random_order") == "1" and word in SELECTS:
            more["cells"]["parameters"] = RANDOMIZE
        other = " or_other" if self.question.get("other") == "Y" and word in SELECTS else ""
        number = form.choose(
            self.name, word + other, self.name, self.label, self.choices(kind), **more
        )
        if kind == "P":
            form.note(number, "type", translate(COMMENT))
        if kind == "O":
            words = {
                each: Words(language_of(each) or MAIN).say("Comment") for each in form.languages
            }
            comment = {"conditions": more["conditions"], "cells": {"required": "no"}}
            form.add(self.name, "text", f"{self.name}comment", words, **comment)

    def choices(self, kind: str) -> list[Choice]:
        """The choices of a question or of the rows of a matrix."""
        if kind in POINTS:
            texts = map(str, range(1, POINTS[kind] + 1))
            return [(text, dict.fromkeys(self.form.languages, text)) for text in texts]
        if kind in FIXED:
            languages = {each: language_of(each) or MAIN for each in self.form.languages}
            words = {each: fixed_words(language)[kind] for each, language in languages.items()}
            return [
                (code, {each: words[each][place] for each in words})
                for place, code in enumerate(FIXED[kind])
            ]
        answers = self.structure.answers[self.number]
        if CHOICE_TYPES.get(kind) == SELECT_MULTIPLE or not answers:
            return self.structure.choices(self.subquestions, "question")
        return self.structure.choices(answers, "answer")

    def add_matrix(self, kind: str, more: dict[str, Any]) -> None:
        """Add the rows of a table. In one by columns, each column is a question."""
        rows = self.structure.choices(self.subquestions, "question")
        self.form.matrix(self.name, self.name, self.label, rows, self.choices(kind), **more)

    def add_several(self, word: str, more: dict[str, Any]) -> None:
        """Add a note with the question, and a number or a text for each of its rows."""
        conditions, cells = more["conditions"], more["cells"]
        rows = self.structure.choices(self.subquestions, "question")
        if not rows:
            self.form.omit(self.name, self.name, self.label, "type", translate(NO_ROWS))
            return
        word = self.type_of_number() if word == "decimal" else word
        self.form.add(
            self.name, "note", self.name, self.label, hint=self.help, conditions=conditions
        )
        for code, text in rows:
            cells = cells | self.limits(word)
            name = f"{self.name}_{code}"
            self.form.add(self.name, word, name, text, conditions=conditions, cells=cells)

    def add_equation(self, conditions: list[str]) -> None:
        """Add a calculated answer, if the text is one expression."""
        text = next(iter(self.label.values()), "")
        expression = EQUATION.fullmatch(text)
        label = {self.form.main: self.name}
        self.form.calculate(
            self.name,
            self.name,
            label,
            expression[1] if expression else text,
            conditions=conditions,
        )

    def type_of_number(self) -> str:
        return "integer" if self.attributes.get("num_value_int_only") == "1" else "decimal"

    def limits(self, word: str) -> dict[str, str]:
        """The cells with the smallest and the largest answer."""
        given = {
            sign: next(
                ((key, text) for key in keys if (text := self.attributes.get(key))), ("", "")
            )
            for sign, keys in LIMITS.items()
        }
        return limit_cells(word, given)

    def add_aliases(self) -> None:
        """Let expressions also name the question by its numbers, as those of old files do."""
        references = self.form.references
        numbers = "X".join(self.question.get(key, "") for key in ("sid", "gid", "qid"))
        for code in ("", *(row.get("title", "") for row in self.subquestions), OTHER):
            name = f"{self.name}_{code}" if code else self.name
            if name in references:
                references[f"{numbers}{code}"] = references[name]


@lru_cache
def fixed_words(language: str) -> dict[str, tuple[str, ...]]:
    """The choices of FIXED in a language."""
    words = Words(language)
    return {
        "G": (words.say("Female"), words.say("Male")),
        "C": (words.say("Yes"), words.say("Uncertain"), words.say("No")),
        "E": (words.say("Increase"), words.say("Same"), words.say("Decrease")),
    }
