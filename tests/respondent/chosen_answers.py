"""A survey with all types for tossed coins, for several test modules."""

from survey.definition.frozen import freeze
from survey.definition.sub_surveys import paper_and_coin_sub_survey
from survey.definition.survey import parse_survey
from tests.support.coin_surveys import EVERY

FROZEN = freeze(paper_and_coin_sub_survey(parse_survey(EVERY)))
ID, TEXTS_ID = "0123456789abcdef" * 2, "fedcba9876543210" * 2
CHOSEN = {
    "smokes": "0", "party": "4", "mood": "1", "region": "1", "news": ["0", "2"], "years": "61",
    "weight": "62,5", "remarks": " Nothing.\r\nReally ",
}  # fmt: skip
