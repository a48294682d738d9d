"""The rules for results that are impossible, contradicted by the design, too imprecise or too few.

They are applied here and nowhere else. Everything that shows results repeats the remarks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from survey.core.translate import join_sentences, translate, translate_plural
from survey.estimation.design_fit import DesignFit, misfit_text, nothing_fits_text
from survey.estimation.findings.remarks import (
    DEVIATION_OUTSIDE,
    JOINT_MISFIT,
    MEAN_OUTSIDE,
    MISFIT,
    NO_RESPONSES,
    ONLY_IF_FIT,
    QUANTILE_TOO_IMPRECISE,
    SHARE_OUTSIDE,
    TOO_FEW,
    TOO_FEW_ON_BOXES,
    TOO_IMPRECISE,
    Remark,
)
from survey.estimation.headlines import TOO_FEW_TO_SAY, headline_of
from survey.estimation.results import (
    MIN_SHOWN_RESPONSES,
    AnswerResults,
    QuestionResults,
)
from survey.estimation.types import ESTIMATION


def complete(result: QuestionResults) -> QuestionResults:
    """The results with all remarks. Call it again after a change of the estimates."""
    fit = result.design_fit
    items = result.items
    if fit is not None and not fit.fits:
        items = tuple(item_of_misfit(item, fit) for item in items)
    return replace(result, items=items, remarks=tuple(remarks_on(result)))


def item_of_misfit(item: QuestionResults, fit: DesignFit) -> QuestionResults:
    """A question behind a joint question whose reports do not fit, as its reports are parts."""
    if item.unusable or not item.n:
        return item
    remark = Remark(
        JOINT_MISFIT,
        translate(
            "The reports on all combinations of answers do not fit the stated design (%(p)s). The "
            "reports on this question are parts of them. Find the cause before you use these "
            "estimates.",
            p=fit.p_text,
        ),
    )
    return replace(item, remarks=(remark, *without_estimates(item.remarks)))


def without_estimates(remarks: Sequence[Remark]) -> list[Remark]:
    """The remarks that are true even if the reports do not fit the design."""
    return [each for each in remarks if each.code not in ONLY_IF_FIT]


def remarks_on(result: QuestionResults) -> Iterator[Remark]:
    """All remarks on the results of a question, the most severe ones first."""
    if not result.n:
        yield Remark(NO_RESPONSES, translate("There are no responses yet."))
        return
    if any(note.replaces_headline for note in result.notes):
        yield from result.notes
        return
    too_few = few_remark(result)
    fit = result.design_fit
    if too_few is not None:
        yield too_few
    if fit is not None and not fit.fits:
        yield Remark(MISFIT, misfit_text(misfit_finding(result, too_few is not None), fit))
    if too_few is not None:
        return
    cautions = [*cautions_on(result.as_shown), *few_on_boxes(result), *result.notes]
    yield from cautions if fit is None or fit.fits else without_estimates(cautions)


def few_remark(result: QuestionResults) -> Remark | None:
    """The remark if no estimate is shown because there are too few responses."""
    if not ESTIMATION[result.question].needs_responses():
        return None
    if result.n < MIN_SHOWN_RESPONSES:
        few = translate_plural(
            "%(n)s response is too few to show an estimate.",
            "%(n)s responses are too few to show an estimate.",
            result.n,
        )
    elif result.answers and not result.as_shown.answers:
        few = translate(
            "Fewer than %(least)s responses on each box: too few to show an estimate.",
            least=MIN_SHOWN_RESPONSES,
        )
    else:
        return None
    return Remark(TOO_FEW, join_sentences(few, least_shown()))


def least_shown() -> str:
    """From how many responses on a page or terminal shows estimates, and where the others are."""
    return translate(
        "Here, Candor shows an estimate only if it is based on at least %(least)s responses. The "
        "files for researchers also contain estimates from fewer responses.",
        least=MIN_SHOWN_RESPONSES,
    )


def few_on_boxes(result: QuestionResults) -> Iterator[Remark]:
    """The remark on boxes with too few responses, while others have enough."""
    few = [answer for answer in result.answers if answer.n < MIN_SHOWN_RESPONSES]
    if few:
        boxes = [f"“{answer.choice.label}” ({answer.n})" for answer in few]
        sentence = translate(
            "Responses on %(boxes)s: too few to show an estimate.",
            boxes=translate(", ").join(boxes),
        )
        yield Remark(TOO_FEW_ON_BOXES, join_sentences(sentence, least_shown()))


def misfit_finding(result: QuestionResults, too_few: bool) -> str:
    """What is impossible about reports that do not fit. It states no estimate from too few."""
    outside, estimates = shares_outside(result)
    if outside and not too_few:
        return finding_outside(outside, estimates)
    return mean_outside_text() if mean_is_outside(result) and not too_few else nothing_fits_text()


def cautions_on(shown: QuestionResults) -> Iterator[Remark]:
    """The remarks on estimates that are imprecise or impossible, for reports that fit."""
    headline = headline_of(shown)
    if headline.kind == TOO_FEW_TO_SAY:
        yield Remark(TOO_IMPRECISE, headline.sentence)
    untold = [each.label for each in shown.listed_quantities if each.cannot_tell]
    if untold:
        sentence = cannot_tell_text(untold, shown.question.non_private)
        yield Remark(QUANTILE_TOO_IMPRECISE, sentence)
    outside, estimates = shares_outside(shown)
    if outside:
        sentence = translate(
            "%(finding)s Random error can explain this. Candor does not clip estimates, so that "
            "they stay unbiased. Use the interval, which contains only possible shares.",
            finding=finding_outside(outside, estimates),
        )
        yield Remark(SHARE_OUTSIDE, sentence)
    if mean_is_outside(shown):
        sentence = translate(
            "%(finding)s Random error can explain this. Candor does not clip estimates, so that "
            "they stay unbiased. Use the interval, which contains only possible means.",
            finding=mean_outside_text(),
        )
        yield Remark(MEAN_OUTSIDE, sentence)
    if any(q.name == "deviation" and q.outside and q.value > q.high for q in shown.quantities):
        sentence = translate(
            "The estimated standard deviation is above its interval. Random error can explain "
            "this. Candor does not clip estimates, so that they stay unbiased. Use the interval, "
            "which contains only possible values."
        )
        yield Remark(DEVIATION_OUTSIDE, sentence)


def shares_outside(result: QuestionResults) -> tuple[tuple[AnswerResults, ...], int]:
    """The estimates that are not a possible share, and the number of all estimates of this kind.

    These are the answers, else the answers among those asked, else the items of which the answers
    consist. With two answers, only the first can be one, because the other is its mirror image.
    """
    for shares in (result.answers, result.asked, result.item_shares):
        outside = tuple(answer for answer in shares if answer.outside)
        if outside:
            mirrored = ESTIMATION[result.question].shares_mirror(shares)
            return (outside[:1] if mirrored else outside), len(shares)
    return (), 0


def mean_is_outside(result: QuestionResults) -> bool:
    return any(each.is_mean and each.outside for each in result.quantities)


def cannot_tell_text(labels: Sequence[str], non_private: bool) -> str:
    """The sentence on quantiles whose intervals are too wide to show."""
    advice = (
        translate("More responses may make the estimate precise enough.")
        if non_private
        else translate("More responses or a larger ε make estimates more precise.")
    )
    finding = translate(
        "Too imprecise to show: %(quantities)s. Candor does not show an estimate whose interval "
        "spans more than half of the range. The files for researchers contain it.",
        quantities=translate(", ").join(labels),
    )
    return join_sentences(finding, advice)


def mean_outside_text() -> str:
    return translate("The estimated mean is outside the range of the answers.")


def finding_outside(outside: Sequence[AnswerResults], estimates: int) -> str:
    """The sentence on estimates of shares that are below 0 % or above 100 %."""
    if len(outside) == estimates > 1:
        return translate(
            "All of these %(all)s estimates are below 0 %% or above 100 %%.",
            all=estimates,
        )
    if len(outside) > 1:
        return translate(
            "%(outside)s of these %(all)s estimates are below 0 %% or above 100 %%.",
            outside=len(outside),
            all=estimates,
        )
    label = outside[0].choice.label
    if outside[0].value < 0:
        return translate("The estimate for “%(answer)s” is below 0 %%.", answer=label)
    return translate("The estimate for “%(answer)s” is above 100 %%.", answer=label)
