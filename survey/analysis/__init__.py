"""Joint analyses of several questions from randomised answers. Arrays in, estimates out.

One core serves every design: a column holds the reports on a question, and Pr(report | answer). An
estimate uses unbiased scores of the reports, or is the maximum-likelihood estimate given the table.
A non-private question is the case in which the report is the answer. It may import `core` to
`formats`. Start reading in `columns/variables`, then in `tables/crosstabs`.
"""

from survey.analysis.columns.columns import (
    AnalysisColumn,
    SurveyDesign,
    columns_by_name,
    question_column,
)

__all__ = ["AnalysisColumn", "SurveyDesign", "columns_by_name", "question_column"]
