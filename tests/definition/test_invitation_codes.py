"""Invitations: the code, its use in a response, how it is spent, and the researcher's files."""

import csv
import hashlib
import io
import json
import random
import re
import sqlite3
import stat
import string
import zipfile
from contextlib import closing, nullcontext
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import (
    MalformedResponse,
    SpentInvitation,
    StateError,
    SurveyClosed,
    UnknownInvitation,
)
from survey.definition.responses.invitation_codes import (
    canonical_code,
    code_from,
    code_in_groups,
    link,
    token_hash,
)
from survey.definition.responses.parse_response import (
    MAX_INVITATION_BODY_BYTES,
    Response,
    parse_invitation,
    parse_response,
)
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.stores import disk_error

pytestmark = pytest.mark.both_stores

INVITED = definition(invitations=True)
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TITLE = 'Sức khỏe & "việc" <b>'


def codes(n: int, seed: int = 1) -> list[str]:
    r = random.Random(seed)
    return [code_from(r.randbytes(16)) for _ in range(n)]


ONE, TWO = codes(2)


# --- the format of a code


@given(st.binary(min_size=16, max_size=16))
def test_a_code_is_26_characters_that_hold_all_128_bits(drawn):
    code = code_from(drawn)
    assert re.fullmatch(f"[0-7][{CROCKFORD}]{{25}}", code)
    # Independent of the code under test: Python parses base 32 with other digits.
    digits = (string.digits + string.ascii_uppercase)[:32]
    assert int(code.translate(str.maketrans(CROCKFORD, digits)), 32) == int.from_bytes(drawn)
    assert canonical_code(code) == code
    assert canonical_code(code_in_groups(code)) == code
    assert canonical_code(code_in_groups(code).lower().replace(" ", "-")) == code
    assert token_hash(code) == hashlib.sha256(code.encode()).digest()


@pytest.mark.parametrize(
    "typed",
    [
        "01ABCDEFGH1234567890JKMNPQ",
        "01abcdefgh1234567890jkmnpq",
        "OlABCDEFGHI23456789oJKMNPQ",
        "oi-ABCD EFGH-L234\u20115678–9O\u00a0JKMN—PQ\n",
        " 01AB CDEF GH12 3456 7890 JKMN PQ ",
    ],
)
def test_a_code_is_read_as_people_type_it(typed):
    assert canonical_code(typed) == "01ABCDEFGH1234567890JKMNPQ"


@check_each(
    "typed",
    ["", ONE[:-1], ONE + "0", ONE[:-1] + "U", ONE[:-1] + "!", "๐" * 26, ONE + ONE, "ß" * 13],
)
def test_what_is_no_code_is_refused(typed):
    with pytest.raises(MalformedResponse, match="26 letters and digits"):
        canonical_code(typed)


@pytest.mark.parametrize("n", [0, 15, 17, 32])
def test_a_code_is_made_of_16_bytes_and_no_other_number(n):
    with pytest.raises(ValueError, match="16 bytes"):
        code_from(bytes(n))


def test_a_link_has_the_code_in_its_fragment_and_nowhere_else():
    parts = urlsplit(link("https://survey.example.org", "health", ONE))
    assert parts.fragment == ONE
    assert parts._replace(fragment="").geturl() == "https://survey.example.org/s/health"


# --- the invitation in a response


def body(frozen, **change) -> dict:
    return {
        "id": "ab" * 16,
        "fingerprint": frozen.fingerprint,
        "reports": {"smokes": "1"},
        "invitation": ONE,
        **change,
    }


def parsed(frozen, content: dict) -> Response:
    return parse_response(json.dumps(content).encode(), frozen)


def test_a_response_brings_an_invitation_where_one_is_asked_for_and_nowhere_else(store):
    invited, free = opened(store, INVITED), opened(store, definition(slug="free"))
    assert parsed(invited, body(invited)).invitation == token_hash(ONE)
    without = {key: value for key, value in body(free).items() if key != "invitation"}
    assert parsed(free, without).invitation is None
    with pytest.raises(MalformedResponse, match="members id, fingerprint and reports"):
        parsed(free, body(free))
    without["fingerprint"] = invited.fingerprint
    with pytest.raises(MalformedResponse, match="id, fingerprint, invitation and reports"):
        parsed(invited, without)


