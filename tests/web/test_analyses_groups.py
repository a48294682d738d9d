"""The form of groups offers each share and mean, by place in addresses and by name in commands."""

from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.store import Store
from survey.web.analyses.groups import GROUPS
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters


def test_measures_are_shares_and_means(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(), asked("age", "number", "none", min=0, max=9)))
    with app.app_context():
        form = GROUPS.form_of_query(store.surveys.by_slug("health"), MultiDict())
        offered = [(each.value, each.spelling) for each in form.measure.choices]
    assert offered == [
        ("region:0", "region:town"),
        ("region:1", "region:country"),
        ("smokes:0", "smokes:yes"),
        ("smokes:1", "smokes:no"),
        ("age:", "age"),
        ("@sum:", "@sum"),
    ]
    assert (form.measure.data, form.group.data, form.against.data) == (
        "region:0", "smokes", "pairs"
    )  # fmt: skip


def test_the_answer_of_a_share_is_its_place_and_a_mean_has_none(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(), asked("age", "number", "none", min=0, max=9)))
    found = store.surveys.by_slug("health")
    with app.app_context():
        for measure, answer, name in (("smokes:1", 1, "smokes"), ("age:", None, "age")):
            query = MultiDict({"measure": measure, "group": "region"})
            form = GROUPS.form_of_query(found, query)
            assert form.validate()
            assert (form.answer, form.wanted) == (answer, [name, "region"])


def test_a_sum_has_at_least_two_questions(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(), asked("age", "number", "none", min=0, max=9)))
    found = store.surveys.by_slug("health")
    both = [("items", "smokes"), ("items", "age"), ("points", "age: 2")]
    with app.app_context():
        form = GROUPS.form_of_query(
            found, MultiDict([*both, ("measure", "@sum:"), ("group", "region")])
        )
        assert form.validate()
        assert (form.answer, form.wanted) == (None, ["@sum\nsmokes age\nage: 2", "region"])
        for query, fault in (
            ([both[0], both[0], ("measure", "@sum:")], "Tick at least two questions for the sum."),
            ([*both, ("measure", "age:")], "To compare the sum of these questions, choose “mean"),
        ):
            form = GROUPS.form_of_query(found, MultiDict([*query, ("group", "region")]))
            assert not form.validate()
            assert str(form.errors["items"][0]).startswith(fault)


def test_one_question_has_no_sum(app: Flask, store: Store) -> None:
    arm = asked(
        "arm", "select_one", "none", choices=letters("ab"), derived={"random": {"a": 1, "b": 1}}
    )
    opened(store, definition(yes_no(), arm))
    with app.app_context():
        form = GROUPS.form_of_query(store.surveys.by_slug("health"), MultiDict())
        assert ("@sum:", "@sum") not in [
            (each.value, each.spelling) for each in form.measure.choices
        ]
        sums = next(each for each in form.laid_out if each.legend == "Sum of several questions")
        assert not sums.fields_of_page
        assert sums.about == "A sum needs two questions whose answers can have points."
