"""The chart of a class: the estimate of a share after each batch of responses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.translate import translate, translate_count, translate_number
from survey.estimation.number_text import rounded_share
from survey.estimation.results import AnswerResults
from survey.estimation.share_intervals import Interval

LEFT = 52
RIGHT = 348
TOP = 16
BASE = 200
HEIGHT = BASE + 40
# The axis has room for a small class, and grows with it.
MIN_RESPONSES = 20
STEP = 10
# Estimates beyond 0 and 1 move the ends of the vertical axis by this.
SHARE_STEP = 0.25


@dataclass(frozen=True)
class Look:
    """The estimate of the share of one answer after n reports.

    Attributes
    ----------
    estimate : with the interval for one look
    level : of both intervals in percent, without the sign
    sequence : the interval that holds at every look; None if the reports allow no share
    """

    estimate: AnswerResults
    level: str
    sequence: Interval | None

    @property
    def n(self) -> int:
        return self.estimate.n

    def text(self, share: float) -> str:
        """A share with the precision that the standard error of the estimate supports."""
        return rounded_share(share, self.estimate.spread)


@dataclass(frozen=True)
class ShownHands:
    """What a teacher counted openly: how many people raised a hand, of how many.

    `raised` is at least 0 and at most `asked`, which is at least 1.
    """

    raised: int
    asked: int

    @property
    def share(self) -> float:
        return self.raised / self.asked


def looks_chart(looks: Sequence[Look], hands: ShownHands | None) -> svg.Chart:
    """The estimates with the intervals for one look, those for every look, and the raised hands.

    `looks` are in ascending order of n, and may be empty.
    """
    most = max([MIN_RESPONSES, *(look.n for look in looks)])
    values = [look.estimate.value for look in looks]
    x = Scale(low=0, high=STEP * math.ceil(most / STEP), start=LEFT, end=RIGHT)
    low = SHARE_STEP * math.floor(min([0.0, *values]) / SHARE_STEP)
    high = SHARE_STEP * math.ceil(max([1.0, *values]) / SHARE_STEP)
    y = Scale(low=low, high=high, start=BASE, end=TOP)
    ticks = [(each, translate_number(f"{100 * each:.0f} %")) for each in y.ticks(6)]
    shapes = svg.level_ticks(y, ticks, LEFT, RIGHT)
    for n in x.ticks(5):
        shapes.append(svg.text(x.at(n), BASE + 16, translate_count(int(n)), "soft", "middle"))
    shapes.append(svg.text(RIGHT, BASE + 34, translate("responses"), "soft", "end"))
    shapes += sequence_shapes(looks, x, y)
    for look in looks:
        at, ends = x.at(look.n), (y.within(look.estimate.low), y.within(look.estimate.high))
        shapes += svg.interval_upright(at, ends, 4)
    if hands is not None:
        at = y.at(hands.share)
        shapes.append(svg.line("hands", LEFT, RIGHT, at, at))
    shapes += [svg.circle("estimate", x.at(each.n), y.at(each.estimate.value)) for each in looks]
    return svg.Chart(shapes=tuple(shapes), height=HEIGHT, legend=legend(looks, hands))


def sequence_shapes(looks: Sequence[Look], x: Scale, y: Scale) -> list[svg.Shape]:
    """Both ends of the intervals at every look, as steps that are as wide as a batch."""
    shapes = []
    for place, look in enumerate(looks):
        if look.sequence is None:
            continue
        start = looks[place - 1].n if place else 0
        for end in (look.sequence.low, look.sequence.high):
            at = y.within(end)
            shapes.append(svg.line("curve", x.at(start), x.at(look.n), at, at, "5 3"))
    return shapes


def legend(looks: Sequence[Look], hands: ShownHands | None) -> tuple[tuple[svg.Shape, str], ...]:
    entries = []
    if looks:
        level = translate_number(looks[-1].level)
        entries += [
            (svg.circle("estimate", 20, 6), translate("estimate")),
            (svg.line("interval", 20, 20, 0, 12), translate("%(level)s %% interval", level=level)),
            (
                svg.line("curve", 0, 40, 6, 6, "5 3"),
                translate("%(level)s %% interval at every look", level=level),
            ),
        ]
    if hands is not None:
        entries.append((svg.line("hands", 0, 40, 6, 6), translate("raised hands")))
    return tuple(entries)
