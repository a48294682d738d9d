"""14 Saturday mornings: the weather, and whether friends play football (Quinlan 1986, table 1)."""

import numpy as np

from survey.core.translate import later
from survey.learn.trees.tree_table import People, Split, TreeTable, counts_by_branch, split_gain

WEATHER_QUESTIONS = {
    "outlook": later("outlook"),
    "humidity": later("humidity"),
    "wind": later("wind"),
    "temperature": later("temperature"),
}
WEATHER_ANSWERS = {
    "sunny": later("sunny"),
    "overcast": later("overcast"),
    "rain": later("rain"),
    "hot": later("hot"),
    "mild": later("mild"),
    "cool": later("cool"),
    "high": later("high"),
    "normal": later("normal"),
    "weak": later("weak"),
    "strong": later("strong"),
    "yes": later("play"),
    "no": later("no game"),
}
# The answers to each question, and the outcomes.
ANSWERS = (
    ("sunny", "overcast", "rain"),
    ("high", "normal"),
    ("weak", "strong"),
    ("hot", "mild", "cool"),
    ("yes", "no"),
)
# Outlook, humidity, wind, temperature, and whether they play.
DAYS = tuple(
    tuple(day.split())
    for day in (
        "sunny high weak hot no",
        "sunny high strong hot no",
        "overcast high weak hot yes",
        "rain high weak mild yes",
        "rain normal weak cool yes",
        "rain normal strong cool no",
        "overcast normal strong cool yes",
        "sunny high weak mild no",
        "sunny normal weak cool yes",
        "rain normal weak mild yes",
        "sunny normal strong mild yes",
        "overcast high strong mild yes",
        "overcast normal weak hot yes",
        "rain high strong mild no",
    )
)


DAY_ROWS: People = np.array(
    [
        [list(answers).index(each) for answers, each in zip(ANSWERS, day, strict=True)]
        for day in DAYS
    ],
    dtype=np.int64,
)
WEATHER = TreeTable(
    questions=tuple(WEATHER_QUESTIONS.values()),
    answers=tuple(tuple(WEATHER_ANSWERS[each] for each in answers) for answers in ANSWERS),
    everyone=later("all days"),
    counted=later("%(first)s days with a game, %(second)s without"),
)


def day_split(question: str) -> Split:
    """The split that asks a question."""
    return WEATHER.answer_split(list(WEATHER_QUESTIONS).index(question))


def day_counts(question: str) -> list[list[int]]:
    """For each answer, the number of days with a game and without."""
    counts = counts_by_branch(DAY_ROWS, WEATHER, day_split(question))
    return [[int(days) for days in both] for both in counts]


def weather_gain(question: str) -> float:
    """The information gain of a question, in bits."""
    return split_gain(DAY_ROWS, WEATHER, day_split(question))


def days_right(question: str) -> int:
    """The number of days that its answers predict, each by its more frequent outcome."""
    return sum(map(max, day_counts(question)))
