"""Checklist items on texts: whether they are readable, or imitate Candor's own words."""

from survey.core.translate import translate
from survey.definition.imitation import DefinitionText, imitating_texts, misleading_texts
from survey.definition.opening.conditional_texts import (
    conditional_texts,
    texts_with_addresses,
    texts_with_perhaps_addresses,
)
from survey.definition.survey import Survey
from survey.planning.privacy_checks import LOOK, PASSED, STOPS, Check


def check_characters(survey: Survey) -> Check:
    why = translate(
        "Invisible characters, and line breaks in short texts, can make a text look different: "
        "reversed, like another choice, or like several texts."
    )
    faulty_texts = list(misleading_texts(survey))
    if not faulty_texts:
        sentence = translate("No text contains misleading characters.")
        return Check(name="characters", verdict=PASSED, sentence=sentence, why=why)
    return Check(
        name="characters",
        verdict=STOPS,
        sentence=translate("These texts contain characters that could mislead respondents."),
        why=why,
        advice=translate("Correct them as described here."),
        details=tuple(f"{written.place} {fault}" for written, fault in faulty_texts),
        places=tuple(place_in_form(written, survey) for written, _ in faulty_texts),
    )


def check_hidden_addresses(survey: Survey) -> tuple[Check, ...]:
    """Addresses in texts that depend on a private answer. There may be no such texts."""
    if next(conditional_texts(survey), None) is None:
        return ()
    why = translate(
        "A private answer decides who sees some texts. Anyone who opens an address in such a text "
        "tells the owner of this address what they answered."
    )
    faulty, perhaps = [*texts_with_addresses(survey)], [*texts_with_perhaps_addresses(survey)]
    if not faulty and not perhaps:
        sentence = translate("No text that depends on a private answer has an address.")
        return (Check(name="addresses", verdict=PASSED, sentence=sentence, why=why),)
    verdict, sentence = (
        (STOPS, translate("Texts that depend on a private answer contain an address."))
        if faulty
        else (LOOK, translate("Texts that depend on a private answer may contain an address."))
    )
    advice = translate(
        "Remove the address, or show it to everyone. If it is not an address, add the missing "
        "space."
    )
    found = faulty or perhaps
    details = (
        f"{written.place} {said}" if faulty else f"{written.place}: “{said}”"
        for written, said in found
    )
    places = (place_in_form(written, survey) for written, _ in found)
    return (
        Check(
            name="addresses",
            verdict=verdict,
            sentence=sentence,
            why=why,
            advice=advice,
            details=(*details,),
            places=(*places,),
        ),
    )


def check_imitation(survey: Survey) -> Check:
    why = translate(
        "Respondents trust what Candor says about the protection. If your text uses the same "
        "words, they could think that Candor wrote it. But your text may be wrong for some "
        "questions."
    )
    imitations = list(imitating_texts(survey))
    if not imitations:
        sentence = translate("Your texts use none of Candor’s own phrases.")
        return Check(name="imitation", verdict=PASSED, sentence=sentence, why=why)
    return Check(
        name="imitation",
        verdict=LOOK,
        sentence=translate("Your texts contain phrases that Candor itself uses for respondents."),
        why=why,
        advice=translate(
            "Use other words, or remove the phrases: the page already explains the protection of "
            "each question."
        ),
        details=tuple(f"{written.place}: “{phrase}”" for written, phrase in imitations),
        places=tuple(place_in_form(written, survey) for written, _ in imitations),
    )


def place_in_form(written: DefinitionText, survey: Survey) -> str:
    """The place of a text in the builder's form."""
    if written.language != survey.language:
        return f"translation:{written.language}"
    return f"question:{written.path[1]}" if written.path[0] == "questions" else written.path[0]
