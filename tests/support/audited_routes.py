"""For each researchers' route that changes something, one request that does so.

`doing` registers each request with its route, its survey and the sentence that the audit log gets.
"""

import base64
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

import pyotp
from flask import Flask

from survey.definition.frozen import fingerprint_of
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server.clock import today
from survey.store import ANALYST, EDITOR, MEMBER, Share, Store
from survey.store.sql.codes import coded_text_key
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.store.sql.webhooks import Threshold, Webhook
from survey.web import auth
from survey.web.api_tokens import make_token
from tests.support.builder_forms import filled, hidden
from tests.support.classes import class_definition
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import PASSWORD, Researcher, signed_in

DRAFT = parse_survey(definition())
TRANSLATED = parse_survey(definition(translations={"vi": {}}))
WITH_NUMBERS = definition(
    yes_no(),
    asked("age", "number", "none", min=0, max=100),
    asked("region", "select_one", "none", choices=letters("ns")),
    asked("remarks", "text", "none"),
)
OWN = {"own": PASSWORD}
NEW_PASSWORD = {"password": "seven wet umbrellas", "again": "seven wet umbrellas"}
URL = "https://example.org/"
SALT = bytes(range(16))
# In place of the survey: a new survey with a random address.
RANDOM = "random"


@dataclass
class Site:
    """An application, its store, and a person with a session."""

    app: Flask
    store: Store
    someone: Researcher

    def post(self, address: str, form: str = "/admin/", /, **fields: object) -> None:
        """Post below /admin/, and expect success."""
        reply = self.someone.post(f"/admin/{address}", fields, form=form)
        assert reply.status_code in (200, 302), reply.get_data(as_text=True)

    def of_survey(self, address: str, /, **fields: object) -> None:
        self.post(f"surveys/health/{address}", **fields)

    def save_draft(self) -> None:
        self.store.surveys.save_draft(DRAFT)

    def open(self, **rest: object) -> None:
        opened(self.store, definition(**rest))

    def close(self) -> None:
        """A closed survey with loaded responses."""
        opened(self.store, WITH_NUMBERS, "closed")
        rows = [Response(bytes([k]) * 16, (k % 2, 20 + k, k % 2)) for k in range(40)]
        self.store.responses.add_batches("health", [rows], "loaded")

    def strange(self) -> None:
        """From here on nobody is signed in."""
        self.someone = Researcher(self.app.test_client())

    def code(self) -> str:
        with self.app.app_context():
            return pyotp.TOTP(auth.account_totp_key("ada")).now()

    def second_factor(self) -> None:
        """An active second factor."""
        self.store.factors.begin_second_factor("ada", SALT)
        self.store.factors.confirm_second_factor("ada", 0, [])

    def webhook(self) -> str:
        """The address of a webhook."""
        self.open()
        self.store.webhooks.add_webhook(Webhook(SALT, "health", URL, (Threshold(1),)))
        return f"webhooks/{SALT.hex()}"


@dataclass(frozen=True)
class AuditedRoute:
    do: Callable[[Site], None]
    survey: str
    action: str


AUDITED: dict[str, AuditedRoute] = {}


def doing(
    endpoint: str, action: str, survey: str = "health"
) -> Callable[[Callable[[Site], None]], Callable[[Site], None]]:
    def register(do: Callable[[Site], None]) -> Callable[[Site], None]:
        AUDITED[f"admin.{endpoint}"] = AuditedRoute(do, survey, action)
        return do

    return register


# --- accounts and signing in


@doing("setup", "set up the first account", survey="")
def set_up(site: Site) -> None:
    site.store.accounts.set_setup_token(token_hash("once").hex())
    site.post("setup?token=once", "/admin/setup?token=once", name="ada", **NEW_PASSWORD)


@doing("join", "chose a password with a link", survey="")
def join(site: Site) -> None:
    site.store.accounts.reset_account(
        "ada", token_hash("once").hex(), 2**40, even_the_last_owner=True
    )
    site.strange()
    site.post("join?token=once", "/admin/join?token=once", **NEW_PASSWORD)


@doing("sign_in", "signed in", survey="")
def sign_in(site: Site) -> None:
    site.strange()
    site.post("sign-in", "/admin/sign-in", name="ada", password=PASSWORD)


