"""For each type of question, an entry of a definition and changed versions of it."""

PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [
        {"name": "a", "label": "A"},
        {"name": "b", "label": "B"},
        {"name": "c", "label": "C"},
    ],
    "privacy": {"epsilon": 1.0},
}
REGION = {**PARTY, "name": "region", "privacy": "none"}
WEIGHT = {
    "name": "weight", "type": "number", "label": "How heavy?", "min": 30, "max": 150, "step": 0.5,
    "unit": "kg", "privacy": {"epsilon": 1},
}  # fmt: skip
DRUGS = {**PARTY, "name": "drugs", "type": "select_multiple"}
MOOD = {**PARTY, "name": "mood", "type": "scale", "privacy": {"epsilon": 1, "goal": "mean"}}
WHY = {"name": "why", "type": "text", "label": "Why?", "privacy": "none"}
NOTE = {"name": "nearly", "type": "note", "label": "Nearly there."}


def changed(question, **change):
    return {key: value for key, value in {**question, **change}.items() if value is not ...}
