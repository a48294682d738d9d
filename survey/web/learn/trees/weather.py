"""14 Saturday mornings: the weather, and whether friends play football (Quinlan 1986, table 1)."""

from collections.abc import Mapping

import numpy as np

from survey.analysis.trees.splits import information_gain
from survey.core.translate import later
from survey.web.learn.trees.tree_table import People, TreeTable

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
    tuple(WEATHER_QUESTIONS.values()),
    tuple(tuple(WEATHER_ANSWERS[each] for each in answers) for answers in ANSWERS),
    later("all days"),
    later("%(first)s days with a game, %(second)s without"),
)


def day_counts(question: str) -> Mapping[str, tuple[int, int]]:
    """For each answer, the number of days with a game and without."""
    place = list(WEATHER_QUESTIONS).index(question)
    counts: dict[str, tuple[int, int]] = {}
    for day in DAYS:
        games, others = counts.get(day[place], (0, 0))
        plays = day[-1] == "yes"
        counts[day[place]] = (games + plays, others + (not plays))
    return counts


def weather_gain(question: str) -> float:
    """The information gain of a question, in bits."""
    joint = np.array(list(day_counts(question).values()), dtype=np.float64)
    return information_gain(joint / joint.sum())


def days_right(question: str) -> int:
    """The number of days that its answers predict, each by its more frequent outcome."""
    return sum(max(both) for both in day_counts(question).values())
