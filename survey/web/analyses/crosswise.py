"""The analysis of a crosswise question: the form, and the result."""

from contextlib import suppress

from wtforms import SelectChoice, SelectField, StringField
from wtforms.validators import ValidationError

from survey.analysis.as_rows import crosswise_rows
from survey.analysis.blocks import HINT, Paragraph
from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.columns import columns_by_name
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.indirect.crosswise import crosswise_json
from survey.analysis.indirect.crosswise_blocks import crosswise_blocks
from survey.analysis.indirect.crosswise_columns import (
    CrosswiseColumn,
    analyse_crosswise,
    comparable_with_crosswise,
    crosswise_column,
    crosswise_questions,
    passed_check,
    two_groups,
)
from survey.analysis.sentences import (
    crosswise_finding,
    crosswise_sentence,
    instruction_remarks,
)
from survey.charts.analysis_rows import crosswise_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.errors import MechanismError, UnanswerableQuestion
from survey.core.exact_numbers import probability
from survey.core.glossary_terms import glossary_term
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.analyses.forms import (
    NOTHING,
    AnalysisForm,
    measures_of,
    place_in,
    variable_choices,
)
from survey.web.analyses.kind import AnalysisKind, Columns, misfit_remarks
from survey.web.analyses.result import AnalysisResult
from survey.web.extensions import store
from survey.web.published_results import frozen_of

# How the two groups are defined: by the answers to a question, or as those who answered another.
BY = "by"
SECOND = "second"


