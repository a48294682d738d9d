"""k-anonymity by hand: generalise two columns, leave out rows, and see what still leaks.

The loss of information is 1 − Prec of Sweeney (2002, Achieving k-Anonymity Privacy Protection Using
Generalization and Suppression). The rows are made up.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from survey.charts.analysis_rows import percent_tick
from survey.core.translate import later, translate, translate_constant
from survey.learn.controls import NumberChoice, Values, WordChoice
from survey.learn.lesson import Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Dots, plot
from survey.learn.written_numbers import share_in_percent

ILLNESSES = {
    "flu": later("flu"),
    "aids": later("AIDS"),
    "heart": later("heart disease"),
    "diabetes": later("diabetes"),
    "cancer": later("cancer"),
    "asthma": later("asthma"),
    "stroke": later("stroke"),
}


class Patient(NamedTuple):
    age: int
    postcode: str
    illness: str


PATIENTS = (
    Patient(21, "70012", "flu"),
    Patient(24, "70012", "heart"),
    Patient(28, "70015", "aids"),
    Patient(29, "70018", "diabetes"),
    Patient(31, "71003", "cancer"),
    Patient(33, "71003", "cancer"),
    Patient(35, "71006", "cancer"),
    Patient(38, "71009", "cancer"),
    Patient(41, "70012", "cancer"),
    Patient(44, "70021", "heart"),
    Patient(47, "70021", "flu"),
    Patient(49, "70026", "diabetes"),
    Patient(67, "74050", "flu"),
)
# Another hospital has published its own groups: the first age of each, and the illnesses in it.
SECOND_HOSPITAL = (
    (35, ("asthma", "cancer", "flu", "stroke")),
    (27, ("aids", "asthma", "asthma", "stroke")),
    (0, ("asthma", "asthma", "diabetes", "flu")),
)
# Each level with the width of its ranges of age; 0 for none.
AGES = {
    "exact": later("exact"),
    "ten": later("ten years"),
    "twenty": later("twenty years"),
    "hidden": later("hidden"),
}
POSTCODES = {
    "exact": later("five digits"),
    "three": later("first three digits"),
    "hidden": later("hidden"),
}
SMALL_GROUPS = {"keep": later("keep them"), "leave": later("leave them out")}
COLUMNS = 2
Key = tuple[str, str]


def published_age(age: int, level: str) -> str:
    width = {"exact": 1, "ten": 10, "twenty": 20}.get(level)
    if width is None:
        return "*"
    low = age // width * width
    return str(low) if width == 1 else f"{low}–{low + width - 1}"


def published_postcode(postcode: str, level: str) -> str:
    return {"exact": postcode, "three": f"{postcode[:3]}**"}.get(level, "*")


@dataclass(frozen=True)
class Published:
    """A table of groups: the rows that are kept, by their published age and postcode.

    `lost` is the share of information that the known columns lose. An exact value loses nothing, a
    hidden one all, and a level between them its part of the way. Rows left out lose all.
    """

    groups: dict[Key, tuple[Patient, ...]]
    left_out: int
    lost: float

    @property
    def smallest(self) -> int:
        """The size k of the smallest group; 0 without rows."""
        return min(map(len, self.groups.values()), default=0)

    @property
    def homogeneous(self) -> list[Key]:
        """The groups of at least two rows that all have the same illness."""
        return [
            key
            for key, rows in self.groups.items()
            if len(rows) > 1 and len({row.illness for row in rows}) == 1
        ]

    def group_of(self, age: int) -> tuple[Patient, ...]:
        """The rows that may be those of the patient with this age; none if left out."""
        for rows in self.groups.values():
            if any(row.age == age for row in rows):
                return rows
        return ()


def publish_table(age: str, postcode: str, small: str, k: int) -> Published:
    """The table at these levels. Groups of fewer than k rows are kept or left out."""
    groups: dict[Key, tuple[Patient, ...]] = {}
    for row in PATIENTS:
        key = (published_age(row.age, age), published_postcode(row.postcode, postcode))
        groups[key] = (*groups.get(key, ()), row)
    if small == "leave":
        groups = {key: rows for key, rows in groups.items() if len(rows) >= k}
    kept = sum(map(len, groups.values()))
    levels = [
        [*AGES].index(age) / (len(AGES) - 1),
        [*POSTCODES].index(postcode) / (len(POSTCODES) - 1),
    ]
    cells = COLUMNS * len(PATIENTS)
    lost = (kept * sum(levels) + COLUMNS * (len(PATIENTS) - kept)) / cells
    return Published(groups, len(PATIENTS) - kept, lost)


def every_way(k: int) -> dict[tuple[str, str, str], Published]:
    """All tables that the controls allow at this k."""
    return {
        (age, postcode, small): publish_table(age, postcode, small, k)
        for age in AGES
        for postcode in POSTCODES
        for small in SMALL_GROUPS
    }


def cheapest_loss(k: int) -> float:
    """The smallest loss of all tables whose groups have at least k rows."""
    return min(each.lost for each in every_way(k).values() if each.smallest >= k)


def in_second_hospital(age: int) -> tuple[str, ...]:
    """The illnesses in the second hospital's group of this age."""
    return next(illnesses for first, illnesses in SECOND_HOSPITAL if age >= first)


