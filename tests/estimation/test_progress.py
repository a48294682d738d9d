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
    publication_sentence,
    sentences,
    sentences_on_precision,
    so_far,
)
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("coming", "batch", "sentence"),
    [
        ((0, 0), 25, "Results appear when Candor has received 25 responses."),
        (
            (0, 3),
            25,
            "0 responses are published, and 3 are waiting. The next batch is published after 22 "
            "more responses.",
        ),
        (
            (25, 1),
            25,
            "25 responses are published, and 1 is waiting. The next batch is published after 24 "
            "more responses.",
        ),
        (
            (50, 24),
            25,
            "50 responses are published, and 24 are waiting. The next batch is published after 1 "
            "more response.",
        ),
        (
            (50, 0),
            25,
            "All responses are published. The next batch is published after 25 more responses.",
        ),
        ((2000, 0), 1, "Candor publishes each response immediately."),
    ],
)
def test_when_the_next_batch_is_published(coming, batch, sentence):
    published, waiting = coming
    progress = FieldworkProgress(
        published=published,
        waiting=waiting,
        paper_and_coin=0,
        aim=None,
        most=False,
        isolated=False,
    )
    assert publication_sentence(progress, batch) == sentence


def test_paper_and_coin_and_the_cap_in_words():
    work = parse_survey(definition()).fieldwork
    said = sentences(
        FieldworkProgress(published=1_000, waiting=0, paper_and_coin=24, aim=2_000, most=True), work
    )
    assert said["progress"] == "1,024 of 2,000 responses (maximum)."
    assert (said["responses"], said["paper_and_coin"]) == ("1,000", "24")
    assert "progress" not in sentences(
        FieldworkProgress(published=1, waiting=0, paper_and_coin=0, aim=None, most=False), work
    )


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


def test_non_private_questions_and_few_responses_have_no_precision():
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
        f"smoke?”; with 400 responses, about ± {50 * now.half_width:.1f} points."
    )
    assert said["means"] == ""


@pytest.mark.parametrize(
    ("waiting", "closed_before", "words"),
    [
        (0, False, ""),
        (7, True, ""),
        (7, False, "If you close the survey now, Candor publishes the 7 remaining responses."),
        (4, False, "If you close the survey now, Candor does not publish 4 responses. With"),
        (1, False, "If you close the survey now, Candor does not publish 1 response. With"),
    ],
)
def test_what_closing_does_to_those_that_wait(waiting, closed_before, words):
    found = on_closing(
        FieldworkProgress(published=25, waiting=waiting, paper_and_coin=0, aim=None, most=False),
        Fieldwork(),
        closed_before,
    )
    assert found.startswith(words)
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("coming", "state", "closed_before", "words"),
    [
        ((0, 0, 0), "closed", False, "was closed before it received a response."),
        ((25, 0, 0), "closed", False, ""),
        ((25, 3, 0), "closed", False, "28 responses received. Candor has not published 3 "
         "responses. With fewer than 5 new responses"),
        ((25, 1, 0), "closed", True, "Candor has not published 1 response. After a survey is "
         "reopened, Candor publishes new responses only in full batches of 25."),
        ((3, 0, 0, True), "closed", False, "Withdrawals left only 3 of the published responses."),
        ((0, 1, 0), "open", False, "1 response received. 0 responses are published, and 1 is "
                                   "waiting. "
         "The next batch is published after 24 more responses."),
    ],
)  # fmt: skip
def test_how_many_have_come_and_why_some_are_kept_back(coming, state, closed_before, words):
    published, waiting, spent, *isolated = coming
    progress = FieldworkProgress(
        published=published,
        waiting=waiting,
        paper_and_coin=spent,
        aim=None,
        most=False,
        isolated=bool(isolated),
    )
    found = so_far(progress, Fieldwork(), state, closed_before)
    assert words in found
    assert bool(found) == bool(words)
