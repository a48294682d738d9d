"""Pages of analyses, checked for tracebacks and for values such as nan."""

import re
from urllib.parse import urlencode

from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import Store
from tests.support.definitions import opened
from tests.support.every_type import EVERY_TYPE, TRUTH, letters
from tests.support.researchers import Researcher

REFUSED = '<p class="notice" role="status">'
REGION = {
    "name": "region",
    "type": "select_one",
    "label": "Where do you live?",
    "choices": [{"name": "town", "label": "Town"}, {"name": "country", "label": "Country"}],
    "privacy": "none",
}


def shown(researcher: Researcher, page: str = "", slug: str = "health", **query: object) -> str:
    """The page, "" for the cross-tabulation, with these parameters.

    Its options contain no figures.
    """
    address = f"/admin/surveys/{slug}/analysis{page}?{urlencode(query, doseq=True)}"
    reply = researcher.client.get(address)
    assert reply.status_code == 200
    text = reply.get_data(as_text=True)
    assert not re.search(r"\b(nan|inf|None|Traceback)\b", text), address
    return text


def cells(page: str, table: str) -> list[float]:
    """The exact figures of the table with this id."""
    rows = page.partition(f'id="{table}"')[2].partition("</table>")[0]
    return [float(value) for value in re.findall(r'<data value="([^"]+)"', rows)]


def options(page: str, field: str) -> list[str]:
    """The options of a field."""
    listed = page.partition(f'name="{field}"')[2].partition("</select>")[0]
    return re.findall(r'value="([^"]+)"', listed)


def every_type(store: Store, n: int, parties: str = "abcdefgh") -> None:
    """A survey with questions of every type and `n` responses.

    Parameters
    ----------
    parties : the answers to its largest question
    """
    questions = [
        entry | {"choices": letters(parties)} if entry["name"] == "party" else entry
        for entry in EVERY_TYPE["questions"]
    ]
    shares = {name: share for name, share in TRUTH["party"].items() if name in parties[:-1]}
    survey = opened(store, EVERY_TYPE | {"questions": questions}, "closed").survey
    truth = read_truth(TRUTH | {"party": shares}, survey)
    drawn = simulate_responses(survey, truth, n, seed=1)
    store.responses.add_batches("health", drawn, "simulated")


def kinds(names: list[str]) -> list[str]:
    """One name for each question. For boxes it is the first."""
    return list({name.partition("/")[0]: name for name in reversed(names)}.values())[::-1]
