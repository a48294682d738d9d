"""The comprehension test: what respondents understood of the protection, and how many did.

Three questions that no survey has to be worded for, after the studies of what people take a
mixed-up answer to be: what can be learnt of it, what a Yes in the data means, and who could have
learnt the real answer. They are asked without randomising, in all languages of the survey they
follow, and are a survey of their own (survey/parts.py): nothing joins them to a response.
"""

from dataclasses import dataclass
from typing import Any

from .definition import Survey, parse_survey
from .languages import Words
from .protection import nobody_can_tell
from .results import AnswerResults, QuestionResults, Results

# of each question, the choice that is right; they are right whatever the odds of the survey are
RIGHT = {"learnt": "differs", "meaning": "either", "who": "screen"}
# Tests that were opened earlier offer an answer "from which nobody can tell" the real one, and ask
# who could have "learnt" that. Both are right only where nobody can become nearly sure.
EARLIER = "mixed"


def said(words: Words) -> dict[str, Any]:
    """The texts of the test in a language, in the shape of a translation."""
    unsure = words.say("I don't know")
    return {
        "title": words.say("What did you understand?"),
        "introduction": words.say(
            "Three short questions on how your answers were protected. They show the people who "
            "ask whether they explained it well. What you choose here is stored as you give it, "
            "apart from your answers, and nothing joins the two."
        ),
        "questions": {
            "learnt": {
                "label": words.say(
                    "One of your answers was mixed up. What can the people who ask learn from "
                    "what they got?"
                ),
                "choices": {
                    "real": words.say("What I really answered, but not my name"),
                    "differs": words.say(
                        "A mixed-up answer, which may differ from what I really answered"
                    ),
                    "undone": words.say("What I really answered, once they undo the mixing"),
                    "nothing": words.say("Nothing at all, not even about everybody together"),
                    "unsure": unsure,
                },
            },
            "meaning": {
                "label": words.say(
                    "Suppose that their data hold a Yes from you, to a question that was mixed "
                    "up. What does that Yes mean?"
                ),
                "choices": {
                    "yes": words.say("I really answered Yes"),
                    "no": words.say("I really answered No: answers are turned round"),
                    "wrong": words.say("I made a mistake, or did not tell the truth"),
                    "either": words.say(
                        "Perhaps I answered Yes, perhaps I answered No and chance made it a Yes"
                    ),
                    "unsure": unsure,
                },
            },
            "who": {
                "label": words.say(
                    "Who could have seen your real answers to the questions that were mixed up?"
                ),
                "choices": {
                    "screen": words.say("Someone who saw my screen while I answered"),
                    "team": words.say("The people who ask, if they try hard enough"),
                    "thief": words.say("Someone who steals what was sent"),
                    "court": words.say("A court that demands what is stored"),
                    "unsure": unsure,
                },
            },
        },
    }


def asked_after(survey: Survey, slug: str) -> Survey:
    """The test that follows a survey, in its languages, as a survey of this slug."""
    texts = said(Words(survey.language))
    content = {
        "slug": slug,
        "title": texts["title"],
        "language": survey.language,
        "introduction": texts["introduction"],
        "exit": survey.fieldwork.exit,
        "batch": survey.fieldwork.batch,
        "questions": [
            {
                "name": name,
                "type": "select_one",
                "label": question["label"],
                "choices": [{"name": n, "label": text} for n, text in question["choices"].items()],
                "privacy": "none",
            }
            for name, question in texts["questions"].items()
        ],
        "translations": {other: said(Words(other)) for other in survey.translations},
    }
    return parse_survey(content, stored={})


@dataclass(frozen=True)
class Understood:
    """One question of the test, the name of the choice that is right, and its share.

    The name is None where no choice of the test is right for this survey, and the share is None
    then, and while there is no estimate of it.
    """

    question: QuestionResults
    is_right: str | None
    right: AnswerResults | None


def understood(results: Results, survey: Survey) -> list[Understood]:
    """For each question of the test that follows `survey`, the share of those who chose what is
    right."""
    found = []
    for question in results.questions:
        is_right = right_of(question.question.name, results, survey)
        share = next((a for a in question.answers if a.choice.name == is_right), None)
        found.append(Understood(question, is_right, share))
    return found


def right_of(name: str, results: Results, survey: Survey) -> str | None:
    """The name of the right choice of one question of the test, or None."""
    offered = {choice.name for each in results.questions for choice in each.question.choices}
    if EARLIER not in offered:
        return RIGHT[name]
    if name != "meaning" and not nobody_can_tell(survey):
        return None
    return EARLIER if name == "learnt" else RIGHT[name]