@doing("second_step", "signed in with a second factor after 1 failed attempt", survey="")
def second_step(site: Site) -> None:
    site.second_factor()
    site.strange()
    wrong = {"name": "ada", "password": "wrong"}
    assert site.someone.post("/admin/sign-in", wrong).status_code == 401
    site.post("sign-in", "/admin/sign-in", name="ada", password=PASSWORD)
    site.post("sign-in/code", "/admin/sign-in/code", code=site.code())


@doing("sign_out", "signed out", survey="")
def sign_out(site: Site) -> None:
    site.post("sign-out")


@doing("change_language", "changed the language of their pages", survey="")
def change_language(site: Site) -> None:
    site.post("account/language", language="vi")
    assert site.store.accounts.by_name("ada").language == "vi"


@doing("sign_out_everywhere", "signed out everywhere", survey="")
def sign_out_everywhere(site: Site) -> None:
    site.post("account/sign-out-everywhere")


@doing("change_password", "changed their password", survey="")
def change_password(site: Site) -> None:
    site.post("account/password", **OWN, **NEW_PASSWORD)


@doing("turn_on_second_factor", "turned on the second factor", survey="")
def turn_on_second_factor(site: Site) -> None:
    site.post("account/second-factor/begin")
    site.post("account/second-factor/on", **OWN, code=site.code())


@doing("turn_off_second_factor", "turned off the second factor", survey="")
def turn_off_second_factor(site: Site) -> None:
    site.second_factor()
    site.post("account/second-factor/off", **OWN, code=site.code())


@doing("add_person", "added bob as editor", survey="")
def add_person(site: Site) -> None:
    site.post("people/add", name="bob", role=EDITOR, **OWN)


@doing("change_role", "changed the role of bob to analyst", survey="")
def change_role(site: Site) -> None:
    signed_in(site.app, "bob", EDITOR)
    site.post("people/bob/role", role=ANALYST, **OWN)


@doing("survey_team", "changed the role of bob on this survey to editor")
def survey_team(site: Site) -> None:
    site.save_draft()
    signed_in(site.app, "bob", MEMBER)
    site.of_survey("team", name="bob", role=EDITOR, **OWN)


@doing("reset_person", "reset the password and second factor of bob", survey="")
def reset_person(site: Site) -> None:
    signed_in(site.app, "bob", EDITOR)
    site.post("people/bob/reset", **OWN)


@doing("remove_person", "removed bob", survey="")
def remove_person(site: Site) -> None:
    signed_in(site.app, "bob", EDITOR)
    site.post("people/bob/remove", **OWN)


@doing("add_token", "created the API token “laptop”", survey="")
def add_token(site: Site) -> None:
    site.post("account/tokens", label="laptop", days="30", **OWN)


@doing("revoke_token", "revoked the API token “laptop”", survey="")
def revoke_token(site: Site) -> None:
    with site.app.app_context():
        make_token("ada", "laptop", 30)
    site.post("account/tokens/revoke", label="laptop")


# --- drafts


@doing("new", "created the survey")
def new(site: Site) -> None:
    site.post("surveys/new", **filled())


@doing("edit", "saved the draft, and changed its address from health", survey="wellbeing")
def edit(site: Site) -> None:
    site.save_draft()
    seen = hidden(site.someone, "/admin/surveys/health/edit", "seen")
    site.of_survey("edit", seen=seen, **filled(slug="wellbeing"))


@doing("start", "created the survey from an example", survey=RANDOM)
def start(site: Site) -> None:
    site.post("surveys/start", example="habits")


@doing("translate", "saved the translation into vi")
def translate(site: Site) -> None:
    site.store.surveys.save_draft(TRANSLATED)
    seen = fingerprint_of(TRANSLATED)
    site.of_survey("translations/vi", seen=seen, title="Sức khỏe")


@doing("import_file", "imported the survey from a file")
def import_file(site: Site) -> None:
    site.post("import", file=(io.BytesIO(json.dumps(definition()).encode()), "health.json"))


@doing("create_from_responses", "created the survey from a file of responses")
def create_from_responses(site: Site) -> None:
    content = base64.b64encode(b"q,age\n1,30\n0,31\n0,32\n").decode()
    site.post("import/responses/add", content=content, private="q=coin_flip", title="Health")