class CrosswiseForm(AnalysisForm):
    """The form. It has no sampling design, because the intervals are those of simple samples."""

    sampled = False
    fewest = 1
    lacking = later(
        "This analysis needs a crosswise question. A non-private question with two answers is also "
        "possible if it asks about two statements in the crosswise way. This survey has neither."
    )

    asked = SelectField(later("Crosswise question"))
    known = StringField(
        later("Known share of its second statement"),
        description=later(
            "Leave this field empty if the question states the share. For answers that were "
            "collected on paper, the first answer must mean “both statements are true or both are "
            "false”."
        ),
        render_kw={"autocomplete": "off"},
    )
    anchor = SelectField(
        later("Anchor question"),
        default="",
        description=later("A crosswise question whose first statement is true for nobody."),
    )
    groups = SelectField(
        later("Two groups"),
        default="",
        description=later(
            "The known share is p in the first group, and 1 − p in the second. The analysis then "
            "tests whether people followed the instructions."
        ),
    )
    check = SelectField(
        later("Attention check"),
        default="",
        description=later("The answer of attentive people to a question that checks attention."),
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        return comparable_with_crosswise(survey)

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        usable = comparable_with_crosswise(survey)
        self.asked.choices = variable_choices(usable)
        if self.asked.data is None:
            self.asked.data = self.asked.choices[0].value
        anchors = crosswise_questions(survey)
        self.anchor.choices = [NOTHING, *variable_choices(anchors)]
        anchor = next((each.name for each in anchors if each.question.anchor_question), "")
        if not self.anchor.raw_data:
            second = str(self.groups.data or "").removeprefix(f"{SECOND}:")
            self.anchor.data = anchor if anchor not in (self.asked.data, second) else ""
        self.groups.choices = [
            NOTHING,
            *(
                SelectChoice(
                    f"{BY}:{each.name}",
                    translate(
                        "“%(question)s”, first group: “%(answer)s”",
                        question=each.label,
                        answer=each.question.choices[0].label,
                    ),
                )
                for each in two_groups(survey)
            ),
            *(
                SelectChoice(
                    f"{SECOND}:{each.name}",
                    translate("those who answered “%(question)s”", question=each.label),
                )
                for each in anchors
            ),
        ]
        non_private = tuple(
            each
            for each in analysable_variables(survey)
            if each.question in survey.groupings and each.question.known_share is None
        )
        self.check.choices = [NOTHING, *measures_of(non_private, mean=False)]

    def validate_known(self, field: StringField) -> None:
        if not (field.data or "").strip():
            return
        try:
            probability(field.data, "known")
        except MechanismError as error:
            raise ValidationError(translate("Type a number such as 0.15 or 1/6.")) from error

    @property
    def known_share(self) -> float | None:
        typed = (self.known.data or "").strip()
        return float(probability(typed, "known")) if typed else None

    @property
    def roles(self) -> dict[str, str]:
        """The names of the columns by their role."""
        way, _, group = str(self.groups.data or "").partition(":")
        named = {
            "asked": self.asked.data,
            "anchor": self.anchor.data,
            way: group,
            "check": str(self.check.data or "").rpartition(":")[0],
        }
        return {role: name for role, name in named.items() if role and name}

    @property
    def wanted(self) -> list[str]:
        return [*self.roles.values()]


def crosswise_result(form: CrosswiseForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """The share for whom the first statement of a crosswise question is true."""
    questions = {question.name: question for question in frozen_of(form.found).survey.fields}
    by_role = dict(zip(form.roles, columns, strict=True))

    def crosswise(role: str) -> CrosswiseColumn | None:
        column = by_role.get(role)
        if column is None:
            return None
        return crosswise_column(column, questions.get(column.name))

    asked = crosswise_column(
        by_role["asked"], questions.get(by_role["asked"].name), form.known_share
    )
    passed = None
    if "check" in by_role:
        passed = passed_check(by_role["check"], [place_in(str(form.check.data)) or 0])
    found = analyse_crosswise(
        asked, crosswise("anchor"), 0.0, crosswise(SECOND), by_role.get(BY), passed
    )
    content = {"question": asked.column.name, "anchor": form.anchor.data or None}
    notes = []
    if form.known_share is not None:
        content["same"] = asked.column.answers[0]
        notes.append(
            translate(
                "“%(answer)s” counts as: both statements are true or both are false.",
                answer=asked.column.answers[0],
            )
        )
    if BY in by_role:
        first, last = content["groups"] = by_role[BY].answers[:2]
        notes.append(
            translate(
                "The first group is “%(first)s”, and the second one is “%(last)s”.",
                first=first,
                last=last,
            )
        )
    return AnalysisResult(
        title=translate("“%(statement)s”: a crosswise question", statement=asked.column.label),
        sentence=crosswise_finding(found, asked.column),
        n=found.everyone.n,
        charts=tuple(crosswise_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(crosswise_rows(found)),
        content=content | crosswise_json(found),
        heading=asked.column.label,
        blocks=(*crosswise_blocks(found), *(Paragraph(note, HINT) for note in notes)),
        verdict=instruction_remarks(found),
    )


def about_crosswise() -> str:
    question = translate("crosswise question")
    return translate(
        "A %(question)s has two statements. Respondents say only whether both have the same truth "
        "value, or exactly one of them is true. This analysis estimates for how many respondents "
        "the first statement is true. It can correct for people who answer at random.",
        question=glossary_term("crosswise question", question),
    )


CROSSWISE = AnalysisKind(
    name="crosswise",
    title=later("Crosswise"),
    about=about_crosswise,
    form=CrosswiseForm,
    compute=crosswise_result,
    help="explanation/analyses#crosswise-questions",
)


def anchored_sentences(found: StoredSurvey) -> dict[str, str]:
    """The corrected shares of a survey's crosswise questions, by question, for the results page.

    There are none without an anchor question, with too few responses, or if the reports on one of
    the two questions do not fit their design.
    """
    survey = frozen_of(found).survey
    anchor = next((q for q in survey.fields if q.anchor_question), None)
    asked = [q for q in survey.fields if q.known_share is not None and q is not anchor]
    if anchor is None or not asked:
        return {}
    names = [question.name for question in (*asked, anchor)]
    columns = columns_by_name(survey, store().responses.rows(survey.slug), names)
    sentences = {}
    for question in asked:
        if misfit_remarks(found, (question.name, anchor.name)):
            continue
        with suppress(UnanswerableQuestion):
            result = analyse_crosswise(
                crosswise_column(columns[question.name], question),
                crosswise_column(columns[anchor.name], anchor),
            )
            sentences[question.name] = crosswise_sentence(result, columns[question.name])
    return sentences
