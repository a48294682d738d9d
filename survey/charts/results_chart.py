"""Choose the chart for the results of a question."""

from dataclasses import replace

from survey.charts import svg
from survey.charts.answer_shares import answer_shares_chart
from survey.charts.histogram import histogram_chart
from survey.core.languages import ENGLISH, Words
from survey.estimation.results import QuestionResults


def results_chart(result: QuestionResults, words: Words = ENGLISH) -> svg.Chart:
    """The chart of a question's results. Raises ValueError for results without answers."""
    if not result.answers:
        raise ValueError("There is nothing to draw.")
    if result.question.grid is not None:
        return histogram_chart(result, words)
    # Of a question with a condition, the shares among those asked matter.
    return answer_shares_chart(replace(result, answers=result.asked or result.answers))
