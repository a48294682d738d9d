"""The intervals of central DP releases, for the figures of the respondents themselves."""

from functools import partial

import numpy as np
import numpy.typing as npt

from survey.central_dp.bounded_sums import count_answers, curve_bounds
from survey.central_dp.dp_request import Request, Statistic, read_request
from survey.central_dp.figures import dp_figures
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.opendp_sampler import draw_sums
from survey.core.scores import Array
from survey.definition.survey import parse_survey

from .answers import SIZES
from .study import Case, Finding, Study

LARGEST = 20
CHOICES = [{"name": f"c{place}", "label": str(place)} for place in range(4)]
SURVEY = parse_survey(
    {
        "slug": "x",
        "title": "X",
        "questions": [
            {"name": "age", "type": "number", "label": "?", "privacy": "none",
             "min": 0, "max": LARGEST},
            {"name": "cups", "type": "number", "label": "?", "privacy": "none",
             "min": 0, "max": LARGEST, "prefer_not_to_say": True},
            {"name": "region", "type": "select_one", "label": "?", "privacy": "none",
             "choices": CHOICES},
        ],
    }
)  # fmt: skip
# Three choices have 5 % each, and of the numbers, small ones are common.
REGIONS = np.array([0.85, 0.05, 0.05, 0.05])
AGES = 0.8 ** np.arange(LARGEST + 1) / (0.8 ** np.arange(LARGEST + 1)).sum()
# The last share is that of the people who decline.
CUPS = np.append(0.9 * AGES, 0.1)
NOISES: dict[str, dict[str, str]] = {
    "Laplace": {},
    "Gaussian": {"mechanism": "gaussian", "delta": "0.000001"},
}
EPSILONS = ("0.5", "1.1", "2")
STATISTICS = {
    "histogram of 4 choices": ("region", Statistic.HISTOGRAM),
    "sum": ("age", Statistic.SUM),
    "mean": ("age", Statistic.MEAN),
    "mean, special answer": ("cups", Statistic.MEAN),
    "variance": ("age", Statistic.VARIANCE),
    "sums for 10 bounds": ("age", Statistic.CURVE),
}
ROUNDING = 1e-9
# Why an interval covers more often.
BOUNDS = """The interval holds for all noises of several sums that are within their bounds, and some
noises compensate each other."""
REASONS = {
    "sums for 10 bounds": """All sums hold together, although their noises are related, and their
    bounds are those of Chernoff.""",
    "variance": BOUNDS,
    "mean, special answer": BOUNDS,
}


def true_figures(statistic: str, given: npt.NDArray[np.int64]) -> Array:
    """The figures of these respondents without noise."""
    if statistic == Statistic.HISTOGRAM:
        return np.bincount(given, minlength=len(CHOICES)).astype(np.float64)
    if statistic == Statistic.CURVE:
        bounds = np.array(curve_bounds(0, LARGEST))
        clipped = np.minimum(given, bounds[:, np.newaxis])
        return np.asarray(clipped.sum(axis=1), dtype=np.float64)
    figures = {
        Statistic.SUM: given.sum(), Statistic.MEAN: given.mean(), Statistic.VARIANCE: given.var()
    }  # fmt: skip
    return np.array([figures[Statistic(statistic)]])


def draw(request: Request, n: int, generator: np.random.Generator) -> Finding:
    """The release of one survey, as `survey.web.central_dp_service.draw` makes it."""
    ages, cups, regions = (
        generator.choice(len(shares), n, p=shares) for shares in (AGES, CUPS, REGIONS)
    )
    rows = zip(ages.tolist(), cups.tolist(), regions.tolist(), strict=True)
    answers = count_answers(SURVEY, request, rows)
    noises = noises_of(SURVEY, request, n)
    drawn = draw_sums(request, noises, [each.part.sum_of(answers) for each in noises])
    figures = dp_figures(SURVEY, request, n, drawn)
    given = {"age": ages, "cups": cups[cups < len(AGES)], "region": regions}[request.question]
    truths = true_figures(request.statistic, given)
    pairs = list(zip(figures, truths, strict=True))
    held = [
        figure.ends[0] - ROUNDING <= truth <= figure.ends[1] + ROUNDING for figure, truth in pairs
    ]
    return Finding([figure.value - truth for figure, truth in pairs], [all(held)])


def cases() -> list[Case]:
    found = []
    for title, (question, statistic) in STATISTICS.items():
        for noise, more in NOISES.items():
            for epsilon in EPSILONS:
                typed = {"question": question, "statistic": statistic, "epsilon": epsilon}
                request = read_request(SURVEY, typed | more)
                name = f"{title}, {noise}, ε = {epsilon}"
                # A scale for Gaussian noise takes longer to calculate.
                sizes = SIZES if epsilon == "0.5" and not more else SIZES[1:2]
                reason = " ".join(REASONS.get(title, "").split())
                found += [Case(name, n, partial(draw, request, n), 1_500, reason) for n in sizes]
    return found


STUDY = Study(
    "Central DP releases",
    """Figures of the respondents themselves, with the noise of a release, and without a sampling
    error. A survey counts as covered if the intervals of all figures of the release hold. The noise
    is drawn by OpenDP, which has no seed, so these rows differ slightly each time.
    tests/central_dp/test_releases_at_length.py compares 1,000,000 draws of each kind with their
    exact distribution. With `make soak`, it also makes 100,000 random sequences of requests,
    failures and restarts, in which the ledger never spends more than its budget.""",
    cases,
)