@doing("protect_questions", "protected questions of the draft")
def protect_questions(site: Site) -> None:
    site.store.surveys.save_draft(parse_survey(definition(yes_no(privacy="none"))))
    site.of_survey("protect", question="smokes")


@doing("apply_protection", "set the protection of all questions")
def apply_protection(site: Site) -> None:
    questions = [yes_no(name, {"epsilon": 0.5}) for name in "abcd"]
    site.store.surveys.save_draft(parse_survey(definition(*questions)))
    site.of_survey("protection/light")


@doing("class_loss", "chose the privacy loss of the class")
def choose_class_loss(site: Site) -> None:
    site.store.surveys.save_draft(parse_survey(class_definition()))
    site.of_survey("class-loss", choice="2")


@doing("copy", "duplicated the survey (from health)", survey="health-copy")
def copy(site: Site) -> None:
    site.open()
    site.of_survey("copy")


@doing("delete_draft", "deleted the draft")
def delete_draft(site: Site) -> None:
    site.save_draft()
    site.of_survey("delete")


@doing("restore_draft", "restored the draft")
def restore_draft(site: Site) -> None:
    site.save_draft()
    site.store.deleted_drafts.delete_draft("health", today())
    [draft] = site.store.deleted_drafts.list_deleted(today())
    site.post(f"deleted/{draft.number}/restore")


@doing("delete_for_good", "deleted the draft for good")
def delete_for_good(site: Site) -> None:
    site.save_draft()
    site.store.deleted_drafts.delete_draft("health", today())
    [draft] = site.store.deleted_drafts.list_deleted(today())
    site.post(f"deleted/{draft.number}/drop")


@doing("simulate_pilot", "ran a simulation")
def simulate_pilot(site: Site) -> None:
    site.save_draft()
    shares = {"smokes:yes": "30", "smokes:no": "70"}
    site.of_survey("try-out/pilot", n="50", **shares)


@doing("start_practice", "started test mode")
def start_practice(site: Site) -> None:
    site.save_draft()
    site.of_survey("try-out/practice")


@doing("delete_rehearsal", "deleted the test responses")
def delete_rehearsal(site: Site) -> None:
    site.save_draft()
    site.of_survey("try-out/practice/delete")


# --- surveys


@doing("open_survey", "opened the survey")
def open_survey(site: Site) -> None:
    site.save_draft()
    site.of_survey("open", fingerprint=fingerprint_of(DRAFT), looked="yes")


@doing("close_survey", "closed the survey")
def close_survey(site: Site) -> None:
    site.open()
    site.of_survey("close")


@doing("end_class", "ended the class and erased it")
def end_class(site: Site) -> None:
    site.open(class_mode=True, batch=5)
    site.of_survey("class/end")


@doing("limit", "changed the survey's limits")
def limit(site: Site) -> None:
    site.open()
    site.of_survey("limits", cap="100")


@doing("make_invitations", "created 2 invitations")
def make_invitations(site: Site) -> None:
    site.open(invitations=True)
    site.of_survey("invitations", count="2")


@doing("archive", "archived the survey")
def archive(site: Site) -> None:
    site.close()
    site.of_survey("archive")


@doing("restore", "unarchived the survey")
def restore(site: Site) -> None:
    site.close()
    site.store.lifecycle.set_archived("health", True)
    site.of_survey("restore")


@doing("erase", "deleted the survey")
def erase(site: Site) -> None:
    site.close()
    site.of_survey("erase", address="health", **OWN)


# --- results, and who gets them


@doing("keep_design", "uploaded a design file with weight and cluster")
def keep_design(site: Site) -> None:
    site.close()
    file = io.BytesIO(b"region,weight,cluster\nn,1,a\ns,3,b\n")
    site.of_survey("analysis/design", file=(file, "design.csv"))


@doing("load_responses", "loaded 3 responses from a file")
def load_responses(site: Site) -> None:
    opened(site.store, WITH_NUMBERS, "closed")
    content = b"smokes,age,region\nyes,30,n\nno,31,s\nno,32,s\n"
    coded = base64.b64encode(content).decode()
    site.of_survey("load/add", content=coded, arrived="0")


