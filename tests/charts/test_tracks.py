"""Tracks, calculated by hand: 1000 units are the whole range."""

import pytest

from survey.charts.tracks import answer_tracks, share_labels, summary_track
from survey.core.languages import ENGLISH
from survey.estimation.build_results import question_results
from survey.estimation.findings.summaries import summaries
from tests.support.charted import mean, question, results, share
from tests.support.definitions import yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

PRIVATE = question(yes_no())
CHOICE = question(asked("a", "select_one", "none", choices=letters("abc")))
CUPS = question(asked("cups", "number", "none", min=0, max=4, unit="cups"))


def paths(shape, kind):
    """The paths of one kind in a track, within its group too."""
    inner = [each for inside in shape.inside for each in (inside, *inside.inside)]
    return [each.attributes["d"] for each in inner if each.kind == kind]


def texts(shape):
    return [(each.attributes["x"], each.text) for each in shape.inside]


def track_of(found):
    return summary_track(summaries([found])[0], ENGLISH)


def test_a_share_lies_on_the_axis_that_all_questions_have_in_common():
    track, own = track_of(results(PRIVATE, share(0.25, 0.125, 0.5), share(0.75, 0.5, 0.875)))
    assert paths(track, "interval") == ["M125 11H500M125 7V15M500 7V15"]
    assert paths(track, "estimate") == ["M250 11h.01"]
    assert paths(track, "axis whole") == ["M0 0V22M250 0V22M500 0V22M750 0V22M1000 0V22"]
    assert own is None
    assert [words for _, words in texts(share_labels())] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert texts(share_labels())[2][0] == "50%"


def test_estimates_that_cannot_be_ranked_lie_below_each_other():
    track, _ = track_of(question_results(CHOICE, {0: 40, 1: 38, 2: 2}))
    assert [d.split("H")[0].split(" ")[1] for d in paths(track, "interval")] == ["11", "21"]
    assert track.attributes["height"] == "32"


def test_a_mean_has_the_range_of_its_question_with_its_ends():
    found = results(CUPS, share(0.5), share(0.5), quantities=(mean(1, 0.5, 2),))
    track, own = track_of(found)
    assert paths(track, "interval") == ["M125 11H500M125 7V15M500 7V15"]
    assert [words for _, words in texts(own)] == ["0", "4"]


def test_an_impossible_estimate_has_an_interval_but_no_dot():
    track, _ = track_of(results(PRIVATE, share(-0.1, 0, 0.04), share(1.1, 0.96, 1)))
    assert paths(track, "estimate") == []
    assert paths(track, "interval") == ["M0 11H40M0 7V15M40 7V15"]


def test_a_question_without_an_estimate_has_no_track():
    assert track_of(results(PRIVATE)) is None
    assert answer_tracks(results(PRIVATE), ENGLISH) is None


def test_the_axis_of_a_question_fits_its_intervals_and_can_show_the_whole_range():
    found = results(CHOICE, share(0.2, 0.12, 0.28), share(0.3, 0.22, 0.38), share(0.25, 0.2, 0.3))
    tracks = answer_tracks(found, ENGLISH)
    [(_, first), *rest] = tracks.rows
    assert len(rest) == 2
    # From 10 to 40 %, the 1000 units are stretched to 1000/0.3.
    [group] = [each for each in first.inside if each.tag == "g"]
    assert group.attributes["transform"] == "matrix(3.33333 0 0 1 -333.333 0)"
    assert [words for _, words in texts(tracks.labels)] == ["10 %", "20 %", "30 %", "40 %"]
    assert texts(tracks.whole_labels) == texts(share_labels())
    assert tracks.ends == ("0 %", "100 %")


def test_intervals_on_most_of_the_range_have_only_the_whole_axis():
    tracks = answer_tracks(results(PRIVATE, share(0.3, 0.05, 0.5), share(0.7, 0.5, 0.95)), ENGLISH)
    assert tracks.whole_labels is None
    assert all(each.tag != "g" for _, track in tracks.rows for each in track.inside)