@pytest.mark.parametrize(
    "sent",
    [ONE.lower(), code_in_groups(ONE), ONE[:-1], ONE + "\n", "", None, 5, [ONE], {"code": ONE}],
)
def test_a_code_is_sent_in_its_canonical_form_only(store, sent):
    frozen = opened(store, INVITED)
    with pytest.raises(MalformedResponse):
        parsed(frozen, body(frozen, invitation=sent))


# --- how invitations are spent


def response(number: int, code: str | None, report: int = 0) -> Response:
    return Response(number.to_bytes(16), (report,), code and token_hash(code))


@pytest.fixture
def invited(store):
    opened(store, INVITED)
    store.invitations.add_invitations("health", map(token_hash, (ONE, TWO)))
    return store


def test_an_invitation_is_good_for_one_response(invited):
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True
    assert invited.invitations.issued_and_spent("health") == (2, 1)
    with pytest.raises(SpentInvitation, match="used before; nothing was recorded"):
        invited.responses.add_response("health", response(2, ONE))
    assert invited.responses.add_response("health", response(3, TWO)) is True
    assert invited.invitations.issued_and_spent("health") == (2, 2)
    assert invited.counts.by_question("health") == {"smokes": {0: 2}}


@pytest.mark.parametrize("code", [codes(1, seed=2)[0], None])
def test_an_unknown_invitation_records_nothing(invited, code):
    with pytest.raises(UnknownInvitation, match="no such invitation"):
        invited.responses.add_response("health", response(1, code))
    assert invited.counts.by_question("health") == {}


def test_an_invitation_to_one_survey_is_unknown_to_another(invited):
    opened(invited, definition(invitations=True, slug="other"))
    with pytest.raises(UnknownInvitation):
        invited.responses.add_response("other", response(1, ONE))
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.invitations.issued_and_spent("other") == (0, 0)


def test_a_retry_is_acknowledged_whatever_became_of_its_invitation(invited):
    """A retry is acknowledged after its invitation is spent on this very response.

    This holds even if the survey is closed by then.
    """
    invited.responses.add_response("health", response(1, ONE))
    assert invited.responses.add_response("health", response(1, ONE)) is False
    assert (
        invited.responses.add_response("health", response(1, TWO)) is False
    )  # the response would not spend it
    invited.lifecycle.set_state("health", "closed")
    assert invited.responses.add_response("health", response(1, ONE)) is False
    assert invited.invitations.issued_and_spent("health") == (2, 1)
    with pytest.raises(SurveyClosed):
        invited.responses.add_response("health", response(2, TWO))
    with pytest.raises(SurveyClosed):
        invited.responses.add_response("health", response(2, ONE))  # the closing is reported first
    assert invited.invitations.issued_and_spent("health") == (2, 1)


@pytest.mark.sqlite_only
def test_a_fault_after_spending_gives_the_invitation_back(invited, monkeypatch):
    """One transaction spends the invitation and stores the response, so neither happens alone."""

    def broken(*arguments: object) -> None:
        raise disk_error(invited.database.path)

    with monkeypatch.context() as patch:
        patch.setattr(invited.counts, "add_to_counts", broken)
        with pytest.raises(Exception, match="disk I/O error"):
            invited.responses.add_response("health", response(1, ONE))
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True


@pytest.mark.sqlite_only
def test_the_code_itself_is_stored_nowhere(invited, settings):
    invited.responses.add_response("health", response(1, ONE))
    with closing(sqlite3.connect(settings.database)) as connection:
        dump = "\n".join(connection.iterdump())
    assert token_hash(ONE).hex().upper() in dump.upper()
    assert ONE not in dump.upper()
    assert ONE.encode().hex().upper() not in dump.upper()


@pytest.mark.parametrize("state", ["draft", "loaded", "unknown"])
def test_only_frozen_surveys_of_real_people_have_invitations(store, state):
    if state == "draft":
        store.surveys.save_draft(parse_survey(INVITED))
    elif state == "loaded":
        opened(store, INVITED, "closed")
        store.responses.add_batches("health", [[Response(bytes(16), (0,))]], "loaded")
    with pytest.raises(StateError, match="Issue invitations to a survey of real people"):
        store.invitations.add_invitations("health", [token_hash(ONE)])
    assert store.invitations.issued_and_spent("health") == (0, 0)


# --- over HTTP

PATH = "/s/health/responses"


