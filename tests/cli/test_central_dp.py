"""The commands of releases."""

import pytest

from survey.web import central_dp_service
from tests.support.releases import PAGE, fill, text_of, wanted

pytestmark = pytest.mark.both_stores


@pytest.fixture
def survey(store):
    return fill(store)


def test_on_the_command_line(app, store):
    survey = fill(store, budget=None)

    def run(*args, **more):
        return app.test_cli_runner().invoke(args=args, **more)

    assert (
        run("central-dp", "budget", "health", "--epsilon", "1").output
        == "health: epsilon 1, delta 0\n"
    )
    asked_for = [
        "central-dp",
        "draw",
        "health",
        "age",
        "mean",
        "--epsilon",
        "0.4",
        "--among",
        "region=n",
    ]
    refused = run(*asked_for, input="n\n")
    assert refused.exit_code == 1
    assert "The mean is within" in refused.output
    assert store.releases.ledger("health") == []
    done = run(*asked_for, "--yes")
    assert done.exit_code == 0, done.output
    [made] = store.releases.ledger("health")
    assert made.request == wanted(survey, "0.4", group="region", member="n")
    assert "Left: epsilon 0.6" in done.output
    assert run(*asked_for).output.splitlines()[-2:] == done.output.splitlines()[-2:]
    over = run("central-dp", "draw", "health", "age", "sum", "--epsilon", "0.7", "--yes")
    assert (over.exit_code, "0.6 of the budget is left" in over.output) == (1, True)
    assert run("central-dp", "list", "health").output.splitlines()[1].startswith("health,1,")
    said = [act.action for act in store.audit.acts()]
    assert "released Mean of age, only N to region, ε = 0.4" in said
    assert "set the DP budget to ε = 1, δ = 0" in said


def test_a_tree_by_age_and_gain_is_drawn_by_a_command_and_shown_on_the_page(app, store, researcher):
    survey = fill(store, budget=None)
    run = app.test_cli_runner().invoke
    run(args=["central-dp", "budget", "health", "--epsilon", "9"])
    asked_for = "central-dp draw health region tree --by age --depth 1 --epsilon 2 --score gain"
    done = run(args=[*asked_for.split(), "--yes"])
    assert done.exit_code == 0, done.output
    assert "split by information gain" in done.output
    assert "By its noisy counts, the tree predicts " in done.output
    [made] = store.releases.ledger("health")
    assert (made.request.by, made.request.score) == ("age", "gain")
    assert "By its noisy counts, the tree predicts " in text_of(researcher.client.get(PAGE))
    form = researcher.client.get(f"{PAGE}/new?question=region&statistic=tree")
    assert 'value="age"' in form.text
    assert '<option value="gain">information gain</option>' in form.text
    again = f"{PAGE}/new?question=region&statistic=tree&by=age&depth=1&epsilon=2&score=gain"
    assert "You already made this release" in text_of(researcher.client.get(again))
    refused = f"{PAGE}/new?question=region&statistic=tree&by=age&depth=1&epsilon=2&score=luck"
    assert "Choose one of the scores correct, gain." in text_of(researcher.client.get(refused))
    figures = central_dp_service.release_figures(survey, made)
    assert any(" at most " in figure.label for figure in figures)
