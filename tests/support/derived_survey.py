"""Surveys with answers that stay in the page, and with every operation of derived answers."""

from typing import Any

from tests.support.definitions import definition

OFTEN = [
    {"name": name, "label": label}
    for name, label in (("never", "Never"), ("some", "Some days"), ("often", "Often"))
]
LOW_HIGH = [{"name": name, "label": name} for name in ("low", "high")]
POINTS = {"never": 0, "some": 1, "often": 2}
RANKS = {"never": 1, "some": 2, "often": 3}
ITEMS = ("i1", "i2", "i3", "i4")
WITHOUT_CHOICES = ("yes_no", "number")


def unsent(name: str, kind: str = "select_one", **rest: Any) -> dict[str, Any]:
    """A question whose answer stays in the page: a single choice unless `kind` says otherwise."""
    usual = {} if kind in WITHOUT_CHOICES else {"choices": OFTEN}
    entry = {"name": name, "type": kind, "label": f"Item {name}", **usual}
    return {**entry, "privacy": "not_sent", **rest}


def derived(name: str, rule: dict[str, Any], kind: str = "yes_no", **rest: Any) -> dict[str, Any]:
    """A derived answer: Yes or No unless `kind` says otherwise."""
    declines = {} if "random" in rule or "joint" in rule else {"prefer_not_to_say": True}
    usual = {"type": kind, "label": f"Derived {name}", "privacy": {"epsilon": 1}}
    return {"name": name, **usual, **declines, **rest, "derived": rule}


# Respondents can decline every answer. So they can decline every result.
QUESTIONS = (
    *(unsent(name, prefer_not_to_say=True) for name in ITEMS),
    unsent("age", "number", min=18, max=30, prefer_not_to_say=True),
    unsent("acts", "select_multiple", prefer_not_to_say=True),
    derived("high", {"sum": dict.fromkeys(ITEMS, POINTS), "at_least": 5}),
    derived("score", {"sum": {**dict.fromkeys(ITEMS, POINTS), "age": -1}}, "number",
            min=-30, max=-10),
    derived("average", {"mean": dict.fromkeys(ITEMS, POINTS)}, "number", min=0, max=2, step=0.25),
    derived(
        "band",
        {
            "sum": {"i1": POINTS, "acts": {"never": -1, "some": 1, "often": 3}},
            "bands": {"never": -1, "some": 1, "often": 4},
        },
        "select_one",
        choices=OFTEN,
    ),
    derived("two", {"count": {"i1": ["often"], "i2": ["some", "often"], "age": {"min": 21}},
                    "at_least": 2}),
    derived("any_of", {"any": {"i3": ["often"], "acts": ["some", "often"]}}),
    derived("all_of", {"all": {"i4": ["some", "prefer_not_to_say"], "age": {"max": 25}}}),
    derived(
        "kind",
        {"recode": {"never": {"i1": ["never"], "i2": ["never"]}, "some": {"high": ["no"]}}},
        "select_one",
        choices=OFTEN,
    ),
)  # fmt: skip
# One random number for each report.
LITTLE = {"mechanism": "k_randomized_response", "odds": "11/10"}
# Items with conditions, results of them, and results with conditions.
BRANCHES = (
    unsent("worse", relevant={"i1": ["some", "often"]}, prefer_not_to_say=True),
    unsent("hours", "number", min=0, max=4, relevant={"acts": ["often"]}, otherwise=3,
           prefer_not_to_say=True),
    unsent("places", "select_multiple", relevant={"worse": ["often"]}, otherwise=["some"],
           prefer_not_to_say=True),
    derived("later", {"sum": {"worse": POINTS, "hours": -2, "places": POINTS}}, "number",
            min=-8, max=5),
    # It is rounded, and the next result uses the rounded number.
    derived("half", {"mean": {"worse": POINTS, "hours": 1}}, "number", min=0, max=4),
    derived("much", {"sum": {"half": 2, "i2": POINTS}, "at_least": 4}),
    derived("now", {"any": {"worse": ["never", "often"], "hours": {"min": 3}}}),
    derived("how", {"recode": {"low": {"worse": ["often"], "places": ["some"]}, "high": {}}},
            "select_one", choices=LOW_HIGH, relevant={"high": ["yes"]}),
    derived("both", {"all": {"how": ["high"], "later": {"max": 0}}},
            relevant={"high": ["yes", "no"]}, otherwise="no"),
    # Means of questions that some respondents are not asked, and of those of a condition.
    derived("typical", {"mean": {"i1": RANKS, "worse": RANKS, "i2": RANKS}, "bands": RANKS},
            "scale", choices=OFTEN, privacy=LITTLE),
    unsent("why", "scale", relevant={"high": ["yes"]}),
    unsent("since", "scale", relevant={"high": ["yes"], "i1": ["some", "often"]}),
    derived("bad", {"mean": {"why": RANKS, "since": {"never": -4, "some": 0, "often": 5}}},
            "number", min=-2, max=4, relevant={"high": ["yes"]}, privacy={"epsilon": "0.1"}),
)  # fmt: skip


def derived_survey(*more: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return definition(*QUESTIONS, *more, slug="derived", **rest)


# A survey without declined answers, with usual points, an experimental arm and a battery.
SHOWN: dict[str, Any] = {"privacy": {"epsilon": "2"}, "prefer_not_to_say": False}
SOURCES = [
    unsent("mood", "scale"),
    unsent("sleep"),
    unsent("tired", "yes_no"),
    unsent("age", "number", min=0, max=100),
    unsent("acts", "select_multiple"),
]
HIGH_IF = {"sleep": ["often"], "age": {"min": 18}}
DERIVED = [
    derived("usual", {"sum": ["mood", "tired", "age", "acts"]}, "number", min=0, max=200, **SHOWN),
    derived("cut", {"mean": {"sleep": {"never": -1, "some": 0, "often": 3}, "age": 2},
                    "at_least": "2.5"}, **SHOWN),
    derived("band", {"sum": {"sleep": {"never": -1, "some": 0, "often": 3}},
                     "bands": {"low": -1, "high": 1.5}}, "scale", choices=LOW_HIGH, **SHOWN),
    derived("many", {"count": HIGH_IF, "bands": {"low": 0, "high": 2}}, "select_one",
            choices=LOW_HIGH, **SHOWN),
    derived("some", {"any": {"acts": ["some", "often"], "age": {"max": 17}}}, **SHOWN),
    derived("each", {"all": {"tired": ["yes"], "age": {"min": 18, "max": 65}}}, **SHOWN),
    derived("group", {"recode": {"high": HIGH_IF, "low": {}}}, "select_one",
            choices=LOW_HIGH[::-1], **SHOWN),
    derived("arm", {"random": {"low": 1, "high": 2}}, "select_one", choices=LOW_HIGH,
            privacy="none"),
]  # fmt: skip
BATTERY = {"name": "battery", "type": "section", "label": "Feelings", "battery": True}
ROWS = [unsent(name, "scale", privacy="none") for name in ("calm", "glad")]
JOINT = derived("habits", {"joint": ["mood", "sleep"]}, "joint", privacy=SHOWN["privacy"])
EVERY_DERIVED = definition(*SOURCES, *DERIVED, JOINT, BATTERY, *ROWS)
