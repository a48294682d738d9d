"""The form of groups offers each share and mean, by place in addresses and by name in commands."""

from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.store import Store
from survey.web.analyses.groups import GROUPS
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked


def test_measures_are_shares_and_means(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(), asked("age", "number", "none", min=0, max=9)))
    with app.app_context():
        form = GROUPS.requested(store.surveys.by_slug("health"), MultiDict())
        offered = [(each.value, each.spelling) for each in form.measure.choices]
    assert offered == [
        ("region:0", "region:town"),
        ("region:1", "region:country"),
        ("smokes:0", "smokes:yes"),
        ("smokes:1", "smokes:no"),
        ("age:", "age"),
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
            form = GROUPS.requested(found, query)
            assert form.validate()
            assert (form.answer, form.wanted) == (answer, [name, "region"])
