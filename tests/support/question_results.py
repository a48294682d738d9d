"""Results of one question, from the count of each report."""

from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from tests.support.definitions import yes_no


def results(counts, privacy=None, **question):
    entry = {**yes_no(privacy=privacy), **question}
    return question_results(parse_question(entry, "", "en"), dict(enumerate(counts)))


def question_of(kind, privacy, **question):
    entry = {"name": "q", "type": kind, "label": "?", "privacy": privacy, **question}
    return parse_question(entry, "", "en")


def asked(kind, counts, privacy, **question):
    return question_results(question_of(kind, privacy, **question), counts)


LEVELS = [{"name": f"l{n}", "label": f"Level {n}"} for n in range(1, 6)]
MANY = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(9)]
