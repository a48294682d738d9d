"""The base of the forms of analyses. They change nothing and are sent by GET, so each has a link.

A form describes what a researcher chooses, once: its fields, with their labels, help and choices.
The page, the addresses of files, the API and the command of an analysis are made from it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar

from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, SelectChoice, SelectField

from survey.analysis.columns.available import (
    AnalysableVariable,
    analysable_variables,
    telling_design,
)
from survey.analysis.columns.column_request import OF_FILE, DesignNames
from survey.analysis.columns.design_file import (
    CLUSTER,
    DESIGN_COLUMNS,
    POPULATION,
    STRATUM,
    WEIGHT,
    DesignFile,
)
from survey.analysis.columns.variables import AnalysisColumn
from survey.core.glossary_terms import glossary_term
from survey.core.translate import later, translate, translate_constant
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.form_fields import CheckboxesField, PageForm

NOTHING = SelectChoice("", "–")
FILE_LABELS = {
    WEIGHT: later("weight in the design file"),
    STRATUM: later("stratum in the design file"),
    CLUSTER: later("cluster in the design file"),
    POPULATION: later("population in the design file"),
}
TICK_ONE = later("Tick at least one question.")
DESIGN_FIELDS = ("weights", "strata", "clusters", "populations")
# How a page lays out a field: next to others, as a list of checkboxes, or as one checkbox.
COLUMNS = "columns"
LIST = "list"
BOX = "box"


@dataclass
class AnswerChoice(SelectChoice):
    """A choice of an answer, which a command can also spell with the name of the answer."""

    spelling: str = ""


@dataclass(frozen=True)
class FormSection:
    """A part of a form.

    Attributes
    ----------
    fields : the names of its fields. If the first has no choices, the section has none to offer.
    legend : its heading, or empty
    about : what it is for
    """

    fields: tuple[str, ...]
    legend: str = ""
    about: str = ""


@dataclass(frozen=True)
class LaidOutSection:
    """A section as its page shows it, in the language of the page.

    Attributes
    ----------
    fields_of_page : the fields, each run of fields with the same layout together
    hidden : the fields that a page does not offer, but that a link can set
    about : what the section is for, or why it offers nothing
    """

    legend: str
    about: str
    fields_of_page: tuple[tuple[str, tuple[Field, ...]], ...]
    hidden: tuple[Field, ...]


def linked_terms() -> dict[str, str]:
    """The terms that most descriptions of analyses link to the glossary, as placeholders."""
    private, non_private = translate("private"), translate("non-private")
    loss = translate("privacy loss")
    return {
        "private": glossary_term("private question", private),
        "non_private": glossary_term("non-private question", non_private),
        "loss": glossary_term("privacy loss", loss),
    }


def variable_choices(variables: Iterable[AnalysableVariable]) -> list[SelectChoice]:
    return [SelectChoice(each.name, each.label) for each in variables]


def translate_choices(choices: Iterable[SelectChoice]) -> list[SelectChoice]:
    """The choices of a form's class, in the language of the page."""
    return [replace(each, label=translate_constant(str(each.label))) for each in choices]


def offers_nothing(field: Field) -> bool:
    return isinstance(field, SelectField | CheckboxesField) and not any(
        each.value for each in field.choices
    )


def layout_of(field: Field) -> str:
    if isinstance(field, CheckboxesField):
        return LIST
    return BOX if isinstance(field, BooleanField) else COLUMNS


