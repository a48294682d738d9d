"""The surveys that researchers' pages show in a browser."""

from contextlib import closing
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from survey.central_dp.budget import parse_release_budget
from survey.central_dp.dp_request import read_request
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST, OWNER, Account, open_store
from survey.store.sql.codes import NO_CODE, coded_text_key
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web.demo import add_demo
from tests.support.admin_pages import LONG_THAI, sign_in, simulated
from tests.support.cheaper import migrated
from tests.support.classes import class_definition
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked
from tests.support.researchers import password_hash


@cache
def with_demo() -> bytes:
    """A database with the demo surveys, whose simulated responses take half a second."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "candor.db"
        path.touch(mode=0o600)  # as Candor makes it
        path.write_bytes(migrated())
        with closing(open_store(str(path))) as store:
            add_demo(store)
        return path.read_bytes()


@pytest.fixture
def demo() -> None:
    """A test that uses this fixture begins with the demo surveys."""


@pytest.fixture
def fresh_database(request, fresh_database):
    if "demo" in request.fixturenames:
        Path(fresh_database).write_bytes(with_demo())
    return fresh_database


def add_surveys(store):
    """Drafts, open and closed surveys: empty, with a negative estimate, simulated, in Thai."""
    choices = [{"name": f"c{n}", "label": f"{LONG_THAI[: 10 * n]} {n}"} for n in range(1, 9)]
    thai = definition(
        yes_no(label=LONG_THAI),
        {
            "name": "party",
            "type": "select_one",
            "label": LONG_THAI,
            "choices": choices,
            "privacy": {"epsilon": 1},
        },
        yes_no("plain", privacy="none"),
        yes_no("wide", privacy={"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}),
        language="th",
        title=LONG_THAI,
    )
    opened(store, thai)
    for number in range(6):
        reports = (1, "00010010", number % 2, 2)
        store.responses.add_response("health", Response(bytes([number]) * 16, reports))
    store.surveys.save_draft(parse_survey({**thai, "slug": "draft"}))
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    store.accounts.add_account(Account(name="bob", role=ANALYST, password_hash=password_hash()))
    store.accounts.set_setup_token(token_hash("token").hex())


@pytest.fixture
def site(demo, live):
    """The demo surveys, and those of `add_surveys`."""
    add_surveys(live.store)
    return live.url


@pytest.fixture
def builder(page, live):
    """The builder page after sign-in. Warnings before leaving are accepted."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, live.url)
    return page


def texted(store):
    """A survey with 30 texts, some of which two people coded."""
    texts = [asked("remarks", "text", "none"), asked("why", "text", "none")]
    opened(store, definition(yes_no(), *texts, slug="texted", texts_apart=True))
    for k in range(30):
        text = (f"{LONG_THAI} {k}", "https://example.org/" + "a" * 90 if k % 3 else "")
        there = Response(bytes([k]) * 16, text)
        store.responses.add_response("texted", Response(bytes([k]) * 16, (0,), texts=there))
    for name in ("cost", LONG_THAI[:60]):
        store.codes.add_code("texted", name)
    [cost, long] = [code.number for code in store.codes.code_list("texted")]
    for name, codes in (("ada", (cost, long)), ("bob", (cost, NO_CODE))):
        given = {coded_text_key(bytes([k]) * 16, "remarks"): [codes[k % 5 == 0]] for k in range(20)}
        store.codes.set_codings("texted", name, given)
    store.lifecycle.set_state("texted", "closed")  # Texts can be read only after the closing.


def add_every_type(store):
    """Surveys of every type.

    There are a draft, a draft of a class, and surveys with many, few and two responses. The means
    of numbers are at both ends of a long range.
    """
    survey = simulated(store, "every-type", EVERY_TYPE, 400)
    store.releases.set_budget("every-type", parse_release_budget("2", "0.000001"))
    for statistic, drawn in (("mean", ((-7_000,), (391,))), ("clipped_sums", ((700,) * 10,))):
        typed = {"question": "years", "statistic": statistic, "epsilon": "0.5"}
        wanted = read_request(survey, typed)
        store.releases.add_release("every-type", wanted, 400, drawn, date(2026, 11, 21))
    area = LONG_THAI.replace(" ", "")
    store.designs.keep_design(
        "every-type", f"region,sleep,weight,stratum\nn,1,1.5,{area}\n*,*,1,{area}\n"
    )
    simulated(store, "three-picked", SAMPLED, 24)
    simulated(store, "too-few", EVERY_TYPE, 2)
    store.surveys.save_draft(parse_survey({**EVERY_TYPE, "slug": "every-draft"}))
    long_class = class_definition(
        yes_no(), yes_no("long", label=LONG_THAI), slug="class-draft", title=LONG_THAI
    )
    store.surveys.save_draft(parse_survey(long_class))
    number = asked(
        "long", "number", {"epsilon": 6}, min=0, max=2_000_000, step=1_000, unit="บาทต่อเดือน" * 3
    )
    far = definition(number, number | {"name": "low"}, slug="far", language="th")
    texted(store)
    for name in ("Sleep", LONG_THAI[:80]):
        store.saved_analyses.save(
            SavedAnalysis(survey="every-type", name=name, analysis="groups", query="group=region")
        )
    simulated(store, "far", far, 300, {"long": {"2000000": 1}, "low": {"0": 1}})


@pytest.fixture
def every_type(site, live):
    """In addition, surveys of every type."""
    add_every_type(live.store)
    return site


@pytest.fixture(scope="module")
def shared_site(shared_live):
    """All these surveys for a module that changes none of them."""
    add_demo(shared_live.store)
    add_surveys(shared_live.store)
    add_every_type(shared_live.store)
    return shared_live