def test_the_replies_tell_the_two_refusals_apart_from_all_others(client, invited):
    frozen = invited.surveys.by_slug("health").frozen
    replies = [
        client.post(PATH, json=body(frozen)),
        client.post(PATH, json=body(frozen)),
        client.post(PATH, json=body(frozen, id="cd" * 16)),
        client.post(PATH, json=body(frozen, id="cd" * 16, invitation="0" * 26)),
        client.post(PATH, json=body(frozen, id="cd" * 16, invitation="o")),
        client.post(PATH, json=body(frozen), headers={"Sec-Fetch-Site": "cross-site"}),
    ]
    assert [(each.status_code, each.get_json().get("reason")) for each in replies] == [
        (201, None),
        (200, None),
        (403, "spent_invitation"),
        (403, "unknown_invitation"),
        (400, None),
        (403, None),
    ]
    for each in replies:
        assert ONE not in each.get_data(as_text=True)


# --- requests about a code before the questions

DOOR = "/s/health/invited"
UNKNOWN = codes(1, seed=2)[0]
FORMS = [
    ({"invitation": ONE}, 200, None),
    ({"invitation": UNKNOWN}, 403, "unknown_invitation"),
    ({"invitation": ONE.lower()}, 400, None),
    ({"invitation": ONE[:-1]}, 400, None),
    ({"invitation": [ONE]}, 400, None),
    ({"invitation": None}, 400, None),
    ({"invitation": ONE, "smokes": "yes"}, 400, None),
    ({"code": ONE}, 400, None),
    ([ONE], 400, None),
    (ONE, 400, None),
]


