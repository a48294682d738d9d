"""Which help page belongs to each page of researchers, and the links to the glossary."""

from typing import NamedTuple

from markupsafe import Markup
from werkzeug.routing import Rule

from survey.server.http.hosts import link_across
from survey.web.help.documents import GLOSSARY, anchor_of


class HelpTopic(NamedTuple):
    """The title of a help page as a link shows it, and its address, with an anchor or without."""

    title: str
    address: str


FIRST_SURVEY = HelpTopic("Your first survey", "tutorials/first-survey")
ACCOUNTS_PAGE = "how-to/add-a-team-member-and-second-factor"
ACCOUNT = HelpTopic("Your account", ACCOUNTS_PAGE)
AUDIT_LOG = HelpTopic("Audit log", "reference/csv-columns#logcsv")
BUILDER = HelpTopic("Make a draft", "tutorials/first-survey#make-a-draft")
PUBLISHING = HelpTopic("Publish results", "how-to/publish-results")

# The address of a page, as the router writes it, and its topic. The longest start of an address
# decides. Addresses that change something have a topic as well, since they may show a form again.
TOPICS = {
    "/admin/": FIRST_SURVEY,
    "/admin/setup": ACCOUNT,
    "/admin/join": ACCOUNT,
    "/admin/sign-in": ACCOUNT,
    "/admin/sign-out": ACCOUNT,
    "/admin/account": ACCOUNT,
    "/admin/account/tokens": HelpTopic("The API", "reference/api#tokens"),
    "/admin/people": HelpTopic("Team", ACCOUNTS_PAGE),
    "/admin/log": AUDIT_LOG,
    "/admin/import": HelpTopic("XLSForm", "reference/xlsform"),
    "/admin/odds": HelpTopic("Mechanisms", "reference/mechanisms"),
    "/admin/preview": BUILDER,
    "/admin/surveys/new": BUILDER,
    "/admin/surveys/start": BUILDER,
    "/admin/surveys/<slug>": HelpTopic(
        "Check and open", "tutorials/first-survey#read-the-pre-launch-checklist"
    ),
    "/admin/surveys/<slug>/load": HelpTopic("Load responses", "how-to/load-responses"),
    "/admin/surveys/<slug>/edit": BUILDER,
    "/admin/surveys/<slug>/preview": BUILDER,
    "/admin/surveys/<slug>/translations": HelpTopic("Languages", "explanation/features#languages"),
    "/admin/surveys/<slug>/invitations": HelpTopic("Invitations", "how-to/invite-respondents"),
    "/admin/surveys/<slug>/plan": HelpTopic("Sample size", "explanation/planning"),
    "/admin/surveys/<slug>/try-out": HelpTopic("Simulation", "how-to/simulate-before-launch"),
    "/admin/surveys/<slug>/results": HelpTopic(
        "Estimates", "explanation/how-it-works#how-estimates-are-made"
    ),
    "/admin/surveys/<slug>/texts": HelpTopic("Texts", "how-to/code-texts"),
    "/admin/surveys/<slug>/results/alone": HelpTopic(
        "k-anonymity", "how-to/publish-results#check-who-is-alone"
    ),
    "/admin/surveys/<slug>/share": PUBLISHING,
    "/admin/surveys/<slug>/publish": PUBLISHING,
    "/admin/surveys/<slug>/releases": HelpTopic("Central DP", "explanation/dp-releases"),
    "/admin/surveys/<slug>/webhooks": HelpTopic("Webhooks", "reference/api#webhooks"),
    "/admin/surveys/<slug>/log": AUDIT_LOG,
    "/admin/surveys/<slug>/team": HelpTopic(
        "Team", f"{ACCOUNTS_PAGE}#limit-someone-to-single-surveys"
    ),
    "/admin/surveys/<slug>/analysis": HelpTopic(
        "Cross-tabulations", "explanation/analyses#cross-tabulations"
    ),
    "/admin/surveys/<slug>/analysis/saved": HelpTopic(
        "Saved analyses", "explanation/analyses#saved-analyses"
    ),
    "/admin/surveys/<slug>/analysis/groups": HelpTopic("Groups", "explanation/analyses#groups"),
    "/admin/surveys/<slug>/analysis/correlation": HelpTopic(
        "Correlations", "explanation/analyses#correlation"
    ),
    "/admin/surveys/<slug>/analysis/regression": HelpTopic("Regressions", "explanation/regression"),
    "/admin/surveys/<slug>/analysis/tree": HelpTopic(
        "Decision trees", "explanation/analyses#decision-trees"
    ),
    "/admin/surveys/<slug>/analysis/validity": HelpTopic(
        "Validity", "explanation/analyses#validity"
    ),
    "/admin/surveys/<slug>/analysis/design": HelpTopic(
        "Design files", "explanation/analyses#design-file"
    ),
}


def help_topic(rule: Rule | None) -> HelpTopic | None:
    """The topic of the page that is shown; None for a page of another side."""
    path = "" if rule is None else f"{rule.rule}/"
    starts = [start for start in TOPICS if path.startswith(f"{start.rstrip('/')}/")]
    return TOPICS[max(starts, key=len)] if starts else None


def help_url(address: str) -> str:
    """The address of a help page, which may be on the host of researchers."""
    page, _, anchor = address.partition("#")
    return link_across("help.document", address=page, _anchor=anchor or None)


def term(name: str, text: str = "") -> Markup:
    """A link to the entry of a technical term in the glossary, with the words of the sentence."""
    address = help_url(f"{GLOSSARY}#{anchor_of(name)}")
    return Markup('<a href="{}">{}</a>').format(address, text or name)
