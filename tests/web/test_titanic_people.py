"""The people of the Titanic against published totals of Dawson (1995) and of the R package."""

import numpy as np
import pytest

from survey.web.titanic_people import (
    ANSWERS,
    NAMES,
    SURVIVED,
    UNKNOWN,
    passengers,
    titanic_groups,
    titanic_people,
)

pytestmark = pytest.mark.fast


def survivors(people, name, answer):
    """How many people gave this answer, and how many of them survived."""
    them = people[people[:, NAMES.index(name)] == list(ANSWERS[name]).index(answer)]
    return len(them), int((them[:, -1] == SURVIVED).sum())


def test_the_totals_are_those_of_the_published_table():
    people = titanic_people()
    assert people.shape == (2201, 4)
    assert int((people[:, -1] == SURVIVED).sum()) == 711
    published = {
        ("class", "first"): (325, 203),
        ("class", "second"): (285, 118),
        ("class", "third"): (706, 178),
        ("class", "crew"): (885, 212),
        ("sex", "woman"): (470, 344),
        ("age", "child"): (109, 57),
    }
    assert {each: survivors(people, *each) for each in published} == published


def test_there_is_one_person_for_each_count():
    assert sum(sum(numbers) for _, numbers in titanic_groups()) == len(titanic_people())


def test_the_passengers_have_known_ages_or_none():
    people = passengers()
    ages = people[:, NAMES.index("age")]
    assert people.shape == (891, 4)
    assert int((ages == UNKNOWN).sum()) == 177
    assert ages[ages != UNKNOWN].max() == 80
    assert int((people[:, -1] == SURVIVED).sum()) == 342
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(people, 0)
