"""Fieldwork progress: sentences on received responses, and the precision so far."""

import pytest

from survey.definition.fieldwork import Fieldwork
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.progress import (
    FieldworkProgress,
    half_width_at,
    margin,
    on_closing,
    precision_so_far,
    release_sentence,
    sentences,
    sentences_on_precision,
    so_far,
)
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("coming", "batch", "sentence"),
    [
        ((0, 0), 25, "Results appear once 25 responses have come."),
        ((0, 3), 25, "The results have none of them; 3 wait, to be shown when 22 more have come."),
        ((25, 1), 25, "The results have 25 of them; 1 waits, to be shown when 24 more have come."),
        ((50, 24), 25, "The results have 50 of them; 24 wait, to be shown when 1 more has come."),
        ((50, 0), 25, "The results have all of them; they change next when 25 more have come."),
        ((2000, 0), 1, "The results have each response as soon as it has come."),
    ],
)
def test_when_the_next_release_comes(coming, batch, sentence):
    assert release_sentence(FieldworkProgress(*coming, 0, None, False), batch) == sentence


def test_by_hand_and_the_cap_in_words():
    work = parse_survey(definition()).fieldwork
    said = sentences(FieldworkProgress(1_000, 0, 24, 2_000, True), work)
    assert said["progress"] == "1,024 of at most 2,000."
    assert (said["responses"], said["by_hand"]) == ("1,000", "24")
    assert "progress" not in sentences(FieldworkProgress(1, 0, 0, None, False), work)


@pytest.mark.parametrize(
    ("half", "unit", "words"),
    [(0.0714, None, "± 7.1 points"), (3.21, "kg", "± 3.2 kg"), (12_345.6, "", "± 12,346")],
)
def test_a_margin_in_words(half, unit, words):
    assert margin(half, unit).replace("\u00a0", " ") == words


def results_of(frozen, **counts):
    return survey_results(frozen, counts, "browser")


def test_a_half_width_shrinks_with_the_square_root_of_the_responses():
    """With the coin flip 2P - 1/2, the standard error is 2 sqrt(P(1 - P) / n), here 0.1."""
    frozen = freeze(parse_survey(definition()))
    [now] = precision_so_far(results_of(frozen, smokes={0: 50, 1: 50}), 400)
    assert now.half_width == pytest.approx(1.96 * 0.1, rel=0.05)
    assert now.expected == pytest.approx(now.half_width / 2)
    assert half_width_at(0.2, 100, 2_500) == pytest.approx(0.2 / 5)


def test_plain_questions_and_few_responses_have_no_precision():
    plain = freeze(parse_survey(definition(yes_no(privacy="none"))))
    assert precision_so_far(results_of(plain, smokes={0: 50, 1: 50}), 400) == []
    private = freeze(parse_survey(definition()))
    assert precision_so_far(results_of(private, smokes={0: 2, 1: 2}), 400) == []
    assert precision_so_far(results_of(private), 400) == []


def test_the_precision_in_words():
    frozen = freeze(parse_survey(definition()))
    said = sentences_on_precision(results_of(frozen, smokes={0: 50, 1: 50}), 400)
    [now] = precision_so_far(results_of(frozen, smokes={0: 50, 1: 50}), 400)
    assert said["precision"].replace("\u00a0", " ") == (
        f"The widest 95 % interval of a share is ± {100 * now.half_width:.1f} points, for “Do you "
        f"smoke?”; at 400 responses, expect about ± {50 * now.half_width:.1f} points."
    )
    assert said["means"] == ""


@pytest.mark.parametrize(
    ("waiting", "closed_before", "words"),
    [
        (0, False, ""),
        (7, True, ""),
        (7, False, "Closing adds the 7 that wait to the results."),
        (4, False, "The 4 that wait are not shown if you close now: fewer than 5 could be"),
        (1, False, "The one that waits is not shown if you close now: fewer than 5"),
    ],
)
def test_what_closing_does_to_those_that_wait(waiting, closed_before, words):
    found = on_closing(FieldworkProgress(25, waiting, 0, None, False), Fieldwork(), closed_before)
    assert found.startswith(words)
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("coming", "state", "closed_before", "words"),
    [
        ((0, 0, 0), "closed", False, "was closed before any response came."),
        ((25, 0, 0), "closed", False, ""),
        ((25, 3, 0), "closed", False, "28 responses have come. The results do not have 3 of these "
         "responses: fewer than 5 could be read off one by one."),
        ((25, 1, 0), "closed", True, "it came after the survey was opened again, and is shown only "
         "once 25 have come."),
        ((3, 0, 0, True), "closed", False, "withdrawals left only 3 of the responses that they "
         "had"),
        ((0, 1, 0), "open", False, "1 response has come. The results have none of them; 1 waits, "
         "to be shown when 24 more have come."),
    ],
)  # fmt: skip
def test_how_many_have_come_and_why_some_are_kept_back(coming, state, closed_before, words):
    published, waiting, spent, *isolated = coming
    progress = FieldworkProgress(published, waiting, spent, None, False, isolated=bool(isolated))
    found = so_far(progress, Fieldwork(), state, closed_before)
    assert words in found
    assert bool(found) == bool(words)
