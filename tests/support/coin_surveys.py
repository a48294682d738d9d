"""A survey for real coins, with every kind of question that such a survey may have."""

from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

COINS = {"mechanism": "coin_flip"}
NORTH = [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}]
QUESTIONS = (
    yes_no(),
    asked("party", "select_one", COINS, choices=letters("abcde")),
    asked("mood", "scale", COINS, choices=letters("123"), hint="Today."),
    asked("welcome", "note", label="Now something else."),
    asked("region", "select_one", "none", choices=NORTH, prefer_not_to_say=True),
    asked("news", "select_multiple", "none", choices=letters("prt"), prefer_not_to_say=True),
    asked("years", "number", "none", min=0, max=120, prefer_not_to_say=True),
    asked("weight", "number", "none", min=-10, max=1500, step=0.5, unit="kg"),
    asked("remarks", "text", "none"),
)
ENGLISH_ONLY = definition(
    *QUESTIONS, by_hand=True, asked_by="University of Example", contact="survey@example.org",
    introduction="A few *words* before.", support="Call **111**.",
)  # fmt: skip
TEXTS = parse_survey(ENGLISH_ONLY).texts
EVERY = ENGLISH_ONLY | {
    "translations": {"vi": nest_texts({path: f"Việt: {text}" for path, text in TEXTS.items()})}
}
PAGE = "/s/health/by-hand"
RECORDED = (0, 4, 1, 1, "1010", 61, 145)
# The text is stored apart.
WRITTEN = ("Nothing.\nReally",)
