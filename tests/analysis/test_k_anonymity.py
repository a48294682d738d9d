"""k-anonymity, compared with a count of each pair of respondents, and with tables by hand."""

import csv
import io
from collections import Counter

import numpy as np
import pytest

from survey.analysis.k_anonymity import (
    MAX_CELLS_TO_CHANGE,
    count_groups,
    group_sizes,
    helpful_changes,
    single_answers,
)
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats.csv_export import csv_column_names, responses_csv
from survey.formats.csv_import import read_truth
from survey.planning.privacy_checks import identifying_questions
from survey.planning.simulation import simulate_responses
from tests.support import titanic
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, TRUTH, asked, letters

pytestmark = pytest.mark.fast

AGE = asked("age", "number", "none", min=0, max=99)
REGION = asked("region", "select_one", "none", choices=letters("nesw"))
PAPERS = asked("news", "select_multiple", "none", choices=letters("prt"))


def every_type(n):
    survey = parse_survey(EVERY_TYPE)
    batches = simulate_responses(survey, read_truth(TRUTH, survey), n, seed=3)
    return survey, [response.reports for batch in batches for response in batch]


def passengers():
    choices = {"class": "fstc", "sex": "mw", "age": "ac", "survived": "sd"}
    survey = parse_survey(
        definition(
            *(
                asked(name, "select_one", "none", choices=letters(each))
                for name, each in choices.items()
            )
        )
    )
    return survey, [tuple(map(int, row)) for row in titanic.people()]


def skewed():
    """Ages that are rarer the higher they are, and boxes, so that many are alone."""
    generator = np.random.default_rng(5)
    survey = parse_survey(definition(AGE, REGION, PAPERS))
    ages = np.minimum(generator.geometric(0.05, 400) - 1, 99)
    rows = [
        (int(age), int(generator.integers(4)), "".join(map(str, generator.integers(2, size=3))))
        for age in ages
    ]
    return survey, rows


