"""The slips of the five course texts, each as printed, with its place and the right line.

`python -m tools.slips` looks each one up in the files of the texts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from survey.charts.analysis_rows import percent_tick
from survey.core.translate import later, translate
from survey.learn.controls import Slider, Values
from survey.learn.laplace import laplace_reach
from survey.learn.lesson import Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Curve, Upright, plot
from survey.learn.written_numbers import share_in_percent, with_decimals
from survey.learn.yes_no_reports import YES, chance_of_trait


@dataclass(frozen=True)
class CourseText:
    """One of the five texts: its name, an English text that `later` marked, and its language."""

    name: str
    language: str


BLOG = CourseText(later("Vietnamese blog"), "vi")
REPORT = CourseText(later("Vietnamese course report"), "vi")
NOTES = CourseText(later("Chinese lecture notes"), "zh")
PROJECT = CourseText(later("Vietnamese project on decision trees"), "vi")
AGENCY = CourseText(later("Thai agency’s page"), "th")


@dataclass(frozen=True, kw_only=True)
class Slip:
    """What a text says, what is right, and the lesson that shows it.

    Attributes
    ----------
    name : the name in *tests/support/printed_slips.json*, which has it sign by sign
    text, right : English sentences that `later` marked
    printed : the formula, number, few words or line of output, as the text prints it
    places : each text with the section, by its number or else by its heading
    lesson : the address of the lesson, or "" if none shows it
    words : whether `printed` has words of the language of the text
    """

    name: str
    text: str
    right: str
    printed: str
    places: tuple[tuple[CourseText, str], ...]
    lesson: str = ""
    words: bool = False


SLIPS = (
    Slip(
        name="ill",
        text=later("With a Yes, the probability of being ill is 3/4."),
        right=later(
            "With two coins (ε = ln 3), someone who is ill reports Yes with probability 3/4. If "
            "5 % of people are ill, a person who reports Yes is ill with probability 13.6 %."
        ),
        printed="3/4",
        places=(
            (BLOG, "Làm sao để an toàn trả lời các câu hỏi nhạy cảm?"),
            (PROJECT, "I.2"),
        ),
        lesson="two-coins",
    ),
    Slip(
        name="three",
        text=later("There are two ways to add noise: Laplace, Gaussian, or exponential."),
        right=later(
            "These are three mechanisms. The exponential mechanism adds no noise: it selects a "
            "result with a probability that depends on its score."
        ),
        printed="2 phương pháp",
        places=((BLOG, "Cụ thể thuật toán"),),
        lesson="mechanisms",
        words=True,
    ),
    Slip(
        name="sensitivity",
        text=later("Noise makes the sensitivity of a query much lower."),
        right=later(
            "Noise does not change the sensitivity. The sensitivity and ε determine how much noise "
            "is needed."
        ),
        printed="sensitivity của query sẽ thấp đi",
        places=((BLOG, "Cụ thể thuật toán"),),
        lesson="curator",
        words=True,
    ),
    Slip(
        name="gaussian",
        text=later(
            "The second value of N is the standard deviation here. Most books write the variance "
            "there."
        ),
        right=later(
            "With the variance, the noise is N(0, (c Δ₂f/ε)²). If ε is below 1, c² > 2 ln(1.25/δ) "
            "is enough. For a larger ε, this c can be too small."
        ),
        printed="N(0, c Δ₂(f)/ε)",
        places=((BLOG, "The Gaussian mechanism"),),
        lesson="mechanisms",
    ),
    Slip(
        name="candidates",
        text=later("The sum over all possible results r′ has the score of r in each term."),
        right=later(
            "Each term has the score of its own result: Σ_{r′∈R} exp(ε u(x, r′)/(2Δu)). As "
            "printed, all results would be equally likely."
        ),
        printed="Σ_{r′∈R} exp(ε u(x, r)/(2Δu))",
        places=((BLOG, "The Exponential mechanism"),),
        lesson="mechanisms",
    ),
    Slip(
        name="everything",
        text=later("Differential privacy protects against every leak of personal information."),
        right=later(
            "Differential privacy limits how much one person’s data can change a result. A result "
            "can still reveal a fact about a whole group, and this fact may be true of each member."
        ),
        printed="bất cứ thông tin cá nhân gì",
        places=((BLOG, "Tóm lại..."),),
        lesson="definition",
        words=True,
    ),
    Slip(
        name="densities",
        text=later(
            "The definition compares the probabilities of one result S, also for Laplace noise on "
            "a real number."
        ),
        right=later(
            "There, each single result has probability 0. S must be a set of results: "
            "Pr[F(x) ∈ S] ≤ e^ε Pr[F(x′) ∈ S]. For single results, compare the densities."
        ),
        printed="Pr[F(x) = S] / Pr[F(x′) = S] ≤ e^ε",
        places=((REPORT, "III.1"),),
        lesson="definition",
    ),
    Slip(
        name="usual",
        text=later("Usual values of ε lie between 1 and 10."),
        right=later(
            "At ε = 10, a report can be 22,026 times as likely with one answer as with another. "
            "This is a very weak guarantee. In section IV.3, the text recommends 0.1 to 5."
        ),
        printed="[1, 10]",
        places=((REPORT, "III.1"),),
        lesson="gamma",
    ),
    Slip(
        name="product",
        text=later(
            "In the proof for Laplace noise, the differences in the exponent are multiplied (∏)."
        ),
        right=later(
            "The probabilities are multiplied, so the differences in their exponents add up: "
            "exp((ε/Δ) Σᵢ |f(X)ᵢ − f(Y)ᵢ|)."
        ),
        printed="exp((ε/Δ) ∏ᵢ₌₁ᵏ |f(X)ᵢ − f(Y)ᵢ|)",
        places=((REPORT, "IV.2"),),
        lesson="curator",
    ),
    Slip(
        name="delta",
        text=later("The query f has the sensitivity ε."),
        right=later("Its sensitivity is Δ. ε is the privacy parameter, and Δ/ε is the scale."),
        printed="độ nhạy cảm ε",
        places=((REPORT, "IV.3"),),
        lesson="curator",
        words=True,
    ),
    Slip(
        name="reach",
        text=later(
            "With 10,000 people, ε = 1 and β = 0.05, the noise of the count is within ± 20."
        ),
        right=later(
            "β is the probability that the noise is outside the range. With probability 95 %, the "
            "noise is within ± ln(1/0.05) = ± ln 20 = ± 3.0."
        ),
        printed="p − 20 ≤ f(X) ≤ p + 20",
        places=((REPORT, "IV.3"),),
        lesson="smokers",
    ),
    Slip(
        name="sum",
        text=later("The example of a sum of ages prints the number of rows."),
        right=later(
            "shape[0] counts the people. The sum of their ages is 15,772 × 40.26756 = 635,100, "
            "with the mean that the text prints in section V.2.c."
        ),
        printed="adult[adult['educational-num'] > 10].shape[0]  15772",
        places=((REPORT, "V.2.b"),),
        lesson="clipping",
    ),
    Slip(
        name="clipped",
        text=later("A clipped sum has the sensitivity upper bound minus lower bound."),
        right=later(
            "This is right if an answer changes, or if one of the bounds is 0. If a row is added "
            "or removed, as in the text, it is the larger absolute value of the two bounds. For "
            "weights from 30 to 150 kg, it is 150, and not 120."
        ),
        printed="upperbound – lowerbound",
        places=((REPORT, "V.3"), (PROJECT, "II.2.c")),
        lesson="clipping",
    ),
    Slip(
        name="perplexity",
        text=later("Each word’s probability is conditional on all words, itself included."),
        right=later(
            "It is conditional on the words before it: −log₂ Pr(xᵢ | f_θ(x₁, ..., xᵢ₋₁)). Only "
            "then is the product of these probabilities that of the sequence."
        ),
        printed="log₂ Pr(xᵢ | f_θ(x₁, ..., xₙ))",
        places=((NOTES, "1.3"),),
    ),
    Slip(
        name="census",
        text=later("In 71 % of the population, 46 % of the records of the census were recovered."),
        right=later(
            "The Census Bureau reported one number for each rule: 46 % of the records were exactly "
            "right, and 71 % if the age may be wrong by one year."
        ),
        printed="71%的人口中还原46%",
        places=((NOTES, "2.1"),),
        lesson="break-it",
        words=True,
    ),
    Slip(
        name="rebuilt",
        text=later("With O(n) counts and errors of α√n, all but O(α²) answers are rebuilt."),
        right=later(
            "The number of wrong answers grows with n: it is O(α² n). At a fixed α, their share "
            "stays the same."
        ),
        printed="O(α²)",
        places=((NOTES, "2.2.3"),),
        lesson="break-it",
    ),
    Slip(
        name="power",
        text=later(
            "The ratio of the probabilities of a result with and without one person’s data is at "
            "most e ε."
        ),
        right=later("It is at most e to the power of ε: e^ε."),
        printed="Pr[F(x) = S] / Pr[F(x′) = S] ≤ eε",
        places=((PROJECT, "I.3"),),
        lesson="definition",
    ),
    Slip(
        name="branches",
        text=later("The entropy after a split has a minus sign before the mean of the branches."),
        right=later(
            "It is Σ (m_i/N) H(S_i), the mean entropy of the branches. With a minus sign, the gain "
            "of a question could be larger than the entropy before it. The signs of H(S) and of "
            "the code are right."
        ),
        printed="H(x, S) = −Σᵢ₌₁ᵏ (m_k/N) H(S_k)",
        places=((PROJECT, "III.2"),),
        lesson="titanic-tree",
    ),
    Slip(
        name="maximum",
        text=later("The noise that suits a sum is added to a maximum, minimum, median and mode."),
        right=later(
            "If all values lie within fixed bounds, this is private, but the noise is as wide as "
            "the whole range. Candor selects a value by a score, with permute-and-flip."
        ),
        printed='data[colunm].max() + noise laplace(colunm, "sum"',
        places=((PROJECT, "IV.2"),),
        lesson="statistics",
    ),
    Slip(
        name="budget",
        text=later(
            "The tree adds new noise to each entropy, and does not add up the privacy losses."
        ),
        right=later(
            "Each noisy entropy has a privacy loss. A budget for each level of the tree keeps the "
            "total within ε."
        ),
        printed='shape = use_query_DP(data, y, "count", EPSILON)',
        places=((PROJECT, "IV.2"),),
        lesson="titanic-tree",
    ),
    Slip(
        name="gain",
        text=later("The smallest gain of a split is 1e20."),
        right=later(
            "No gain is that large: with two classes it is at most 1 bit. The text probably means "
            "1e−20."
        ),
        printed="min information gain = 1e20",
        places=((PROJECT, "IV.2"),),
        lesson="titanic-tree",
    ),
    Slip(
        name="weights",
        text=later(
            "In the equation for the weight of the fourth person, the three others weigh 60, 70 "
            "and 70 kg."
        ),
        right=later(
            "They weigh 60, 70 and 80 kg, so the fourth weighs 4 × 62.5 − 210 = 40 kg. The text "
            "concludes this, too, but its printed equation would give 50 kg."
        ),
        printed="(60 + 70 + 70 + x)/4 = 62.5, x = 40",
        places=((AGENCY, "การประกาศผลสถิติสามารถเปิดเผยข้อมูลส่วนบุคคลได้"),),
        lesson="curator",
    ),
    Slip(
        name="interval",
        text=later("ε lies between 0 and 1."),
        right=later(
            "In the definition, ε may be any positive number. Values from 0.1 to 5 are usual."
        ),
        printed="ระหว่าง 0 กับ 1",
        places=((AGENCY, "Differential Privacy และ Laplace Mechanism"),),
        lesson="curator",
        words=True,
    ),
)


class Slips(Lesson):
    """ε, the share of ill people and β vary."""

    address = "slips"
    title = later("Errors in the course texts")
    idea = later(
        "Even good texts contain errors. This page lists errors that we found in five course "
        "texts, each as it is printed, with its place and its correction."
    )
    controls = (
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="2"),
        Slider(
            name="share",
            label=later("People who are ill"),
            low="1",
            high="99",
            step="1",
            start="5",
            unit="%",
        ),
        Slider(name="beta", label="β", low="0.01", high="0.5", step="0.01", start="0.05"),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="power",
            question=later(
                "If ε = 2, how many times as likely can a report be with one true answer as "
                "with another?"
            ),
            hint=later("Not yet. It is e to the power of 2, and not e times 2."),
            explanation=later("Right: e² = 7.39."),
            solution=lambda: math.exp(2),
            tolerance=0.05,
        ),
        Exercise(
            name="reach",
            question=later(
                "β = 0.01 and ε = 1. What number does the absolute value of Laplace noise on a "
                "count exceed with probability β?"
            ),
            hint=later("Not yet. It is ln(1/β), and not 1/β."),
            explanation=later("Right: ln 100 = 4.6."),
            solution=lambda: laplace_reach(1.0, 0.01),
            tolerance=0.05,
        ),
        Exercise(
            name="ill",
            question=later(
                "50 % of people are ill. Someone uses the two coins and reports Yes. How likely "
                "is it that this person is ill?"
            ),
            hint=later("Not yet. This is the one case in which the text is right."),
            explanation=later(
                "Right: 75 %. For every other share of ill people, the probability is different."
            ),
            solution=lambda: 100 * chance_of_trait(0.5, YES),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        epsilon, share, beta = values["epsilon"], values["share"] / 100, values["beta"]
        numbers = {
            "power": math.exp(epsilon),
            "product": math.e * epsilon,
            "ill": chance_of_trait(share, YES),
            "reach": laplace_reach(1.0, beta),
        }
        sentence = translate(
            "e^ε = %(power)s (course text: %(product)s). With two coins (ε = ln 3), a person who "
            "reports Yes is ill with probability %(ill)s (course text: 75 %%). With probability "
            "%(beta)s, the absolute value of noise of scale 1 exceeds %(reach)s (course text: "
            "%(wrong)s).",
            power=with_decimals(numbers["power"], 2),
            product=with_decimals(numbers["product"], 2),
            ill=share_in_percent(numbers["ill"]),
            reach=with_decimals(numbers["reach"], 2),
            beta=with_decimals(beta, 2),
            wrong=with_decimals(1 / beta, 2),
        )
        figures = [
            Figure(translate("Largest ratio"), with_decimals(numbers["power"], 2), "e^ε"),
            Figure(
                translate("As one course text prints it"),
                with_decimals(numbers["product"], 2),
                "e ε",
            ),
            Figure(
                translate("Probability that someone who reports Yes is ill"),
                share_in_percent(numbers["ill"]),
                "ε = ln 3",
            ),
            Figure(translate("As one course text says"), share_in_percent(0.75)),
            Figure(
                translate("Value that the absolute noise exceeds with probability β"),
                with_decimals(numbers["reach"], 2),
                "ln(1/β)",
            ),
            Figure(
                translate("In the example of one course text"), with_decimals(1 / beta, 2), "1/β"
            ),
        ]
        pictures = [power_picture(epsilon), illness_picture(share), reach_picture(beta)]
        return Shown(
            sentence=sentence,
            figures=figures,
            pictures=pictures,
            numbers=numbers,
            more={"slips": SLIPS},
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        return (
            Cell(
                "import math\n\n"
                f"epsilon, share, beta = {values['epsilon']}, {values['share']} / 100, "
                f"{values['beta']}\n"
                "ill = 0.75 * share / (0.75 * share + 0.25 * (1 - share))"
            ),
            Cell(
                "numbers = {'power': math.exp(epsilon), 'product': math.e * epsilon, 'ill': ill,\n"
                "           'reach': math.log(1 / beta)}\nprint(numbers)"
            ),
        )


def power_picture(epsilon: float) -> LessonPicture:
    places = np.linspace(0, 3, 61).tolist()
    chart = plot(
        Axis(low=0, high=3, title="ε"),
        Axis(low=0, high=21, title=translate("largest likelihood ratio of a report")),
        [
            Curve([(x, math.exp(x)) for x in places], translate("e^ε, right"), own=True),
            Curve([(x, math.e * x) for x in places], translate("e ε, the error"), dashes="6 3"),
            Upright(epsilon, translate("selected ε")),
        ],
    )
    description = translate(
        "The two values agree only at ε = 1. For every other ε, e ε is too small."
    )
    return LessonPicture(chart, description, translate("e^ε and e ε"))


def illness_picture(share: float) -> LessonPicture:
    places = np.linspace(0, 1, 61).tolist()
    chart = plot(
        Axis(low=0, high=1, title=translate("people who are ill"), tick=percent_tick),
        Axis(low=0, high=1, title=translate("probability of being ill"), tick=percent_tick),
        [
            Curve(
                [(x, chance_of_trait(x, YES)) for x in places],
                translate("if a person reports Yes, right"),
                own=True,
            ),
            Curve([(0.0, 0.75), (1.0, 0.75)], translate("3/4, the error"), dashes="6 3"),
            Upright(share, translate("selected share")),
        ],
    )
    description = translate(
        "With two coins (ε = ln 3), the right probability is 3/4 only if half of the people are "
        "ill."
    )
    return LessonPicture(
        chart, description, translate("Probability that someone who reports Yes is ill")
    )


def reach_picture(beta: float) -> LessonPicture:
    places = np.linspace(0.01, 0.5, 99).tolist()
    chart = plot(
        Axis(low=0, high=0.5, title="β"),
        Axis(low=0, high=25, title=translate("t, where Pr(|noise| > t) = β")),
        [
            Curve([(x, math.log(1 / x)) for x in places], translate("ln(1/β), right"), own=True),
            Curve([(x, 1 / x) for x in places], translate("1/β, the error"), dashes="6 3"),
            Upright(beta, translate("selected β")),
        ],
    )
    description = translate("1/β gives a range that is too wide.")
    return LessonPicture(chart, description, translate("Noise of scale 1"))
