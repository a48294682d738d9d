"""Sentences, methods and references to cite a survey."""

import re
from collections import Counter
from dataclasses import replace
from datetime import date
from functools import cache

import pytest

from survey import VERSION
from survey.core.languages import LANGUAGES, Words
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.survey import parse_survey
from survey.estimation import asked_shares, mean_intervals, poststratification, share_intervals
from survey.estimation.build_results import survey_results
from survey.estimation.number_text import percent
from survey.formats.citation import (
    citation_of,
    citation_text,
    citations_of,
    in_tex,
    method_text,
)
from survey.formats.csv_import import read_truth
from survey.formats.export_bundle.archive import tally_responses
from survey.formats.field_days import FieldDays
from survey.planning.simulation import simulate_responses
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TRUTH, asked, letters
from tests.support.indirect import crosswise

pytestmark = pytest.mark.fast

PLAIN = yes_no("dog", label="Do you own a dog?", privacy="none")


def results_of(content, counts, origin="browser"):
    return survey_results(freeze(parse_survey(content)), counts, origin)


def coins(origin="browser", **more):
    """200 of 500 reports are Yes: the estimate is 2 * 0.4 - 0.5 = 30 %."""
    content = definition(yes_no(), PLAIN, **more)
    return results_of(content, {"smokes": {0: 200, 1: 300}, "dog": {0: 125, 1: 375}}, origin)


SURVEYS = {"every question": EVERY_TYPE, "a sample of questions": SAMPLED}


@cache
def every_type(name):
    """2,000 simulated respondents, without the question of texts."""
    content = {key: value for key, value in SURVEYS[name].items() if key != "texts_apart"}
    content["questions"] = [q for q in content["questions"] if q["type"] != "text"]
    frozen = freeze(parse_survey(content))
    counts = {question.name: Counter() for question in frozen.survey.fields}
    truth = read_truth(TRUTH, frozen.survey)
    batches = simulate_responses(frozen.survey, truth, 2_000, seed=3)
    for _ in tally_responses(frozen, (r.reports for batch in batches for r in batch), counts):
        pass
    return survey_results(frozen, counts, "browser")


def test_the_methods_cite_an_instrument_of_the_survey():
    instrument = read_instruments()["phq-9"]
    frozen = freeze(instrument.survey())
    results = survey_results(frozen, {"phq9_10_or_more": {0: 20, 1: 80}}, "browser")
    sentence = f"Instrument: PHQ-9 ({instrument.citation.rstrip('.')})."
    assert sentence in citation_of(results, "en").methods
    for language in LANGUAGES:
        methods = citation_of(results, language).methods
        # The items of the PHQ-2 are among those of the PHQ-9, so the PHQ-2 is not cited.
        assert methods.count("Kroenke K") == 1
    assert "Instrument" not in citation_of(coins(), "en").methods


def test_a_sentence_has_every_share_with_its_interval():
    results = coins()
    first, second = results.questions[0].answers
    assert first.value == pytest.approx(0.3)
    private, plain = citation_of(results, "en").sentences
    assert private == (
        "Estimated shares of the answers to “Do you smoke?”: “Yes” 30.0 % (95 % confidence "
        "interval "
        f"{percent(first.low)} to {percent(first.high)}); “No” 70.0 % (95 % confidence interval "
        f"{percent(second.low)} to {percent(second.high)}). n = 500."
    )
    assert plain.startswith("Shares of the answers to “Do you own a dog?”: “Yes” 25.0 % (95 % ")


@pytest.mark.parametrize(("counts", "outside"), [([20, 80], True), ([40, 60], False)])
def test_an_estimate_outside_its_interval_is_explained(counts, outside):
    """With two coin flips, 20 % of reports give an estimate of −10 %."""
    results = results_of(definition(), {"smokes": dict(enumerate(counts))})
    (sentence,) = citation_of(results, "en").sentences
    note = "Estimates are not clipped. An impossible estimate lies outside its interval."
    assert (note in sentence) == outside
    assert ("−10" in sentence) == outside


@check_each("name", SURVEYS)
@check_each("language", LANGUAGES)
def test_every_type_has_a_sentence_with_the_numbers_of_its_results(name, language):
    results = every_type(name)
    citation = citation_of(results, language)
    assert len(citation.sentences) == len(results.questions)
    words = Words(language)
    for sentence, result in zip(citation.sentences, results.questions, strict=True):
        assert result.question.label in sentence
        if result.question.kind.numeric:
            assert words.write_number(result.quantities[0].shown) in sentence
            continue
        answers = result.asked or result.answers
        shares = [words.write_number(a.shown.removesuffix(" %")) for a in answers]
        places = [sentence.index(share) for share in shares]
        assert places[0] == min(places)
        for answer in answers:
            for end in answer.between:
                assert words.write_number(end.removesuffix(" %")) in sentence
        # Boxes with different numbers of reports have each their own.
        several = len({answer.n for answer in answers}) > 1
        assert sentence.count("n = ") == 1 + several * len(answers)
        assert result.asked == () or "asked" in sentence or language != "en"


