"""A survey with answers that stay in the page, and every operation of derived answers."""

from typing import Any

from tests.support.definitions import definition

OFTEN = [
    {"name": name, "label": label}
    for name, label in (("never", "Never"), ("some", "Some days"), ("often", "Often"))
]
POINTS = {"never": 0, "some": 1, "often": 2}
ITEMS = ("i1", "i2", "i3", "i4")


def unsent(name: str, **rest: Any) -> dict[str, Any]:
    """A question whose answer stays in the page: a single choice unless `rest` says otherwise."""
    usual = {"type": "select_one", "label": f"Item {name}", "choices": OFTEN}
    return {"name": name, **usual, **rest, "privacy": "not_sent"}


def derived(name: str, rule: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """A derived answer: Yes or No unless `rest` says otherwise."""
    usual = {"type": "yes_no", "label": f"Derived {name}", "privacy": {"epsilon": 1}}
    declines = {} if "random" in rule else {"prefer_not_to_say": True}
    return {"name": name, **usual, **declines, **rest, "derived": rule}


AGE = {"type": "number", "min": 18, "max": 30, "choices": None}
QUESTIONS = (
    *(unsent(name, prefer_not_to_say=True) for name in ITEMS),
    {k: v for k, v in unsent("age", **AGE, prefer_not_to_say=True).items() if v is not None},
    unsent("acts", type="select_multiple", prefer_not_to_say=True),
    derived("high", {"sum": dict.fromkeys(ITEMS, POINTS), "at_least": 5}),
    {
        **derived("score", {"sum": {**dict.fromkeys(ITEMS, POINTS), "age": -1}}, type="number"),
        "min": -30,
        "max": -10,
    },
    {
        **derived("average", {"mean": dict.fromkeys(ITEMS, POINTS)}, type="number"),
        "min": 0,
        "max": 2,
        "step": 0.25,
    },
    derived(
        "band",
        {
            "sum": {"i1": POINTS, "acts": {"never": -1, "some": 1, "often": 3}},
            "bands": {"never": -1, "some": 1, "often": 4},
        },
        type="select_one",
        choices=OFTEN,
    ),
    derived("two", {"count": {"i1": ["often"], "i2": ["some", "often"], "age": {"min": 21}},
                    "at_least": 2}),
    derived("any_of", {"any": {"i3": ["often"], "acts": ["some", "often"]}}),
    derived("all_of", {"all": {"i4": ["some", "prefer_not_to_say"], "age": {"max": 25}}}),
    derived(
        "kind",
        {"recode": {"never": {"i1": ["never"], "i2": ["never"]}, "some": {"high": ["no"]}}},
        type="select_one",
        choices=OFTEN,
    ),
)  # fmt: skip


def derived_survey(*more: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return definition(*QUESTIONS, *more, slug="derived", **rest)
