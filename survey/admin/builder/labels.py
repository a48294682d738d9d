"""One table from a definition's members to the builder's fields.

It has what each field is called, what is said when something is wrong with it, and what stands in
for it meanwhile.

Sentences go on after the label: "Smallest value: type a number." `{fault}` is what the parser says,
`{line}` the number of a choice, `{name}` that of a question.
"""

from survey.core.number_grid import MAX_VALUES
from survey.definition.choices import MAX_CHOICES
from survey.definition.fieldwork import MAX_BATCH_RESPONSES, MAX_MINUTES
from survey.definition.survey import MAX_QUESTIONS, MAX_TEXTS
from survey.planning.sample_size import MAX_RESPONDENTS

# the fields in the order of the page, and what the page calls them
# (survey/admin/forms/survey_form.py)
LABELS = {
    "title": "Title",
    "slug": "Address",
    "introduction": "Introduction, in Markdown",
    "language": "Language",
    "languages": "Further languages",
    "budget": "Most epsilon per respondent",
    "sample": "Private questions per respondent",
    "asked_by": "Who asks",
    "contact": "How to reach them",
    "minutes": "Minutes it takes",
    "support": "Help and support, in Markdown",
    "layout": "Questions",
    "exit": "Where “Leave now” leads",
    "series": "Series",
    "batch": "Show results in steps of how many responses",
    "invitations": "Only with an invitation that works once",
    "receipts": "Give receipts, with which people can take back what they sent",
    "by_hand": "Let people without JavaScript toss real coins",
    "comprehension": "End with a short test of what was understood",
    "respondents": "Respondents you expect",
    "questions": "The list of questions",
    # of one question
    "label": "Question",
    "type": "Kind",
    "hint": "Hint",
    "choices": "Choices, one a line",
    "min": "Smallest value",
    "max": "Largest value",
    "step": "Step",
    "unit": "Unit",
    "privacy": "Protection",
    "goal": "You mostly want to know",
    "gamma": "gamma, between 0 and 1/2",
    "epsilon": "epsilon",
    "other": "Mechanism as JSON",
    "prefer_not_to_say": "Offer “prefer not to say”",
    "relevant": "Asked only if",
    "otherwise": "Answer of those who are not asked",
    "name": "Column name in the CSV",
}
# members of a definition that have fields of another name
FIELD_OF = {
    "budget.epsilon": "budget",
    "budget.per_respondent.sample": "sample",
    "translations": "languages",
    "choices.label": "choices",
    "choices.name": "choices",
}
SLUG = "use small letters without accents, digits, and hyphens between them; at most 63."
# by the member and what is wrong with it (`reason` of a DefinitionError)
SENTENCES = {
    ("", ""): "it {fault}",
    ("", "mechanism"): "{fault}",
    ("", "number"): "type a number.",
    ("", "digits"): "type a number of fewer digits.",
    ("title", "empty"): "type a title.",
    ("slug", "made"): "it cannot be made from the title; type one, such as health-2026.",
    ("slug", "empty"): "type one, such as health-2026.",
    ("slug", "name"): SLUG,
    ("slug", "taken"): "another survey has it; take another one.",
    ("languages", ""): "{fault}",
    ("budget.epsilon", "number"): "type a number above 0, such as 3, or nothing.",
    ("budget.per_respondent.sample", "number"): (
        "type a whole number, smaller than that of the private questions, or nothing."
    ),
    ("budget.per_respondent.sample", "below"): (
        "type a smaller number than there are private questions, or nothing."
    ),
    ("minutes", "range"): f"type a whole number from 1 to {MAX_MINUTES}, or nothing.",
    ("batch", "range"): f"type a whole number from 1 to {MAX_BATCH_RESPONSES:,}.",
    ("exit", "address"): "type an address such as https://www.example.org/, or nothing.",
    ("series", "name"): SLUG,
    ("respondents", "range"): f"type a whole number from 1 to {MAX_RESPONDENTS:,}, or nothing.",
    ("questions", "count"): f"ask 1 to {MAX_QUESTIONS} questions.",
    ("questions", "texts"): f"ask for at most {MAX_TEXTS} texts.",
    ("questions", "notes"): "there are notes only; ask something.",
    ("label", "empty"): "type the question.",
    ("type", ""): "choose one of the list.",
    ("choices", "count"): f"give 2 to {MAX_CHOICES} choices.",
    ("choices", "yes_no"): "give two lines: “yes | ” and your word for it, then “no | ” and yours.",
    ("choices", "own"): "{fault} Take another code.",
    ("choices.label", "empty"): "choice {line} has no label.",
    ("choices.label", "twice"): "choice {line}, {fault}",
    ("choices.label", ""): "choice {line} {fault}",
    ("choices.name", "empty"): "choice {line} has no code before the |.",
    ("choices.name", "twice"): "choice {line} has the code of an earlier one.",
    ("choices.name", "name"): (
        "the code of choice {line}, before the |, may hold letters without accents, digits, _ . "
        "and -, at most 63."
    ),
    ("choices.name", ""): "the code of choice {line} {fault}",
    ("step", "positive"): "type a number above 0.",
    ("max", "order"): "type a number above the smallest value.",
    ("step", "steps"): (
        "whole steps do not lead from the smallest value to the largest; change one of the three."
    ),
    ("step", "many"): f"take larger steps; there are at most {MAX_VALUES:,} values.",
    ("gamma", "number"): "type a number above 0 and below 1/2.",
    ("gamma", "range"): "type a number above 0 and below 1/2.",
    ("epsilon", "number"): "type a number from 0.01 to 12.",
    ("epsilon", "range"): "type a number from 0.01 to 12.",
    ("privacy", "kind"): "it does not go with this kind of question; choose another one.",
    ("privacy", "two"): "it is for two answers; choose another one.",
    ("other", "json"): 'this is no JSON. Write it as {{"mechanism": "warner", "p": "2/3"}}.',
    ("other", "number"): "{fault}",
    ("other", "digits"): "{fault}",
    ("relevant", "line"): "{fault}",
    ("relevant", "unknown"): "there is no earlier question “{name}” that this can depend on.",
    ("relevant", "values"): "“{name}” {fault}",
    ("relevant", "bounds"): "write “{name}: 18 to 65” or “{name}: at least 18”.",
    ("otherwise", "relevant"): "leave it empty, or say above who is asked.",
    ("otherwise", "value"): "type a number that could be answered.",
    ("name", "name"): (
        "start with a small letter, go on with small letters, digits and _; at most 63, and not "
        "“id”."
    ),
    ("name", "twice"): "another question has it too.",
}  # fmt: skip
# What may be wrong only since something else is: of a member for one reason, or for all
RANGE = frozenset({"min", "max", "step"})
ANSWERS = RANGE | {"choices", "type"}
QUESTIONS = frozenset({"questions"})
HANGS_ON = {
    ("slug", "made"): frozenset({"title"}),
    ("max", "order"): RANGE,
    ("step", "steps"): RANGE,
    ("step", "many"): RANGE,
    ("privacy", ""): ANSWERS,
    ("other", "mechanism"): ANSWERS,
    ("otherwise", ""): ANSWERS | {"relevant"},
    ("budget.epsilon", "sum"): QUESTIONS | {"sample"},
    ("budget.per_respondent.sample", "below"): QUESTIONS,
    ("by_hand", ""): QUESTIONS | {"sample", "series"},
    ("comprehension", ""): QUESTIONS,
    ("questions", ""): QUESTIONS,
}
# what is taken in the place of what is wrong; nothing at all where none is named
STAND_INS = {
    "title": "…",
    "slug": "stand-in",
    "language": "en",
    "batch": "25",
    "layout": "all_on_one_page",
    "label": "…",
    "type": "note",
    "min": "0",
    "max": "1",
    "step": "1",
}