def possible_illnesses(table: Published, age: int) -> tuple[list[str], list[str]]:
    """The illnesses of the patient's group, and those that the second hospital's group has, too."""
    here = list(dict.fromkeys(row.illness for row in table.group_of(age)))
    there = in_second_hospital(age)
    return here, [illness for illness in here if illness in there]


class KAnonymity(Lesson):
    """The levels of two columns, k, and what happens to small groups vary."""

    address = "k-anonymity"
    title = later("k-anonymity by hand")
    idea = later(
        "Make columns coarser until each person hides among at least k rows. It costs information, "
        "and a group can still reveal its members’ secret."
    )
    controls = (
        WordChoice("age", later("Age"), AGES, "ten"),
        WordChoice("postcode", later("Postcode"), POSTCODES, "three"),
        NumberChoice("k", "k", (2, 3, 4, 5), 4),
        WordChoice("small", later("Groups of fewer than k rows"), SMALL_GROUPS, "leave"),
        NumberChoice("patient", later("Age of a patient whom someone knows"), (28, 35, 44, 67), 35),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="cells",
            question=later(
                "The table has 13 rows with 2 known columns. Each of these cells can be hidden or "
                "not, independently. In how many ways?"
            ),
            hint=later("Not yet. There are 26 cells, with two possibilities for each."),
            explanation=later(
                "Right: 2^26 = 67,108,864. With 1,000 rows, no computer can try all ways."
            ),
            solution=lambda: 2 ** (COLUMNS * len(PATIENTS)),
            tolerance=0.5,
        ),
        Exercise(
            name="smallest",
            question=later(
                "Publish ages in ranges of ten years and the first three digits of the postcode, "
                "and keep all rows. How many rows does the smallest group have?"
            ),
            hint=later("Not yet. Set the controls, and look for the patient of 67 years."),
            explanation=later("Right: 1. This single row is an outlier. Without it, k is 4."),
            solution=lambda: publish_table("ten", "three", "keep", 4).smallest,
            tolerance=0.1,
        ),
        Exercise(
            name="cheapest",
            question=later(
                "Keep all rows. The smallest group must have at least 4 rows. How much information "
                "is lost at least, with the levels of this page?"
            ),
            hint=later(
                "Not yet. Try the levels of both columns, and look for the patient of 67 years."
            ),
            explanation=later(
                "Right: with all rows kept, age and postcode must both be hidden, because of one "
                "row. So everything is lost. If you leave this row out, less is lost."
            ),
            solution=lambda: (
                100
                * min(
                    each.lost
                    for (_, _, small), each in every_way(4).items()
                    if small == "keep" and each.smallest >= 4
                )
            ),
            tolerance=0.1,
            unit="%",
        ),
        Exercise(
            name="homogeneous",
            question=later(
                "Someone knows that a patient of 35 years is in the default table of this page, "
                "where k is 4. How likely is it that the patient has cancer?"
            ),
            hint=later("Not yet. Look at all illnesses in the group of this patient."),
            explanation=later(
                "Right: 100 %. All four rows have the same illness, so nothing is hidden."
            ),
            solution=lambda: (
                100 / len(possible_illnesses(publish_table("ten", "three", "leave", 4), 35)[0])
            ),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        k, patient = values.whole("k"), values.whole("patient")
        table = publish_table(
            values.words["age"], values.words["postcode"], values.words["small"], k
        )
        here, both = possible_illnesses(table, patient)
        numbers = {
            "smallest": table.smallest,
            "groups": len(table.groups),
            "left_out": table.left_out,
            "lost": table.lost,
            "homogeneous": len(table.homogeneous),
            "here": len(here),
            "both": len(both),
            "cheapest": cheapest_loss(k),
        }
        figures = [
            Figure(translate("Smallest group"), str(table.smallest)),
            Figure(translate("Number of groups"), str(len(table.groups))),
            Figure(translate("Rows left out"), str(table.left_out)),
            Figure(translate("Information lost"), share_in_percent(table.lost), "1 − Prec"),
            Figure(
                translate("Least lost with k = %(k)s, of 24 ways", k=k),
                share_in_percent(numbers["cheapest"]),
            ),
            Figure(translate("Groups with a single illness"), str(len(table.homogeneous))),
        ]
        more = {
            "rows": published_rows(table),
            "patient": patient_sentences(patient, here, both),
        }
        return Shown(
            sentence=table_sentence(table, k),
            figures=figures,
            pictures=[ways_picture(table, k, values.words["small"])],
            numbers=numbers,
            more=more,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        rows = [tuple(row) for row in PATIENTS]
        words = values.words
        return (
            Cell(
                "Made-up rows: age, postcode, illness. And the groups of another hospital.",
                code=False,
            ),
            Cell(f"rows = {rows!r}\nsecond = {SECOND_HOSPITAL!r}"),
            Cell(
                "widths = {'exact': 1, 'ten': 10, 'twenty': 20}\n"
                "digits = {'exact': 5, 'three': 3, 'hidden': 0}\n"
                "levels = {'exact': 0, 'ten': 1 / 3, 'twenty': 2 / 3, 'hidden': 1}\n\n\n"
                "def publish(age, postcode, small, k):\n"
                "    groups = {}\n"
                "    for row in rows:\n"
                "        key = (row[0] // widths[age] if age in widths else '*',\n"
                "               row[1][:digits[postcode]])\n"
                "        groups.setdefault(key, []).append(row)\n"
                "    kept = [each for each in groups.values()\n"
                "            if small == 'keep' or len(each) >= k]\n"
                "    n = sum(map(len, kept))\n"
                "    each_row = levels[age] + {5: 0, 3: 1 / 2, 0: 1}[digits[postcode]]\n"
                "    return kept, (n * each_row + 2 * (len(rows) - n)) / (2 * len(rows))"
            ),
            Cell(
                f"k, patient = {values.whole('k')}, {values.whole('patient')}\n"
                f"groups, lost = publish({words['age']!r}, {words['postcode']!r}, "
                f"{words['small']!r}, k)\n"
                "own = [group for group in groups if any(row[0] == patient for row in group)]\n"
                "here = {row[2] for group in own for row in group}\n"
                "there = next(set(ills) for first, ills in second if patient >= first)\n"
                "ways = [publish(age, postcode, small, k) for age in levels\n"
                "        for postcode in digits for small in ('keep', 'leave')]\n"
                "numbers = {\n"
                "    'smallest': min(map(len, groups), default=0),\n"
                "    'groups': len(groups),\n"
                "    'left_out': len(rows) - sum(map(len, groups)),\n"
                "    'lost': lost,\n"
                "    'homogeneous': sum(len(each) > 1 and len({row[2] for row in each}) == 1\n"
                "                       for each in groups),\n"
                "    'here': len(here),\n"
                "    'both': len(here & there),\n"
                "    'cheapest': min(cost for kept, cost in ways\n"
                "                    if kept and min(map(len, kept)) >= k),\n"
                "}\nprint(numbers)"
            ),
        )


def table_sentence(table: Published, k: int) -> str:
    if not table.groups:
        return translate("No group has k = %(k)s rows, so the whole table is left out.", k=k)
    if table.smallest < k:
        return translate(
            "The smallest group has fewer than k = %(k)s rows, so the table is not %(k)s-anonymous."
            " Make a column coarser, or leave out small groups.",
            k=k,
        )
    if table.homogeneous:
        return translate(
            "Each row is one of at least k = %(k)s equal ones. But all rows of a group have the "
            "same illness, so anyone who knows that a person is in this group knows the illness.",
            k=k,
        )
    return translate(
        "Each row is one of at least k = %(k)s equal ones, and no group has a single illness.", k=k
    )


def published_rows(table: Published) -> list[tuple[str, str, str, int, bool]]:
    """Each kept row: age, postcode, illness, the size of its group, and if it has one illness."""
    alike = table.homogeneous
    return [
        (*key, translate_constant(ILLNESSES[row.illness]), len(rows), key in alike)
        for key, rows in table.groups.items()
        for row in rows
    ]


def patient_sentences(age: int, here: Sequence[str], both: Sequence[str]) -> list[str]:
    """What someone concludes who knows that the patient of this age is in both hospitals."""
    if not here:
        return [
            translate("The row of the patient of %(age)s years is left out of this table.", age=age)
        ]
    if len(here) == 1:
        return [
            translate(
                "By this table alone, the patient of %(age)s years has: %(illnesses)s.",
                age=age,
                illnesses=list_illnesses(here),
            )
        ]
    return [
        translate(
            "By this table alone, the patient of %(age)s years has one of: %(illnesses)s.",
            age=age,
            illnesses=list_illnesses(here),
        ),
        translate(
            "The group of the second hospital has: %(illnesses)s.",
            illnesses=list_illnesses(dict.fromkeys(in_second_hospital(age))),
        ),
        translate("Both groups have in common: %(illnesses)s.", illnesses=list_illnesses(both)),
    ]


def list_illnesses(illnesses: Sequence[str] | dict[str, None]) -> str:
    return translate(", ").join(translate_constant(ILLNESSES[each]) for each in illnesses)


def ways_picture(table: Published, k: int, small: str) -> LessonPicture:
    """The smallest group and the loss of all levels, with the small groups kept or left out."""
    ways = Counter(
        (float(each.smallest), each.lost)
        for (_, _, kept), each in every_way(k).items()
        if kept == small
    )
    chart = plot(
        Axis(low=0, high=len(PATIENTS) + 1, title=translate("rows in the smallest group"), step=2),
        Axis(low=0, high=1, title=translate("information lost"), tick=percent_tick),
        [
            Dots(sorted(ways), translate("all levels of age and postcode"), radius=2.5),
            Dots([(float(table.smallest), table.lost)], translate("this table"), radius=6),
        ],
    )
    description = translate(
        "Combinations of levels with at least %(k)s rows in each group: %(n)s of 12.",
        n=sum(times for (size, _), times in ways.items() if size >= k),
        k=k,
    )
    return LessonPicture(chart, description, translate("What anonymity costs"))
