"""Forms with calculations: every operation of a derived answer, and rows as users of ODK write."""

from survey.definition.survey import parse_survey
from survey.formats.xlsform.read_form import from_xlsform
from tests.browser.tape import DECLINED
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.xlsforms import ENGLISH, table

KEPT = "not_sent"
ANY = {"prefer_not_to_say": True}
ITEMS = (
    asked("a", "scale", KEPT, choices=letters("0123")),
    asked("b", "scale", KEPT, choices=letters("0123")),
    asked("yn", "yes_no", KEPT),
    asked("boxes", "select_multiple", KEPT, choices=letters("pqr")),
    asked("n", "number", KEPT, min=-2, max=4),
)
UNSURE = (
    asked("c", "select_one", KEPT, choices=letters("xyz"), **ANY),
    asked("d", "scale", KEPT, choices=letters("123"), optional=True, **ANY),
    asked("ticked", "select_multiple", KEPT, choices=letters("pq"), **ANY),
    asked("m", "number", KEPT, min=0, max=3, optional=True, **ANY),
)
HIGH = {"at_least": 3}
OWN_NAMES = {name: int(name) for name in "0123"}
SUMS = {
    "own": {"a": OWN_NAMES, "b": OWN_NAMES},
    "points": {"a": {"0": 0, "1": 2, "2": 5, "3": -1}, "yn": {"yes": 3, "no": -1}},
    "boxes": {"boxes": {"p": 1, "q": 1, "r": 1}, "n": 1},
    "weighted": {"boxes": {"p": 4, "q": 0, "r": -1}, "n": -2},
    "unsure": {"c": {"x": 1, "y": 3, "z": 0}, "ticked": {"p": 1, "q": 2}, "d": {"1": 1, "2": 2,
               "3": 3}},
    "numbers": {"m": 1, "d": {"1": -1, "2": 0, "3": 1}},
}  # fmt: skip
CONDITIONS = {
    "few": {"a": ["2", "3"], "yn": ["yes"], "n": {"min": 1, "max": 3}},
    "boxed": {"boxes": ["p", "q"], "b": ["3"]},
    "unsure": {"c": ["x", "y"], "ticked": ["p"], "m": {"min": 2}},
    "named": {"c": ["x", DECLINED], "d": ["1"]},
}


def derived(name, kind, rule, **rest):
    privacy = "none" if "random" in rule else {"epsilon": 1}
    question = asked(name, kind, privacy, derived=rule, **rest)
    return question if "random" in rule else question | ANY


def number(low, high, step=1):
    return {"min": low, "max": high, "step": step}


DERIVED = [
    *(derived(f"sum_{name}", "number", {"sum": points}, **number(-20, 20))
      for name, points in SUMS.items()),
    *(derived(f"mean_{name}", "number", {"mean": points}, **number(-20, 20, 0.5))
      for name, points in SUMS.items()),
    *(derived(f"least_{name}", "yes_no", {"sum": points, **HIGH}) for name, points in SUMS.items()),
    *(derived(f"bands_{name}", "select_one", {"mean": points, "bands": {"u": -9, "v": 1, "w": 2}},
              choices=letters("uvw")) for name, points in SUMS.items() if name != "numbers"),
    *(derived(f"{operation}_{name}", "yes_no", {operation: conditions})
      for operation in ("any", "all") for name, conditions in CONDITIONS.items()),
    *(derived(f"count_{name}", "number", {"count": conditions}, **number(0, 3))
      for name, conditions in CONDITIONS.items()),
    *(derived(f"several_{name}", "yes_no", {"count": conditions, "at_least": 2})
      for name, conditions in CONDITIONS.items()),
    *(derived(f"recode_{name}", "select_one",
              {"recode": {"u": dict(list(conditions.items())[:1]),
                          "v": dict(list(conditions.items())[1:]),
                          "w": {}}}, choices=letters("uvw"))
      for name, conditions in CONDITIONS.items()),
    derived("arm", "select_one", {"random": {"u": 1, "v": 2, "w": 5}}, choices=letters("uvw")),
    derived("chosen", "select_one", {"recode": {"yes": {"a": ["0"]}, "no": {}}},
            choices=letters(["yes", "no"])),
]  # fmt: skip
EVERY_OPERATION = parse_survey(definition(*ITEMS, *UNSURE, *DERIVED))
ENTRIES = {each["name"]: each for each in EVERY_OPERATION.as_definition()["questions"]}


def joint(*names, **rest):
    return asked("both", "joint", {"epsilon": "2.2"}, derived={"joint": [*names]}, **rest)


JOINT = (
    asked("drinks", "yes_no", KEPT, **ANY),
    asked("drives", "yes_no", KEPT, relevant={"drinks": ["yes"]}, optional=True, **ANY),
    asked("with", "scale", KEPT, choices=letters("123"), relevant={"drinks": ["yes"]},
          otherwise="2"),
    joint("drinks", "drives", "with"),
)  # fmt: skip


# --- forms as users of ODK write them


def numbered(name, *labels, first=0):
    return [(name, place, label) for place, label in enumerate(labels, first)]


CHOICES = table(
    ("list_name", "name", "label"),
    *numbered("freq", "Not at all", "Several days", "More than half the days", "Nearly every day"),
    *numbered("often", "Never", "Monthly or less", "2 to 4 a month", "2 to 3 a week", "4 or more"),
    *numbered("sex", "Female", "Male", first=1),
    *(("boxes", name, name.upper()) for name in "pqr"),
    ("word", "low", "Low"), ("word", "high", "High"),
)  # fmt: skip
COLUMNS = ("type", "name", "label", "required", "relevant", "calculation")


def calculated(name, calculation, label=None):
    return ("calculate", name, label, None, None, calculation)


ROWS = (
    ("select_one freq", "a", "A", "yes"),
    ("select_one freq", "b", "B", "yes"),
    ("select_one word", "w", "W", "yes"),
    ("select_multiple boxes", "boxes", "Boxes"),
)


def sheets_of(rows):
    """A form with these rows of the sheet survey."""
    settings = table(("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))
    return {"survey": rows, "choices": CHOICES, "settings": settings}


def imported(rows):
    return from_xlsform(sheets_of(rows))