@doing("delete_design", "deleted the design file")
def delete_design(site: Site) -> None:
    site.close()
    site.store.designs.keep_design("health", "region,weight\nn,1\ns,3\n")
    site.of_survey("analysis/design/delete")


def with_analysis(site: Site) -> int:
    """A survey with a saved analysis: its number."""
    site.close()
    query = "rows=smokes&columns=region"
    site.store.saved_analyses.save(
        SavedAnalysis(survey="health", name="Regions", analysis="crosstab", query=query)
    )
    [saved] = site.store.saved_analyses.list_analyses("health")
    return saved.number or 0


@doing("stop_analysis", "stopped the calculation of an analysis")
def stop_analysis(site: Site) -> None:
    site.open()
    site.of_survey("analysis/crosstab/stop?rows=smokes", task="unknown")


@doing("save_analysis", "saved the analysis “Habits”")
def save_analysis(site: Site) -> None:
    site.close()
    query = "rows=smokes&columns=region"
    site.of_survey("analysis/saved", name=" Habits ", analysis="crosstab", query=query)


@doing("rename_analysis", "renamed an analysis to “Areas”")
def rename_analysis(site: Site) -> None:
    site.of_survey(f"analysis/saved/{with_analysis(site)}", name="Areas")


@doing("delete_analysis", "deleted the analysis “Regions”")
def delete_analysis(site: Site) -> None:
    site.of_survey(f"analysis/saved/{with_analysis(site)}/delete")


def with_text(site: Site) -> tuple[str, int]:
    """A survey with one text and one code: the name of the text in a form, and the code."""
    opened(site.store, definition(asked("remarks", "text", "none")))
    site.store.responses.add_response("health", Response(SALT, ("No more.",)))
    site.store.codes.add_code("health", "fear")
    [code] = site.store.codes.code_list("health")
    return coded_text_key(SALT, "remarks").hex(), code.number


@doing("code_texts", "changed the codes of 1 text")
def code_texts(site: Site) -> None:
    text, code = with_text(site)
    site.of_survey("texts", **{"text": text, f"codes-{text}": str(code)})


@doing("add_code", "added the code “cost”")
def add_code(site: Site) -> None:
    with_text(site)
    site.of_survey("texts/codes", name=" cost ")


@doing("rename_code", "renamed a code to “worry”")
def rename_code(site: Site) -> None:
    _, code = with_text(site)
    site.of_survey(f"texts/codes/{code}", name="worry")


@doing("delete_code", "deleted the code “fear”")
def delete_code(site: Site) -> None:
    _, code = with_text(site)
    site.of_survey(f"texts/codes/{code}/delete")


@doing("add_share", "created a results link for “the ministry”")
def add_share(site: Site) -> None:
    site.open()
    site.of_survey("share", name=" the ministry ")


@doing("delete_share", "deleted a results link")
def delete_share(site: Site) -> None:
    site.open()
    site.store.shares.add_share(Share("health", "the ministry"), bytes(32))
    site.of_survey("share/1/delete")


@doing("publish", "published the results")
def publish(site: Site) -> None:
    site.open()
    site.of_survey("publish", public="yes")


@doing("set_release_budget", "set the DP budget to ε = 1, δ = 0.00001")
def set_release_budget(site: Site) -> None:
    site.close()
    site.of_survey("releases/budget", epsilon="1.0", delta="0.00001")


@doing("draw_release", "released Mean of age, ε = 0.5")
def draw_release(site: Site) -> None:
    site.close()
    site.of_survey("releases/budget", epsilon="1", delta="0")
    site.of_survey("releases", question="age", statistic="mean", epsilon="0.5")


@doing("publish_releases", "unpublished the DP releases")
def publish_releases(site: Site) -> None:
    site.close()
    site.of_survey("releases/public", public="no")


@doing("add_webhook", f"added the webhook {URL}")
def add_webhook(site: Site) -> None:
    site.open()
    site.of_survey("webhooks", url=URL, thresholds="100")


@doing("test_webhook", f"sent a test message to {URL}")
def test_webhook(site: Site) -> None:
    site.of_survey(f"{site.webhook()}/test")


@doing("delete_webhook", f"deleted the webhook {URL}")
def delete_webhook(site: Site) -> None:
    site.of_survey(f"{site.webhook()}/delete")
