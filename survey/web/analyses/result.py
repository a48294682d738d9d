"""The result of an analysis, and its files."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from survey import VERSION
from survey.analysis.as_json import part_json
from survey.analysis.as_rows import AnalysisRow, table_of_rows
from survey.analysis.blocks import Block, remarks_in
from survey.charts.caption import add_caption, origin_caption_lines
from survey.charts.svg import LOOK, Chart, Shape, svg_file
from survey.core.csv_cells import csv_text
from survey.core.translate import join_sentences, later, translate, translate_number
from survey.definition.certainty import epsilon_text
from survey.definition.survey import canonical_json
from survey.definition.target_population import SIMILAR
from survey.estimation.findings.remarks import DO_NOT_USE, Remark
from survey.store import StoredSurvey
from survey.web.published_results import frozen_of


@dataclass(frozen=True, kw_only=True)
class AnalysisResult:
    """What an analysis found.

    Attributes
    ----------
    title : the questions, such as “Do you smoke? by Where do you live?”
    sentence : the finding, or why no estimate may be used
    n : the number of responses
    charts : the picture, for a wide and for a narrow window
    rows : the table of the CSV file
    content : the JSON file, without what says which analysis of which survey it is
    heading : of the result on its page
    blocks : what the page and the terminal show below the sentence and the picture
    note : how to read the picture; empty if its legend says everything
    method : the estimator, if the analysis has several, as a sentence
    description : the picture in words, for screen readers, if the sentence does not say enough
    sources : each survey with its number of responses, if there are several
    verdict : the remarks that replace the finding
    """

    title: str
    sentence: str
    n: int
    charts: tuple[Chart, ...]
    rows: tuple[AnalysisRow, ...]
    content: dict[str, Any]
    heading: str = ""
    blocks: tuple[Block, ...] = ()
    note: str = ""
    method: str = ""
    description: str = ""
    sources: tuple[tuple[StoredSurvey, int], ...] = ()
    verdict: tuple[Remark, ...] = ()

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """All remarks, the most severe ones first."""
        return (*self.verdict, *remarks_in(self.blocks))

    @property
    def unusable(self) -> bool:
        """Whether no estimate may be used."""
        return any(remark.severity == DO_NOT_USE for remark in self.remarks)

    @property
    def about_figures(self) -> str:
        """What pages and commands say above figures that may not be used; empty for others."""
        return translate("Figures that may not be used") if self.unusable else ""

    @property
    def pictures(self) -> list[Shape]:
        """The charts as elements of a page."""
        texts = {"desc": self.description} if self.description else {}
        return [chart.svg(f"{self.title}. {self.sentence}", **texts) for chart in self.charts]


def analysis_citation(
    result: AnalysisResult,
    found: StoredSurvey,
    title: str,
    design: str = "",
    about_population: bool = False,
) -> str:
    """A text that cites the result in a paper, in the language of the page.

    Parameters
    ----------
    title : the name of the analysis in that language, such as "Correlation"
    design : a sentence on weights, strata and clusters; empty without them
    about_population : whether the result has a finite population correction
    """
    simulated = translate("Simulated data: nobody was asked.")
    sentences = [simulated] if found.origin == "simulated" else []
    sentences.append(result.sentence)
    if result.sources:
        sentences += sources_sentences(result, title)
    else:
        sentences += source_sentences(result.n, found, title, design, about_population)
    return join_sentences(
        *sentences, result.method, translate("Software: Candor %(version)s.", version=VERSION)
    )


def sources_sentences(result: AnalysisResult, title: str) -> Iterator[str]:
    """The name of an analysis of several surveys, and what each survey is."""
    yield translate(
        "Analysis: %(analysis)s. Data: published responses to %(surveys)s surveys.",
        analysis=title.lower(),
        surveys=len(result.sources),
    )
    for found, n in result.sources:
        frozen = frozen_of(found)
        if not frozen.survey.protected:
            words = later("“%(survey)s”: n = %(n)s, no private questions, fingerprint %(print)s.")
        elif frozen.survey.ratio_bound is None:
            words = later(
                "“%(survey)s”: n = %(n)s, privacy loss ε without a finite bound, fingerprint "
                "%(print)s."
            )
        else:
            words = later(
                "“%(survey)s”: n = %(n)s, total privacy loss of one respondent at most "
                "ε = %(epsilon)s, fingerprint %(print)s."
            )
        yield translate(
            words,
            survey=found.survey.title,
            n=n,
            epsilon=translate_number(epsilon_text(frozen.survey.epsilon)),
            print=frozen.fingerprint,
        )
        if found.origin == "loaded":
            yield translate("These responses were collected elsewhere.")


def source_sentences(
    n: int, found: StoredSurvey, title: str, design: str, about_population: bool
) -> Iterator[str]:
    """The name of the analysis, and what its survey is."""
    frozen = frozen_of(found)
    survey = frozen.survey
    yield translate(
        "Analysis: %(analysis)s. Data: published responses to the survey “%(survey)s”, n = %(n)s.",
        analysis=title.lower(),
        survey=survey.title,
        n=n,
    )
    if found.origin == "loaded":
        yield translate("These responses were collected elsewhere.")
    if design:
        yield design
    if survey.fieldwork.results_about != SIMILAR and not about_population:
        yield translate("Intervals and tests are about people like the respondents.")
    if survey.private:
        yield translate(
            "Answers to private questions were randomised (local differential privacy)."
        )
    if survey.protected:
        yield (
            translate("The privacy loss ε of one respondent has no finite bound.")
            if survey.ratio_bound is None
            else translate(
                "The total privacy loss of one respondent is at most ε = %(epsilon)s.",
                epsilon=translate_number(epsilon_text(survey.epsilon)),
            )
        )
    yield translate(
        "SHA-256 fingerprint of the survey: %(fingerprint)s.", fingerprint=frozen.fingerprint
    )


def result_csv(result: AnalysisResult) -> str:
    """One row for each figure, at full precision."""
    return csv_text(table_of_rows(result.rows, result.remarks))


def result_json(result: AnalysisResult, found: StoredSurvey, name: str) -> str:
    """Everything that the analysis computed, at full precision."""
    about = {
        "survey": found.survey.slug,
        "origin": found.origin,
        "fingerprint": frozen_of(found).fingerprint,
        "analysis": name,
        "sentence": result.sentence,
        "do_not_use": result.unusable,
        "remarks": [each.as_json for each in result.remarks],
    }
    return canonical_json(part_json(result.content | about)) + "\n"


def result_svg(result: AnalysisResult, found: StoredSurvey) -> str:
    """The wide picture, with a caption, on a white background."""
    chart = result.charts[0]
    lines = origin_caption_lines(
        result.title, found.survey.title, found.survey.slug, found.origin, result.n, chart.width
    )
    captioned = add_caption(replace(chart, kind="chart"), lines)
    texts = [*(words for _, words in lines), result.sentence, result.note, result.description]
    description = " ".join(text for text in texts if text)
    drawn = captioned.svg(result.sentence, title=result.title, desc=description, style=LOOK)
    return svg_file(drawn, width=captioned.width, height=captioned.height)


FILES = {"csv": "text/csv", "json": "application/json", "svg": "image/svg+xml"}


def analysis_file(result: AnalysisResult, found: StoredSurvey, name: str, kind: str) -> str:
    """The content of one of FILES."""
    if kind == "csv":
        return result_csv(result)
    if kind == "json":
        return result_json(result, found, name)
    return result_svg(result, found)
