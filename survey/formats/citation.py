"""How to cite a survey: a sentence for each result, a paragraph on the methods, and references.

Every text is a function of the survey, of its results and of the days on which it was open, in each
language of Candor. A sentence lists all answers of a question, so it claims no order. No text
contains the date of a response, because Candor stores none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from survey import VERSION
from survey.core.languages import LANGUAGES, MAIN, Words, language_name
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import FrozenSurvey
from survey.definition.instruments.read_instruments import instruments_behind, instruments_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.target_population import (
    EVERYONE_SIMILAR,
    FINITE,
    RESPONDENTS,
    TargetPopulation,
)
from survey.estimation.findings.public_sentences import percentage, remarks_to_cite
from survey.estimation.finite_population import (
    ADJUSTED_METHOD,
    FINITE_METHOD,
    GAFFKE_FINITE,
    KNOWN,
    STUDENT_FINITE,
)
from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults, Results
from survey.estimation.share_estimates import COUNTED_BITS, COUNTED_BITS_FINITE
from survey.estimation.types.joint_items import item_questions
from survey.estimation.types.joint_texts import parts_sentence
from survey.formats.derived_sentences import derived_sentences
from survey.formats.field_days import FieldDays, days_sentence
from survey.formats.types import FORMATS

# What a reference says instead of an unknown year.
NO_DATE = "n.d."
# Characters with a meaning in TeX.
TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, kw_only=True)
class Citation:
    """What a paper needs to cite a survey, in one language.

    Attributes
    ----------
    questions : the questions that the page shows, in the language if the survey has it, each with
        its results; the questions behind a joint question come before it
    weighted_by : the label of the question that the results are weighted by, or empty
    address : the URL of the public results; empty if they are not public
    field_days : the days on which the survey was open, or None if nobody was asked or if they are
        not known
    target : the people whom the results describe
    """

    frozen: FrozenSurvey
    origin: str
    n: int
    questions: tuple[tuple[Question, QuestionResults], ...]
    words: Words
    weighted_by: str = ""
    address: str = ""
    field_days: FieldDays | None = None
    target: TargetPopulation = EVERYONE_SIMILAR

    @property
    def language_name(self) -> str:
        return language_name(self.words.language)

    @property
    def survey(self) -> Survey:
        """The survey in the language, or in its own if it has no translation."""
        return with_language(self.frozen.survey, self.words.language)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each question that has an estimate."""
        every = (self.sentence(*pair) for pair in self.questions)
        return tuple(sentence for sentence in every if sentence)

    def sentence_on(self, name: str) -> str:
        """The sentence on the question with this name; empty if there is none."""
        found = (pair for pair in self.questions if pair[0].name == name)
        return next((self.sentence(*pair) for pair in found), "")

    def sentence(self, question: Question, result: QuestionResults) -> str:
        """The results of a question with their intervals, and its remarks.

        It is empty if there are no results to cite. If no estimate may be used, it says so.
        """
        words, remarks = self.words, remarks_to_cite(result, question, self.words)
        if result.unusable:
            return words.gap.join(dict.fromkeys(filter(None, remarks.values())))
        sentence = self.estimates_of(question, result)
        if not sentence:
            return ""
        notes = [sentence, *dict.fromkeys(remarks.values())]
        if self.origin == "simulated":
            notes.insert(0, words.say("Simulated data: nobody was asked."))
        if self.weighted_by:
            notes.append(words.say("Weighted by “%(question)s”.", question=self.weighted_by))
        return words.gap.join(notes)

    def estimates_of(self, question: Question, result: QuestionResults) -> str:
        """The estimates of a question with their intervals; empty if there are none to cite."""
        return FORMATS[question].cite(self, result)

    def sentences_of_distribution(self, question: Question, result: QuestionResults) -> str:
        """The mean, and the median if it leads the results; empty if there is no mean."""
        mean = result.quantities[0] if result.quantities else None
        if mean is None or mean.name != "mean":
            return ""
        notes = [self.sentence_of_mean(question, result, mean)]
        lead = result.lead
        if lead is not None and lead.name == "quantile_50" and not lead.cannot_tell:
            notes.insert(0, self.sentence_of_median(question, result, lead))
        if result.conditional:
            notes.append(self.words.say("The mean is that of those asked. The others count in n."))
        return self.words.gap.join(notes)

    def sentence_of_shares(self, question: Question, result: QuestionResults) -> str:
        words, several = self.words, len({answer.n for answer in result.answers}) > 1
        labels = {choice.name: choice.label for choice in question.answers}
        shares = []
        for answer in result.asked or result.answers:
            values = self.interval_values(answer, result) | {
                "answer": labels[answer.choice.name],
                "n": words.number(answer.n, grouped=True),
            }
            if result.known:
                shares.append(words.say("“%(answer)s” %(share)s", **values))
                continue
            shares.append(
                words.say(
                    "“%(answer)s” %(share)s (%(level)s confidence interval %(low)s to "
                    "%(high)s, n = %(n)s)",
                    **values,
                )
                if several
                else words.say(
                    "“%(answer)s” %(share)s (%(level)s confidence interval %(low)s to %(high)s)",
                    **values,
                )
            )
        facts = {
            "question": question.label,
            "shares": words.say("; ").join(shares),
            "n": words.number(result.n, grouped=True),
        }
        if result.asked and question.non_private:
            return words.say(
                "Shares of the answers to “%(question)s” among those asked: %(shares)s. n = "
                "%(n)s, including those who were not asked.",
                **facts,
            )
        if result.asked:
            return words.say(
                "Estimated shares of the answers to “%(question)s” among those asked: %(shares)s. "
                "n = %(n)s, including those who were not asked.",
                **facts,
            )
        if question.non_private:
            return words.say(
                "Shares of the answers to “%(question)s”: %(shares)s. n = %(n)s.", **facts
            )
        estimated = words.say(
            "Estimated shares of the answers to “%(question)s”: %(shares)s. n = %(n)s.",
            **facts,
        )
        if not result.items:
            return estimated
        items = self.survey.items_of(question)
        return words.gap.join([estimated, parts_sentence(items, words)])

    def interval_values(self, answer: AnswerResults, result: QuestionResults) -> dict[str, str]:
        values = {"share": answer.shown, "low": answer.between[0], "high": answer.between[1]}
        shown = {name: percentage(self.words, value) for name, value in values.items()}
        return shown | {"level": percentage(self.words, result.level_text)}

    def sentence_of_mean(
        self, question: Question, result: QuestionResults, mean: QuantityResults
    ) -> str:
        words = self.words
        unit = f" {question.grid.unit}" if question.grid and question.grid.unit else ""
        low, high = (words.write_number(end) for end in mean.between)
        facts = {
            "question": FORMATS[question].label_with_values(words),
            "mean": words.write_number(mean.shown) + unit,
            "level": percentage(words, result.level_text),
            "low": low,
            "high": high + unit,
            "n": words.number(result.n, grouped=True),
        }
        if result.known:
            return words.say("Mean of the answers to “%(question)s”: %(mean)s. n = %(n)s.", **facts)
        if question.non_private:
            return words.say(
                "Mean of the answers to “%(question)s”: %(mean)s (%(level)s confidence "
                "interval %(low)s to %(high)s). n = %(n)s.",
                **facts,
            )
        return words.say(
            "Estimated mean of the answers to “%(question)s”: %(mean)s (%(level)s confidence "
            "interval %(low)s to %(high)s). n = %(n)s.",
            **facts,
        )

    def sentence_of_median(
        self, question: Question, result: QuestionResults, median: QuantityResults
    ) -> str:
        words = self.words
        unit = f" {question.grid.unit}" if question.grid and question.grid.unit else ""
        low, high = (words.write_number(end) for end in median.between)
        return words.say(
            "Estimated median of the answers to “%(question)s”: %(median)s (%(level)s "
            "confidence interval %(low)s to %(high)s).",
            question=question.label,
            median=words.write_number(median.shown) + unit,
            level=percentage(words, result.level_text),
            low=low,
            high=high + unit,
        )

    @property
    def methods(self) -> str:
        """The paragraph on the methods, for the methods section of a paper."""
        sentences = (
            *self.sentences_on_data(),
            *self.sentences_on_derived(),
            *self.sentences_on_privacy(),
            *self.sentences_on_estimates(),
        )
        return self.words.gap.join(sentences)

    def sentences_on_data(self) -> Iterator[str]:
        words = self.words
        yield words.say(
            "Published responses to the survey “%(title)s”: n = %(n)s.",
            title=self.survey.title,
            n=words.number(self.n, grouped=True),
        )
        if self.origin == "simulated":
            yield words.say("Nobody was asked. The responses are simulated.")
        elif self.origin == "loaded":
            yield words.say("These responses were collected elsewhere.")
        if self.days_sentence:
            yield self.days_sentence
        if self.recruitment:
            yield words.say(
                "Who was asked and how respondents were selected: “%(text)s”.",
                text=self.recruitment,
            )
        for each in instruments_of(self.frozen.survey):
            yield words.say(
                "Instrument: %(name)s (%(citation)s).",
                name=each.name,
                citation=each.citation.rstrip("."),
            )

    @property
    def days_sentence(self) -> str:
        """The days on which the survey was open; empty if they are not known."""
        return days_sentence(self.field_days, self.words)

    @property
    def recruitment(self) -> str:
        """Who was asked, as the researcher describes it on one line; empty if nobody was asked."""
        text = "" if self.origin == "simulated" else self.survey.fieldwork.recruitment
        return " ".join(text.split())

    def sentences_on_privacy(self) -> Iterator[str]:
        words, survey = self.words, self.frozen.survey
        if not survey.private:
            yield words.say("No answer was randomised.")
        elif self.origin == "browser":
            yield words.say(
                "The respondent’s browser randomised each answer to a private question before it "
                "sent anything (local differential privacy)."
            )
        else:
            yield words.say(
                "Each answer to a private question was randomised (local differential privacy)."
            )
        if any(question.known_share is not None for question in survey.fields):
            yield words.say(
                "In a crosswise question, a second statement hides whether the first one is true."
            )
        if survey.budget.sample:
            reports = {"sample": survey.budget.sample, "all": len(survey.private)}
            # In a file from elsewhere, the cell of another column may decide on the questions.
            if survey.budget.at_most:
                yield words.say(
                    "Each respondent reported on at most %(sample)s of the %(all)s private "
                    "questions.",
                    **reports,
                )
            elif self.origin == "loaded":
                yield words.say(
                    "Each respondent reported on %(sample)s of the %(all)s private questions.",
                    **reports,
                )
            else:
                yield words.say(
                    "Each respondent reported on %(sample)s of the %(all)s private questions, "
                    "which were chosen at random.",
                    **reports,
                )
        if survey.ratio_bound is None:
            yield words.say("The privacy loss ε of one respondent has no finite bound.")
        elif survey.protected:
            yield words.say(
                "The total privacy loss of one respondent is at most ε = %(epsilon)s.",
                epsilon=words.write_number(epsilon_text(survey.epsilon)),
            )
        if survey.private:
            yield words.say("Mechanisms: %(mechanisms)s.", mechanisms=self.mechanisms())

    def sentences_on_derived(self) -> Iterator[str]:
        """How the device gets the answers that the respondents do not give."""
        left_out = {question.name for question in self.survey.sent}
        left_out -= {question.name for question, _ in self.questions}
        for question in self.survey.derived:
            if question.name not in left_out:
                instruments = instruments_behind(self.frozen.survey, question)
                yield from derived_sentences(
                    self.survey, question, instruments, self.origin, self.words
                )

    def mechanisms(self) -> str:
        """The mechanism, ε and n of each private question. Equal ones are listed once."""
        words = self.words
        numbers: dict[tuple[str, str, int], list[str]] = {}
        numbered = (pair for pair in self.questions if pair[1].joint is None)
        for number, (question, result) in enumerate(numbered, 1):
            if not question.non_private:
                key = (question.mechanism, epsilon_text(question.epsilon), result.n)
                numbers.setdefault(key, []).append(str(number))
        texts = []
        for (mechanism, epsilon, n), places in numbers.items():
            facts = {
                "mechanism": mechanism,
                "epsilon": words.write_number(epsilon),
                "n": words.number(n, grouped=True),
                "numbers": words.join_list(places),
            }
            texts.append(
                words.say(
                    "%(mechanism)s with ε = %(epsilon)s and n = %(n)s for question %(numbers)s",
                    **facts,
                )
                if len(places) == 1
                else words.say(
                    "%(mechanism)s with ε = %(epsilon)s and n = %(n)s for questions %(numbers)s",
                    **facts,
                )
            )
        return words.say("; ").join(texts)

    def sentences_on_estimates(self) -> Iterator[str]:
        words = self.words
        methods: dict[str, None] = {}
        for _, result in self.questions:
            means = (each for each in result.quantities if each.name == "mean" or each.item)
            shares = (answer.method for answer in result.answers)
            used = (*shares, *(mean.method for mean in means))
            methods |= {method_text(method, words): None for method in used}
        yield from self.sentences_on_scores()
        if methods:
            yield words.say(
                "Each confidence interval has a level of %(level)s, not corrected for multiple "
                "comparisons. Method for the intervals: %(methods)s.",
                level=percentage(words, self.questions[0][1].level_text),
                methods=words.say("; ").join(methods),
            )
        yield from self.sentences_on_target()
        if self.weighted_by:
            yield words.say(
                "The estimates are weighted by “%(question)s” with known group sizes "
                "(post-stratification).",
                question=self.weighted_by,
            )
        yield words.say(
            "SHA-256 fingerprint of the survey’s definition and randomizers: %(fingerprint)s. "
            "Software: Candor %(version)s.",
            fingerprint=self.frozen.fingerprint,
            version=VERSION,
        )

    def sentences_on_target(self) -> Iterator[str]:
        """Whom the results describe, unless these are people like the respondents."""
        words = self.words
        if self.target.kind == RESPONDENTS and not self.weighted_by:
            yield words.say(
                "The results describe the respondents themselves. Standard errors and "
                "intervals include the error from the randomisation of the answers, but no "
                "sampling error."
            )
        elif self.target.kind == FINITE:
            yield words.say(
                "The results describe a population of %(size)s people. Standard errors and "
                "intervals assume a random sample from this population (finite population "
                "correction).",
                size=words.number(self.target.size or 0, grouped=True),
            )

    def sentences_on_scores(self) -> Iterator[str]:
        """How the estimates of private questions are calculated from the scores of the reports."""
        words = self.words
        pairs = [pair for pair in self.questions if not pair[0].non_private]
        shares = any(result.answers for _, result in pairs)
        means = any(
            quantity.name == "mean"
            for question, result in pairs
            for quantity in FORMATS[question].cited_means(result)
        )
        if shares:
            yield words.say("Each estimated share is the mean of unbiased scores of the reports.")
        cited = (
            FORMATS[question].cited_method(words) for question, found in pairs if found.quantities
        )
        yield from dict.fromkeys(filter(None, cited))
        if any(result.asked for _, result in pairs):
            yield words.say(
                "A share among those asked is the estimated share of all respondents, divided by "
                "the estimated share of those asked."
            )
        if means and self.weighted_by:
            yield words.say(
                "In each group, the mean of a number is estimated by the average score of the "
                "value, divided by the average score of having given a number."
            )
        elif means:
            yield words.say(
                "For a question with a number, the estimated mean is the average score of the "
                "value, divided by the average score of “gave a number”."
            )
        if shares or means:
            yield words.say("Candor does not clip estimates to possible values.")
            yield words.say(
                "The estimates describe the answers that respondents entered, and are true only if "
                "respondents answered truthfully."
            )

    @property
    def apa(self) -> str:
        """The reference in the style of the American Psychological Association, 7th edition."""
        survey = self.survey
        author, title = survey.fieldwork.asked_by, " ".join(survey.title.split())
        kind = "Simulated data set" if self.origin == "simulated" else "Data set"
        start = (
            f"{full_stop(author)} ({self.year}). {title} [{kind}]."
            if author
            else (f"{title} [{kind}]. ({self.year}).")
        )
        return " ".join([*start.split(), "Candor", f"{VERSION}.", self.address]).strip()

    @property
    def bibtex(self) -> str:
        """The reference as an entry of BibTeX, in UTF-8."""
        survey = self.survey
        note = [
            "Simulated data set" if self.origin == "simulated" else "Data set",
            f"n = {self.n}",
            f"Candor {VERSION}",
            f"SHA-256 fingerprint {self.frozen.fingerprint}",
        ]
        fields = {
            "author": f"{{{in_tex(survey.fieldwork.asked_by)}}}" * bool(survey.fieldwork.asked_by),
            "title": f"{{{in_tex(survey.title)}}}",
            "year": self.year,
            "url": self.address,
            "note": ", ".join(note),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@misc{{{self.frozen.survey.slug},", *lines, "}"])

    @property
    def year(self) -> str:
        """The year of the last day on which the survey was open, or "n.d." if it is not known."""
        if self.field_days is None or self.field_days.last is None:
            return NO_DATE
        return str(self.field_days.last.year)

    @property
    def year_note(self) -> str:
        """By which year the reader should replace "n.d." in the references; empty without it."""
        if self.year != NO_DATE:
            return ""
        if self.origin == "simulated":
            return self.words.say("Replace “n.d.” with the year of the simulation.")
        return self.words.say(
            "Candor stores no date of a response. Replace “n.d.” with the year in which the "
            "responses were collected."
        )


def full_stop(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def in_tex(text: str) -> str:
    """The text on one line, with TeX's characters escaped."""
    return "".join(TEX.get(letter, letter) for letter in " ".join(text.split()))


def with_language(survey: Survey, language: str) -> Survey:
    return survey.in_language(language) if language in survey.languages else survey


def method_text(method: str, words: Words) -> str:
    """The method of an interval. A method without a translation keeps its English name."""
    names = {
        "exact, likelihood-ratio ordered": words.say("exact, likelihood-ratio ordered"),
        "Gaffke, Dirichlet-weighted scores": words.say("Gaffke, Dirichlet-weighted scores"),
        "Student, error at each mean": words.say(
            "Student’s t, with the standard error at each possible mean"
        ),
        "Fieller, ratio of two estimates": words.say("Fieller, ratio of two estimates"),
        "normal, from the standard errors or the intervals of the groups": words.say(
            "normal, from the standard errors or the intervals of the groups"
        ),
        FINITE_METHOD: words.say("exact for a finite population, likelihood-ratio ordered"),
        ADJUSTED_METHOD: words.say(
            "likelihood-ratio ordered, level adjusted to a finite population"
        ),
        GAFFKE_FINITE: words.say(
            "Gaffke, Dirichlet-weighted scores, level adjusted to a finite population"
        ),
        STUDENT_FINITE: words.say(
            "Student’s t, with the standard error at each possible mean, for a finite population"
        ),
        COUNTED_BITS: words.say(
            "Student’s t, with the standard error at each possible share and a continuity "
            "correction"
        ),
        COUNTED_BITS_FINITE: words.say(
            "Student’s t, with the standard error at each possible share and a continuity "
            "correction, for a finite population"
        ),
        KNOWN: words.say("known exactly, no interval"),
    }
    return names.get(method, method)


def citation_of(
    results: Results,
    language: str,
    *,
    weighted_by: str = "",
    address: str = "",
    private_only: bool = False,
    field_days: FieldDays | None = None,
) -> Citation:
    """The citation of a survey's results in a language.

    Parameters
    ----------
    results : as pages show them, without estimates from too few responses
    private_only : leave out non-private questions, as the public page does
    """
    frozen = results.frozen
    survey = with_language(frozen.survey, language)
    pairs = tuple(
        pair
        for question, result in zip(survey.fields, results.questions, strict=True)
        if not (private_only and question.non_private)
        for pair in zip(
            (*item_questions(survey, question), question), result.with_items, strict=True
        )
    )
    return Citation(
        frozen=frozen,
        origin=results.origin,
        n=results.n,
        questions=pairs,
        words=Words(language),
        weighted_by=weighted_by,
        address=address,
        field_days=field_days,
        target=results.target,
    )


def citations_of(
    results: Results,
    weighted_by: str = "",
    address: str = "",
    first: str = MAIN,
    field_days: FieldDays | None = None,
) -> list[Citation]:
    """The citation in every language; `first` is the one to begin with."""
    return [
        citation_of(
            results, language, weighted_by=weighted_by, address=address, field_days=field_days
        )
        for language in sorted(LANGUAGES, key=lambda language: language != first)
    ]


def citation_text(results: Results, field_days: FieldDays | None = None) -> str:
    """The file citation.txt: all of this in every language."""
    blocks: list[Sequence[str]] = []
    for citation in citations_of(results.as_shown, field_days=field_days):
        heading = citation.language_name
        blocks.append(
            [
                f"{heading}\n{'-' * len(heading)}",
                *citation.sentences,
                citation.methods,
                citation.apa,
                citation.bibtex,
                citation.year_note,
            ]
        )
    return "\n\n\n".join("\n\n".join(filter(None, block)) for block in blocks) + "\n"
