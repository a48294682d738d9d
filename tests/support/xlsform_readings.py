"""Definitions and forms that are read and written, for several test modules."""

import io
import json
import re

from pyxform.xls2xform import convert

from survey.definition.frozen import fingerprint_of
from survey.definition.survey import Survey
from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform import read_form
from tests.support.decomposed import same_if_decomposed
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked, letters
from tests.support.project import ROOT
from tests.support.xlsforms import ENGLISH, table

# Each import of this module also runs on the decomposed form.
from_xlsform = same_if_decomposed(read_form.from_xlsform)
YES_NO = table(("list_name", "name", "label"), ("yn", "yes", "Yes"), ("yn", "no", "No"))
FAMILIAR = table(("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))
EVERY_MEMBER = definition(
    yes_no(privacy={"mechanism": "randomized_response", "gamma": "0.30"})
    | {"choices": [{"name": "yes", "label": "Oh yes"}, {"name": "no", "label": "No"}]},
    asked("yes_no", "select_one", {"epsilon": 1.0}, choices=letters("ab")),
    asked("both", "select_one", {"epsilon": 1}, relevant={"smokes": "yes", "yes_no": ["a", "b"]},
          choices=[{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}], otherwise="no"),
    asked("declined", "scale", "none", choices=[*letters("12"),
          {"name": "prefer_not_to_say", "label": "I will not tell"}]),
    asked("boxes", "select_multiple", {"epsilon": 1e-1}, choices=letters("12"),
          prefer_not_to_say=True, relevant={"both": ["no"]}, otherwise=["1"]),
    asked("none", "select_multiple", {"epsilon": 2}, choices=letters("xy"),
          relevant={"boxes": ["1", "prefer_not_to_say"]}, otherwise=[]),
    asked("deep", "number", {"mechanism": "window", "odds": "8:3"}, min=-4.5, max=0.5, step=0.25,
          unit="=1+1", prefer_not_to_say=True),
    asked("cold", "number", {"epsilon": 1, "goal": "mean"}, min=-40, max=40,
          relevant={"deep": {"min": -1.5, "max": 0}}, otherwise=-7),
    asked("warm", "number", {"epsilon": 2, "goal": "quantiles"}, min=0, max=30),
    asked("told", "note", relevant={"cold": {"max": -2}}, label="#N/A",
          hint="A\r\n _x000D_ \ufffe!"),
    asked("forced", "select_one", {"mechanism": "forced_response", "p_truth": "2/3",
          "p_forced": [0.1, "1/10", "2/15"]}, choices=letters("abc")),
    asked("last", "text", "none", label='"quoted"\tand {"a": 1}'),
    title="=SUM(A1)",
    introduction="**Why**\r\n\r\n[1](https://example.org)",
    language="vi",
    budget={"epsilon": 11.25, "per_respondent": {"sample": 3}},
    asked_by="true",
    contact="1234",
    support="[a]",
    minutes=7,
    layout="one_at_a_time",
    exit="https://www.example.org/",
    series="waves",
    receipts=True,
    comprehension=True,
    batch=7,
    translations={
        "en": {"title": "Health", "questions": {
            "smokes": {"label": "Smoke?", "choices": {"yes": "Indeed", "no": "No"}},
            "deep": {"unit": "7"}, "told": {"hint": "A\rB"},
            "declined": {"choices": {"1": "One"}}}},
        "th": {},
    },
)  # fmt: skip
SECTIONS = definition(
    asked("age", "number", "none", min=0, max=120),
    asked("work", "section", label="Work", hint="Paid or not.", relevant={"age": {"min": 18}}),
    asked("paid", "yes_no", {"epsilon": 1}, prefer_not_to_say=True, optional=True),
    asked("hours", "number", "none", min=0, max=99, relevant={"age": {"max": 65}}, otherwise=0),
    asked("rest", "section", label=""),
    asked("other", "text", "none"),
    asked("rows", "section", label="", battery=True),
    yes_no("one", "none"),
    yes_no("two", "none"),
    translations={"vi": {"questions": {"work": {"label": "Việc làm"}}}},
)
DEFINITIONS = {
    "every type": EVERY_TYPE,
    "three picked": SAMPLED,
    "every member": EVERY_MEMBER,
    "one question": definition(),
    "invited": definition(invitations=True),
    "by hand": definition(by_hand=True),
    "sections": SECTIONS,
    **{path.stem: json.loads(path.read_text()) for path in (ROOT / "demo").glob("*.json")},
    "the docs' example": json.loads(
        re.search(r"```json\n(.*?)```", (ROOT / "docs/reference/definition.md").read_text(), re.S)[
            1
        ]
    ),
}


def same(survey: Survey) -> None:
    """The survey returns from its workbook exactly, and no note says that something is missing."""
    back = read_survey(survey_xlsx(survey))
    assert back.left_out == ()
    assert back.survey == survey
    assert fingerprint_of(back.survey) == fingerprint_of(survey)
    assert back.survey.as_definition() == survey.as_definition()


def xform(content: bytes) -> str:
    """The form that pyxform, which ODK and KoboToolbox use, makes of a workbook."""
    return convert(io.BytesIO(content), validate=False, file_type=".xlsx").xform


TEXT = {"type": "text", "name": "first", "label": "First"}


def with_fault(*rows, choices=YES_NO, columns=FAMILIAR):
    """The import of a form with a question, then these rows, which have faults."""
    whole = [TEXT, *({"name": "q", "label": "?"} | row for row in rows)]
    return from_xlsform({"survey": whole, "choices": choices, "settings": columns})


def one(row, *before, choices=YES_NO, **sheets):
    """The last question's entry and the notes, from rows with labels."""
    rows = [{"label": "?", "required": "yes"} | each for each in (*before, row)]
    form = {"survey": rows, "choices": choices, "settings": FAMILIAR, **sheets}
    imported = from_xlsform(form)
    left_out = [s for s in imported.left_out if "the form sets no protection" not in s]
    return imported.survey.as_definition()["questions"][-1], left_out
