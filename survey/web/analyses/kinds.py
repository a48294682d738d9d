"""The analyses, in the order of their pages. Each is described in a module of its own."""

from survey.web.analyses.change import CHANGE
from survey.web.analyses.correlation import CORRELATION
from survey.web.analyses.crosstab import CROSSTAB
from survey.web.analyses.crosswise import CROSSWISE
from survey.web.analyses.groups import GROUPS
from survey.web.analyses.list_experiment import LIST_EXPERIMENT
from survey.web.analyses.regression import REGRESSION
from survey.web.analyses.tree import TREE
from survey.web.analyses.validity import VALIDITY

ANALYSES = {
    kind.name: kind
    for kind in (
        CROSSTAB,
        GROUPS,
        CHANGE,
        CORRELATION,
        REGRESSION,
        TREE,
        CROSSWISE,
        LIST_EXPERIMENT,
        VALIDITY,
    )
}