def test_a_scale_that_supports_its_mean_alone_says_what_its_ends_mean():
    mood = asked("mood", "scale", {"epsilon": 1}, choices=letters("12345"))
    counts = {0: 150, 1: 90, 2: 90, 3: 80, 4: 90}
    results = results_of(definition(mood), {"mood": counts})
    results = replace(results, questions=(replace(results.questions[0], answers=()),))
    [sentence] = citation_of(results, "en").sentences
    assert "“What of mood? (1 = 1, 5 = 5)”" in sentence
    assert results.questions[0].quantities[0].shown in sentence


@pytest.mark.parametrize(
    ("language", "mean"),
    [("en", "1,200,000 đ"), ("vi", "1.200.000 đ"), ("th", "1,200,000 đ"), ("zh", "1,200,000 đ")],
)
def test_a_large_mean_has_grouped_digits(language, mean):
    pay = asked("pay", "number", "none", min=0, max=2_000_000, step=100_000, unit="đ")
    results = results_of(definition(pay), {"pay": {9: 100, 15: 100}})
    [sentence] = citation_of(results, language).sentences
    assert mean in sentence


def test_the_methods_have_mechanism_epsilon_n_estimator_interval_fingerprint_and_version():
    results = coins()
    methods = citation_of(results, "en").methods
    for part in (
        "Published responses to the survey “Health”: n = 500.",
        "The respondent’s browser randomised each answer",
        "at most ε = 1.10.",
        "Mechanisms: coin_flip with ε = 1.10 and n = 500 for question 1.",
        "unbiased scores",
        "Each confidence interval has a level of 95 %",
        results.questions[0].answers[0].method,
        results.frozen.fingerprint,
        f"Candor {VERSION}",
    ):
        assert part in methods, part


def test_the_methods_describe_only_the_estimates_that_there_are():
    assert "mean of a number" not in citation_of(coins(), "en").methods
    counts = {"age": {0: 10, 9: 30}, "smokes": {0: 30, 1: 30}}
    private_age = asked("age", "number", {"epsilon": 2}, min=0, max=9)
    plain_age = asked("age", "number", "none", min=0, max=9)
    private = results_of(definition(private_age), counts)
    assert "the estimated mean is" in citation_of(private, "en").methods
    weighted = citation_of(private, "en", weighted_by="Group").methods
    assert "In each group, the mean of a number is" in weighted
    plain = results_of(definition(yes_no(), plain_age), counts)
    assert "mean of a number" not in citation_of(plain, "en").methods


def test_private_and_non_private_shares_have_the_same_method():
    content = definition(yes_no(), PLAIN)
    results = results_of(content, {"smokes": {0: 400, 1: 600}, "dog": {0: 400, 1: 600}})
    methods = citation_of(results, "en").methods
    assert "Method for the intervals: exact, likelihood-ratio ordered." in methods


def test_the_year_of_simulated_data_is_that_of_the_simulation():
    assert "year of the simulation" in citation_of(coins("simulated"), "en").year_note
    assert "responses were collected" in citation_of(coins("loaded"), "en").year_note


def test_equal_mechanisms_are_listed_once():
    content = definition(yes_no(), yes_no("drinks"), yes_no("bets", privacy={"epsilon": 2}))
    counts = {name: {0: 50, 1: 50} for name in ("smokes", "drinks", "bets")}
    methods = citation_of(results_of(content, counts), "en").methods
    assert "coin_flip with ε = 1.10 and n = 100 for questions 1 and 2; " in methods
    assert methods.count("coin_flip") == 1


def test_words_follow_the_origin_and_the_protection():
    simulated = citation_of(coins("simulated"), "en")
    assert all(
        each.startswith("Simulated data: nobody was asked. ") for each in simulated.sentences
    )
    assert "Nobody was asked." in simulated.methods
    assert "browser" not in simulated.methods
    assert "Simulated data set" in simulated.apa
    assert "Simulated data set" in simulated.bibtex
    loaded = citation_of(coins("loaded"), "en").methods
    assert "These responses were collected elsewhere." in loaded
    assert "browser" not in loaded
    plain = citation_of(results_of(definition(PLAIN), {"dog": {0: 10, 1: 10}}), "en").methods
    assert "No answer was randomised." in plain
    assert "ε" not in plain
    # The report of a crosswise question is not randomised, and reveals little to most people.
    indirect = citation_of(results_of(definition(crosswise()), {"copied": {0: 10, 1: 10}}), "en")
    assert (
        "No answer was randomised. In a crosswise question, a second statement hides whether the "
        "first one is true. The total privacy loss of one respondent is at most "
    ) in indirect.methods
    assert "Mechanisms" not in indirect.methods
    weighted = citation_of(coins(), "en", weighted_by="Age")
    assert all(each.endswith(" Weighted by “Age”.") for each in weighted.sentences)
    assert "weighted by “Age”" in weighted.methods


