"""Fieldwork settings: who asks, how the page is laid out, how people take part.

They do not change what a report reveals about an answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from survey.core.errors import DefinitionError
from survey.core.translate import later
from survey.definition.choices import HYPHENATED, TRUE_OR_FALSE, parse_text
from survey.definition.target_population import (
    MAX_POPULATION,
    RESPONDENTS,
    SIMILAR,
    parse_results_about,
)

ALL_ON_ONE_PAGE = "all_on_one_page"
ONE_AT_A_TIME = "one_at_a_time"
# "Leave now" leads there unless the designer sets another address. These sites are common, tell
# nothing about the survey, and open where the language is spoken: Wikipedia does not in China.
DEFAULT_EXIT_URL = "https://www.wikipedia.org/"
EXIT_URLS = {
    "th": "https://th.wikipedia.org/",
    "vi": "https://vi.wikipedia.org/",
    "zh": "https://www.baidu.com/",
}
SERIES_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
MAX_SUPPORT_CHARACTERS = 5_000
MAX_MINUTES = 240
DEFAULT_BATCH_RESPONSES = 25
MAX_BATCH_RESPONSES = 10_000
MAX_PLANNED_RESPONSES = 1_000_000
MAX_STOP_POINTS = 40
# The whole numbers, each with its largest value. The smallest is 1.
LARGEST = {
    "minutes": MAX_MINUTES,
    "batch": MAX_BATCH_RESPONSES,
    "planned": MAX_PLANNED_RESPONSES,
    "stop_at": MAX_STOP_POINTS,
}
# A smaller group of responses could be read one by one.
MIN_RESPONSES_AT_CLOSING = 5
# After a reopening, anyone who compares two downloads knows which texts and responses are new.
MIN_NEW_TEXTS = 25
# A class of twenty people should see its results change a few times.
CLASS_BATCH_RESPONSES = 5
CLASS_PLANNED_RESPONSES = 30
MAX_RECRUITMENT_CHARACTERS = 1_000
MAX_TEXT_CHARACTERS = {
    "asked_by": 300,
    "contact": 300,
    "support": MAX_SUPPORT_CHARACTERS,
    "recruitment": MAX_RECRUITMENT_CHARACTERS,
}
SWITCH_NAMES = (
    "title_in_history",
    "introduction_in_full",
    "invitations",
    "receipts",
    "by_hand",
    "comprehension",
    "class_mode",
)
# Placeholders stand only behind the name of the site, so a parameter cannot change the site.
LINK_PATTERN = r"https://[^\s{}/?#@\\]+([/?#]([^\s{}\\]|\{[A-Za-z0-9_]{1,40}\})*)?"
COMPLETION_FORMS = {
    "completion_link": (
        re.compile(LINK_PATTERN),
        later("must be an address such as https://www.example.org/done?id={PROLIFIC_PID}."),
    ),
    "completion_code": (
        re.compile(r"[A-Za-z0-9_-]{1,60}"),
        later("must have only letters, digits, _ and -, at most 60."),
    ),
}
PLACEHOLDER = re.compile(r"\{\w+\}")


@dataclass(frozen=True, kw_only=True)
class Fieldwork:
    """The designer's fieldwork settings. Each field is a member of the definition.

    Attributes
    ----------
    asked_by, contact : who asks, and how to reach them
    support : Markdown with sources of help on the survey's subject
    recruitment : who was asked and how they were chosen, for papers and the public results
    minutes : how long the survey takes, or None
    layout : all questions on one page, or one at a time
    exit : the address to which "Leave now" leads, or None for the default of the page's language
    title_in_history : whether the browser's tab and history show the title of the survey
    completion_link, completion_code : what a panel wants to get from people who took part, or None
    series : the name that the waves of one survey share, or None
    introduction_in_full : whether the introduction, such as a consent text, has a screen of its own
    invitations : whether respondents need a single-use invitation
    receipts : whether respondents get a receipt, which allows them to withdraw
    by_hand : whether respondents without JavaScript can toss real coins (paper-and-coin mode)
    comprehension : whether a short comprehension test follows
    class_mode : whether a teacher shows the results in the room, and erases everything afterwards
    batch : the number of new responses that Candor publishes together; 1 publishes each at once
    planned : the number of responses at which confidence sequences are shortest, or None
    stop_at : the survey closes when all confidence sequences are within this many percentage
        points, or None
    results_about : the people whom results describe (survey/definition/target_population.py)
    """

    asked_by: str = ""
    contact: str = ""
    support: str = ""
    recruitment: str = ""
    minutes: int | None = None
    layout: str = ALL_ON_ONE_PAGE
    exit: str | None = None
    title_in_history: bool = False
    completion_link: str | None = None
    completion_code: str | None = None
    series: str | None = None
    introduction_in_full: bool = False
    invitations: bool = False
    receipts: bool = False
    by_hand: bool = False
    comprehension: bool = False
    class_mode: bool = False
    batch: int = DEFAULT_BATCH_RESPONSES
    planned: int | None = None
    stop_at: int | None = None
    results_about: str | int = SIMILAR

    @property
    def fewest_at_closing(self) -> int:
        """The fewest waiting responses that a closing survey publishes; never more than a batch."""
        return min(self.batch, MIN_RESPONSES_AT_CLOSING)

    @property
    def completion_without_parameters(self) -> str:
        """The completion link for a page that does not know the parameters."""
        return PLACEHOLDER.sub("", self.completion_link or "")

    def as_definition(self) -> dict[str, Any]:
        """The members that differ from their defaults."""
        members = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in members.items() if value != default}


# The fields of the fieldwork, each with its sentence in docs/reference/definition.md.
FIELDWORK_FIELDS = {
    "asked_by": "Who runs the survey, at most 300 characters. Optional.",
    "contact": "How respondents can contact the people who run the survey, at most 300 characters. "
    "Optional.",
    "support": "Where respondents find help with the subject of the survey, in Markdown, at most "
    f"{MAX_SUPPORT_CHARACTERS:,} characters. The first and the last page show it, and the review "
    "shows it below a calculated result. Optional.",
    "recruitment": "Who was asked and how they were chosen, at most "
    f"{MAX_RECRUITMENT_CHARACTERS:,} characters. The methods paragraph, the codebook and the "
    "public results show it. Optional.",
    "minutes": f"Expected time to answer in minutes, 1 to {MAX_MINUTES}. Optional.",
    "layout": f"`{ALL_ON_ONE_PAGE}` (default) or `{ONE_AT_A_TIME}`. With `{ALL_ON_ONE_PAGE}`, a "
    "survey with [sections](#question) has a page for each section.",
    "exit": "Address that the button “Leave now” opens. Default, by the language of the page: "
    f"{DEFAULT_EXIT_URL}, {', '.join(f'{url} ({name})' for name, url in EXIT_URLS.items())}.",
    "title_in_history": "`true`: the browser's tab and history show the survey's title. Otherwise "
    "they show only the word “Survey”.",
    "completion_link": "Address, beginning with https, of a link that the last page shows after "
    "sending. `{NAME}` stands for the parameter NAME of the survey's link. See [Recruit through a "
    "panel](../how-to/recruit-through-a-panel.md). Optional.",
    "completion_code": "Code that the last page shows after sending: at most 60 letters, digits, "
    "`_` and `-`. Optional.",
    "series": "Name of the [series](glossary.md#series), the same for all waves of one survey. "
    "Optional.",
    "introduction_in_full": "`true`: the whole introduction, such as a consent text, has a screen "
    "of its own. By default, the first screen shows its first words and “Read more”.",
    "invitations": "`true`: only people with a single-use invitation can take part.",
    "receipts": "`true`: respondents get a receipt, with which they can withdraw their response.",
    "by_hand": "`true`: adds the paper-and-coin mode. See [Sub-surveys](#sub-surveys).",
    "comprehension": "`true`: adds a comprehension test. See [Sub-surveys](#sub-surveys).",
    "class_mode": "`true`: the survey is for a class, and Candor erases it at the end. `batch` is "
    f"{CLASS_BATCH_RESPONSES}, and `planned` is {CLASS_PLANNED_RESPONSES} by default. Not with "
    "`series`. See [Run a class](../how-to/run-a-class.md).",
    "batch": f"Size of a [batch](glossary.md#batch), 1 to {MAX_BATCH_RESPONSES:,}. Default: "
    f"{DEFAULT_BATCH_RESPONSES}.",
    "planned": f"Planned number of responses, 1 to {MAX_PLANNED_RESPONSES:,}. At this number, the "
    "[intervals that hold at every look](../explanation/mathematics.md#confidence-sequences) are "
    "as short as possible. Optional.",
    "stop_at": f"Percentage points, 1 to {MAX_STOP_POINTS}. The survey closes when the "
    "half-width of every [interval that holds at every look](../explanation/mathematics.md"
    "#confidence-sequences) of a private question is at most this value. For a mean, "
    "this value is a percentage of the range. Optional.",
    "results_about": f"The people whom results describe: `{SIMILAR}` (default), `{RESPONDENTS}`, "
    f"or a whole number from 1 to {MAX_POPULATION:,}. A number is the size of a population from "
    "which the respondents are a random sample. See [Whom results describe]"
    "(../explanation/mathematics.md#whom-results-describe).",
}


def parse_fieldwork(definition: Mapping[str, Any]) -> Fieldwork:
    """The fieldwork settings of a definition. Raises DefinitionError."""
    members: dict[str, Any] = {
        key: parse_text(definition, key, "", limit=limit, optional=True)
        for key, limit in MAX_TEXT_CHARACTERS.items()
    }
    for key in SWITCH_NAMES:
        members[key] = definition.get(key, False)
        if not isinstance(members[key], bool):
            raise DefinitionError(key, TRUE_OR_FALSE)
    for key, most in LARGEST.items():
        if key in definition:
            number = members[key] = definition[key]
            if type(number) is not int or not 1 <= number <= most:
                raise DefinitionError(
                    key, "must be a whole number from 1 to %(most)s.", "range", most=most
                )
    if members["class_mode"]:
        apply_class_mode(members, definition)
    members["results_about"] = parse_results_about(definition)
    members["layout"] = definition.get("layout", ALL_ON_ONE_PAGE)
    if members["layout"] not in (ALL_ON_ONE_PAGE, ONE_AT_A_TIME):
        raise DefinitionError(
            "layout", "must be %(one)s or %(other)s.", one=ALL_ON_ONE_PAGE, other=ONE_AT_A_TIME
        )
    members |= parse_addresses(definition)
    return Fieldwork(**members)


def apply_class_mode(members: dict[str, Any], definition: Mapping[str, Any]) -> None:
    """Set what class mode determines. Raises DefinitionError if the definition says otherwise."""
    if members.setdefault("batch", CLASS_BATCH_RESPONSES) != CLASS_BATCH_RESPONSES:
        raise DefinitionError(
            "batch", "must be %(batch)s in class mode.", "class", batch=CLASS_BATCH_RESPONSES
        )
    members.setdefault("planned", CLASS_PLANNED_RESPONSES)
    if "series" in definition:
        raise DefinitionError(
            "class_mode",
            "does not fit a series. Candor erases a class before the next wave. Remove one of the "
            "two.",
            "series",
        )


def parse_addresses(definition: Mapping[str, Any]) -> dict[str, str]:
    """The exit, the links of a panel and the series, as far as given. Raises DefinitionError."""
    members: dict[str, str] = {}
    if "exit" in definition:
        members["exit"] = parse_text(definition, "exit", "", limit=500)
        if not is_web_address(members["exit"]):
            raise DefinitionError(
                "exit", "must be an address such as https://www.example.org/.", "address"
            )
    for key, (pattern, fault) in COMPLETION_FORMS.items():
        if key in definition:
            text = members[key] = parse_text(definition, key, "", limit=500)
            if not pattern.fullmatch(text):
                raise DefinitionError(key, fault, "form")
    if "series" in definition:
        members["series"] = parse_text(definition, "series", "")
        if not SERIES_PATTERN.fullmatch(members["series"]):
            raise DefinitionError("series", HYPHENATED, "name", name=repr(members["series"]))
    return members


def is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # Python checks the characters of the host's name.
        return False


def exit_address(language: str) -> str:
    """The address to which "Leave now" leads on a page in this language."""
    return EXIT_URLS.get(language, DEFAULT_EXIT_URL)
