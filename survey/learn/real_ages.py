"""The ages of the two data sets of the course texts, as counts, from files in demo/.

adult-ages.csv counts the 48,842 people of the data set Adult by age, and by whether "education-num"
is above 10. Sources and licences are in docs/evidence/textbooks.md.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from survey import PROJECT_FOLDER
from survey.core.translate import later
from survey.web.titanic_people import NAMES, UNKNOWN, passengers

ADULT_FILE = PROJECT_FOLDER / "demo" / "adult-ages.csv"
ADULT = "adult"
THOUSAND = "thousand"
HUNDRED = "hundred"
PASSENGERS = "titanic"
TABLES = {
    ADULT: later("15,772 people (Adult)"),
    THOUSAND: later("1,000 of such ages"),
    HUNDRED: later("100 of such ages"),
    PASSENGERS: later("714 people (Titanic)"),
}
# Of the Adult data, as many people as these.
PARTS = {THOUSAND: 1_000, HUNDRED: 100}


@lru_cache
def age_counts(table: str) -> Mapping[int, int]:
    """How many people of a table have each age in years, by age.

    The smaller tables have the ages at the middles of equal parts of the sorted Adult data.
    """
    if table == PASSENGERS:
        ages = passengers()[:, NAMES.index("age")]
        return dict(sorted(Counter(ages[ages != UNKNOWN].tolist()).items()))
    with ADULT_FILE.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["age"]), int(row["above_10"])) for row in csv.DictReader(file)]
    above = {age: people for age, people in rows if people}
    if table == ADULT:
        return above
    n, everyone = PARTS[table], list(Counter(above).elements())
    places = ((2 * part + 1) * len(everyone) // (2 * n) for part in range(n))
    return dict(sorted(Counter(everyone[place] for place in places).items()))