def expected_counts(entry, n):
    """The expected number of each report, if all answers are equally frequent."""
    table = parse_survey(definition(yes_no(), entry)).fields[1].table
    reports = [sum(row[code] for row in table.rows) for code in range(table.reports)]
    return {code: round(n * each / sum(reports)) for code, each in enumerate(reports)}


def test_the_median_is_cited_if_it_is_the_goal():
    hours = {"name": "hours", "type": "number", "label": "Hours?", "min": 0, "max": 10,
             "unit": "h", "privacy": {"epsilon": 1, "goal": "quantiles"}}  # fmt: skip
    found = results_of(definition(hours), {"hours": expected_counts(hours, 5_000)})
    [sentence] = citation_of(found, "en").sentences
    median = found.questions[0].lead
    assert sentence.startswith(
        f"Estimated median of the answers to “Hours?”: {median.shown} h (95 % confidence interval "
        f"{median.between[0]} to {median.between[1]} h"
    )
    assert "Estimated mean of the answers to “Hours?”: " in sentence


def test_a_mean_of_those_asked_says_so_and_questions_are_listed():
    smokes, drinks = yes_no(), yes_no("drinks", label="Do you drink?")
    cigarettes = {"name": "cigarettes", "type": "number", "label": "How many?", "min": 0,
                  "max": 10, "privacy": {"epsilon": 1}, "relevant": {"smokes": "yes"}}  # fmt: skip
    counts = {0: 500, 1: 500}
    found = results_of(
        definition(smokes, drinks, cigarettes),
        {"smokes": counts, "drinks": counts, "cigarettes": expected_counts(cigarettes, 1_000)},
    )
    citation = citation_of(found, "en")
    assert citation.sentence_on("cigarettes").endswith(
        "The mean is that of those asked. The others count in n."
    )
    assert "The mean is that of" not in citation.sentence_on("smokes")
    assert " and n = 1,000 for questions 1 and 2" in citation.methods


def test_too_few_responses_have_no_sentence():
    few = results_of(definition(yes_no()), {"smokes": {0: 2, 1: 2}}).as_shown
    assert citation_of(few, "en").sentences == ()
    assert "interval" not in citation_of(few, "en").methods
    none = results_of(definition(yes_no()), {}).as_shown
    assert citation_of(none, "en").sentences == ()


def test_the_public_citation_leaves_non_private_questions_out():
    citation = citation_of(coins(), "en", private_only=True)
    assert len(citation.sentences) == 1
    assert "dog" not in "".join(citation.sentences) + citation.methods


def test_the_reference_names_who_asked():
    results = coins(asked_by="Institute of Surveys", title="Dogs & cigarettes: 100 %_{x}")
    citation = citation_of(results, "en", address="https://example.org/s/health/results")
    assert citation.apa == (
        "Institute of Surveys. (n.d.). Dogs & cigarettes: 100 %_{x} [Data set]. "
        f"Candor {VERSION}. https://example.org/s/health/results"
    )
    assert citation.bibtex.splitlines() == [
        "@misc{health,",
        "  author = {{Institute of Surveys}},",
        r"  title = {{Dogs \& cigarettes: 100 \%\_\{x\}}},",
        "  year = {n.d.},",
        "  url = {https://example.org/s/health/results},",
        f"  note = {{Data set, n = 500, Candor {VERSION}, SHA-256 fingerprint "
        f"{results.frozen.fingerprint}}},",
        "}",
    ]
    assert "n.d." in citation_of(results, "en").year_note
    nobody = citation_of(coins(), "en")
    assert nobody.apa == f"Health [Data set]. (n.d.). Candor {VERSION}."
    assert "author" not in nobody.bibtex


def test_the_reference_has_the_year_of_the_last_day_if_it_is_known():
    days = FieldDays(date(2026, 12, 1), date(2027, 1, 31))
    citation = citation_of(coins(), "en", field_days=days)
    assert citation.apa == f"Health [Data set]. (2027). Candor {VERSION}."
    assert "  year = {2027}," in citation.bibtex
    assert citation.year_note == ""
    still_open = citation_of(coins(), "en", field_days=FieldDays(date(2026, 12, 1), None))
    assert "(n.d.)" in still_open.apa


