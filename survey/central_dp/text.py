"""Texts about releases, and their CSV and JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from survey.central_dp.accuracy import scales_of, within_of
from survey.central_dp.budget import CentralDPBudget, Loss, Release, remaining_budget
from survey.central_dp.chart import Branch
from survey.central_dp.dp_request import (
    EVERYONE,
    GAIN,
    GAUSSIAN,
    MECHANISMS,
    STATISTICS,
    Request,
    Statistic,
    question_of,
)
from survey.central_dp.figures import DPFigure, most_frequent_count, tree_accuracy_figure
from survey.central_dp.noise_scales import BETA
from survey.central_dp.types import ANSWER_STATISTICS
from survey.core.csv_cells import csv_text
from survey.core.languages import MAIN
from survey.core.number_grid import decimal_text
from survey.core.translate import in_language, translate, translate_number, translate_plural
from survey.definition.choices import with_unit
from survey.definition.survey import Survey
from survey.estimation.number_text import number

# The columns of releases.csv: each with its unit or format, and a sentence. `make reference` writes
# them into docs/reference/csv-columns.md.
RELEASE_FIELDS = {
    "survey": ("text", "Name of the survey in its link (slug)."),
    "number": ("whole number", "Number of the DP release; the first one of a survey has 1."),
    "day": ("YYYY-MM-DD, UTC", "Day on which the noise was added."),
    "question": ("text", "Name of the non-private question."),
    "label": ("text", "Label of the question."),
    "statistic": (", ".join(Statistic), "The released statistic."),
    "answer": (
        "text",
        "Only for a count: name of the counted answer. Empty if Candor counted everyone who gave "
        "any answer, apart from special answers.",
    ),
    "percent": (
        "percent",
        "Only for a quantile: the percentage of the answers below the quantile, such as 25.",
    ),
    "bound_low": (
        "unit of the question",
        "Lower bound: Candor replaced smaller numbers by this number (clipping). Empty without "
        "clipping.",
    ),
    "bound_high": (
        "unit of the question",
        "Upper bound: Candor replaced larger numbers by this number. Empty without clipping.",
    ),
    "by": (
        "names, separated by spaces",
        "Only for a tree: names of the questions that may split the respondents.",
    ),
    "depth": ("questions", "Only for a tree: maximum number of questions on a path to a leaf."),
    "score": (
        "gain, or empty",
        "Only for a tree: “gain” if it splits by information gain. Empty if it splits by correct "
        "predictions.",
    ),
    "group": (
        "text",
        "Only for a release about one group: name of the question that defines the group.",
    ),
    "member": (
        "text",
        "Only for a release about one group: name of the answer that everyone in the group gave.",
    ),
    "mechanism": (
        ", ".join(MECHANISMS),
        "The DP mechanism. Where the value is `exponential`, Candor selects by permute-and-flip.",
    ),
    "epsilon": ("ε", "Privacy loss ε of the release."),
    "delta": ("δ", "The δ of the release, a small probability or 0."),
    "responses": ("responses", "Number of responses of the survey when the noise was added."),
    "scale": (
        "numbers, separated by spaces",
        "Scale of the noise in each quantity, or of the random selection of an answer; for "
        "Gaussian noise, its parameter σ.",
    ),
    "figure": ("text", "Label of the value, such as that of a bar of a histogram."),
    "value": ("unit of the statistic", "The released value, with noise."),
    "text": ("text", "The selected answer, if the statistic selects one, as a mode does."),
    "low": (
        "unit of the statistic",
        "Lower end of the range for the value without noise.",
    ),
    "high": (
        "unit of the statistic",
        "Upper end of the range for the value without noise.",
    ),
    "within": (
        "unit of the statistic; respondents if Candor selected an answer",
        "Maximum distance between the released value and the value without noise. It holds with "
        "the probability in `level`. Empty for a mean or variance if the number of answers is not "
        "public.",
    ),
    "level": (
        "proportion",
        "Probability that all ranges of the release contain the values without noise.",
    ),
    "noise_deviation": (
        "unit of the statistic",
        "Standard deviation of the noise in the value. Empty for a selected answer, a variance, "
        "and a mean if the number of answers is not public.",
    ),
}
CSV_COLUMNS = tuple(RELEASE_FIELDS)


def title_of(request: Request) -> str:
    if request.statistic == Statistic.QUANTILE:
        return translate("%(percent)s %% quantile", percent=request.percent)
    return translate(STATISTICS[request.statistic])


def details_of(survey: Survey, request: Request) -> list[str]:
    """The details of a request other than question and statistic, as short phrases."""
    question = question_of(survey, request.question)
    phrases = []
    if request.statistic == Statistic.COUNT:
        chosen = dict(ANSWER_STATISTICS[question].countable())[request.answer]
        phrases.append(translate(chosen) if request.answer == EVERYONE else f"“{chosen}”")
    if request.low and question.grid:
        ends = with_unit(ends_text(request), question.grid)
        if request.statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
            phrases.append(translate("among the values %(ends)s", ends=ends))
        else:
            phrases.append(translate("clipped to the range %(ends)s", ends=ends))
    if request.bins:
        phrases.append(translate_plural("%(n)s bin", "%(n)s bins", request.bins))
    if request.by:
        labels = [question_of(survey, name).label for name in request.by.split()]
        phrases.append(
            translate_plural(
                "by %(questions)s, %(n)s level of questions",
                "by %(questions)s, %(n)s levels of questions",
                request.depth,
                questions=translate(", ").join(f"“{label}”" for label in labels),
            )
        )
    if request.score == GAIN:
        phrases.append(translate("split by information gain"))
    if request.group:
        group = question_of(survey, request.group)
        member = next(each.label for each in group.answers if each.name == request.member)
        phrases.append(
            translate(
                "only those who answered “%(answer)s” to “%(question)s”",
                answer=member,
                question=group.label,
            )
        )
    return phrases


def ends_text(request: Request) -> str:
    """The bounds of a request, with a word between them if the first one has a minus sign."""
    low, high = translate_number(request.low), translate_number(request.high)
    if low.startswith("-"):
        return translate("%(low)s to %(high)s", low=low, high=high)
    return f"{low}–{high}"


def release_log_text(survey: Survey, request: Request) -> str:
    """The entry of a new release in the audit log. It names questions as files do."""
    with in_language(MAIN):
        words = [f"released {title_of(request)} of {request.question}"]
        loss = request_loss_text(request)
    if request.answer != EVERYONE:
        answers = dict(ANSWER_STATISTICS[question_of(survey, request.question)].countable())
        words.append(f"answer {answers[request.answer]}")
    if request.group:
        answers = dict(ANSWER_STATISTICS[question_of(survey, request.group)].countable())
        words.append(f"only {answers[request.member]} to {request.group}")
    return ", ".join((*words, loss))


def request_loss_text(request: Request) -> str:
    epsilon, delta = translate_number(request.epsilon), translate_number(request.delta)
    return f"ε = {epsilon}, δ = {delta}" if request.mechanism == GAUSSIAN else f"ε = {epsilon}"


def cost_text(loss: Loss) -> str:
    """The ε of a release, and its δ unless it is 0."""
    epsilon, delta = (translate_number(decimal_text(each)) for each in loss)
    if not loss[1]:
        return f"ε = {epsilon}"
    return translate("ε = %(epsilon)s and δ = %(delta)s", epsilon=epsilon, delta=delta)


def mechanism_text(request: Request) -> str:
    return f"{translate(MECHANISMS[request.mechanism])}, {request_loss_text(request)}"


def value_text(figure: DPFigure) -> str:
    return figure.text or translate_number(figure.shown)


def range_text(figure: DPFigure) -> str:
    if figure.between is None:
        return ""
    low, high = map(translate_number, figure.between)
    return translate("%(low)s to %(high)s", low=low, high=high)


def tree_outline_lines(node: Branch, depth: int = 0) -> list[str]:
    """A tree as indented lines: each question, and below it each answer with its subtree."""
    lines = [f"{'    ' * depth}{node.asked}"]
    for branch in node.branches:
        counts = ", ".join(f"“{answer}” {value_text(figure)}" for answer, figure in branch.leaf)
        lines.append(f"{'    ' * depth}  {branch.answer}" + (f": {counts}" if counts else ""))
        if branch.asked:
            lines += tree_outline_lines(branch, depth + 1)
    return lines


def release_accuracy(survey: Survey, release: Release) -> DPFigure | None:
    """The number of respondents that a released tree predicts correctly; None for no tree."""
    return tree_accuracy_figure(survey, release.request, release.n, release.drawn)


def tree_right_text(survey: Survey, release: Release) -> str:
    """How many respondents a released tree predicts correctly; empty for no tree."""
    right = release_accuracy(survey, release)
    if right is None:
        return ""
    asked = (survey, release.request, release.n, release.drawn)
    answer, most, total = most_frequent_count(*asked)
    return translate(
        "By its noisy counts, the tree predicts %(right)s of %(total)s respondents correctly "
        "(%(range)s with a probability of 95 %%). Always predicting the most frequent answer, "
        "“%(answer)s”, is right for %(most)s. These numbers are sums of released counts, so they "
        "cost nothing. They are usually somewhat too large, because each leaf predicts the answer "
        "with its largest noisy count.",
        right=value_text(right),
        total=translate_number(f"{total:,}".replace("-", "−")),
        range=range_text(right),
        answer=answer,
        most=translate_number(f"{most:,}".replace("-", "−")),
    )


def axis_text(value: float) -> str:
    """A number at the end of an axis."""
    return translate_number(number(value))


def fields_of(request: Request) -> dict[str, str]:
    """The form fields that give exactly this request."""
    return {name: str(value) for name, value in asdict(request).items() if value}


def ledger_as_json(
    survey: Survey,
    budget: CentralDPBudget | None,
    releases: Sequence[tuple[Release, Sequence[DPFigure]]],
) -> dict[str, Any]:
    """The budget and the ledger. Losses are texts, because they are exact decimals."""
    remaining = remaining_budget(budget, [each.request for each, _ in releases]) if budget else None
    return {
        "survey": survey.slug,
        "budget": None if budget is None else losses(budget.epsilon, budget.delta),
        "left": None if remaining is None else losses(*remaining),
        "releases": [
            {
                "number": release.number,
                "day": release.day,
                "responses": release.n,
                "request": asdict(release.request),
                "figures": [asdict(each) for each in figures],
                "predicted_correctly": None
                if (right := release_accuracy(survey, release)) is None
                else asdict(right),
                "level": 1 - BETA,
            }
            for release, figures in releases
        ],
    }


def losses(epsilon: Fraction, delta: Fraction) -> dict[str, str]:
    return {"epsilon": decimal_text(epsilon), "delta": decimal_text(delta)}


def releases_csv(survey: Survey, releases: Iterable[tuple[Release, Sequence[DPFigure]]]) -> str:
    """One row for each figure of each release.

    `scale` has the scales of all noises and selections, separated by spaces. `within` is the error
    bound of the figure that holds with a probability of `level`. It is in the unit of the figure,
    or in respondents for a selection.
    """
    rows: list[Sequence[Any]] = [CSV_COLUMNS]
    for release, figures in releases:
        asked = release.request
        about = (
            *(survey.slug, release.number, release.day, asked.question),
            *(question_of(survey, asked.question).label, asked.statistic, asked.answer or None),
            *(asked.percent or None, asked.low or None, asked.high or None),
            *(asked.by or None, asked.depth or None, asked.score or None),
            *(asked.group or None, asked.member or None, asked.mechanism),
            *(asked.epsilon, asked.delta, release.n),
            " ".join(f"{each:.10g}" for each in scales_of(survey, asked, release.n)),
        )
        withins = within_of(survey, asked, release.n) or []
        right = release_accuracy(survey, release)
        if right is not None and right.high is not None:
            figures = [*figures, right]
            leaf_counts = len(figures) - 1
            withins = [*(withins * leaf_counts), right.high - right.value]
        for place, each in enumerate(figures):
            within = withins[min(place, len(withins) - 1)] if withins else None
            figure = (each.label, each.value, each.text or None, each.low, each.high, within)
            has_range = within is not None or each.low is not None
            level = 1 - BETA if has_range else None
            rows.append((*about, *figure, level, each.noise_deviation))
    return csv_text(rows)
