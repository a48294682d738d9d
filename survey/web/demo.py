"""The demo: the example surveys of an empty database."""

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from survey import PROJECT_FOLDER
from survey.central_dp.budget import CentralDPBudget
from survey.central_dp.dp_request import LAPLACE, Request, Statistic
from survey.definition.answer_bounds.calculated_answers import Answers
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, is_above
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey, parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import randomise_answers, simulate_responses
from survey.store import ListedSurvey, Store
from survey.web.titanic_people import NAMES, SURVIVAL, titanic_people

FOLDER = PROJECT_FOLDER / "demo"
OPEN_SLUG = "smoking-and-exams"
SIMULATED_SLUG = "smoking-and-exams-simulated"
SIMULATED_RESPONDENTS = 2_000
# These true shares are invented.
TRUTH = {"smokes": {"yes": 0.24}, "cheated": {"yes": 0.11}}
# The year of Warner's paper. Any number works.
SEED = 1965


def demo_definition(slug: str) -> dict[str, Any]:
    """The definition of a demo survey, from its file."""
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
# The example of the Thai agency: weights from 30 to 150 kg. Here each weight is protected
# separately, so ε and the number of people are larger than for a curator who sees all weights.
WEIGHTS = demo_definition("thai-weights")
WEIGHTS_TRUTH = {"weight": {"mean": 62.5, "sd": 11}}
# The example of the Vietnamese report: 10,000 people, a question on smoking, and ε = 1.
SMOKERS = demo_definition("vietnamese-smokers")
SMOKERS_TRUTH = {"smokes": {"yes": 0.225}}
# The definition, its true shares, and the number of respondents.
SIMULATED = (
    (SMOKERS, SMOKERS_TRUTH, 10_000),
    (WEIGHTS, WEIGHTS_TRUTH, 10_000),
    (
        HEALTH | {"slug": f"{HEALTH_SLUG}-simulated", "title": f"{HEALTH['title']} (simulated)"},
        HEALTH_TRUTH,
        5_000,
    ),
    (
        {
            "slug": SIMULATED_SLUG,
            "title": "Smoking and exams (2,000 simulated respondents)",
            "introduction": "Nobody was asked: a computer generated these responses.",
            "questions": QUESTIONS,
        },
        TRUTH,
        SIMULATED_RESPONDENTS,
    ),
)


@dataclass(frozen=True, kw_only=True)
class CuratorDemo:
    """A demo of the trusted curator: simulated non-private answers, and a DP release of them.

    `drawn` is what OpenDP drew once for these answers, so the demo needs no OpenDP.
    """

    definition: dict[str, Any]
    truth: dict[str, Any]
    respondents: int
    budget: CentralDPBudget
    request: Request
    drawn: int


# The same two examples as the texts give them, with a curator. The noise on a mean is that of
# Candor at ε = 0.1, whose neighbouring tables have a person more.
CURATORS = (
    CuratorDemo(
        definition=demo_definition("vietnamese-smokers-curator"),
        truth=SMOKERS_TRUTH,
        respondents=10_000,
        budget=CentralDPBudget(Fraction(2), Fraction(0)),
        request=Request(
            statistic=Statistic.COUNT,
            question="smokes",
            mechanism=LAPLACE,
            epsilon="1",
            answer="yes",
        ),
        drawn=2264,
    ),
    CuratorDemo(
        definition=demo_definition("thai-weights-curator"),
        truth=WEIGHTS_TRUTH,
        respondents=1_000,
        budget=CentralDPBudget(Fraction(1), Fraction(0)),
        request=Request(
            statistic=Statistic.MEAN,
            question="weight",
            mechanism=LAPLACE,
            epsilon="0.1",
            low="30",
            high="150",
        ),
        drawn=-54557,
    ),
)
# The people of a lesson as a survey: survival as given, and once more by two coins.
TITANIC = demo_definition("titanic")
# The year of the wreck. With the other seed, the estimate is 2.4 standard errors from the truth.
TITANIC_SEED = 1912
DAY_OF_DRAWS = date(2026, 11, 26)
# The PHQ-9: the answers to its items stay on the device, which sends whether the score is at least
# 10, with ε = 2.
PHQ9 = read_instruments()["phq-9"]
DEPRESSED = PHQ9.results()["phq9_10_or_more"] | {"privacy": {"epsilon": 2}}
DEPRESSION_RESPONDENTS = 3_000
YEARS = {"first": 0.4, "second": 0.35, "third": 0.25}
DEPRESSION = {
    "slug": "depression-scores",
    "title": "Depression scores of 3,000 simulated students (true share: 23.2 %)",
    "introduction": "Nobody was asked: a computer generated these responses. Of the simulated "
    "students, 23.2 % have a score of 10 or more.",
    "questions": [
        {
            "name": "year",
            "type": "select_one",
            "label": "Which year of your studies are you in?",
            "choices": [
                {"name": "first", "label": "First year"},
                {"name": "second", "label": "Second year"},
                {"name": "third", "label": "Third year or later"},
            ],
            "privacy": "none",
        },
        *PHQ9.questions(),
        DEPRESSED,
    ],
}
# Invented shares of people with at least 1, 2 and 3 points in each item. The correlation of an item
# with the severity gives the score a Cronbach's α near the 0.89 of Kroenke et al. (2001).
PHQ9_SHARES = (
    (0.40, 0.14, 0.06),
    (0.42, 0.14, 0.06),
    (0.55, 0.25, 0.14),
    (0.65, 0.28, 0.15),
    (0.40, 0.16, 0.08),
    (0.35, 0.14, 0.08),
    (0.35, 0.14, 0.07),
    (0.18, 0.06, 0.03),
    (0.10, 0.03, 0.015),
)
PHQ9_CORRELATION = 0.8
# How many standard deviations the severity of a year differs from that of the first one.
YEAR_EFFECTS = (0.0, 0.0, 0.4)
# Two related habits, which the device randomises together with ε = 2 ln 3. The numbers of simulated
# drivers with each combination of answers: both, only drunk, only drove, neither.
HABITS = demo_definition("drinking-and-driving")
HABITS_DRIVERS = (360, 840, 90, 1_710)
# With the other seed, an estimate is 3.2 standard deviations of the draws from the truth.
HABITS_SEED = 2026
EXAMPLES = {
    (definition["slug"], definition["title"])
    for definition in (
        HEALTH,
        SMOKING,
        TITANIC,
        DEPRESSION,
        HABITS,
        *(simulated for simulated, _, _ in SIMULATED),
        *(each.definition for each in CURATORS),
    )
}