def test_tex_reads_every_character_as_itself():
    assert in_tex("a\\b ~^\n#$") == (r"a\textbackslash{}b \textasciitilde{}\textasciicircum{} \#\$")
    braces = re.sub(r"\\[{}]|\\text\w+\{\}", "", in_tex("{{}\\"))
    assert "{" not in braces


@check_each("language", [each for each in LANGUAGES if each != "en"])
def test_nothing_but_names_stays_in_english(language):
    """The labels are not Latin, so only names of methods and the fingerprint are."""
    content = definition(yes_no(label="？"), title="？")
    for origin in ("browser", "simulated", "loaded"):
        results = results_of(content, {"smokes": {0: 200, 1: 300}}, origin)
        citation = citation_of(results, language, weighted_by="？")
        text = " ".join((*citation.sentences, citation.methods))
        english = citation_of(results, "en", weighted_by="？")
        shared = set(re.findall(r"[A-Za-z]{4,}", text)) & set(
            re.findall(r"[A-Za-z]{4,}", " ".join((*english.sentences, english.methods)))
        )
        names = {
            "coin_flip",
            "coin",
            "flip",
            "Candor",
            "local",
            "differential",
            "privacy",
        }
        names |= {"post", "stratification"}
        hexadecimal = re.findall(r"[A-Za-z]{4,}", results.frozen.fingerprint)
        assert shared <= names | set(hexadecimal), shared


def test_every_method_of_an_interval_has_a_translation():
    methods = {mean_intervals.METHOD, mean_intervals.STUDENT, poststratification.INTERVAL_METHOD}
    methods |= {share_intervals.METHOD, asked_shares.FIELLER}
    assert len(methods) == 5
    for method in methods:
        assert "table" not in method
        assert method == mean_intervals.STUDENT or method_text(method, Words("en")) == method
        for language in LANGUAGES[1:]:
            assert method_text(method, Words(language)) != method


def test_the_language_of_the_page_comes_first():
    results = coins()
    for language in LANGUAGES:
        listed = [each.words.language for each in citations_of(results, first=language)]
        assert (listed[0], sorted(listed)) == (language, sorted(LANGUAGES))


def test_the_file_has_every_language():
    results = coins()
    text = citation_text(results)
    for citation in citations_of(results):
        for part in (*citation.sentences, citation.methods, citation.apa, citation.bibtex):
            assert part in text
    assert len(LANGUAGES) == 4


def test_the_methods_say_who_was_asked_and_on_which_days():
    march, april = date(2026, 3, 30), date(2026, 4, 2)
    results = coins(recruitment="All 500 members\nof a club")
    methods = citation_of(results, "en", field_days=FieldDays(march, april)).methods
    assert "The survey was open between 30 March 2026 and 2 April 2026 (UTC). " in methods
    assert (
        "Who was asked and how respondents were selected: “All 500 members of a club”. " in methods
    )
    one_day = citation_of(results, "en", field_days=FieldDays(march, march))
    assert one_day.days_sentence == "The survey was open on 30 March 2026 (UTC)."
    still_open = citation_of(results, "en", field_days=FieldDays(march, None))
    assert still_open.days_sentence == "The survey opened on 30 March 2026 (UTC)."
    in_vietnamese = citation_of(results, "vi", field_days=still_open.field_days)
    assert "30 tháng 3 năm 2026" in in_vietnamese.methods
    assert "30 March 2026" in citation_text(results, still_open.field_days)


def test_the_methods_are_silent_about_a_sample_that_is_unknown():
    for results in (coins(), coins("simulated", recruitment="All 500 members")):
        methods = citation_of(results, "en").methods
        assert "Who was asked" not in methods
        assert "(UTC)" not in methods
    loaded = citation_of(coins("loaded", recruitment="All 500 members"), "en").methods
    assert "“All 500 members”" in loaded


@check_each("origin", ["browser", "loaded"])
def test_only_a_browser_is_said_to_choose_questions_at_random(origin):
    """In a file from elsewhere, an experimental arm may decide who reports on what."""
    content = definition(
        yes_no(), yes_no() | {"name": "drinks"}, budget={"per_respondent": {"sample": 1}}
    )
    results = results_of(content, {"smokes": {0: 2, 1: 3}, "drinks": {0: 2, 1: 3}}, origin)
    methods = citation_of(results, "en").methods
    assert "Each respondent reported on 1 of the 2 private questions" in methods
    assert ("chosen at random" in methods) == (origin == "browser")


def test_who_was_asked_is_in_the_language_of_the_methods():
    questions = {name: {"label": "?"} for name in ("smokes", "dog")}
    texts = {"title": "T", "recruitment": "Mọi thành viên", "questions": questions}
    translations = {"vi": texts}
    results = coins(recruitment="All members", translations=translations)
    assert "“Mọi thành viên”" in citation_of(results, "vi").methods
    assert "“All members”" in citation_of(results, "th").methods
