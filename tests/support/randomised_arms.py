"""A file in which the design of each row depends on its arm, and the import of such a file."""

import io

import numpy as np

from survey.formats.randomised_csv.build_survey import survey_from_table
from survey.formats.randomised_csv.options import OptionTexts, parse_options
from survey.formats.randomised_csv.sheet import read_csv_table
from tests.support.decomposed import same_if_decomposed

# Pr(report 1 | yes) and Pr(report 1 | no) of the two designs. In the crosswise model, 1 is "same".
DESIGNS = {"A": "Warner,p=2/3", "B": "Crosswise,p=1/5"}
TABLES = {"A": (2 / 3, 1 / 3), "B": (1 / 5, 4 / 5)}


@same_if_decomposed
def imported(content, *private, by="arm", **options):
    """The survey of a file, with the options as texts."""
    table = read_csv_table(io.BytesIO(content.encode()))
    texts = OptionTexts(private=private, design_by=by, **options)
    return survey_from_table(table, parse_options(texts, table.columns), "study", "Study")


def in_arms(n=400, seed=3):
    """Arm, report (1 is yes), age and weight of each row."""
    r = np.random.default_rng(seed)
    arm = r.choice(list("AB"), n, p=(0.3, 0.7))
    age = r.integers(0, 10, n)
    yes = r.random(n) < 0.1 + 0.06 * age
    chance = [TABLES[each][0 if answer else 1] for each, answer in zip(arm, yes, strict=True)]
    return arm, (r.random(n) < chance).astype(int), age, r.integers(1, 4, n)
