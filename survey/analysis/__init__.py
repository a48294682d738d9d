"""Analyses that join several questions, from randomised answers. Pure: arrays in, figures out.

One core serves every design: a column (`columns.py`) holds the reports on a question, and
Pr(report | answer). Whatever is estimated from it is unbiased by scores, or most likely by the
table, and a plain question is the case where the report is the answer.

* `columns`: `Column`, `Design` (weights, strata, clusters), `column_of`, `columns_of`; `boxes`
  and `single` make the columns of each kind of question
"""

from .columns import Column, Design, column_of, columns_of

__all__ = ["Column", "Design", "column_of", "columns_of"]
