"""The rule for real coins: the questions that support it, and the choices of the coins."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.coin_rule import MAX_TOSSED_ANSWERS, tosses
from survey.definition.survey import parse_survey
from tests.support.cascades import chain
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def fault(content: dict) -> DefinitionError:
    with pytest.raises(DefinitionError) as raised:
        parse_survey(content)
    return raised.value


def test_real_coins_do_for_coin_flips_only():
    party = {
        "name": "party", "type": "select_one", "label": "Which?",
        "choices": [{"name": n, "label": n} for n in "abc"], "privacy": {"mechanism": "coin_flip"},
    }  # fmt: skip
    plain = yes_no("region", "none")
    assert parse_survey(definition(yes_no(), party, plain, by_hand=True)).fieldwork.by_hand
    for questions, rest in (
        ([yes_no(privacy={"epsilon": 1})], {}),
        ([yes_no() | {"prefer_not_to_say": True}], {}),
        ([yes_no(), plain, yes_no("more", "none") | {"relevant": {"region": "yes"}}], {}),
        ([yes_no(), yes_no("b")], {"budget": {"per_respondent": {"sample": 1}}}),
        ([yes_no()], {"series": "waves"}),
        ([yes_no()], {"invitations": True}),
        ([plain], {}),
        (
            [yes_no(), {"name": "n", "type": "note", "label": "!", "relevant": {"smokes": "yes"}}],
            {},
        ),
    ):
        assert fault(definition(*questions, by_hand=True, **rest)).place == "by_hand"


@check_each("answers", range(2, MAX_TOSSED_ANSWERS + 1))
def test_the_coins_choose_each_answer_in_one_way_and_as_few_as_can(answers):
    ways = tosses(answers)
    assert [place for _, place in ways if place is not None] == list(range(answers))
    assert len(set(ways)) == len(ways) == 2 ** len(ways[0][0])
    assert len(ways) < 2 * answers


def test_paper_offers_all_choices():
    found = fault(definition(yes_no(), *chain(), by_hand=True))
    assert "needs choices without conditions, but those of 'district' have some" in str(found)