def asked(client, content: object = None, slug: str = "health", **headers: str):
    return client.post(
        f"/s/{slug}/invited",
        json={"invitation": ONE} if content is None else content,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def test_the_hash_of_the_code_is_what_is_asked_about():
    assert parse_invitation(json.dumps({"invitation": ONE}).encode()) == token_hash(ONE)
    twice = f'{{"invitation": "{ONE}", "invitation": "{ONE}"}}'
    for content in (b"", b"{", b"\xff", twice.encode(), b"[" * 1_000):
        with pytest.raises(MalformedResponse, match="not a JSON object"):
            parse_invitation(content)


@pytest.mark.parametrize(("content", "status", "reason"), FORMS)
def test_asking_about_a_code_says_whether_it_is_good(client, invited, content, status, reason):
    reply = asked(client, content)
    assert (reply.status_code, reply.get_json().get("reason")) == (status, reason)
    assert ONE not in reply.get_data(as_text=True).upper()
    if status == 200:
        assert reply.get_json() == {"status": "good"}


@pytest.mark.sqlite_only
def test_a_code_is_good_until_it_is_spent_and_asking_spends_nothing(client, invited, settings):
    """Requests change no byte of the database file, however many there are."""

    def content() -> str:
        with closing(sqlite3.connect(settings.database)) as connection:
            return "\n".join(connection.iterdump())

    before, uncompacted = content(), invited.database.uncompacted
    for _ in range(3):
        assert asked(client).status_code == 200
        assert asked(client, {"invitation": UNKNOWN}).status_code == 403
    assert (content(), invited.database.uncompacted) == (before, uncompacted)
    assert invited.invitations.issued_and_spent("health") == (2, 0)
    assert invited.responses.add_response("health", response(1, ONE)) is True
    reply = asked(client)
    assert (reply.status_code, reply.get_json()["reason"]) == (403, "spent_invitation")
    assert asked(client, {"invitation": TWO}).status_code == 200


@pytest.mark.parametrize(
    ("state", "code", "refusal"),
    [
        ("open", TWO, None),
        ("open", ONE, SpentInvitation),
        ("open", UNKNOWN, UnknownInvitation),
        ("closed", TWO, SurveyClosed),
        ("closed", ONE, SurveyClosed),  # the closing is reported first
        ("closed", UNKNOWN, SurveyClosed),
    ],
)
def test_the_check_refuses_what_a_response_would_be_refused_for(invited, state, code, refusal):
    invited.responses.add_response("health", response(1, ONE))
    invited.lifecycle.set_state("health", state)
    for do in (
        lambda: invited.invitations.check_invitation("health", token_hash(code)),
        lambda: invited.responses.add_response("health", response(2, code)),
    ):
        with pytest.raises(refusal) if refusal else nullcontext():
            do()


def test_an_invitation_to_one_survey_is_not_good_for_another(client, invited):
    opened(invited, definition(invitations=True, slug="other"))
    assert asked(client, slug="other").get_json()["reason"] == "unknown_invitation"


def test_a_closed_survey_says_so_whatever_the_code(client, invited):
    invited.lifecycle.set_state("health", "closed")
    for code in (ONE, UNKNOWN):
        reply = asked(client, {"invitation": code})
        assert (reply.status_code, [*reply.get_json()]) == (410, ["error"])


@pytest.mark.parametrize("slug", ["free", "draft", "nowhere"])
def test_only_surveys_with_invitations_can_be_asked(client, invited, slug):
    opened(invited, definition(slug="free"))
    invited.surveys.save_draft(parse_survey(INVITED | {"slug": "draft"}))
    reply = asked(client, slug=slug)
    assert (reply.status_code, reply.mimetype) == (404, "application/json")


def test_no_other_site_can_make_visitors_ask(client, invited):
    assert asked(client, Sec_Fetch_Site="cross-site").status_code == 403
    reply = asked(client, Origin="https://elsewhere.example")
    assert (reply.status_code, [*reply.get_json()]) == (403, ["error"])
    assert asked(client, Sec_Fetch_Site="same-origin").status_code == 200
    assert asked(client, Origin="http://localhost").status_code == 200


def test_asking_takes_a_short_json_body_and_nothing_else(client, invited):
    good = json.dumps({"invitation": ONE}).encode()
    longest = good + b" " * (MAX_INVITATION_BODY_BYTES - len(good))

    def status(content: bytes, kind: str = "application/json", **headers: str) -> int:
        return client.post(DOOR, data=content, content_type=kind, headers=headers).status_code

    assert status(longest) == 200
    assert status(longest + b" ") == 413
    assert status(good, "text/plain") == 415
    assert status(good, **{"Content-Encoding": "gzip"}) == 415
    assert client.post(DOOR, content_type="application/json").status_code == 400
    reply = client.get(DOOR)
    assert (reply.status_code, reply.mimetype) == (405, "application/json")
    assert invited.invitations.issued_and_spent("health") == (2, 0)


# --- the researcher's files


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        return {name: archive.read(name).decode() for name in archive.namelist()}


def made(researcher, count: object):
    path = "/admin/surveys/health"
    return researcher.post(f"{path}/invitations", {"count": count}, form=path)


def test_a_zip_has_a_list_slips_and_a_qr_code_for_each(store, researcher):
    opened(store, definition(invitations=True, title=TITLE, language="vi"))
    reply = made(researcher, 40)
    assert (reply.status_code, reply.mimetype) == (200, "application/zip")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="health-invitations.zip"'
    files = unpacked(reply.data)
    header, *rows = csv.reader(io.StringIO(files.pop("invitations.csv"), newline=""))
    assert header == ["code", "link"]
    given_out = [code for code, _ in rows]
    assert len(set(given_out)) == 40
    assert given_out != sorted(given_out)
    for code, address in rows:
        assert canonical_code(code) == code
        assert address == f"http://127.0.0.1:8000/s/health#{code}"
    slips = files.pop("slips.html")
    assert '<html lang="vi">' in slips
    assert slips.count("Sức khỏe &amp; &#34;việc&#34; &lt;b&gt;") == 41  # and the page title
    printed = re.findall(r'"code".*?>(.*?)</p>', slips)
    assert [each.replace(" ", "") for each in printed] == given_out
    assert slips.count("<svg") == 40
    assert slips.count("<p>http://127.0.0.1:8000/s/health</p>") == 40
    # The page loads nothing.
    assert not re.search(r"\bsrc=|\bhref=|url\(|<script|@import", slips)
    assert sorted(files) == sorted(f"qr/{code[:6]}.svg" for code in given_out)
    for content in files.values():
        assert ElementTree.fromstring(content).tag.endswith("svg")
    # These codes are valid.
    assert store.invitations.issued_and_spent("health") == (40, 0)
    for number, code in enumerate(given_out):
        assert store.responses.add_response("health", response(number, code))
    assert store.invitations.issued_and_spent("health") == (40, 40)


def test_a_qr_code_reads_as_its_link(store, researcher, browser):
    """The browser's own reader reads it if there is one; else the squares are compared."""
    import segno

    opened(store, INVITED)
    files = unpacked(made(researcher, 1).data)
    [[_, address]] = list(csv.reader(io.StringIO(files["invitations.csv"])))[1:]
    [picture] = [content for name, content in files.items() if name.startswith("qr/")]
    symbol = segno.make(address, micro=False)
    size = symbol.symbol_size(border=4)[0]
    page = browser.new_page(viewport={"width": size * 4, "height": size * 4})
    page.set_content(
        f"<style>body{{margin:0;background:#fff}}svg{{display:block}}</style>{picture}"
    )
    dark = page.evaluate(
        """async (size) => {
          const svg = new XMLSerializer().serializeToString(document.querySelector('svg'));
          const image = new Image();
          image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
          await image.decode();
          const canvas = document.createElement('canvas');
          canvas.width = canvas.height = size * 4;
          const context = canvas.getContext('2d');
          context.fillStyle = '#fff';
          context.fillRect(0, 0, size * 4, size * 4);
          context.drawImage(image, 0, 0, size * 4, size * 4);
          const lit = (x, y) => context.getImageData(x * 4 + 2, y * 4 + 2, 1, 1).data[0] < 128;
          return [...Array(size).keys()].map((y) => [...Array(size).keys()].map((x) => lit(x, y)));
        }""",
        size,
    )
    page.close()
    assert dark == [[bool(module) for module in row] for row in symbol.matrix_iter(border=4)]


@pytest.mark.parametrize("count", [0, -1, 1_001, "many", ""])
def test_a_number_out_of_range_makes_none_and_says_so(store, researcher, count):
    opened(store, INVITED)
    reply = made(researcher, count)
    assert reply.status_code == 302
    page = researcher.client.get(reply.location).get_data(as_text=True)
    assert "Candor created no invitations. Type a number from 1 to 1,000." in page
    assert store.invitations.issued_and_spent("health") == (0, 0)


def test_the_page_counts_issued_and_used_and_says_what_is_kept(store, researcher):
    opened(store, INVITED)
    store.invitations.add_invitations("health", map(token_hash, codes(1_200)))
    for number, code in enumerate(codes(7)):
        store.responses.add_response("health", response(number, code))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    shown = dict(re.findall(r"<dt>(Issued|Used)</dt><dd>([\d,]+)</dd>", page))
    assert shown == {"Issued": "1,200", "Used": "7"}
    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "Candor shows its code only once and stores only a hash of it" in text
    assert "Distribute the invitations at random, so that not even you know who" in text
    assert "Candor sends no e-mail. For this, Candor would need the addresses" in text


def test_there_is_no_such_form_for_drafts_and_surveys_that_are_open_to_all(store, researcher):
    store.surveys.save_draft(parse_survey(INVITED))
    assert b"Create invitations" not in researcher.client.get("/admin/surveys/health").data
    assert made(researcher, 5).status_code == 409
    opened(store, definition(slug="free"))
    free = "/admin/surveys/free"
    assert b"Create invitations" not in researcher.client.get(free).data
    reply = researcher.post(f"{free}/invitations", {"count": 5}, form=free)
    assert reply.status_code == 409
    assert b"needs no invitations" in reply.data
    nowhere = researcher.post("/admin/surveys/nope/invitations", {"count": 5}, form=free)
    assert nowhere.status_code == 404


def test_the_command_writes_a_file_for_its_owner_alone(app, store, tmp_path):
    opened(store, INVITED)
    file = tmp_path / "invitations.zip"

    def run(*arguments: str):
        return app.test_cli_runner().invoke(args=["survey", "invite", *arguments])

    result = run("health", "25", "--output", str(file))
    assert (result.exit_code, result.output) == (0, f"health: 25 invitations made, in {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(unpacked(file.read_bytes())) == 27
    assert store.invitations.issued_and_spent("health") == (25, 0)
    again = run("health", "25", "--output", str(file))
    assert again.exit_code == 1
    assert f"Cannot create {file}: File exists." in again.output
    for slug, count, words in (
        ("nope", "1", "There is no survey 'nope'"),
        ("health", "0", "0 is not in the range"),
        ("health", "1001", "1001 is not in the range"),
    ):
        other = tmp_path / "other.zip"
        result = run(slug, count, "--output", str(other))
        assert result.exit_code != 0
        assert words in result.output
        assert not other.exists()
    assert store.invitations.issued_and_spent("health") == (25, 0)


def test_short_names_that_begin_alike_are_told_apart():
    from survey.web.invitation_zip import short_names

    assert short_names(["ABCDEF11", "ABCDEF12", "XBCDEF11"]) == ["ABCDEF11", "ABCDEF12", "XBCDEF"]


def test_non_private_questions_alone_may_have_invitations_too(store):
    opened(store, definition(yes_no(privacy="none"), invitations=True))
    store.invitations.add_invitations("health", [token_hash(ONE)])
    assert store.responses.add_response("health", response(1, ONE))
