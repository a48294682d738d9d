"""Read the instruments: published questionnaires with their scoring, cut-offs and terms of use.

Each file quotes the published text exactly, because a changed text has no validity. It contains a
language only if its validated text was read and can be cited. An instrument becomes questions whose
answers are not sent, and derived answers for its results.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from survey.core.translate import later
from survey.definition.choices import NOT_SENT, plain_ascii
from survey.definition.known_tables import KnownTables
from survey.definition.protection_levels import MEDIUM, privacy_of_level
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey
from survey.definition.types import QUESTION_TYPES

FOLDER = Path(__file__).parent
# What a researcher must consider, for each code in the files.
ADVICE = {
    "self_harm": later(
        "The last question is about self-harm. Nobody sees the answers to it, and the page cannot "
        "react. Write in “Help and support” whom respondents can contact, and discuss the question "
        "with your ethics committee."
    ),
    "distress": later(
        "Respondents see the result before they send it, and it can worry them. Write in “Help and "
        "support” whom they can contact. The review shows this text next to the result."
    ),
    "standard_drink": later(
        "Add a note before these questions that explains a standard drink in your country."
    ),
}


@dataclass(frozen=True)
class Cutoff:
    """A published cut-off.

    Parameters
    ----------
    at_least : the smallest score that means Yes
    who : the people for whom it was published, or empty for everyone
    source : the publication
    """

    at_least: int
    source: str
    who: str = ""


@dataclass(frozen=True, kw_only=True)
class Instrument:
    """A published questionnaire.

    Parameters
    ----------
    slug : the name of its file
    terms : the terms of use, quoted
    terms_source : where the terms were read
    text_sources : where the text was read
    bands : the lowest score and the published name of each range of scores
    bands_source : the publication of the bands
    advice : keys of ADVICE
    offers_help : whether it is about suffering, so that everyone reads where to find help
    items : the questions, with the points of each choice
    examples : points of the items, their sum, and the source of the example
    """

    slug: str
    name: str
    title: str
    citation: str
    terms: str
    terms_source: str
    text_sources: Sequence[str]
    language: str
    lead_in: str
    items: Sequence[tuple[str, Mapping[str, int]]]
    cutoffs: Sequence[Cutoff]
    bands: Sequence[tuple[int, str]]
    bands_source: str
    advice: Sequence[str]
    offers_help: bool
    examples: Sequence[tuple[Sequence[int], int, str]]

    @property
    def prefix(self) -> str:
        """The first part of the names of its questions, such as phq9."""
        return plain_ascii(self.name, "")

    @property
    def highest(self) -> int:
        """The largest possible score. The smallest one is 0."""
        return sum(max(points.values()) for _, points in self.items)

    def questions(self) -> list[dict[str, Any]]:
        """The entries of a definition for its questions, without the results."""
        entries: list[dict[str, Any]] = []
        if self.lead_in:
            section = {"type": "section", "label": self.lead_in, "battery": True}
            entries.append({"name": f"{self.prefix}_page", **section})
        for number, (label, points) in enumerate(self.items, start=1):
            names = map(code_of_choice, points)
            choices = [{"name": n, "label": each} for n, each in zip(names, points, strict=True)]
            entries.append(
                {
                    "name": f"{self.prefix}_{number}",
                    "type": "scale" if self.lead_in else "select_one",
                    "label": label,
                    "choices": choices,
                    "privacy": NOT_SENT,
                }
            )
        if self.lead_in:
            # The page after the rows, so that a question after them is not a row.
            entries.append({"name": f"{self.prefix}_end", "type": "section", "label": ""})
        return entries

    def results(self) -> dict[str, dict[str, Any]]:
        """The entries of a definition for each result that a researcher can choose, by name.

        The first one is the usual one. All have medium protection.
        """
        total = {
            f"{self.prefix}_{number}": {
                code_of_choice(label): each for label, each in points.items()
            }
            for number, (_, points) in enumerate(self.items, start=1)
        }
        entries = [self.cutoff_entry(cutoff) for cutoff in self.cutoffs]
        if self.bands:
            entries.append(self.bands_entry())
        entries.append(
            {
                "name": f"{self.prefix}_score",
                "type": "number",
                "label": f"{self.name} score",
                "min": 0,
                "max": self.highest,
            }
        )
        for entry in entries:
            entry["derived"] = {"sum": total, **entry.get("derived", {})}
            entry["privacy"] = privacy_of_level(MEDIUM, QUESTION_TYPES[entry["type"]])
        return {entry["name"]: entry for entry in entries}

    def cutoff_entry(self, cutoff: Cutoff) -> dict[str, Any]:
        return {
            "name": f"{self.prefix}_{cutoff.at_least}_or_more",
            "type": "yes_no",
            "label": f"{self.name} score of {cutoff.at_least} or more",
            "derived": {"at_least": cutoff.at_least},
        }

    def bands_entry(self) -> dict[str, Any]:
        """The ranges of scores. Respondents see numbers, because a name such as “severe” on their
        page would be a diagnosis."""
        lows = [low for low, _ in self.bands]
        ends = [(low, high - 1) for low, high in pairwise([*lows, self.highest + 1])]
        return {
            "name": f"{self.prefix}_range",
            "type": "scale",
            "label": f"{self.name} score, in ranges",
            "choices": [{"name": f"from_{low}", "label": f"{low} to {high}"} for low, high in ends],
            "derived": {"bands": {f"from_{low}": low for low in lows}},
        }

    def survey(self, results: Collection[str] = (), tables: KnownTables | None = None) -> Survey:
        """A survey of this instrument alone, with the chosen results or the usual one.

        `tables` are randomizers that need not be calculated.
        """
        entries = self.results()
        chosen = [entries[name] for name in results] or [next(iter(entries.values()))]
        return parse_survey(
            {
                "slug": self.slug,
                "title": f"{self.name}: {self.title}",
                "language": self.language,
                "questions": self.questions() + chosen,
            },
            tables=tables,
        )


def code_of_choice(label: str) -> str:
    return plain_ascii(label, "_")


def read_instrument(path: Path) -> Instrument:
    """The instrument of a file. Raises KeyError if a part is missing."""
    content = json.loads(path.read_text(encoding="utf-8"))
    bands = content.get("bands", {"from": [], "names": [], "source": ""})
    shared = content.get("choices")
    return Instrument(
        slug=path.stem,
        name=content["name"],
        title=content["title"],
        citation=content["citation"],
        terms=content["terms"],
        terms_source=content["terms_source"],
        text_sources=tuple(content["text_sources"]),
        language=content["language"],
        lead_in=content.get("lead_in", ""),
        items=tuple(
            (item["label"], {each["label"]: each["points"] for each in item.get("choices", shared)})
            for item in content["items"]
        ),
        cutoffs=tuple(Cutoff(**each) for each in content["cutoffs"]),
        bands=tuple(zip(bands["from"], bands["names"], strict=True)),
        bands_source=bands["source"],
        advice=tuple(content.get("advice", ())),
        offers_help=content["offers_help"],
        examples=tuple(
            (tuple(each["points"]), each["sum"], each["source"]) for each in content["examples"]
        ),
    )


@cache
def read_instruments() -> dict[str, Instrument]:
    """All instruments by their slugs, in the order of their names."""
    found = map(read_instrument, FOLDER.glob("*.json"))
    return {each.slug: each for each in sorted(found, key=lambda each: each.name)}


def instruments_of(survey: Survey) -> list[Instrument]:
    """The instruments whose questions the survey asks, word for word in its main language.

    An instrument whose questions are all part of a longer one is left out.
    """
    labels = {question.label for question in survey.questions}
    texts = {
        each.slug: {label for label, _ in each.items}
        for each in read_instruments().values()
        if all(label in labels for label, _ in each.items)
    }
    return [
        read_instruments()[slug]
        for slug, own in texts.items()
        if not any(own < other for other in texts.values())
    ]


def instrument_items(survey: Survey) -> list[list[str]]:
    """The names of the questions of each instrument that offers help, in the survey's order."""
    offering = [each for each in instruments_of(survey) if each.offers_help]
    texts = [{label for label, _ in each.items} for each in offering]
    return [[each.name for each in survey.asked if each.label in labels] for labels in texts]


def instruments_behind(survey: Survey, question: Question) -> list[Instrument]:
    """The instruments whose questions all count in a derived answer, so that it is their result."""
    labels = {
        each.label
        for each in survey.asked
        if question.name in {derived.name for derived in survey.derived_from(each)}
    }
    return [
        each
        for each in instruments_of(survey)
        if not survey.items_of(question) and all(label in labels for label, _ in each.items)
    ]
