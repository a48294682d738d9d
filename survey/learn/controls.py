"""The controls of a lesson: sliders, choices, and the number of a random draw.

Their values come from the address, so a link repeats a page exactly and nothing is stored. A value
that does not fit is replaced by the usual one, and the page says so.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

from survey.core.exact_numbers import typed_decimal
from survey.core.translate import translate, translate_constant, translate_number

MAX_TYPED = 40  # characters of a refused value that a message repeats
MAX_DRAW = 1_000_000
# Signs of keyboards, phones and full-width text, and what they mean in a number.
OTHER_SIGNS = {
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{FULLWIDTH HYPHEN-MINUS}": "-",
    "\N{FULLWIDTH PLUS SIGN}": "+",
    "\N{FULLWIDTH FULL STOP}": ".",
    "\N{FULLWIDTH COMMA}": ",",
    "\N{FULLWIDTH SOLIDUS}": "/",
    "\N{FRACTION SLASH}": "/",
    "\N{FULLWIDTH PERCENT SIGN}": "%",
}


class ValueRefused(ValueError):
    """A value in the address that its control does not offer."""


def read_decimal(text: str) -> Decimal:
    """A number as people type it, with a decimal point or comma. Raises ValueRefused."""
    try:
        return typed_decimal(text.replace(",", "."))
    except ValueError:
        raise ValueRefused(text) from None


def read_answer(text: str, unit: str = "") -> tuple[Decimal, ...]:
    """Every number that a typed text can mean, the one in the language of the page first.

    The text is a number, or a fraction such as 1/4 or ½. Its digits may be those of any script. A
    point or comma is either the decimal sign or groups thousands, because people type both: 26.000
    means 26,000 and 26 in Vietnamese, and 26 and 26,000 in English. Spaces may group thousands,
    too. The unit of the field may follow. Without a unit, 25 % means 0.25. Raises ValueRefused.
    """
    if len(text) > MAX_TYPED:
        raise ValueRefused(text)
    plain = " ".join(write_plain(text).split())
    scale = Decimal(1)
    for each in (translate_constant(unit), unit, "%"):
        if each and plain.casefold().endswith(each.casefold()):
            plain = plain[: -len(each)].strip()
            scale = Decimal(1 if unit else 100)
            break
    numbers, *divisors = [read_grouped(part.strip()) for part in plain.split("/")]
    if len(divisors) > 1:
        raise ValueRefused(text)
    below = [each for each in divisors[0] if each] if divisors else [Decimal(1)]
    if not below:
        raise ValueRefused(text)
    return tuple(number / each / scale for number in numbers for each in below)


def write_plain(text: str) -> str:
    """The text with the signs that `typed_decimal` reads, in place of those of other scripts.

    These are digits such as ๓, signs of full width, dashes, and fractions in one sign such as ½. A
    whole number may stand before such a fraction: 2½ becomes 5/2.
    """
    written = ""
    for sign in text:
        digit = unicodedata.decimal(sign, None)
        fraction = re.fullmatch(
            "(\\d+)\N{FRACTION SLASH}(\\d+)", unicodedata.normalize("NFKC", sign)
        )
        before = re.fullmatch(r"([-+]? ?)(\d*) ?", written)
        if digit is not None:
            written += str(digit)
        elif fraction and before:
            above, below = (int(each) for each in fraction.groups())
            # The space separates a digit that follows, so that 1½5 is refused.
            written = f"{before[1]}{int(before[2] or 0) * below + above}/{below} "
        else:
            written += OTHER_SIGNS.get(sign, sign)
    return written


def read_grouped(text: str) -> list[Decimal]:
    """Every number that a text without a fraction can mean. Raises ValueRefused."""
    text = re.sub(r"^([-+]) ", r"\1", text)

    def ungrouped(group: str, point: str) -> list[str]:
        # No group follows a zero: 0.250 is a quarter in every language.
        pattern = rf"[-+]?[1-9]\d{{0,2}}({group}\d{{3}})+({point}\d+)?"
        return [re.sub(group, "", text)] if re.fullmatch(pattern, text) else []

    point, group = re.escape(translate_number(".")), re.escape(translate_number(","))
    found = []
    for each in (*ungrouped(group, point), *ungrouped(" ", "[.,]"), text, *ungrouped(point, group)):
        with suppress(ValueRefused):
            found.append(read_decimal(each))
    if not found:
        raise ValueRefused(text)
    return found


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A number from `low` to `high` in steps. All four are exact decimals such as "0.05".

    Attributes
    ----------
    name : the name in the address
    label : an English sentence that `later` marked
    start : the usual value
    unit : follows the number on the page, such as "%"; "" for none
    """

    name: str
    label: str
    low: str
    high: str
    step: str
    start: str
    unit: str = ""

    def read(self, text: str) -> float:
        """The value at the nearest step. Raises ValueRefused."""
        number, low, step = read_decimal(text), Decimal(self.low), Decimal(self.step)
        if not low <= number <= Decimal(self.high):
            raise ValueRefused(text)
        return float(low + round((number - low) / step) * step)

    def field_text(self, value: float) -> str:
        """The value as it stands in the address and in the field: with the decimals of the step."""
        return (
            f"{Decimal(value).quantize(Decimal(self.step).normalize(), rounding='ROUND_HALF_UP'):f}"
        )

    def shown_value(self, value: float) -> str:
        """The value with its unit, in the language of the page."""
        number = self.field_text(value)
        if self.unit == "%":
            return translate_number(f"{number} %")
        text = translate_number(f"{Decimal(number):,}").replace("-", "−")
        return f"{text} {translate_constant(self.unit)}".strip()


