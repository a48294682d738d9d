"""Surveys with awkward names and texts, for several test modules."""

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TOGETHER, asked

EVERY, SOME = (freeze(parse_survey(each), to_open=False) for each in (EVERY_TYPE, SAMPLED))
HARD = (
    "=1+1", 'She said "no", twice', "two\nlines", "and\r\nmore", "ไม่มี", "Không", "x,y", "'", "",
    "\u2028", "1",
)  # fmt: skip
# A line end in a label is refused at opening, but older surveys may have one.
AWKWARD = freeze(
    parse_survey(
        definition(
            yes_no(label="Bạn có hút thuốc không?\nไหม"),
            asked("not", "select_one", "none", label='Why "not"? \\ it\'s', prefer_not_to_say=True,
                  choices=[{"name": "NA", "label": "Không"}, {"name": "TRUE", "label": "ใช่"},
                           {"name": "1", "label": "it's"}]),
            asked("below", "number", {"epsilon": 2}, min=-9.5, max=-1.5, step=0.5),
            asked("why", "text", "none"),
            **TOGETHER,
        )
    ),
    to_open=False,
)  # fmt: skip
AWKWARD_ROWS = [(n % 2, n % 4, n % 13, text) for n, text in enumerate(HARD * 3)]
