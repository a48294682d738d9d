"""What two coins do to the answers of 40 people, for the start page of the site.

The numbers are those of the average. A quarter of each answer is turned: of 12 “Yes”, 3 become
“No”, and of 28 “No”, 7 become “Yes”. So 16 are sent, and 2 × 16 − 40 / 2 = 12.
"""

from collections.abc import Collection

from survey.charts.svg import Shape

PEOPLE = 40
COLUMNS = 8
# The space of one person, and the size of the mark in it.
CELL = 20
SIZE = 14
# The places of the people with the answer “Yes”, and of those whose devices send “Yes”.
GIVEN = frozenset({1, 4, 6, 11, 14, 17, 20, 23, 27, 30, 35, 38})
SENT = frozenset({1, 2, 4, 8, 11, 13, 14, 17, 19, 23, 25, 27, 30, 32, 36, 38})


def mixing_pictures() -> tuple[Shape, Shape, Shape]:
    """The answers, what is sent, and the estimate. Its squares are a number, and no people."""
    estimate = frozenset(range(2 * len(SENT) - PEOPLE // 2))
    return (
        drawn_people("circle", GIVEN),
        drawn_people("circle", SENT),
        drawn_people("rect", estimate),
    )


def drawn_people(tag: str, filled: Collection[int]) -> Shape:
    """A mark for each person, in rows. `filled` are the places of the filled ones."""
    marks = []
    for place in range(PEOPLE):
        row, column = divmod(place, COLUMNS)
        x, y = CELL * column, CELL * row
        middle = {"cx": x + CELL / 2, "cy": y + CELL / 2, "r": SIZE / 2}
        corner = {"x": x + (CELL - SIZE) / 2, "y": y + (CELL - SIZE) / 2}
        square = corner | {"width": SIZE, "height": SIZE}
        kind = "yes" if place in filled else "no"
        marks.append(Shape(tag=tag, kind=kind, attributes=middle if tag == "circle" else square))
    size = f"0 0 {CELL * COLUMNS} {CELL * PEOPLE // COLUMNS}"
    return Shape(
        tag="svg",
        kind="answers",
        attributes={"viewBox": size, "aria-hidden": "true"},
        inside=tuple(marks),
    )
