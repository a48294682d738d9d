"""Surveys at, below and above the limits between the levels of certainty, in all languages."""

from survey.core.languages import LANGUAGES, MAIN
from tests.support.definitions import definition, yes_no

EPSILONS = (0.1, 0.5, 1, 1.38, 1.39, 2, 2.94, 2.95, 4.59, 8, 12)
# The numbers of private questions, of those that each respondent is asked, and of other questions.
GRID = [
    (count, sample, plain)
    for count in range(1, 11)
    for sample in (None, 1, 2)
    for plain in (0, 1, 3)
    if sample is None or sample < count
]


def asked(epsilon: float, count: int) -> list[dict]:
    """This number of yes/no questions, each with this privacy loss."""
    return [yes_no(f"q{n}", privacy={"epsilon": epsilon}) for n in range(count)]


def content(slug: str, questions: list[dict], **more: object) -> dict:
    """A survey in all languages."""
    labels: dict[str, dict] = {}
    for entry in questions:
        labels[entry["name"]] = {"label": "?"}
        if "choices" in entry:
            names = [choice["name"] for choice in entry["choices"]]
            labels[entry["name"]]["choices"] = {name: f"? {name}" for name in names}
    other = {"title": "Health", "questions": labels}
    translations = {language: other for language in LANGUAGES if language != MAIN}
    return definition(*questions, slug=slug, translations=translations, **more)
