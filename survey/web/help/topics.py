"""Which help page belongs to each page of researchers, and the links to the glossary."""

from typing import NamedTuple

from markupsafe import Markup
from werkzeug.routing import Rule

from survey.core.translate import later, page_language
from survey.server.http.hosts import link_across
from survey.web.analyses.kinds import ANALYSES
from survey.web.help.documents import GLOSSARY, anchor_of, project_documents


class HelpTopic(NamedTuple):
    """The title of a help page as a link shows it, and its address, with an anchor or without."""

    title: str
    address: str


FIRST_SURVEY = HelpTopic(later("Your first survey"), "tutorials/first-survey")
ACCOUNTS_PAGE = "how-to/add-a-team-member-and-second-factor"
ACCOUNT = HelpTopic(later("Your account"), ACCOUNTS_PAGE)
AUDIT_LOG = HelpTopic(later("Audit log"), "reference/csv-columns#logcsv")
BUILDER = HelpTopic(later("Make a draft"), "tutorials/first-survey#make-a-draft")
PUBLISHING = HelpTopic(later("Publish results"), "how-to/publish-results")

# The address of a page, as the router writes it, and its topic. The longest start of an address
# decides. Addresses that change something have a topic as well, since they may show a form again.
TOPICS = {
    "/admin/": FIRST_SURVEY,
    "/admin/setup": ACCOUNT,
    "/admin/join": ACCOUNT,
    "/admin/sign-in": ACCOUNT,
    "/admin/sign-out": ACCOUNT,
    "/admin/account": ACCOUNT,
    "/admin/account/tokens": HelpTopic(later("The API"), "reference/api#tokens"),
    "/admin/people": HelpTopic(later("Team"), ACCOUNTS_PAGE),
    "/admin/log": AUDIT_LOG,
    "/admin/deleted": HelpTopic(
        later("Deleted drafts"),
        "how-to/arrange-a-questionnaire#delete-a-draft-and-restore-it",
    ),
    "/admin/import": HelpTopic(later("XLSForm"), "reference/xlsform"),
    "/admin/import/responses": HelpTopic(
        later("Load responses"), "how-to/load-responses#import-columns-that-were-randomised"
    ),
    "/admin/odds": HelpTopic(later("Mechanisms"), "reference/mechanisms"),
    "/admin/preview": BUILDER,
    "/admin/surveys/new": BUILDER,
    "/admin/surveys/start": BUILDER,
    "/admin/surveys/<slug>": HelpTopic(
        later("Check and open"), "tutorials/first-survey#read-the-pre-launch-checklist"
    ),
    "/admin/surveys/<slug>/load": HelpTopic(later("Load responses"), "how-to/load-responses"),
    "/admin/surveys/<slug>/edit": BUILDER,
    "/admin/surveys/<slug>/preview": BUILDER,
    "/admin/surveys/<slug>/translations": HelpTopic(
        later("Languages"), "explanation/features#languages"
    ),
    "/admin/surveys/<slug>/invitations": HelpTopic(
        later("Invitations"), "how-to/invite-respondents"
    ),
    "/admin/surveys/<slug>/plan": HelpTopic(later("Sample size"), "explanation/planning"),
    "/admin/surveys/<slug>/protection": HelpTopic(
        later("Sample size"), "explanation/planning#protection-levels"
    ),
    "/admin/surveys/<slug>/try-out": HelpTopic(
        later("Simulation"), "how-to/simulate-before-launch"
    ),
    "/admin/surveys/<slug>/class": HelpTopic(later("Run a class"), "how-to/run-a-class"),
    "/admin/class-ended": HelpTopic(later("Run a class"), "how-to/run-a-class"),
    "/admin/surveys/<slug>/results": HelpTopic(
        later("Estimates"), "explanation/how-it-works#how-estimates-are-made"
    ),
    "/admin/surveys/<slug>/texts": HelpTopic(later("Texts"), "how-to/code-texts"),
    "/admin/surveys/<slug>/results/alone": HelpTopic(
        later("k-anonymity"), "how-to/publish-results#check-for-unique-answers"
    ),
    "/admin/surveys/<slug>/share": PUBLISHING,
    "/admin/surveys/<slug>/publish": PUBLISHING,
    "/admin/surveys/<slug>/releases": HelpTopic(later("Central DP"), "explanation/dp-releases"),
    "/admin/surveys/<slug>/webhooks": HelpTopic(later("Webhooks"), "reference/api#webhooks"),
    "/admin/surveys/<slug>/log": AUDIT_LOG,
    "/admin/surveys/<slug>/team": HelpTopic(
        later("Team"), f"{ACCOUNTS_PAGE}#limit-someone-to-single-surveys"
    ),
    "/admin/surveys/<slug>/analysis/saved": HelpTopic(
        later("Saved analyses"), "explanation/analyses#saved-analyses"
    ),
    "/admin/surveys/<slug>/analysis/design": HelpTopic(
        later("Design files"), "explanation/analyses#design-file"
    ),
}


def help_topic(rule: Rule | None, analysis: str = "") -> HelpTopic | None:
    """The topic of the page that is shown; None for a page of another side.

    `analysis` is the name of the analysis that the page shows, whose description has the topic.
    """
    if analysis in ANALYSES:
        return HelpTopic(ANALYSES[analysis].title, ANALYSES[analysis].help)
    path = "" if rule is None else f"{rule.rule}/"
    starts = [start for start in TOPICS if path.startswith(f"{start.rstrip('/')}/")]
    return TOPICS[max(starts, key=len)] if starts else None


def help_url(address: str) -> str:
    """The address of a help page, which may be on the host of researchers. It is the page in the
    language of the researcher, if it is translated."""
    page, _, anchor = address.partition("#")
    english = project_documents().by_address.get(page)
    if english is not None:
        document = english.in_language(page_language.get())
        if document is not english:
            page, anchor = document.address, document.anchor_like(english, anchor)
    return link_across("help.document", address=page, _anchor=anchor or None)


def term(name: str, text: str = "") -> Markup:
    """A link to the entry of a technical term in the glossary, with the words of the sentence."""
    address = help_url(f"{GLOSSARY}#{anchor_of(name)}")
    return Markup('<a href="{}">{}</a>').format(address, text or name)
