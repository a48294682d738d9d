"""The demo: what an empty database is given, so that there is something to see."""

from .definition import freeze, parse_survey
from .simulation import simulate_responses
from .store import Store

OPEN_SLUG = "smoking-and-exams"
SIMULATED_SLUG = "smoking-and-exams-simulated"
SIMULATED_RESPONDENTS = 2_000
TRUTH = [[0.24, 0.76], [0.11, 0.89]]  # invented
SEED = 1965  # the year of Warner's paper; any number would do
INTRODUCTION = """\
Two questions that people would rather not answer. They come from the textbooks that Candor grew
out of, and they are here **to try Candor out**: answer as you like.

Nobody can learn your answers from what is sent, not even whoever runs this site.
"""
QUESTIONS = [
    {
        "name": "smokes",
        "type": "yes_no",
        "label": "Do you smoke?",
        "hint": "Cigarettes, pipe, anything with tobacco, in the last 30 days.",
        "privacy": {"mechanism": "coin_flip"},
    },
    {
        "name": "cheated",
        "type": "yes_no",
        "label": "Have you ever cheated in an exam?",
        "privacy": {"mechanism": "randomized_response", "gamma": 0.3},
    },
]


def add_demo(store: Store) -> None:
    """An open survey, and a closed one whose respondents are simulated and said to be."""
    simulated = parse_survey(
        {
            "slug": SIMULATED_SLUG,
            "title": "Smoking and exams (2,000 simulated respondents)",
            "introduction": "Nobody was asked: a computer drew these respondents.",
            "questions": QUESTIONS,
        }
    )
    store.save_draft(simulated)
    store.freeze(freeze(simulated), "closed")
    batches = simulate_responses(simulated, TRUTH, SIMULATED_RESPONDENTS, SEED)
    store.add_batches(SIMULATED_SLUG, batches, "simulated")
    to_answer = parse_survey(
        {
            "slug": OPEN_SLUG,
            "title": "Smoking and exams",
            "introduction": INTRODUCTION,
            "questions": QUESTIONS,
        }
    )
    store.save_draft(to_answer)
    store.freeze(freeze(to_answer), "open")
