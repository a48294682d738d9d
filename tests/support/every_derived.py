"""A survey with answers that are not sent, and one derived answer of each kind."""

from tests.support.definitions import definition

OFTEN = [{"name": name, "label": name} for name in ("never", "some", "often")]
LOW_HIGH = [{"name": name, "label": name} for name in ("low", "high")]
UNSENT = {"privacy": "not_sent"}
SHOWN = {"privacy": {"epsilon": "2"}}


def source(name, kind, **rest):
    return {"name": name, "type": kind, "label": f"{name}?", **UNSENT, **rest}


def calculated(name, kind, derived, **rest):
    return {"name": name, "type": kind, "label": f"{name}?", "derived": derived, **SHOWN, **rest}


SOURCES = [
    source("mood", "scale", choices=OFTEN),
    source("sleep", "select_one", choices=OFTEN),
    source("tired", "yes_no"),
    source("age", "number", min=0, max=100),
    source("acts", "select_multiple", choices=OFTEN),
]
POINTS = {"never": -1, "some": 0, "often": 3}
HIGH_IF = {"sleep": ["often"], "age": {"min": 18}}
DERIVED = [
    calculated("usual", "number", {"sum": ["mood", "tired", "age", "acts"]}, min=0, max=200),
    calculated("cut", "yes_no", {"mean": {"sleep": POINTS, "age": 2}, "at_least": "2.5"}),
    calculated("band", "scale", {"sum": {"sleep": POINTS}, "bands": {"low": -1, "high": 1.5}},
               choices=LOW_HIGH),
    calculated("many", "select_one", {"count": HIGH_IF, "bands": {"low": 0, "high": 2}},
               choices=LOW_HIGH),
    calculated("some", "yes_no", {"any": {"acts": ["some", "often"], "age": {"max": 17}}}),
    calculated("each", "yes_no", {"all": {"tired": ["yes"], "age": {"min": 18, "max": 65}}}),
    calculated("group", "select_one", {"recode": {"high": HIGH_IF, "low": {}}},
               choices=LOW_HIGH[::-1]),
    calculated("arm", "select_one", {"random": {"low": 1, "high": 2}}, choices=LOW_HIGH,
               privacy="none"),
]  # fmt: skip
BATTERY = {"name": "battery", "type": "section", "label": "Feelings", "battery": True}
ROWS = [source(name, "scale", choices=OFTEN, privacy="none") for name in ("calm", "glad")]
JOINT = calculated("habits", "joint", {"joint": ["mood", "sleep"]})
EVERY_DERIVED = definition(*SOURCES, *DERIVED, JOINT, BATTERY, *ROWS)
