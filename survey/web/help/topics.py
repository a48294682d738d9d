"""Which help page belongs to each page of researchers, and the links to the glossary."""

from typing import NamedTuple

from markupsafe import Markup
from werkzeug.routing import Rule

from survey.server.http.hosts import link_across
from survey.web.help.documents import anchor_of

GLOSSARY = "reference/glossary"


class HelpTopic(NamedTuple):
    """The title of a help page as a link shows it, and its address, with an anchor or without."""

    title: str
    address: str


START = HelpTopic("Getting started", "readme")
ACCOUNTS = HelpTopic("Accounts and roles", "readme#researchers")
DEFINITION = HelpTopic("Parts of a survey", "reference/definition")
LIFE = HelpTopic("Batches, receipts and other settings", "reference/definition")
PLANNING = HelpTopic("Sample size", "explanation/mathematics#planning")
ESTIMATES = HelpTopic("How estimates are made", "explanation/mathematics#estimation")
CENTRAL_DP = HelpTopic("Central DP", "explanation/dp-releases")

# The address of a page, as the router writes it, and its topic. The longest start of an address
# decides. Addresses that change something are here as well, since they may show a form again.
TOPICS = {
    "/admin/": START,
    "/admin/setup": ACCOUNTS,
    "/admin/join": ACCOUNTS,
    "/admin/sign-in": ACCOUNTS,
    "/admin/sign-out": ACCOUNTS,
    "/admin/account": ACCOUNTS,
    "/admin/account/tokens": HelpTopic("API tokens in use", "reference/api#a-token"),
    "/admin/people": ACCOUNTS,
    "/admin/log": ACCOUNTS,
    "/admin/import": HelpTopic("XLSForm", "reference/xlsform"),
    "/admin/odds": HelpTopic("Mechanisms", "reference/mechanisms"),
    "/admin/preview": DEFINITION,
    "/admin/surveys/new": DEFINITION,
    "/admin/surveys/start": DEFINITION,
    "/admin/surveys/<slug>": LIFE,
    "/admin/surveys/<slug>/edit": DEFINITION,
    "/admin/surveys/<slug>/preview": DEFINITION,
    "/admin/surveys/<slug>/translations": DEFINITION,
    "/admin/surveys/<slug>/plan": PLANNING,
    "/admin/surveys/<slug>/try-out": PLANNING,
    "/admin/surveys/<slug>/results": ESTIMATES,
    "/admin/surveys/<slug>/releases": CENTRAL_DP,
    "/admin/surveys/<slug>/webhooks": HelpTopic("Webhooks", "reference/api#being-told"),
    "/admin/surveys/<slug>/analysis": HelpTopic(
        "Cross-tabulations", "explanation/analyses#cross-tabulations"
    ),
    "/admin/surveys/<slug>/analysis/groups": HelpTopic(
        "Comparing groups", "explanation/analyses#groups"
    ),
    "/admin/surveys/<slug>/analysis/correlation": HelpTopic(
        "Correlations", "explanation/analyses#correlation"
    ),
    "/admin/surveys/<slug>/analysis/regression": HelpTopic("Regressions", "explanation/regression"),
    "/admin/surveys/<slug>/analysis/tree": HelpTopic(
        "Trees", "explanation/mathematics#decision-trees"
    ),
    "/admin/surveys/<slug>/analysis/validity": HelpTopic(
        "Did people answer as asked?", "explanation/mathematics#did-people-answer-as-asked"
    ),
    "/admin/surveys/<slug>/analysis/design": HelpTopic(
        "Weights, strata and clusters", "explanation/analyses#weights-strata-clusters"
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
