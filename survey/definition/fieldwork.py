"""How a survey meets its respondents: who asks, how it is laid out, how people take part.

Nothing here changes what a report tells of an answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from survey.core.errors import DefinitionError
from survey.definition.parse_question import text

ALL, ONE = "all_on_one_page", "one_at_a_time"
ELSEWHERE = "https://www.wikipedia.org/"  # where "Leave now" leads unless the designer says
SERIES = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
MAX_SUPPORT = 5_000  # characters
MAX_MINUTES = 240
BATCH, MAX_BATCH = 25, 10_000  # responses
FEWEST_AT_CLOSING = 5  # responses; fewer could be read off one by one
LIMITS = {"asked_by": 300, "contact": 300, "support": MAX_SUPPORT}
SWITCHES = ("invitations", "receipts", "by_hand", "comprehension")


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
    layout: str = ALL
    exit: str = ELSEWHERE
    series: str | None = None
    invitations: bool = False
    receipts: bool = False
    by_hand: bool = False
    comprehension: bool = False
    batch: int = BATCH

    @property
    def fewest_at_closing(self) -> int:
        """How many must wait for a closing to release them; never more than a batch."""
        return min(self.batch, FEWEST_AT_CLOSING)

    def as_definition(self) -> dict[str, Any]:
        """The members that differ from what is taken if they are left out."""
        members = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in members.items() if value != default}


MEMBERS = {field.name for field in fields(Fieldwork)}


def parse_fieldwork(definition: Mapping[str, Any]) -> Fieldwork:
    """The fieldwork from a whole definition; raises DefinitionError."""
    found: dict[str, Any] = {
        key: text(definition, key, "", limit=limit, optional=True) for key, limit in LIMITS.items()
    }
    for key in SWITCHES:
        found[key] = definition.get(key, False)
        if not isinstance(found[key], bool):
            raise DefinitionError(key, "is true or false.")
    for key, most in (("minutes", MAX_MINUTES), ("batch", MAX_BATCH)):
        if key in definition:
            number = found[key] = definition[key]
            if type(number) is not int or not 1 <= number <= most:
                raise DefinitionError(key, f"is a whole number from 1 to {most:,}.", "range")
    found["layout"] = definition.get("layout", ALL)
    if found["layout"] not in (ALL, ONE):
        raise DefinitionError("layout", f"is {ALL} or {ONE}.")
    if "exit" in definition:
        found["exit"] = text(definition, "exit", "", limit=500)
        parts = urlsplit(found["exit"])
        if parts.scheme not in ("http", "https") or not parts.hostname:
            fault = "is an address such as https://www.example.org/."
            raise DefinitionError("exit", fault, "address")
    if "series" in definition:
        found["series"] = text(definition, "series", "")
        if not SERIES.fullmatch(found["series"]):
            raise DefinitionError(
                "series",
                f"is {found['series']!r}; use small letters, digits and hyphens within (at most "
                "63).",
                "name",
            )
    return Fieldwork(**found)
