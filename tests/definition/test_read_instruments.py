"""The instruments: each file is a survey whose scoring equals the published one."""

from fractions import Fraction
from itertools import pairwise

import pytest

from survey.definition.choices import NOT_SENT
from survey.definition.derived_answers import values_between
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import (
    ADVICE,
    FOLDER,
    Instrument,
    code_of_choice,
    read_instrument,
    read_instruments,
)
from survey.definition.privacy_limits import DEFAULT_LIMITS
from survey.definition.survey import Survey
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

INSTRUMENTS = read_instruments()
every = check_each("instrument", INSTRUMENTS.values(), ids=lambda each: each.title)


def test_each_file_is_an_instrument():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(INSTRUMENTS)
    assert {"phq-9", "gad-7", "audit-c"} <= set(INSTRUMENTS)
    prefixes = [each.prefix for each in INSTRUMENTS.values()]
    assert len(set(prefixes)) == len(prefixes)


@every
def test_an_instrument_states_its_terms_and_sources(instrument: Instrument):
    for text in (instrument.citation, instrument.terms, instrument.terms_source, instrument.title):
        assert text.strip()
    # A wording is quoted from at least two texts that agree.
    assert len(set(instrument.text_sources)) >= 2
    assert all(each.source for each in instrument.cutoffs) and instrument.cutoffs
    assert bool(instrument.bands) == bool(instrument.bands_source)
    assert set(instrument.advice) <= set(ADVICE)


@every
def test_an_instrument_opens_as_a_survey(instrument: Instrument):
    for result in instrument.results():
        survey = instrument.survey([result])
        freeze(survey, DEFAULT_LIMITS)
        assert len(survey.unsent) == len(instrument.items)
        # No item leaves the device, so only the result is a field of a response.
        assert [each.name for each in survey.fields] == [result]
        assert survey.private == survey.fields
    usual = f"{instrument.prefix}_{instrument.cutoffs[0].at_least}_or_more"
    assert [each.name for each in instrument.survey().private] == [usual]
    entries = instrument.questions()
    assert all(each["privacy"] == NOT_SENT for each in entries if each["type"] != "section")
    assert entries[0].get("battery", False) == bool(instrument.lead_in)


@every
def test_the_quoted_texts_are_the_questions(instrument: Instrument):
    asked = [each for each in instrument.survey().questions if each.kind.asks]
    labels = [(each.label, [choice.label for choice in each.choices]) for each in asked]
    assert labels[:-1] == [(label, list(points)) for label, points in instrument.items]


@every
def test_cutoffs_and_bands_are_scores(instrument: Instrument):
    survey = instrument.survey(tuple(instrument.results()))
    known = {each.name: each for each in survey.questions}
    assert all(min(points.values()) == 0 for _, points in instrument.items)
    for question in survey.private:
        assert question.derived is not None
        assert values_between(question.derived, known) == (0, instrument.highest)
    assert all(0 < each.at_least <= instrument.highest for each in instrument.cutoffs)
    lows = [low for low, _ in instrument.bands] or [0]
    assert lows[0] == 0 and lows[-1] <= instrument.highest
    assert all(low < high for low, high in pairwise(lows))


def score(survey: Survey, instrument: Instrument, given: tuple[int, ...]) -> Fraction:
    """The sum that the derived answer of the survey defines for these points."""
    (question,) = survey.private
    assert question.derived is not None
    total = Fraction(0)
    for number, points in enumerate(given):
        labels = [label for label, each in instrument.items[number][1].items() if each == points]
        name = f"{instrument.prefix}_{number + 1}"
        total += question.derived["sum"][name][code_of_choice(labels[0])]
    return total


@every
def test_published_examples_have_their_scores(instrument: Instrument):
    assert instrument.examples
    survey = instrument.survey()
    for given, total, _ in instrument.examples:
        assert len(given) == len(instrument.items)
        assert score(survey, instrument, given) == total


# The published ranges of the scores, their cut-offs, and the lowest score of each band.
@pytest.mark.parametrize(
    ("slug", "highest", "cutoffs", "bands"),
    [
        ("phq-9", 27, [10], [0, 5, 10, 15, 20]),
        ("phq-2", 6, [3], []),
        ("gad-7", 21, [10], [0, 5, 10, 15]),
        ("gad-2", 6, [3], []),
        ("audit-c", 12, [4, 3], [0, 3, 4]),
        ("k6", 24, [13], []),
    ],
)
def test_scores_are_as_published(slug: str, highest: int, cutoffs: list[int], bands: list[int]):
    instrument = INSTRUMENTS[slug]
    assert instrument.highest == highest
    assert [each.at_least for each in instrument.cutoffs] == cutoffs
    assert [low for low, _ in instrument.bands] == bands


def test_the_ranges_of_scores_are_named_by_numbers():
    choices = INSTRUMENTS["phq-9"].results()["phq9_range"]["choices"]
    assert [each["label"] for each in choices] == [
        "0 to 4", "5 to 9", "10 to 14", "15 to 19", "20 to 27"
    ]  # fmt: skip


def test_an_incomplete_file_is_refused(tmp_path):
    path = tmp_path / "none.json"
    path.write_text('{"name": "NONE"}')
    with pytest.raises(KeyError, match="title"):
        read_instrument(path)
