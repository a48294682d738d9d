"""How a survey meets its respondents: who asks, how it is laid out, how people take part.

Nothing here changes what a report tells of an answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from survey.core.errors import DefinitionError
from survey.definition.choices import parse_text

ALL_ON_ONE_PAGE, ONE_AT_A_TIME = "all_on_one_page", "one_at_a_time"
DEFAULT_EXIT_URL = "https://www.wikipedia.org/"  # where "Leave now" leads unless the designer says
SERIES_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
MAX_SUPPORT_CHARACTERS = 5_000
MAX_MINUTES = 240
DEFAULT_BATCH_RESPONSES, MAX_BATCH_RESPONSES = 25, 10_000  # responses
MIN_RESPONSES_AT_CLOSING = 5  # responses; fewer could be read off one by one
MAX_TEXT_CHARACTERS = {"asked_by": 300, "contact": 300, "support": MAX_SUPPORT_CHARACTERS}
SWITCH_NAMES = ("invitations", "receipts", "by_hand", "comprehension")


@dataclass(frozen=True)
class Fieldwork:
    """What the designer says of the fieldwork; each field is a member of the definition.

    Attributes
    ----------
    asked_by, contact : who asks, and how to reach them
    support : Markdown, where to find help with what the survey asks about
    minutes : how long it takes, or None
    layout : all questions on one page, or one at a time
    exit : the address to which "Leave now" leads
    series : the name shared by the waves of one survey, or None
    invitations : whether only those with a single-use invitation take part
    receipts : whether respondents get a receipt with which they can withdraw
    by_hand : whether those without JavaScript may toss real coins
    comprehension : whether a short test of what was understood follows
    batch : results change only when so many new responses have come; 1 shows each at once
    """

    asked_by: str = ""
    contact: str = ""
    support: str = ""
    minutes: int | None = None
    layout: str = ALL_ON_ONE_PAGE
    exit: str = DEFAULT_EXIT_URL
    series: str | None = None
    invitations: bool = False
    receipts: bool = False
    by_hand: bool = False
    comprehension: bool = False
    batch: int = DEFAULT_BATCH_RESPONSES

    @property
    def fewest_at_closing(self) -> int:
        """How many must wait for a closing to release them; never more than a batch."""
        return min(self.batch, MIN_RESPONSES_AT_CLOSING)

    def as_definition(self) -> dict[str, Any]:
        """The members that differ from what is taken if they are left out."""
        members = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in members.items() if value != default}


FIELDWORK_MEMBERS = {field.name for field in fields(Fieldwork)}


def parse_fieldwork(definition: Mapping[str, Any]) -> Fieldwork:
    """The fieldwork from a whole definition; raises DefinitionError."""
    members: dict[str, Any] = {
        key: parse_text(definition, key, "", limit=limit, optional=True)
        for key, limit in MAX_TEXT_CHARACTERS.items()
    }
    for key in SWITCH_NAMES:
        members[key] = definition.get(key, False)
        if not isinstance(members[key], bool):
            raise DefinitionError(key, "must be true or false.")
    for key, most in (("minutes", MAX_MINUTES), ("batch", MAX_BATCH_RESPONSES)):
        if key in definition:
            number = members[key] = definition[key]
            if type(number) is not int or not 1 <= number <= most:
                raise DefinitionError(key, f"must be a whole number from 1 to {most:,}.", "range")
    members["layout"] = definition.get("layout", ALL_ON_ONE_PAGE)
    if members["layout"] not in (ALL_ON_ONE_PAGE, ONE_AT_A_TIME):
        raise DefinitionError("layout", f"must be {ALL_ON_ONE_PAGE} or {ONE_AT_A_TIME}.")
    if "exit" in definition:
        members["exit"] = parse_text(definition, "exit", "", limit=500)
        parts = urlsplit(members["exit"])
        if parts.scheme not in ("http", "https") or not parts.hostname:
            fault = "must be an address such as https://www.example.org/."
            raise DefinitionError("exit", fault, "address")
    if "series" in definition:
        members["series"] = parse_text(definition, "series", "")
        if not SERIES_PATTERN.fullmatch(members["series"]):
            raise DefinitionError(
                "series",
                f"is {members['series']!r}; use small letters, digits and hyphens within (at most "
                "63).",
                "name",
            )
    return Fieldwork(**members)
