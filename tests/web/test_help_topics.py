"""Each page of researchers links the help on its subject, and each term its definition."""

import re

import pytest

from survey.admin.builder.fields import QUESTION_FIELDS, SURVEY_FIELDS
from survey.web.analyses.kinds import ANALYSES
from survey.web.help.documents import anchor_of, project_documents
from survey.web.help.topics import TOPICS, HelpTopic, help_topic, help_url, term
from tests.support.check_each import check_each
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

TEMPLATES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted((ROOT / "templates").rglob("*.*"))
}
PLANNING = sorted((ROOT / "survey" / "planning").glob("*.py"))
GLOSSARY = project_documents().by_address["reference/glossary"]
ENTRIES = [section.title for section in GLOSSARY.page[1] if section.level == 2]


def exists(address: str) -> bool:
    page, _, anchor = address.partition("#")
    document = project_documents().by_address.get(page)
    return document is not None and (
        not anchor or anchor in {section.anchor for section in document.page[1]}
    )


def test_every_page_of_researchers_has_a_topic_of_its_own(app):
    """The start of all addresses decides for the list of surveys alone. Files have no topic."""
    rules = [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("admin.") and "." not in rule.rule
    ]
    assert len(rules) > 60
    analyses = [rule for rule in rules if rule.endpoint == "admin.analysis"]
    assert len(analyses) == 2
    for name, kind in ANALYSES.items():
        assert help_topic(analyses[0], name) == HelpTopic(kind.title, kind.help)
    for rule in (each for each in rules if each not in analyses):
        topic = help_topic(rule)
        assert topic is not None
        assert (topic is TOPICS["/admin/"]) == (rule.rule == "/admin/"), rule
    for rule in app.url_map.iter_rules():
        assert rule.rule.startswith("/admin/") or help_topic(rule) is None
    used = {help_topic(rule) for rule in rules if rule not in analyses}
    assert used == {*TOPICS.values()}


@check_each("start", TOPICS)
def test_every_topic_leads_to_a_page_and_an_anchor(start):
    assert exists(TOPICS[start].address)


def test_pages_show_the_topic(client, store, researcher):
    page = researcher.client.get("/admin/people").get_data(as_text=True)
    topic = TOPICS["/admin/people"]
    assert f'<a href="/help/{topic.address}">Help: {topic.title}</a>' in page
    assert '<a href="/help/" aria-current="page">Help</a>' in client.get("/help/").text


def test_templates_link_to_help_pages_that_exist():
    literal = re.compile(r"""help_url\(["']([^"']+)["']\)""")
    linked = {address for text in TEMPLATES.values() for address in literal.findall(text)}
    linked |= {row.help_page for row in [*SURVEY_FIELDS.values(), *QUESTION_FIELDS.values()]} - {""}
    assert len(linked) >= 5
    for address in linked:
        assert exists(address), address
    pattern = re.compile(r"help_url\((\w.*?)\)")
    computed = {each for text in TEMPLATES.values() for each in pattern.findall(text)}
    assert computed == {"topic.address", "row.help_page", "check.help_page", "kind.help"}
    for kind in ANALYSES.values():
        assert exists(kind.help), kind.help
    stated = re.compile(r'help_page = "([^"]+)"')
    advised = {each for path in PLANNING for each in stated.findall(path.read_text("utf-8"))}
    assert advised
    for address in advised:
        assert exists(address), address


def test_templates_name_terms_that_the_glossary_has():
    anchors = {anchor_of(title) for title in ENTRIES}
    for path, text in TEMPLATES.items():
        names = re.findall(r"""\bterm\(["']([^"']+)["']""", text)
        # The terms of an analysis are marked in its sentences.
        computed = text.count("term(name, part)")
        assert len(re.findall(r"\bterm\(", text)) == len(names) + computed, path
        for name in names:
            assert anchor_of(name) in anchors, (path, name)
    marked = re.compile(r"""\bglossary_term\(\s*["']([^"']+)["']""")
    sources = [path.read_text("utf-8") for path in (ROOT / "survey").rglob("*.py")]
    names = [name for source in sources for name in marked.findall(source)]
    assert len(names) >= 5
    for name in names:
        assert anchor_of(name) in anchors, name


def test_a_term_is_a_link_with_the_words_of_the_sentence(app):
    with app.test_request_context():
        address = "/help/reference/glossary#standard-error"
        assert help_url("reference/glossary#standard-error") == address
        assert term("standard error") == f'<a href="{address}">standard error</a>'
        assert term("Standard error", "SE <") == f'<a href="{address}">SE &lt;</a>'


def test_the_glossary_is_in_order_with_two_sentences_and_a_link_for_each_term():
    assert sorted(ENTRIES, key=str.casefold) == ENTRIES
    assert len(ENTRIES) >= 40
    for section in GLOSSARY.page[1][1:]:
        text, _, more = " ".join(section.paragraphs).partition(" More: ")
        assert more, section.title
        assert len(re.findall(r"[.!?](?= |$)", text)) == 2, section.title
