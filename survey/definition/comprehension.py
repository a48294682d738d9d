"""The comprehension test: what respondents understood about the protection of their answers.

Its three questions need no wording by the designer. They follow studies of how people understand
randomised answers: what anyone can learn, what a Yes in the data means, and who could learn the
real answer. The correct answer to the first follows the tables of the survey: people can guess,
or can be almost sure (survey/estimation/types/comprehension_results.py). Every test has both
answers.

The test asks without randomising, in all languages of its survey. It is a sub-survey of its own
(survey/definition/sub_surveys.py), and nothing links it to a response.
"""

from typing import Any

from survey.core.languages import Words
from survey.definition.survey import Survey, parse_survey


def comprehension_texts(words: Words) -> dict[str, Any]:
    """The texts of the test in a language, in the form of a translation."""
    unsure = words.say("I don't know")
    return {
        "title": words.say("What did you understand?"),
        "introduction": words.say(
            "Three quick questions about how this survey protected your answers. What you choose "
            "shows the people running the survey whether they explained the protection well. It is "
            "stored as you give it, apart from your other answers, and nothing connects the two."
        ),
        "questions": {
            "learnt": {
                "label": words.say(
                    "Think of an answer of yours that was mixed up. What can the people running "
                    "the survey learn from what they received?"
                ),
                "choices": {
                    "real": words.say("What I really answered, but not my name"),
                    "guess": words.say(
                        "A mixed-up answer, from which they can only guess what I really answered"
                    ),
                    "sure": words.say(
                        "A mixed-up answer, from which they can be almost sure of what I really "
                        "answered"
                    ),
                    "undone": words.say("What I really answered, after they undo the mixing"),
                    "nothing": words.say("Nothing at all, not even about everybody together"),
                    "unsure": unsure,
                },
            },
            "meaning": {
                "label": words.say(
                    "Suppose the data of the people running the survey contain a “Yes” from you. "
                    "Your answer to that question was mixed up. What does this “Yes” mean?"
                ),
                "choices": {
                    "yes": words.say("I really answered “Yes”"),
                    "no": words.say("I really answered “No”: answers are reversed"),
                    "wrong": words.say("I made a mistake, or did not tell the truth"),
                    "either": words.say(
                        "Perhaps I answered “Yes”, perhaps I answered “No” and chance made it "
                        "a “Yes”"
                    ),
                    "unsure": unsure,
                },
            },
            "who": {
                "label": words.say(
                    "Who could have known your real answers to the mixed-up questions for certain?"
                ),
                "choices": {
                    "screen": words.say("Someone who saw my screen while I answered"),
                    "team": words.say("The people running the survey, if they try hard enough"),
                    "thief": words.say("Someone who steals what was sent"),
                    "court": words.say("A court that demands the stored data"),
                    "unsure": unsure,
                },
            },
        },
    }


def asked_after(survey: Survey, slug: str) -> Survey:
    """The test that follows a survey, in the survey's languages, as a survey with this slug."""
    texts = comprehension_texts(Words(survey.language))
    content = {
        "slug": slug,
        "title": texts["title"],
        "language": survey.language,
        "introduction": texts["introduction"],
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
        "translations": {other: comprehension_texts(Words(other)) for other in survey.translations},
    }
    work = survey.fieldwork
    content |= {"exit": work.exit} if work.exit else {}
    content |= {"title_in_history": True} if work.title_in_history else {}
    return parse_survey(content, stored={})
