"""The instruments of the builder's page: their results in words, and their terms."""

from markupsafe import escape

from survey.admin.builder.instruments import result_labels
from survey.core.translate import page_language
from survey.definition.instruments.read_instruments import Instrument, read_instruments
from tests.support.check_each import check_each
from tests.support.researchers import Researcher


@check_each("instrument", read_instruments().values())
def test_every_instrument_says_its_results_in_every_language(instrument: Instrument):
    names = list(instrument.results())
    for language in ("en", "vi", "th", "zh"):
        token = page_language.set(language)
        try:
            labels = result_labels(instrument)
        finally:
            page_language.reset(token)
        assert list(labels) == names
        assert len(set(labels.values())) == len(names)
        assert str(instrument.cutoffs[0].at_least) in labels[names[0]]


def test_the_page_has_terms_and_citations_of_all_instruments(researcher: Researcher):
    page = researcher.client.get("/admin/surveys/new").text
    for each in read_instruments().values():
        assert str(escape(each.terms)) in page
        assert str(escape(each.citation)) in page
