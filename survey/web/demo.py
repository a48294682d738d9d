"""The demo: what an empty database is given, so that there is something to see."""

import json
from typing import Any

from survey import PROJECT_FOLDER
from survey.definition.frozen import freeze
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, is_above
from survey.definition.survey import Survey, parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import ListedSurvey, Store

FOLDER = PROJECT_FOLDER / "demo"
OPEN_SLUG = "smoking-and-exams"
SIMULATED_SLUG = "smoking-and-exams-simulated"
SIMULATED_RESPONDENTS = 2_000
TRUTH = {"smokes": {"yes": 0.24}, "cheated": {"yes": 0.11}}  # invented
SEED = 1965  # the year of Warner's paper; any number would do


def demo_definition(slug: str) -> dict[str, Any]:
    """The definition of a survey of the demo, as its file has it."""
    content: dict[str, Any] = json.loads((FOLDER / f"{slug}.json").read_text(encoding="utf-8"))
    return content


SMOKING = demo_definition(OPEN_SLUG)
QUESTIONS = SMOKING["questions"]
HEALTH_SLUG = "health-habits"
HEALTH = demo_definition(HEALTH_SLUG)
HEALTH_TRUTH = {
    "drinks": {"yes": 0.6, "prefer_not_to_say": 0.05},
    "glasses": {"mean": 6, "sd": 5},
    "tried": {"cannabis": 0.3, "cocaine": 0.06, "ecstasy": 0.08, "lsd": 0.04, "opioids": 0.03},
    "mood": {"very_low": 0.08, "low": 0.17, "middling": 0.3, "good": 0.32},
    "age": {"under_30": 0.3, "30_to_59": 0.45},
}
# The Thai agency's example: weights from 30 to 150 kg, the mean of 1,000 people, epsilon 0.1 for a
# curator who sees them all. Here each weight is protected by itself, so epsilon is larger.
WEIGHTS = demo_definition("thai-weights")
# The Vietnamese report's example: 10,000 people, who of them smokes, epsilon 1
SMOKERS = demo_definition("vietnamese-smokers")
# definition, its truth, how many respondents
SIMULATED = (
    (SMOKERS, {"smokes": {"yes": 0.225}}, 10_000),
    (WEIGHTS, {"weight": {"mean": 62.5, "sd": 11}}, 1_000),
    (HEALTH | {"slug": f"{HEALTH_SLUG}-simulated", "title": f"{HEALTH['title']} (simulated)"},
     HEALTH_TRUTH, 5_000),
    ({"slug": SIMULATED_SLUG, "title": "Smoking and exams (2,000 simulated respondents)",
      "introduction": "Nobody was asked: a computer drew these respondents.",
      "questions": QUESTIONS}, TRUTH, SIMULATED_RESPONDENTS),
)  # fmt: skip


EXAMPLES = {
    (definition["slug"], definition["title"])
    for definition in (HEALTH, SMOKING, *(simulated for simulated, _, _ in SIMULATED))
}


def is_example(survey: Survey | ListedSurvey) -> bool:
    """Whether a survey is one of the demo's; nobody else's has both its address and its title."""
    return (survey.slug, survey.title) in EXAMPLES


def add_demo(store: Store, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
    """Open surveys to try, and closed ones whose respondents are simulated and said to be; those
    alone that are within the limits of this server."""
    to_answer = ((HEALTH, None, 0), (SMOKING, None, 0))
    for definition, truth, respondents in (*SIMULATED, *to_answer):
        survey = parse_survey(definition)
        if is_above(survey, limits):
            continue
        store.surveys.save_draft(survey)
        store.surveys.freeze(freeze(survey, limits), "open" if truth is None else "closed")
        if truth is not None:
            shares = read_truth(truth, survey)
            batches = simulate_responses(survey, shares, respondents, SEED)
            store.responses.add_batches(survey.slug, batches, "simulated")
