"""Analyses that join several questions, from randomised answers. Pure: arrays in, figures out.

One core serves every design: a column (`columns.py`) holds the reports on a question, and
Pr(report | answer). Whatever is estimated from it is unbiased by scores, or most likely by the
table, and a plain question is the case where the report is the answer.

* `columns`: `Column`, `Design` (weights, strata, clusters), `column_of`, `columns_of`; behind it
  `variables`, and `single` and `boxes`, which make the columns of each kind of question;
  `factors` takes boxes of one table together; `asked` finds columns by the names people give
* `sampling`: means of scores and their covariance under a design; `figures`: one figure with its
  interval; `joint`: joint shares, unbiased and most likely
* `crosstabs`: two or three questions; `association`: odds ratio, phi, tests of independence
* `groups`: a share or mean in each group; `differences` with corrections for their number;
  `measures`: what is compared or correlated; `correlation`, and `correlations` of several
* `trees`: the decision tree of one question by others; `splits`: its test; `tree_words`,
  `tree_picture`: in sentences, and as SVG
* `validity`: control questions and a direct arm: whether people answered as asked;
  `misreporting`: two designs that tell who did not, and bounds; `checks`: which of these a survey
  allows; `offered`: what of it an analysis can be of
* `regression`: how answers depend on others; behind it `models` (logistic, multinomial, ordered),
  `likelihood` and `private_predictors`, `fitting`, `errors_of_fit`, `least_squares` (linear),
  `outcomes` and `predictors`, `effects`, `coefficients`, `refusals`
"""

from survey.analysis.columns.columns import Column, Design, column_of, columns_of

__all__ = ["Column", "Design", "column_of", "columns_of"]
