"""The blueprint of researchers' pages: each route has a role, or states that it needs none."""

import pytest

from survey.admin.blueprint import ResearchersBlueprint
from survey.store import OWNER

pytestmark = pytest.mark.fast


def view() -> str:
    return "shown"


def test_a_route_is_behind_the_role_that_it_names() -> None:
    blueprint = ResearchersBlueprint("some", __name__)
    guarded = blueprint.get("/team", role=OWNER, before_second_factor=True)(view)
    assert vars(guarded)["role"] == OWNER
    assert guarded is not view
    assert blueprint.route("/sign-in", methods=["GET", "POST"], role=None)(view) is view


@pytest.mark.parametrize("method", ["get", "post", "route"])
def test_a_route_that_names_no_role_is_not_registered(method: str) -> None:
    blueprint = ResearchersBlueprint("some", __name__)
    with pytest.raises(KeyError, match="role"):
        getattr(blueprint, method)("/team")
    assert not blueprint.deferred_functions
