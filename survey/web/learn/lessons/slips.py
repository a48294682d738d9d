"""The slips of the five course texts, each with the right line next to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from survey.central_dp.noise_scales import laplace_accuracy, laplace_scale
from survey.core.translate import later, translate, translate_number
from survey.estimation.number_text import percent
from survey.web.charts.analysis_rows import percent_tick
from survey.web.learn.controls import Slider, Values
from survey.web.learn.laplace import laplace_reach
from survey.web.learn.lesson import Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.web.learn.lessons.two_coins import YES, chance_of_trait
from survey.web.learn.pictures import Axis, Curve, Upright, plot


@dataclass(frozen=True)
class Slip:
    """What a text says, what is right, and the lesson that shows it.

    Attributes
    ----------
    text, right : English sentences that `later` marked
    lesson : the address of the lesson
    quote : the words, the formula or the code of the text, as it prints them
    language : the language of the quote, or "" for a formula or code
    """

    text: str
    right: str
    lesson: str
    quote: str
    language: str = ""


SLIPS = (
    Slip(
        later("With a Yes, the probability of being ill is only 3/4."),
        later(
            "With two coins (ε = ln 3), someone who is ill reports Yes with probability 3/4. If "
            "5 % of people are ill, a person who reports Yes is ill with probability 13.6 %."
        ),
        "two-coins",
        "Với một câu trả lời có, xác suất họ bị bệnh thật chỉ là 3/4",
        "vi",
    ),
    Slip(
        later("With 10,000 people, ε = 1 and β = 0.05, the noise of the count is within ± 20."),
        later(
            "β is the probability that the noise is outside the range. With probability 95 %, the "
            "noise is within ± ln(1/0.05) = ± ln 20 = ± 3.0."
        ),
        "smokers",
        "với xác suất 95% thì: p − 20 ≤ f(X) ≤ p + 20",
        "vi",
    ),
    Slip(
        later(
            "In the equation for the weight of the fourth person, the three others weigh 60, 70 "
            "and 70 kg."
        ),
        later(
            "They weigh 60, 70 and 80 kg, so the fourth weighs 4 × 62.5 − 210 = 40 kg. The text "
            "concludes this, too, but its printed equation would give 50 kg."
        ),
        "curator",
        "(60 + 70 + 70 + x) / 4 = 62.5, x = 40",
    ),
    Slip(
        later("ε lies between 0 and 1."),
        later("In the definition, ε may be any positive number. Values from 0.1 to 5 are usual."),
        "curator",
        "ε เป็นตัวแปรที่มีค่าระหว่าง 0 กับ 1",
        "th",
    ),
    Slip(
        later("Usual values of ε lie in [1, 10]."),
        later(
            "At ε = 10, a report can be 22,026 times as likely with one answer as with another. "
            "This is a very weak guarantee."
        ),
        "gamma",
        "Thông thường ε nằm trong khoảng [1,10]",
        "vi",
    ),
    Slip(
        later(
            "The ratio of the probabilities of a result with and without one person’s data is at "
            "most e ε."
        ),
        later("It is at most e to the power of ε: e^ε."),
        "curator",
        "Pr[F(x) = S] / Pr[F(x′) = S] ≤ eε",
    ),
    Slip(
        later(
            "In the proof that Laplace noise satisfies differential privacy with ε, the "
            "differences in the exponent are multiplied (Π) instead of added (Σ)."
        ),
        later(
            "The probabilities are multiplied, so the differences in their exponents add up (Σ)."
        ),
        "curator",
        "exp((ε/Δ) ∏ |f(X)ᵢ − f(Y)ᵢ|)",
    ),
    Slip(
        later("The noise that suits a sum is added to a maximum, minimum, median and mode."),
        later(
            "Their sensitivity is different. Candor selects a value by a score, with "
            "permute-and-flip."
        ),
        "statistics",
        'data[colunm].max() + noise_laplace(colunm, "sum", epsilon)',
    ),
    Slip(
        later("The tree adds new noise to each entropy, and does not count the privacy losses."),
        later(
            "Each noisy entropy has a privacy loss. A budget for each level of the tree keeps the "
            "total within ε."
        ),
        "titanic-tree",
        'shape = use_query_DP(data, y, "count", EPSILON)',
    ),
    Slip(
        later(
            "The entropy after a split is written with a minus sign before the mean of the "
            "branches."
        ),
        later(
            "It is the mean entropy of the branches, weighted by their sizes, without a minus "
            "sign. With it, the gain of a question could be larger than the entropy before it."
        ),
        "titanic-tree",
        "H(x, S) = −Σ (m_k/N) H(S_k)",
    ),
    Slip(
        later("A mask of rows is negated with a minus sign."),
        later(
            "In NumPy, ~ negates a mask of true and false. With a minus sign, NumPy raises an "
            "error."
        ),
        "statistics",
        "y[-mask]",
    ),
    Slip(
        later("The code prints 1e20 as the smallest gain of a split."),
        later(
            "No gain is that large: with two classes it is at most 1 bit. The text probably means "
            "1e−20."
        ),
        "titanic-tree",
        "min_information_gain = 1e20",
    ),
    Slip(
        later(
            "Gaussian noise has the distribution N(0, c Δ/ε). This gives the standard deviation "
            "instead of the variance."
        ),
        later(
            "The variance is the square, (c Δ/ε)². If ε is below 1, c² > 2 ln(1.25/δ) is enough. "
            "For a larger ε, this c can be too small."
        ),
        "mechanisms",
        "N(0, cΔ₂(f)/ε)",
    ),
    Slip(
        later("Differential privacy protects against every leak."),
        later(
            "Differential privacy limits how much one person’s data can change a result. A result "
            "can still reveal a fact about a whole group, and this fact may be true of each member."
        ),
        "smokers",
        "Differential Privacy sẽ bảo vệ bạn khỏi việc bị lộ bất cứ thông tin cá nhân gì",
        "vi",
    ),
)


class Slips(Lesson):
    """ε, the share of ill people and β vary."""

    address = "slips"
    title = later("Errors in the course texts")
    idea = later(
        "Even good texts contain errors. This page lists those that we found in five course texts, "
        "each with its correction."
    )
    controls = (
        Slider("epsilon", "ε", "0.1", "3", "0.1", "2"),
        Slider("share", later("People who are ill"), "1", "99", "1", "5", "%"),
        Slider("beta", "β", "0.01", "0.5", "0.01", "0.05"),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            "power",
            later("If ε = 2, how many times as likely can a report be with one true answer as "
                  "with another?"),
            later("Not yet. It is e to the power of 2, and not e times 2."),
            later("Right: e² = 7.39."),
            lambda: math.exp(2),
            0.05,
        ),
        Exercise(
            "reach",
            later("β = 0.01 and ε = 1. What number does the absolute value of Laplace noise on a "
                  "count exceed with probability β?"),
            later("Not yet. It is ln(1/β), and not 1/β."),
            later("Right: ln 100 = 4.6."),
            lambda: laplace_reach(1.0, 0.01),
            0.05,
        ),
        Exercise(
            "ill",
            later("50 % of people are ill. Someone uses the two coins and reports Yes. How likely "
                  "is it that this person is ill?"),
            later("Not yet. This is the one case in which the text is right."),
            later("Right: 75 %. For every other share of ill people, the probability is "
                  "different."),
            lambda: 100 * chance_of_trait(0.5, YES),
            0.1,
            "%",
        ),
    )  # fmt: skip

    def show(self, values: Values) -> Shown:
        epsilon, share, beta = values["epsilon"], values["share"] / 100, values["beta"]
        numbers = {
            "power": math.exp(epsilon),
            "product": math.e * epsilon,
            "ill": chance_of_trait(share, YES),
            "reach": laplace_reach(1.0, beta),
            "whole_reach": laplace_accuracy(laplace_scale(1, 1.0), beta),
        }
        sentence = translate(
            "e^ε = %(power)s (course text: %(product)s). With two coins (ε = ln 3), a person who "
            "reports Yes is ill with probability %(ill)s (course text: 75 %%). With probability "
            "%(beta)s, the absolute value of noise of scale 1 exceeds %(reach)s (course text: "
            "%(wrong)s).",
            power=two_decimals(numbers["power"]),
            product=two_decimals(numbers["product"]),
            ill=translate_number(percent(numbers["ill"])),
            reach=two_decimals(numbers["reach"]),
            beta=two_decimals(beta),
            wrong=two_decimals(1 / beta),
        )
        figures = [
            Figure(translate("Largest ratio"), two_decimals(numbers["power"]), "e^ε"),
            Figure(
                translate("As one course text prints it"), two_decimals(numbers["product"]), "e ε"
            ),
            Figure(
                translate("Probability that someone who reports Yes is ill"),
                translate_number(percent(numbers["ill"])),
                "ε = ln 3",
            ),
            Figure(translate("As one course text says"), translate_number(percent(0.75))),
            Figure(
                translate("Value that the absolute noise exceeds with probability β"),
                two_decimals(numbers["reach"]),
                "ln(1/β)",
            ),
            Figure(translate("In the example of one course text"), two_decimals(1 / beta), "1/β"),
        ]
        pictures = [power_picture(epsilon), illness_picture(share), reach_picture(beta)]
        return Shown(sentence, figures, pictures, numbers, {"slips": SLIPS})

    def notebook(self, values: Values) -> Sequence[Cell]:
        return (
            Cell(
                "import math\n\n"
                f"epsilon, share, beta = {values['epsilon']}, {values['share']} / 100, "
                f"{values['beta']}\n"
                "ill = 0.75 * share / (0.75 * share + 0.25 * (1 - share))"
            ),
            Cell(
                "Candor adds whole numbers, with Pr(|noise| > t) = 2 e^−(t + 1) / (1 + 1/e) at "
                "ε = 1:",
                code=False,
            ),
            Cell(
                "whole = 0\nwhile 2 * math.exp(-(whole + 1)) / (1 + math.exp(-1)) > beta:\n"
                "    whole += 1"
            ),
            Cell(
                "numbers = {'power': math.exp(epsilon), 'product': math.e * epsilon, 'ill': ill,\n"
                "           'reach': math.log(1 / beta), 'whole_reach': whole}\nprint(numbers)"
            ),
        )


def two_decimals(value: float) -> str:
    return translate_number(f"{value:,.2f}")


def power_picture(epsilon: float) -> LessonPicture:
    places = np.linspace(0, 3, 61).tolist()
    chart = plot(
        Axis(0, 3, "ε"),
        Axis(0, 21, translate("largest likelihood ratio of a report")),
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
        Axis(0, 1, translate("people who are ill"), percent_tick),
        Axis(0, 1, translate("probability of being ill"), percent_tick),
        [
            Curve([(x, chance_of_trait(x, YES)) for x in places],
                  translate("if a person reports Yes, right"), own=True),
            Curve([(0.0, 0.75), (1.0, 0.75)], translate("3/4, the error"), dashes="6 3"),
            Upright(share, translate("selected share")),
        ],
    )  # fmt: skip
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
        Axis(0, 0.5, "β"),
        Axis(0, 25, translate("t, where Pr(|noise| > t) = β")),
        [
            Curve([(x, math.log(1 / x)) for x in places], translate("ln(1/β), right"), own=True),
            Curve([(x, 1 / x) for x in places], translate("1/β, the error"), dashes="6 3"),
            Upright(beta, translate("selected β")),
        ],
    )
    description = translate("1/β gives a range that is too wide.")
    return LessonPicture(chart, description, translate("Noise of scale 1"))
