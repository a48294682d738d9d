"""A survey of SurveyJS, in JSON, as rows of an XLSForm."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from survey.core.translate import later, translate
from survey.definition.choices import MAX_NON_PRIVATE_CHOICES
from survey.formats.other_programs.condition_language import OtherExpression, token_pattern
from survey.formats.other_programs.form_rows import (
    HIDDEN,
    IDENTIFIES,
    NO_ROWS,
    Choice,
    FormRows,
    NamedSection,
    Texts,
    limit_cells,
)
from survey.formats.other_programs.json_survey import (
    Members,
    all_texts,
    items_in,
    languages_in,
    objects_in,
    scalar_text,
    text_in,
    texts_in,
    unwrap_survey,
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
)

# What notes call the columns of the rows that the questions become.
COLUMNS = {
    "label": "title",
    "hint": "description",
    "relevant": "visibleIf",
    "required": "isRequired",
    "constraint": "min/max",
    "parameters": "min/max",
    "calculation": "expression",
    "default": "defaultValue",
    "default_language": "locale",
    "form_title": "title",
    "form_id": "title",
}
CHOICE_TYPES = {
    "radiogroup": SELECT_ONE,
    "dropdown": SELECT_ONE,
    "buttongroup": SELECT_ONE,
    "imagepicker": SELECT_ONE,
    "checkbox": SELECT_MULTIPLE,
    "tagbox": SELECT_MULTIPLE,
    "ranking": RANK,
}
# The column type of a text with such an input.
INPUTS = {"number": "decimal", "range": "range", "date": "date", "datetime-local": "datetime"}
INPUTS |= {"time": "time"}
IDENTIFYING = ("email", "tel", "password", "url")
TYPES = {"comment": "text", "html": "note", "file": "file", "signaturepad": "file"}
TYPES |= {"slider": "range"}
NOT_SUPPORTED = {
    "matrixdynamic": later(
        "Candor has no tables to which respondents add rows. Ask a fixed number of questions."
    ),
    "matrixdropdown": later(
        "Candor has no tables with several kinds of columns. Make a table for each column."
    ),
    "paneldynamic": later("Candor has no repeats. Ask a fixed number of questions."),
    "image": later("Candor’s pages show only text."),
}
# Members that change what is asked. Each becomes a note.
MEMBERS = (
    *("validators", "choicesVisibleIf", "choicesEnableIf", "choicesByUrl", "enableIf"),
    *("requiredIf", "rowsVisibleIf", "columnsVisibleIf", "setValueIf", "setValueExpression"),
    *("maxSelectedChoices", "minSelectedChoices", "isAllRowRequired", "eachRowUnique"),
)
SETTINGS_MEMBERS = ("triggers", "calculatedValues")
OTHER_MEMBERS = ("hasOther", "showOtherItem")
MAX_MADE_CHOICES = MAX_NON_PRIVATE_CHOICES + 1  # One too many, so that a note says so.
MAX_NUMBER = 10**9


class SurveyJsExpression(OtherExpression):
    """An expression, in which {name} is the answer to a question."""

    token: ClassVar = token_pattern(r"\{[^{}]+\}")

    @staticmethod
    def name_of(written: str) -> str:
        return written[1:-1].strip()


def read_surveyjs(value: Any) -> tuple[Sheets, FormOrigin]:
    """The rows of a survey. Raises DataFileError if it has no questions."""
    survey = unwrap_survey(value)
    form = FormRows(
        COLUMNS,
        "choices",
        main=text_in(survey, "locale"),
        text=all_texts(survey),
        languages=languages_in(survey),
        piped=(r"\{[^{}]+\}", "{…}"),
    )
    reader = SurveyJsRows(form)
    form.title(reader.texts(survey, "title"), reader.texts(survey, "description"))
    pages = objects_in(survey, "pages") or [survey]
    for page in pages:
        reader.add_panel(page, (), is_page=page is not survey)
    for key in SETTINGS_MEMBERS:
        if survey.get(key):
            form.note_setting(key, translate(UNSUPPORTED))
    return form.finish(SurveyJsExpression)


class SurveyJsRows:
    """Adds the rows of the questions."""

    def __init__(self, form: FormRows):
        self.form = form
        self.kinds: dict[str, Callable[[Members, dict[str, Any]], None]] = {
            "text": self.add_text,
            "boolean": self.add_boolean,
            "rating": self.add_rating,
            "matrix": self.add_matrix,
            "multipletext": self.add_texts,
            "expression": self.add_expression,
        }

    def texts(self, value: Members, key: str) -> Texts:
        return texts_in(value.get(key), self.form.stated)

    def label(self, element: Members) -> Texts:
        """The title of a question. SurveyJS shows the name of a question without a title."""
        return self.texts(element, "title") or self.same(text_in(element, "name"))

    def same(self, text: str) -> Texts:
        """A text that the survey does not translate."""
        return {self.form.stated: text}

    def add_panel(self, panel: Members, outer: Sequence[str], *, is_page: bool = True) -> None:
        """Add a page or a panel, which becomes a section, and all that it contains."""
        conditions = [*outer, *visible_if(panel)]
        label, name = self.texts(panel, "title"), NamedSection(text_in(panel, "name"))
        hint = self.texts(panel, "description")
        if is_page:
            self.form.section(name, label, hint=hint, conditions=conditions)
        for element in objects_in(panel, "elements") or objects_in(panel, "questions"):
            if element.get("type") in ("panel", "flowpanel"):
                self.add_panel(element, conditions)
                self.form.section(name, {}, conditions=conditions)
            else:
                self.add_question(element)

    def add_question(self, element: Members) -> None:
        """Add a question."""
        form, kind, name = self.form, text_in(element, "type"), text_in(element, "name")
        label = self.label(element)
        cells = {key: scalar_text(element[key]) or key for key in MEMBERS if element.get(key)}
        if "defaultValue" in element:
            cells["default"] = scalar_text(element["defaultValue"]) or "defaultValue"
        if kind not in ("html", "expression"):
            cells["required"] = "yes" if element.get("isRequired") is True else "no"
        more: dict[str, Any] = {"hint": self.texts(element, "description"), "cells": cells}
        more["conditions"] = visible_if(element)
        if kind in NOT_SUPPORTED:
            form.omit(name, name, label, "type", translate(NOT_SUPPORTED[kind]))
        elif element.get("visible") is False and not more["conditions"]:
            form.omit(name, name, label, "visible", translate(HIDDEN))
        elif kind in self.kinds:
            self.kinds[kind](element, more)
        elif kind in CHOICE_TYPES:
            self.add_choices(element, CHOICE_TYPES[kind], more)
        else:
            if kind == "html":
                label = self.texts(element, "html")
            cells |= range_of(element) if kind == "slider" else {}
            form.add(name, TYPES.get(kind, kind), name, label, **more)

    def add_text(self, element: Members, more: dict[str, Any]) -> None:
        name, given = text_in(element, "name"), text_in(element, "inputType")
        label = self.label(element)
        if given in IDENTIFYING:
            self.form.omit(name, name, label, "inputType", translate(IDENTIFIES))
            return
        kind = INPUTS.get(given, "text")
        if kind == "decimal" and text_in(element, "step") in ("", "1"):
            kind = "integer"
        if kind == "range":
            more["cells"] |= range_of(element)
        elif kind in ("decimal", "integer", "date"):
            ends = {">=": "min", "<=": "max"}
            limits = {sign: (end, text_in(element, end)) for sign, end in ends.items()}
            more["cells"] |= limit_cells(kind, limits)
        self.form.add(name, kind, name, label, **more)

    def add_boolean(self, element: Members, more: dict[str, Any]) -> None:
        name = text_in(element, "name")
        label = self.label(element)
        values = [
            text_in(element, "valueTrue") or "true",
            text_in(element, "valueFalse") or "false",
        ]
        own = [self.texts(element, "labelTrue"), self.texts(element, "labelFalse")]
        if all(own):
            choices = list(zip(values, own, strict=True))
            self.form.choose(name, SELECT_ONE, name, label, choices, **more)
        else:
            self.form.yes_or_no(name, name, label, values, **more)

    def add_choices(self, element: Members, word: str, more: dict[str, Any]) -> None:
        name = text_in(element, "name")
        label = self.label(element)
        choices = self.choices(element)
        if not choices:
            fault = translate(
                "Candor reads no choices from elsewhere. Write them into the question."
            )
            self.form.omit(name, name, label, "choices", fault)
            return
        if element.get("hasNone") or element.get("showNoneItem"):
            choices.append(("none", self.texts(element, "noneText") or self.same("None")))
        if text_in(element, "choicesOrder") == "random" and word in SELECTS:
            more["cells"]["parameters"] = RANDOMIZE
        other = word in SELECTS and any(element.get(key) is True for key in OTHER_MEMBERS)
        if other and (text := self.texts(element, "otherText")):
            choices.append(("other", text))
        kind = f"{word} or_other" if other else word
        self.form.choose(name, kind, name, label, choices, **more)

    def choices(self, element: Members, key: str = "choices") -> list[Choice]:
        """The choices of a question, or the columns of a matrix."""
        choices = list[Choice]()
        for each in items_in(element, key):
            value = each.get("value", each.get("name")) if isinstance(each, Mapping) else each
            text = (
                self.texts(each, "text") or self.texts(each, "title") if value is not each else {}
            )
            if scalar_text(value):
                choices.append((scalar_text(value), text or self.same(scalar_text(value))))
        least, most = whole_number_in(element, "choicesMin"), whole_number_in(element, "choicesMax")
        if key == "choices" and not choices and least is not None and most is not None:
            numbers = range(least, min(most + 1, least + MAX_MADE_CHOICES))
            choices = [(str(number), self.same(str(number))) for number in numbers]
        return choices

    def add_rating(self, element: Members, more: dict[str, Any]) -> None:
        """Add a scale. Texts at its ends become part of the labels of its ends."""
        name = text_in(element, "name")
        label = self.label(element)
        choices = self.choices(element, "rateValues")
        if not choices:
            least, step = (
                whole_number_in(element, "rateMin"),
                whole_number_in(element, "rateStep") or 1,
            )
            least, count = 1 if least is None else least, whole_number_in(element, "rateCount")
            most = whole_number_in(element, "rateMax")
            if most is None:
                most = least + step * ((count or 5) - 1)
            numbers = range(least, most + 1, max(step, 1))[:MAX_MADE_CHOICES]
            choices = scale_choices(
                numbers,
                self.form.stated,
                self.texts(element, "minRateDescription"),
                self.texts(element, "maxRateDescription"),
            )
        more["cells"]["appearance"] = "likert"
        self.form.choose(name, SELECT_ONE, name, label, choices, **more)

    def add_matrix(self, element: Members, more: dict[str, Any]) -> None:
        name = text_in(element, "name")
        rows = self.choices(element, "rows")
        word = SELECT_MULTIPLE if text_in(element, "cellType") == "checkbox" else SELECT_ONE
        columns = self.choices(element, "columns")
        label = self.label(element)
        if rows:
            self.form.matrix(name, name, label, rows, columns, kind=word, **more)
        else:  # SurveyJS then shows one row, whose answer is that to the question.
            self.form.choose(name, word, name, label, columns, **more)

    def add_texts(self, element: Members, more: dict[str, Any]) -> None:
        """Add a note with the question, and one question for each of its texts."""
        name, form, conditions = text_in(element, "name"), self.form, more["conditions"]
        label, items = self.label(element), objects_in(element, "items")
        if not items:
            form.omit(name, name, label, "items", translate(NO_ROWS))
            return
        form.add(name, "note", name, label, hint=more["hint"], conditions=conditions)
        for item in items:
            own = text_in(item, "name")
            title = self.texts(item, "title") or self.same(own)
            required = element.get("isRequired") is True or item.get("isRequired") is True
            cells = {"required": "yes" if required else "no"}
            whole = {**item, "name": f"{name}_{own}", "title": title}
            self.add_text(whole, {"conditions": conditions, "cells": cells})
            form.references[f"{name}.{own}"] = form.references[f"{name}_{own}"]

    def add_expression(self, element: Members, more: dict[str, Any]) -> None:
        name = text_in(element, "name")
        label = self.label(element)
        self.form.calculate(name, name, label, text_in(element, "expression"), **more)


def visible_if(element: Members) -> list[str]:
    text = text_in(element, "visibleIf")
    return [text] if text else []


def whole_number_in(element: Members, key: str) -> int | None:
    """A member that is a whole number of usual size, or None."""
    value = element.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < MAX_NUMBER and value == int(value) else None


def range_of(element: Members) -> dict[str, str]:
    """The parameters of a slider."""
    start, end = text_in(element, "min") or "0", text_in(element, "max") or "100"
    return {"parameters": f"start={start} end={end} step={text_in(element, 'step') or '1'}"}


def scale_choices(numbers: Sequence[int], main: str, low: Texts, high: Texts) -> list[Choice]:
    """The choices of a scale of numbers, with texts at its ends."""
    ends = {numbers[0]: low, numbers[-1]: high} if len(numbers) > 1 else {}
    return [
        (
            str(number),
            {each: f"{number} – {text}" for each, text in ends.get(number, {}).items()}
            or {main: str(number)},
        )
        for number in numbers
    ]