def is_example(survey: Survey | ListedSurvey) -> bool:
    """Whether a survey is one of the demo, by its address and title."""
    return (survey.slug, survey.title) in EXAMPLES


def titanic_responses(survey: Survey) -> list[Response]:
    """A response for each person on the Titanic. The seed gives the same reports each time."""
    people = titanic_people()
    answers = dict(zip(NAMES, people.T, strict=True))
    answers["survived_by_coins"] = people[:, SURVIVAL]
    generator = np.random.default_rng(TITANIC_SEED)
    columns = randomise_answers(survey, answers, len(people), generator)
    return [Response(secrets.token_bytes(16), row) for row in zip(*columns, strict=True)]


def draw_phq9(years: Answers, generator: np.random.Generator) -> Answers:
    """The points of simulated students, one row of nine items each.

    An item depends on the severity of the person, which has a standard normal distribution in the
    first year, and on chance. So the items are correlated.
    """
    effects = np.array(YEAR_EFFECTS)[years]
    severity = generator.standard_normal(len(years)) + effects
    chance = generator.standard_normal((len(years), len(PHQ9_SHARES)))
    liability = PHQ9_CORRELATION * severity[:, np.newaxis] + chance * np.sqrt(
        1 - PHQ9_CORRELATION**2
    )
    normal = NormalDist()
    bounds = np.array([[normal.inv_cdf(1 - share) for share in row] for row in PHQ9_SHARES])
    points: Answers = (liability[:, :, np.newaxis] >= bounds).sum(axis=2)
    return points


def depression_answers(generator: np.random.Generator) -> dict[str, Answers]:
    """The year of each simulated student, and whether the score is at least 10 (Yes is answer 0).

    The derived answer is calculated from the items, as a respondent's device does.
    """
    years = generator.choice(len(YEARS), size=DEPRESSION_RESPONDENTS, p=list(YEARS.values()))
    score = draw_phq9(years, generator).sum(axis=1)
    at_least = DEPRESSED["derived"]["at_least"]
    return {"year": years, DEPRESSED["name"]: np.where(score >= at_least, 0, 1)}


def depression_responses(survey: Survey) -> list[Response]:
    """A response of each simulated student. The seed gives the same reports each time."""
    generator = np.random.default_rng(SEED)
    answers = depression_answers(generator)
    columns = randomise_answers(survey, answers, DEPRESSION_RESPONDENTS, generator)
    return [Response(secrets.token_bytes(16), row) for row in zip(*columns, strict=True)]


def habits_responses(survey: Survey) -> list[Response]:
    """A response of each simulated driver. The seed gives the same reports each time."""
    answers = {"habits": np.repeat(np.arange(len(HABITS_DRIVERS)), HABITS_DRIVERS)}
    generator = np.random.default_rng(HABITS_SEED)
    columns = randomise_answers(survey, answers, sum(HABITS_DRIVERS), generator)
    return [Response(secrets.token_bytes(16), row) for row in zip(*columns, strict=True)]


def add_demo(store: Store, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
    """Add open surveys to answer, and closed ones with simulated responses, marked as such. Surveys
    above the privacy limits of this server are left out."""
    ship = parse_survey(TITANIC)
    add_survey(store, ship, limits, [titanic_responses(ship)])
    students = parse_survey(DEPRESSION)
    add_survey(store, students, limits, [depression_responses(students)])
    drivers = parse_survey(HABITS)
    add_survey(store, drivers, limits, [habits_responses(drivers)])
    curated = ((each.definition, each.truth, each.respondents) for each in CURATORS)
    for definition, truth, respondents in (*curated, *SIMULATED):
        survey = parse_survey(definition)
        shares = read_truth(truth, survey)
        batches = simulate_responses(survey, shares, respondents, SEED)
        add_survey(store, survey, limits, batches)
    for definition in (HEALTH, SMOKING):
        add_survey(store, parse_survey(definition), limits, None)
    for each in CURATORS:
        slug = each.definition["slug"]
        store.releases.set_budget(slug, each.budget)
        store.releases.add_release(
            slug, each.request, each.respondents, ((each.drawn,),), DAY_OF_DRAWS
        )


def add_survey(
    store: Store, survey: Survey, limits: PrivacyLimits, batches: Iterable[list[Response]] | None
) -> None:
    """Add an open survey, or a closed one with batches of simulated responses."""
    if is_above(survey, limits):
        return
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey, limits), "open" if batches is None else "closed")
    if batches is not None:
        store.responses.add_batches(survey.slug, batches, "simulated")
