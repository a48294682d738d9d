"""The tables of "k-anonymity by hand", against a comparison of each pair of rows."""

import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.k_anonymity import (
    AGES,
    PATIENTS,
    POSTCODES,
    SECOND_HOSPITAL,
    SMALL_GROUPS,
    KAnonymity,
    cheapest_loss,
    every_way,
    in_second_hospital,
    possible_illnesses,
    publish_table,
)

pytestmark = pytest.mark.fast

WIDTHS = {"exact": 1, "ten": 10, "twenty": 20, "hidden": 1_000}
DIGITS = {"exact": 5, "three": 3, "hidden": 0}
LOSS_OF_AGE = {"exact": 0, "ten": 1 / 3, "twenty": 2 / 3, "hidden": 1}
LOSS_OF_POSTCODE = {"exact": 0, "three": 1 / 2, "hidden": 1}


def alike(one, other, age, postcode):
    return (
        one.age // WIDTHS[age] == other.age // WIDTHS[age]
        and one.postcode[: DIGITS[postcode]] == other.postcode[: DIGITS[postcode]]
    )


def values_of(**address: str):
    values = read_values(KAnonymity.controls, address)
    assert not values.refused
    return values


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_each_table_is_that_of_a_comparison_of_pairs(k):
    for (age, postcode, small), table in every_way(k).items():
        like = [[o for o in PATIENTS if alike(p, o, age, postcode)] for p in PATIENTS]
        kept = [rows for rows in like if small == "keep" or len(rows) >= k]
        assert table.smallest == min(map(len, kept), default=0)
        assert table.left_out == len(PATIENTS) - len(kept)
        assert sum(map(len, table.groups.values())) == len(kept)
        loss = sum(
            LOSS_OF_AGE[age] + LOSS_OF_POSTCODE[postcode] if rows in kept else 2 for rows in like
        )
        assert table.lost == pytest.approx(loss / 26)
        single = {
            tuple(rows) for rows in kept if len(rows) > 1 and len({r.illness for r in rows}) == 1
        }
        assert len(table.homogeneous) == len(single)


def test_the_cheapest_table_is_found_by_trying_all():
    for k in (2, 3, 4, 5):
        tables = [
            publish_table(age, postcode, small, k)
            for age in AGES
            for postcode in POSTCODES
            for small in SMALL_GROUPS
        ]
        assert len(tables) == 24
        assert cheapest_loss(k) == min(each.lost for each in tables if each.smallest >= k)
    assert all(cheapest_loss(k) <= cheapest_loss(k + 1) for k in (2, 3, 4))


def test_the_usual_table_is_4_anonymous_and_still_reveals_cancer_at_35():
    shown = KAnonymity().show(values_of())
    assert shown.numbers["smallest"] == 4
    assert shown.numbers["homogeneous"] == 1
    assert shown.more["patient"] == ["By this table alone, the patient of 35 years has: cancer."]
    assert "all rows of a group have the same illness" in shown.sentence


def test_two_tables_reveal_aids_at_28():
    """One table leaves four illnesses, and the second hospital's group shares one of them."""
    table = publish_table("ten", "three", "leave", 4)
    here, both = possible_illnesses(table, 28)
    assert len(here) == 4
    assert both == ["aids"]
    assert all(len(illnesses) == 4 for _, illnesses in SECOND_HOSPITAL)
    shown = KAnonymity().show(values_of(patient="28"))
    assert shown.more["patient"][-1] == "Both groups have in common: AIDS."


def test_the_patient_is_always_among_those_who_fit():
    """If the row is kept, its illness is possible. The 28-year-old's is in both hospitals."""
    for k in (2, 5):
        for table in every_way(k).values():
            for patient in PATIENTS:
                here, both = possible_illnesses(table, patient.age)
                if here:
                    assert patient.illness in here
                assert {*both} == {*here} & {*in_second_hospital(patient.age)}


def test_each_state_has_its_own_sentence():
    assert "is not 4-anonymous" in KAnonymity().show(values_of(small="keep")).sentence
    empty = KAnonymity().show(values_of(age="exact", postcode="exact", k="2"))
    assert empty.sentence == "No group has k = 2 rows, so the whole table is left out."
    assert empty.numbers["lost"] == 1
    good = KAnonymity().show(values_of(age="twenty", postcode="hidden"))
    assert good.sentence.endswith("and no group has a single illness.")
    left = KAnonymity().show(values_of(patient="67"))
    assert left.more["patient"] == ["The row of the patient of 67 years is left out of this table."]


def test_the_page_marks_the_group_with_a_single_illness(client):
    page = client.get("/learn/k-anonymity?language=en").get_data(as_text=True)
    assert page.count("(the same in the whole group)") == 4
    assert "Meyerson and Williams (2004)" in page
    assert "NP-hard" in page


def test_a_patient_has_one_of_the_illnesses_of_a_group():
    one, *others = KAnonymity().show(values_of(patient="35")).more["patient"]
    assert (one, others) == (
        "By this table alone, the patient of 35 years has: cancer.", [],
    )  # fmt: skip
    first = KAnonymity().show(values_of(patient="28")).more["patient"][0]
    assert "has one of: " in first


def test_an_empty_table_has_no_head(client):
    assert "The published table" in client.get("/learn/k-anonymity").text
    assert "The published table" not in client.get("/learn/k-anonymity?k=5").text