@dataclass(frozen=True)
class NumberChoice:
    """One of a few numbers, such as 100, 1,000 or 10,000."""

    name: str
    label: str
    options: Sequence[int]
    start: int

    def read(self, text: str) -> int:
        """The value. Raises ValueRefused."""
        number = read_decimal(text)
        if number not in self.options:
            raise ValueRefused(text)
        return int(number)

    def shown_value(self, value: float) -> str:
        return translate_number(f"{value:,.0f}")


@dataclass(frozen=True)
class WordChoice:
    """One of a few options in words.

    `options` has the value in the address and the words, which `later` marked.
    """

    name: str
    label: str
    options: Mapping[str, str]
    start: str

    def read(self, text: str) -> str:
        """The value. Raises ValueRefused."""
        if text not in self.options:
            raise ValueRefused(text)
        return text

    def shown_value(self, value: str) -> str:
        return translate_constant(self.options[value])


@dataclass(frozen=True)
class Draw:
    """The number of a random draw. The same number always gives the same draw."""

    name: str = "draw"
    start: int = 1

    def read(self, text: str) -> int:
        """The value. Raises ValueRefused."""
        number = read_decimal(text)
        if number != number.to_integral_value() or not 1 <= number <= MAX_DRAW:
            raise ValueRefused(text)
        return int(number)


@dataclass(frozen=True, kw_only=True)
class TypedNumber:
    """A number that the reader may type, or leave out. An empty field has no value."""

    name: str
    label: str
    low: str
    high: str
    unit: str = ""
    start: str = ""

    def read(self, text: str) -> float | None:
        """The value, None if the text is empty. Raises ValueRefused."""
        if not text.strip():
            return None
        number = read_decimal(text)
        if not Decimal(self.low) <= number <= Decimal(self.high):
            raise ValueRefused(text)
        return float(number)

    def field_text(self, value: float) -> str:
        return f"{value:.10g}"

    def shown_value(self, written: str) -> str:
        """The value in the field, with the decimal sign of the language."""
        return translate_number(written)


Control = Slider | NumberChoice | WordChoice | Draw | TypedNumber
# The page's button "Draw again" sends this name.
AGAIN = "again"


@dataclass(frozen=True)
class Values:
    """The values of all controls by name, and a sentence for each value that was refused.

    `written` has every value as it stands in an address. Empty number fields are left out of
    `numbers`, and are empty in `written`.
    """

    numbers: Mapping[str, float]
    words: Mapping[str, str]
    written: Mapping[str, str]
    refused: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]

    def whole(self, name: str) -> int:
        """The value of a choice or of a draw."""
        return int(self.numbers[name])


def read_values(controls: Sequence[Control], address: Mapping[str, str]) -> Values:
    """The values in an address. Names that no control has are ignored."""
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    written: dict[str, str] = {}
    refused = []
    for control in controls:
        value: float | str | None = control.read(str(control.start))
        text = address.get(control.name)
        if text is not None:
            try:
                value = control.read(text)
            except ValueRefused:
                refused.append(
                    translate(
                        "“%(typed)s” is not possible here. The page shows its usual value.",
                        typed=text[:MAX_TYPED],
                    )
                )
        if AGAIN in address and isinstance(control, Draw):
            value = int(value or 0) % MAX_DRAW + 1
        if AGAIN in address and isinstance(control, TypedNumber):
            # A typed value would hide the new draw.
            value = None
        if isinstance(value, str):
            words[control.name] = value
        elif value is not None:
            numbers[control.name] = float(value)
        if isinstance(value, float) and isinstance(control, Slider | TypedNumber):
            written[control.name] = control.field_text(value)
        else:
            written[control.name] = "" if value is None else str(value)
    return Values(numbers, words, written, tuple(refused))