class AnalysisForm(PageForm):
    """The base form of every analysis, with the sampling design.

    Attributes
    ----------
    parts : the fields that name columns, in the order of the analysis
    fewest : the number of suitable questions that a survey needs
    lacking : the message if it has fewer
    sampled : whether the analysis takes a sampling design
    finite : whether it has a finite population correction
    sections : the parts of the page. By default, one with all fields.
    instead : why a field has no choices, by its name
    found, query : the survey of the form, and the query that it was filled with
    elsewhere : the columns of other surveys, each with its survey, while the analysis is computed
    """

    found: StoredSurvey
    query: MultiDict[str, str]
    elsewhere: tuple[tuple[StoredSurvey, AnalysisColumn], ...] = ()
    parts: ClassVar[tuple[str, ...]] = ()
    fewest: ClassVar[int] = 2
    lacking: ClassVar[str] = later(
        "This analysis needs two questions other than notes and free text. This survey has fewer."
    )
    sampled: ClassVar[bool] = True
    finite: ClassVar[bool] = False
    sections: ClassVar[tuple[FormSection, ...]] = ()

    weights = SelectField(
        later("Weights"),
        default="",
        description=later(
            "The number of people that each respondent represents, from a non-private number "
            "question or the design file."
        ),
    )
    strata = SelectField(
        later("Strata"),
        default="",
        description=later("Groups from which people were sampled separately, such as regions."),
    )
    clusters = SelectField(
        later("Clusters"),
        default="",
        description=later(
            "Groups of people who were sampled together, such as a school class or a household."
        ),
    )
    populations = SelectField(
        later("Population sizes"),
        default="",
        choices=[NOTHING],
        description=later(
            "For a sample without replacement from a small population. The sampling error is then "
            "smaller, but the error from the randomisation is not."
        ),
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        """The variables of a survey that this analysis can use."""
        return analysable_variables(survey)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what is chosen, and the labels of all choices, to another process."""
        fields = {
            name: (field.data, getattr(field, "choices", None))
            for name, field in self._fields.items()
        }
        rest = {
            name: value
            for name, value in vars(self).items()
            if name not in self._fields and name != "meta" and not name.startswith("_")
        }
        return form_with_data, (type(self), fields, rest)

    def offer(self, survey: Survey) -> None:
        """Fill the lists."""
        design_variables = telling_design(survey) if self.sampled else ()
        numbers = (each for each in design_variables if each.question.grid)
        self.slug = survey.slug
        self.question_labels = {question.name: question.label for question in survey.fields}
        self.instead: dict[str, str] = {}
        self.weights.choices = [NOTHING, *variable_choices(numbers)]
        self.strata.choices = [NOTHING, *variable_choices(design_variables)]
        self.clusters.choices = [NOTHING, *variable_choices(design_variables)]
        for part in self.parts:
            self[part].choices = variable_choices(analysable_variables(survey))

    def offer_file(self, file: DesignFile) -> None:
        """Add the columns of the survey's file to the lists."""
        if not self.sampled:
            return
        self.populations.choices = [NOTHING]
        for column, field in zip(DESIGN_COLUMNS, self.design_fields, strict=True):
            if column in file.tells and (column != POPULATION or self.finite):
                label = translate_constant(FILE_LABELS[column])
                field.choices.insert(1, SelectChoice(OF_FILE, label))

    def offer_others(self, found: StoredSurvey) -> None:
        """Add what depends on the responses of this survey, and on other surveys."""

    def used_surveys(self, found: StoredSurvey) -> list[tuple[StoredSurvey, list[str]]]:
        """The surveys whose responses are analysed, with the names of their columns."""
        return [(found, self.wanted)]

    @property
    def design_fields(self) -> tuple[Field, ...]:
        return tuple(self[name] for name in DESIGN_FIELDS)

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """The fields other than those of the sampling design."""
        return tuple(field for field in self if field.short_name not in DESIGN_FIELDS)

    @property
    def laid_out(self) -> Iterator[LaidOutSection]:
        """The sections of the page, without the sampling design."""
        names = tuple(field.short_name for field in self.own_fields)
        for section in self.sections or (FormSection(names),):
            fields = tuple(self[name] for name in section.fields)
            first = fields[0]
            hidden = fields if offers_nothing(first) else tuple(filter(offers_nothing, fields))
            offered = (field for field in fields if field not in hidden)
            about = self.instead.get(first.short_name, "") if first in hidden else section.about
            yield LaidOutSection(
                translate_constant(section.legend),
                translate(about) if about else "",
                tuple((layout, tuple(run)) for layout, run in groupby(offered, layout_of)),
                hidden,
            )

    @property
    def laid_out_design(self) -> LaidOutSection | None:
        """The sampling design, or nothing if there is no question for it."""
        if offers_nothing(self.strata):
            return None
        hidden = tuple(filter(offers_nothing, (self.populations,)))
        shown = tuple(field for field in self.design_fields if field not in hidden)
        return LaidOutSection("", "", ((COLUMNS, shown),), hidden)

    @property
    def design(self) -> DesignNames:
        return DesignNames(*(field.data or None for field in self.design_fields))

    @property
    def design_sentence(self) -> str:
        """The sampling design in words; empty without one."""
        return self.design.sentence(self.question_labels)

    @property
    def wanted(self) -> list[str]:
        """Names of the columns."""
        named: list[str] = []
        for part in self.parts:
            data = self[part].data
            named += data if isinstance(data, list) else [data] if data else []
        return named


def form_with_data(
    kind: type[AnalysisForm], fields: dict[str, tuple[Any, Any]], rest: dict[str, Any]
) -> AnalysisForm:
    """A form from the data and choices of its fields, and from its other attributes."""
    form = kind(None)
    for name, (data, choices) in fields.items():
        form[name].data = data
        if choices is not None:
            form[name].choices = choices
    for name, value in rest.items():
        setattr(form, name, value)
    return form


def measure(name: str, place: int | None) -> str:
    """The value of a choice: a question and the place of one of its answers, or its mean."""
    return f"{name}:{'' if place is None else place}"


def measures_of(variables: Iterable[AnalysableVariable], mean: bool = True) -> list[SelectChoice]:
    """The quantities of each question, grouped by question. Each label includes the question,
    because a closed menu shows only the label."""
    return [
        AnswerChoice(
            measure(each.name, place),
            f"{words} · {each.label}",
            optgroup=each.label,
            spelling=spell_quantity(each, place),
        )
        for each in variables
        for place, words in each.measures
        if mean or place is not None
    ]


def spell_quantity(variable: AnalysableVariable, place: int | None) -> str:
    """A quantity as a command spells it: the name, a colon and the name of the answer; the name
    alone for a mean, a number or a box."""
    return variable.name if place is None else f"{variable.name}:{variable.answer_names[place]}"


def place_in(chosen: str) -> int | None:
    """The place of the answer, or None for the mean."""
    place = chosen.rpartition(":")[2]
    return int(place) if place else None


def another(variables: tuple[AnalysableVariable, ...], name: str) -> str:
    """The first variable of another question than the one with this name."""
    question = next((each.question for each in variables if each.name == name), None)
    return next(each.name for each in variables if each.question is not question)