def brute_force(survey, rows, names):
    """Each respondent's number of respondents with the same cells of responses.csv, by pairs."""
    frozen = freeze(survey, to_open=False)
    table = list(csv.DictReader(io.StringIO("".join(responses_csv(frozen, rows)))))
    columns = [
        column
        for question in survey.fields
        if question.name in names
        for column in csv_column_names(question)
    ]
    cells = [[row[column] for column in columns] for row in table]
    return [sum(one == other for other in cells) for one in cells]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (lambda: every_type(150), ["region", "news", "sleep"]),
        (lambda: every_type(150), ["years", "region", "news", "sleep"]),
        (passengers, ["class", "sex", "age", "survived"]),
        (passengers, ["class", "age"]),
        (skewed, ["age", "region", "news"]),
        (skewed, ["age"]),
    ],
)
def test_the_groups_are_those_of_a_brute_force_count(data, names):
    survey, rows = data()
    # Pairs of all passengers would take a minute: each eighth is compared.
    rows = rows[:: max(1, len(rows) // 300)]
    fields = [question.name for question in survey.fields]
    questions = [each for each in identifying_questions(survey) if each.name in names]
    assert [each.name for each in questions] == names
    places = [fields.index(name) for name in names]
    sizes = group_sizes(count_groups(tuple(row[place] for place in places) for row in rows))
    companions = brute_force(survey, rows, names)
    assert sizes.n == len(rows)
    assert sizes.smallest == min(companions)
    assert sizes.alone == companions.count(1)
    assert sizes.share_alone == companions.count(1) / len(rows)
    assert sizes.in_small_groups == sum(each < 5 for each in companions)
    assert sizes.sizes == {size: many // size for size, many in Counter(companions).items()}


def test_the_titanic_by_hand():
    """Of the cells of Dawson's table, three have one person, and one has three."""
    _, rows = passengers()
    sizes = group_sizes(count_groups(rows))
    cells = [many for both in titanic.PEOPLE.values() for many in both if many]
    assert (sizes.n, sizes.groups, sizes.smallest) == (2_201, len(cells), 1)
    assert sizes.alone == cells.count(1) == 1
    assert sizes.in_small_groups == sum(many for many in cells if many < 5) == 8
    assert sizes.rows == (
        ("1", 1, 1, "0.0 %"), ("2", 0, 0, "0.0 %"), ("3 to 4", 2, 7, "0.3 %"),
        ("5 to 9", 1, 5, "0.2 %"), ("10 to 19", 7, 95, "4.3 %"),
        ("20 or more", 13, 2_093, "95.1 %"),
    )  # fmt: skip


def test_changes_that_help_come_with_what_they_lead_to():
    survey, rows = skewed()
    questions = identifying_questions(survey)
    groups = count_groups(rows)
    now, changes = group_sizes(groups), helpful_changes(questions, groups)
    after = {change.sentence: change.after for change in changes}
    no_age = group_sizes(count_groups((region, news) for _, region, news in rows))
    ranges = group_sizes(count_groups((age // 20, region, news) for age, region, news in rows))
    assert after["Leave out “What of age?”"] == no_age
    assert after["Put the answers to “What of age?” into 5 ranges"] == ranges
    rarest = [place for place, _ in Counter(region for _, region, _ in rows).most_common()[:1:-1]]
    first, second = sorted(rarest)
    merged = group_sizes(
        count_groups(
            (age, first if region == second else region, news) for age, region, news in rows
        )
    )
    labels = [letter.upper() for letter in ("nesw"[first], "nesw"[second])]
    assert after[f"Merge “{labels[0]}” and “{labels[1]}” in “What of region?”"] == merged
    alone = [change.after.alone for change in changes]
    assert alone == sorted(alone)
    assert all((c.after.alone, -c.after.smallest) < (now.alone, -now.smallest) for c in changes)


def test_special_answers_stay_out_of_ranges():
    age = AGE | {"prefer_not_to_say": True}
    survey = parse_survey(definition(age))
    # Ages 0 and 19 share a range; "prefer not to say" is the place after the grid.
    groups = count_groups([(0,), (19,), (100,), (100,)])
    [change] = [c for c in helpful_changes(survey.fields, groups) if "ranges" in c.sentence]
    assert change.after.sizes == {2: 2}


def test_too_many_combinations_are_not_changed():
    survey = parse_survey(definition(AGE))
    groups = {(place,): 1 for place in range(MAX_CELLS_TO_CHANGE + 1)}
    assert helpful_changes(survey.fields, groups) is None
    assert helpful_changes(survey.fields, {(place,): 1 for place in range(3)}) != ()


def test_groups_with_a_single_answer_are_those_of_each_pair_of_respondents():
    """By comparing each respondent with all others of the group, for several sets of questions."""
    survey, rows = skewed()
    rows = rows[:150]
    questions = identifying_questions(survey)
    for known in ({"age", "region", "news"}, {"region"}, {"news", "region"}):
        found = single_answers(questions, known, count_groups(rows))
        by_question = {each.question.name: each for each in found}
        for place, question in enumerate(questions):
            others = [i for i, q in enumerate(questions) if q.name in known and i != place]
            if not others:
                assert question.name not in by_question
                continue
            alike = set()
            for row in rows:
                group = [each for each in rows if all(each[i] == row[i] for i in others)]
                if len(group) > 1 and all(each[place] == row[place] for each in group):
                    alike.add((tuple(row[i] for i in others), len(group)))
            sizes = [size for _, size in alike]
            if not sizes:
                assert question.name not in by_question
                continue
            each = by_question[question.name]
            assert (each.groups, each.respondents) == (len(sizes), sum(sizes))
            assert each.largest == max(sizes)


def test_first_class_children_of_the_titanic_all_survived():
    survey, rows = passengers()
    questions = identifying_questions(survey)
    found = single_answers(questions, {"class", "age"}, count_groups(rows))
    [survived] = [each for each in found if each.question.name == "survived"]
    # The 6 children of the first class and the 24 of the second. The crew has no children.
    assert (survived.groups, survived.respondents, survived.largest) == (2, 30, 24)


def test_a_skipped_question_is_no_answer():
    survey = parse_survey(definition(AGE, REGION))
    questions = identifying_questions(survey)
    [age] = single_answers(questions, {"region"}, {(None, 0): 3, (5, 1): 2, (5, 2): 1})
    assert (age.question.name, age.groups, age.respondents) == ("age", 1, 2)
    assert single_answers(questions, {"region"}, {(5, 0): 2, (None, 0): 1}) == ()
    many = {(place, 0): 1 for place in range(MAX_CELLS_TO_CHANGE)}
    assert single_answers(questions, {"region"}, many) is None


def test_nobody():
    sizes = group_sizes(count_groups([]))
    assert (sizes.n, sizes.smallest, sizes.alone, sizes.share_alone) == (0, 0, 0, 0.0)
    assert (sizes.share_alone_text, sizes.rows, sizes.one_respondent) == ("0.0 %", (), False)
    assert group_sizes(count_groups([(1,)])).one_respondent
    assert helpful_changes((), count_groups([])) == ()


def test_only_non_private_answers_without_texts_identify():
    names = [each.name for each in identifying_questions(parse_survey(EVERY_TYPE))]
    assert names == ["years", "region", "news", "sleep"]
    assert identifying_questions(parse_survey(definition(yes_no()))) == ()
