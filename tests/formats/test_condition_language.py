"""Conditions of other programs are written as those of an XLSForm, or named with the fault."""

from typing import ClassVar

import pytest

from survey.formats.other_programs.condition_language import (
    OtherExpression,
    Reference,
    XPathWriter,
    token_pattern,
)
from survey.formats.other_programs.limesurvey import LimeSurveyExpression
from survey.formats.other_programs.redcap import RedcapExpression
from survey.formats.other_programs.surveyjs import SurveyJsExpression
from survey.formats.xlsform.expressions import UnsupportedCondition
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

LANGUAGES = {
    "REDCap": RedcapExpression,
    "LimeSurvey": LimeSurveyExpression,
    "SurveyJS": SurveyJsExpression,
}
REFERENCES = {
    "a": Reference("a", {"1": "1", "Rất tốt": "rat_tot"}),
    "box(2)": Reference("box", ticked="2"),
    "q1_SQ2": Reference("q1", ticked="SQ2"),
    "yes": Reference("yes", {"1": "yes", "0": "no"}),
    "Q2": Reference("q2", {"Y": "yes", "N": "no"}),
    "told": Reference("told", {"true": "yes", "false": "no"}),
    "có con": Reference("co_con", {"không": "khong"}),
    "boxes": Reference("boxes", {"Trà": "tra", "Cà phê": "ca_phe"}),
}


def written(program, text):
    parts = LANGUAGES[program](text).whole().joined_by("and")
    return [XPathWriter(REFERENCES).condition(part) for part in parts]


@check_each(
    ("program", "text", "expected"),
    [
        ("REDCap", "[a] = '1'", ["${a} = '1'"]),
        ("REDCap", '[a]="1" AND [age] >= 18', ["${a} = '1'", "${age} >= 18"]),
        ("REDCap", "[a] <> '1' or [age] < 5.5", ["(${a} != '1') or (${age} < 5.5)"]),
        ("REDCap", "'1' = [a]", ["${a} = '1'"]),
        ("REDCap", "18 <= [age]", ["${age} >= 18"]),
        ("REDCap", "[box(2)] = '1'", ["selected(${box}, '2')"]),
        ("REDCap", "[box(2)] = 0", ["not(selected(${box}, '2'))"]),
        ("REDCap", "[box(2)] <> '1'", ["not(selected(${box}, '2'))"]),
        ("REDCap", "[box(2)] != ''", ["selected(${box}, '2')"]),
        ("REDCap", "[yes] = '1'", ["${yes} = 'yes'"]),
        ("REDCap", "([a] = '1' and ([yes] = '0'))", ["${a} = '1'", "${yes} = 'no'"]),
        ("REDCap", "[a] = ''", ["${a} = ''"]),
        ("REDCap", "[visit_1][a] = '1'", ["${[visit_1][a]} = '1'"]),
        ("REDCap", "datediff([a], 'today', 'y') > 3", ["datediff(${a}, 'today', 'y') > 3"]),
        ("LimeSurvey", '((Q2.NAOK == "Y"))', ["${q2} = 'yes'"]),
        ("LimeSurvey", 'q1_SQ2.NAOK == "Y"', ["selected(${q1}, 'SQ2')"]),
        ("LimeSurvey", "!is_empty(q1_SQ2)", ["not(not(selected(${q1}, 'SQ2')))"]),
        ("LimeSurvey", "is_empty(Q2.NAOK)", ["not(${q2} != '')"]),
        ("LimeSurvey", "Q2 ne 'Y' && age.NAOK gt 17", ["${q2} != 'yes'", "${age} > 17"]),
        ("LimeSurvey", "age.NAOK le 3 || age ge 9", ["(${age} <= 3) or (${age} >= 9)"]),
        ("LimeSurvey", "1", ["true()"]),
        ("LimeSurvey", "count(a.NAOK, Q2) > 1", ["count(${a}, ${q2}) > 1"]),
        ("SurveyJS", "{a} = 'Rất tốt'", ["${a} = 'rat_tot'"]),
        ("SurveyJS", "{a} == 1 and {told} = true", ["${a} = '1'", "${told} = 'yes'"]),
        ("SurveyJS", "{told}", ["${told} = 'yes'"]),
        ("SurveyJS", "!{told} or {age} empty", ["(not(${told} = 'yes')) or (not(${age} != ''))"]),
        ("SurveyJS", "{age} notempty", ["${age} != ''"]),
        ("SurveyJS", "{có con} <> 'không'", ["${co_con} != 'khong'"]),
        ("SurveyJS", "{boxes} contains 'Trà'", ["selected(${boxes}, 'tra')"]),
        ("SurveyJS", "{boxes} notcontains 'Trà'", ["not(selected(${boxes}, 'tra'))"]),
        (
            "SurveyJS",
            "{boxes} anyof ['Trà', 'Cà phê']",
            ["selected(${boxes}, 'tra') or selected(${boxes}, 'ca_phe')"],
        ),
        (
            "SurveyJS",
            "{boxes} allof ['Trà', 'Cà phê'] and {age} > -1",
            ["selected(${boxes}, 'tra') and selected(${boxes}, 'ca_phe')", "${age} > -1"],
        ),
        ("SurveyJS", '{a} = "it\'s"', ['${a} = "it\'s"']),
    ],
)
def test_a_condition_is_written_as_xlsform_has_it(program, text, expected):
    assert written(program, text) == expected


@check_each(
    ("program", "text", "expected"),
    [
        ("REDCap", "[a] + [box(2)] * 2", "(${a} + (if(selected(${box}, '2'), 1, 0) * 2))"),
        ("REDCap", "if([a] = '1', 'x', 'y')", "if(${a} = '1', 'x', 'y')"),
        ("REDCap", "sum([a], [age]) / 2", "(sum(${a}, ${age}) div 2)"),
        ("SurveyJS", "iif({told} = false, 1, 0)", "if(${told} = 'no', 1, 0)"),
        ("LimeSurvey", "a.NAOK % 2", "(${a} mod 2)"),
    ],
)
def test_a_calculation_is_written_as_xlsform_has_it(program, text, expected):
    assert XPathWriter(REFERENCES).value(LANGUAGES[program](text).whole()) == expected


@check_each(
    ("program", "text", "fault"),
    [
        ("REDCap", "[a] =", "cannot be parsed at its end"),
        ("REDCap", "{a} = '1'", "cannot be parsed from"),
        ("REDCap", "[box(2)] = '7'", "compares choices in a way"),
        ("REDCap", "[box(2)] > '0'", "compares choices in a way"),
        ("SurveyJS", "{boxes} anyof []", "compares choices in a way"),
        ("SurveyJS", "{boxes} contains {a}", "compares choices in a way"),
        ("SurveyJS", "{a} anyof ['x'", "cannot be parsed at its end"),
        ("LimeSurvey", "(" * 40 + "a" + ")" * 40, "is nested too deeply"),
        ("SurveyJS", "!" * 40 + "{a}", "is nested too deeply"),
        ("SurveyJS", "{a} = 1 or " * 400 + "{a} = 1", "is too long"),
    ],
)
def test_a_fault_of_a_condition_is_named(program, text, fault):
    with pytest.raises(UnsupportedCondition, match=fault):
        written(program, text)


def test_a_text_with_both_quotation_marks_has_no_counterpart():
    class Plain(OtherExpression):
        token: ClassVar = token_pattern(r"q\d")

    references = {"q1": Reference("q1", {"x": "both ' and \""})}
    with pytest.raises(UnsupportedCondition, match="compares choices"):
        XPathWriter(references).condition(Plain("q1 = 'x'").whole())
