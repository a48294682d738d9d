"""Checklist items on texts: whether they are readable, or imitate Candor's own words."""

from survey.definition.imitation import DefinitionText, imitating_texts, misleading_texts
from survey.definition.survey import Survey
from survey.planning.privacy_checks import LOOK, PASSED, STOPS, Check


def check_characters(survey: Survey) -> Check:
    why = (
        "Characters that nobody sees, and line ends in short texts, can make a text look like "
        "another one: drawn backwards, like another choice, or like several texts."
    )
    faulty_texts = list(misleading_texts(survey))
    if not faulty_texts:
        return Check("characters", PASSED, "Every text can be read as it stands.", why)
    return Check(
        "characters",
        STOPS,
        "These texts hold characters that could mislead respondents.",
        why,
        "Correct them as it says here.",
        tuple(f"{written.place} {fault}" for written, fault in faulty_texts),
        tuple(place_in_form(written, survey) for written, _ in faulty_texts),
    )


def check_imitation(survey: Survey) -> Check:
    why = (
        "Respondents trust what Candor says about the protection. A text of yours that says the "
        "same in the same words could be taken for it, and may not be true of every question."
    )
    imitations = list(imitating_texts(survey))
    if not imitations:
        return Check("imitation", PASSED, "No text of yours uses Candor’s own phrases.", why)
    return Check(
        "imitation",
        LOOK,
        "These texts of yours hold phrases that Candor itself says to respondents.",
        why,
        "Say it in other words, or leave it to the page, which says it for each question.",
        tuple(f"{written.place}: “{phrase}”" for written, phrase in imitations),
        tuple(place_in_form(written, survey) for written, _ in imitations),
    )


def place_in_form(written: DefinitionText, survey: Survey) -> str:
    """The place of a text in the builder's form."""
    if written.language != survey.language:
        return f"translation:{written.language}"
    return f"question:{written.path[1]}" if written.path[0] == "questions" else written.path[0]
