"""Remarks on the results of a question or an analysis: a code, a severity and a sentence.

Pages, citations, files, the API and commands repeat the remarks. They decide nothing themselves.
"""

from dataclasses import dataclass

from survey.core.translate import later, translate

# No estimate may be used, and no page for readers shows one.
DO_NOT_USE = "do_not_use"
# There is nothing to estimate.
NO_ESTIMATE = "no_estimate"
# The estimates can be misread without this remark.
CAUTION = "caution"
# It explains how the estimates came about.
NOTE = "note"

TOO_FEW = "too_few_responses"
MISFIT = "design_misfit"
JOINT_MISFIT = "joint_design_misfit"
NO_RESPONSES = "no_responses"
WEIGHTING_QUESTION = "weighting_question"
TOO_IMPRECISE = "too_imprecise"
QUANTILE_TOO_IMPRECISE = "quantile_too_imprecise"
SHARE_OUTSIDE = "share_outside"
MEAN_OUTSIDE = "mean_outside"
DEVIATION_OUTSIDE = "deviation_outside"
DEVIATION_ZERO = "deviation_zero"
TOO_FEW_ON_BOXES = "few_responses_on_boxes"
NO_REPORTS_ON_BOXES = "no_reports_on_boxes"
SMALL_GROUPS = "small_groups"
FIRST_STATEMENT = "first_statement"
MEAN_ONLY = "mean_only"
NO_MEAN = "no_mean"
NO_SHARES = "no_shares"
ROUNDED_VALUES = "rounded_values"
REPORT_SPREAD = "report_spread"
FILLED_IN = "filled_in"
TARGET = "target_population"
QUANTILE_INTERVALS = "quantile_intervals"
STORED_AS_GIVEN = "stored_as_given"
WEIGHTED_MEAN_ONLY = "weighted_mean_only"
# These are about analyses.
CONDITIONS_CONTRADICTED = "conditions_contradicted"
SELECTED_SPLITS = "selected_splits"
SMALL_SAMPLE = "few_responses"
SCARCE_CLUSTERS = "few_clusters"
OUTSIDE_RANGE = "outside_range"
NO_FIGURE = "no_figure"
WEAKLY_IDENTIFIED = "weakly_identified"
SEVERAL_MAXIMA = "several_maxima"
DESIGN_EFFECT = "design_effect"
HIDDEN_ANSWERS = "hidden_answers"
DIRECT_CONTRADICTED = "direct_question_contradicted"
NOT_PRIVATE = "not_private"
REFUSED_CHECK = "refused_check"
NOBODY_ANSWERED = "nobody_answered"
SPECIAL_ANSWERS = "special_answers"
OUTDATED = "outdated"
# Files and the API contain the codes, so a code never changes its meaning.
SEVERITIES = {
    TOO_FEW: DO_NOT_USE,
    MISFIT: DO_NOT_USE,
    JOINT_MISFIT: DO_NOT_USE,
    DESIGN_EFFECT: DO_NOT_USE,
    NO_RESPONSES: NO_ESTIMATE,
    WEIGHTING_QUESTION: NO_ESTIMATE,
    TOO_IMPRECISE: CAUTION,
    QUANTILE_TOO_IMPRECISE: CAUTION,
    SHARE_OUTSIDE: CAUTION,
    MEAN_OUTSIDE: CAUTION,
    DEVIATION_OUTSIDE: CAUTION,
    DEVIATION_ZERO: CAUTION,
    TOO_FEW_ON_BOXES: CAUTION,
    NO_REPORTS_ON_BOXES: CAUTION,
    SMALL_GROUPS: CAUTION,
    CONDITIONS_CONTRADICTED: CAUTION,
    SELECTED_SPLITS: CAUTION,
    SMALL_SAMPLE: CAUTION,
    SCARCE_CLUSTERS: CAUTION,
    OUTSIDE_RANGE: CAUTION,
    WEAKLY_IDENTIFIED: CAUTION,
    SEVERAL_MAXIMA: CAUTION,
    HIDDEN_ANSWERS: CAUTION,
    DIRECT_CONTRADICTED: CAUTION,
    NOT_PRIVATE: CAUTION,
    REFUSED_CHECK: CAUTION,
    FIRST_STATEMENT: NOTE,
    MEAN_ONLY: NOTE,
    NO_MEAN: NOTE,
    NO_SHARES: NOTE,
    ROUNDED_VALUES: NOTE,
    REPORT_SPREAD: NOTE,
    FILLED_IN: NOTE,
    TARGET: NOTE,
    QUANTILE_INTERVALS: NOTE,
    STORED_AS_GIVEN: NOTE,
    WEIGHTED_MEAN_ONLY: NOTE,
    NO_FIGURE: NOTE,
    NOBODY_ANSWERED: NOTE,
    SPECIAL_ANSWERS: NOTE,
    OUTDATED: NOTE,
}
# What a list of questions says instead of an estimate, for each remark that replaces a headline.
SHORT = {
    TOO_FEW: later("Too few responses to show an estimate"),
    MISFIT: later("Do not use: the reports do not fit the design"),
    JOINT_MISFIT: later("Do not use: the reports do not fit the design"),
    NO_RESPONSES: later("No responses yet"),
    WEIGHTING_QUESTION: later("Its shares are the totals that you entered"),
}
# These contain an estimate, or say that random error explains one. They are false if the reports do
# not fit the design.
ONLY_IF_FIT = frozenset(
    {
        TOO_IMPRECISE,
        QUANTILE_TOO_IMPRECISE,
        SHARE_OUTSIDE,
        MEAN_OUTSIDE,
        DEVIATION_OUTSIDE,
        DEVIATION_ZERO,
        FIRST_STATEMENT,
    }
)


@dataclass(frozen=True)
class Remark:
    """A remark on the results of a question or an analysis.

    Attributes
    ----------
    code : a key of SEVERITIES, the same in every language
    sentence : one or more sentences in the language of the page
    """

    code: str
    sentence: str

    @property
    def severity(self) -> str:
        return SEVERITIES[self.code]

    @property
    def replaces_headline(self) -> bool:
        return self.severity in (DO_NOT_USE, NO_ESTIMATE)

    @property
    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "severity": self.severity, "sentence": self.sentence}


def about_entered_answers() -> str:
    """What estimates are about, once on each page and terminal."""
    return translate(
        "The estimates describe the answers that respondents entered. They are true only if "
        "respondents answered truthfully."
    )
