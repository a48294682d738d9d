"""The demo: what an empty database is given, so that there is something to see."""

import json

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
SMOKING = json.loads((FOLDER / f"{OPEN_SLUG}.json").read_text(encoding="utf-8"))
QUESTIONS = SMOKING["questions"]
HEALTH_SLUG = "health-habits"
HEALTH = {
    "slug": HEALTH_SLUG,
    "title": "Health and habits: every kind of question",
    "introduction": (
        "One question of each kind, **to try Candor out**. Some further questions depend on what "
        "you answer; what is sent looks the same for everyone."
    ),
    "questions": [
        {
            "name": "drinks", "type": "yes_no", "label": "Do you drink alcohol?",
            "prefer_not_to_say": True, "privacy": {"epsilon": 1},
        },
        {
            "name": "glasses", "type": "number", "label": "How many glasses a week?",
            "min": 0, "max": 40, "step": 1, "unit": "glasses", "relevant": {"drinks": "yes"},
            "otherwise": 0, "privacy": {"epsilon": 1},
        },
        {
            "name": "tried", "type": "select_multiple", "label": "Which of these have you tried?",
            "choices": [
                {"name": "cannabis", "label": "Cannabis"}, {"name": "cocaine", "label": "Cocaine"},
                {"name": "ecstasy", "label": "Ecstasy"}, {"name": "lsd", "label": "LSD"},
                {"name": "opioids", "label": "Opioids"},
            ],
            "privacy": {"epsilon": 1},
        },
        {
            "name": "mood", "type": "scale", "label": "How did you feel in the last week?",
            "choices": [
                {"name": "very_low", "label": "Very low"}, {"name": "low", "label": "Low"},
                {"name": "middling", "label": "Middling"}, {"name": "good", "label": "Good"},
                {"name": "very_good", "label": "Very good"},
            ],
            "privacy": {"epsilon": 1},
        },
        {
            "name": "age", "type": "select_one", "label": "How old are you?",
            "choices": [
                {"name": "under_30", "label": "Under 30"},
                {"name": "30_to_59", "label": "30 to 59"},
                {"name": "60_or_more", "label": "60 or more"},
            ],
            "privacy": "none",
        },
        {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"},
    ],
}  # fmt: skip
HEALTH_TRUTH = {
    "drinks": {"yes": 0.6, "prefer_not_to_say": 0.05},
    "glasses": {"mean": 6, "sd": 5},
    "tried": {"cannabis": 0.3, "cocaine": 0.06, "ecstasy": 0.08, "lsd": 0.04, "opioids": 0.03},
    "mood": {"very_low": 0.08, "low": 0.17, "middling": 0.3, "good": 0.32},
    "age": {"under_30": 0.3, "30_to_59": 0.45},
}
# The Thai agency's example: weights from 30 to 150 kg, the mean of 1,000 people, epsilon 0.1 for a
# curator who sees them all. Here each weight is protected by itself, so epsilon is larger.
WEIGHTS = {
    "slug": "thai-weights",
    "title": "น้ำหนักเฉลี่ยของคน 1,000 คน (ผู้ตอบจำลอง)",
    "language": "th",
    "introduction": "ตัวอย่างจากตำราภาษาไทย ไม่มีใครถูกถาม คอมพิวเตอร์เป็นผู้สุ่มคำตอบ",
    "questions": [
        {
            "name": "weight", "type": "number", "label": "คุณหนักกี่กิโลกรัม",
            "min": 30, "max": 150, "step": 1, "unit": "กก.", "privacy": {"epsilon": 2},
        }
    ],
}  # fmt: skip
# The Vietnamese report's example: 10,000 people, who of them smokes, epsilon 1
SMOKERS = {
    "slug": "vietnamese-smokers",
    "title": "10.000 người: bạn có hút thuốc không? (mô phỏng)",
    "language": "vi",
    "introduction": "Ví dụ trong báo cáo tiếng Việt. Không ai được hỏi: máy tính tự trả lời.",
    "questions": [
        {
            "name": "smokes", "type": "yes_no", "label": "Bạn có hút thuốc không?",
            "privacy": {"epsilon": 1},
        }
    ],
}  # fmt: skip
# slug or definition, its truth, how many respondents
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
    for definition, truth, respondents in SIMULATED:
        simulated = parse_survey(definition)
        if is_above(simulated, limits):
            continue
        store.surveys.save_draft(simulated)
        store.surveys.freeze(freeze(simulated, limits), "closed")
        shares = read_truth(truth, simulated)
        batches = simulate_responses(simulated, shares, respondents, SEED)
        store.responses.add_batches(simulated.slug, batches, "simulated")
    for definition in (HEALTH, SMOKING):
        to_answer = parse_survey(definition)
        if is_above(to_answer, limits):
            continue
        store.surveys.save_draft(to_answer)
        store.surveys.freeze(freeze(to_answer, limits), "open")
