"""A closed survey with a budget, and requests for releases, for several test modules."""

import re
from datetime import date
from fractions import Fraction

from survey.central_dp.budget import CentralDPBudget
from survey.central_dp.dp_request import read_request
from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters

DAY = date(2026, 11, 21)
QUESTIONS = (
    yes_no(),
    asked("age", "number", "none", min=0, max=100),
    asked("region", "select_one", "none", choices=letters("nesw")),
)
BUDGET = CentralDPBudget(Fraction(1), Fraction("0.00001"))
PAGE = "/admin/surveys/health/releases"


def fill(store, budget=BUDGET, n=40):
    survey = opened(store, definition(*QUESTIONS), "closed").survey
    rows = [Response(bytes([k]) * 16, (k % 2, 20 + k, k % 4)) for k in range(n)]
    store.responses.add_batches("health", [rows], "loaded")
    if budget is not None:
        store.releases.set_budget("health", budget)
    return survey


def wanted(survey, epsilon="0.5", **more):
    typed = {"question": "age", "statistic": "mean", "epsilon": epsilon}
    return read_request(survey, typed | more)


def text_of(reply):
    page = re.sub(r"<[^>]+>", " ", reply.get_data(as_text=True)).replace("\u00a0", " ")
    return " ".join(page.split())


ASKED = {"question": "age", "statistic": "mean", "low": "0", "high": "100"}
