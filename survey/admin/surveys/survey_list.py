"""The list of surveys: those that the account reaches, searched, filtered, sorted and in pages."""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from flask import render_template, request

from survey.admin.blueprint import blueprint
from survey.admin.surveys.archive import may_restore
from survey.core.translate import later
from survey.definition.certainty import weak_total_text
from survey.server.clock import today
from survey.store import MEMBER, ListedSurvey
from survey.web.access import within_reach
from survey.web.demo import OPEN_SLUG, SIMULATED_SLUG, is_example
from survey.web.extensions import store

SURVEYS_PER_PAGE = 50
# A shorter list is seen at a glance, so it has no search form.
MIN_SEARCHED = 8
MAX_SEARCHED_CHARACTERS = 200
STATES = (later("draft"), later("open"), later("closed"))
# Other words of the list, for `make translations`: the state and the origins of responses.
ALSO_SHOWN = (later("archived"), later("imported"), later("simulated"))


def comparable_text(text: str) -> str:
    """A text for the search and the order by title: without case, and without compatibility forms,
    such as wide letters."""
    return unicodedata.normalize("NFKC", text).casefold()


NEWEST = "newest"
# Each order of the list, with its name on the page. The store lists the newest surveys first.
ORDERS: dict[str, tuple[str, Callable[[ListedSurvey], Any] | None]] = {
    NEWEST: (later("newest first"), None),
    "title": (later("title"), lambda each: comparable_text(each.title)),
    "opened": (
        later("last opened first"),
        lambda each: -each.history.opened.toordinal() if each.history.opened else 0,
    ),
}


def matches(each: ListedSurvey, words: list[str]) -> bool:
    """Whether title, address and creator contain every word."""
    text = comparable_text(f"{each.title} {each.slug} {each.history.creator or ''}")
    return all(word in text for word in words)


@dataclass(frozen=True, kw_only=True)
class ListRequest:
    """What the address of the list asks for. Values that do not exist count as left out."""

    archived: bool
    text: str
    state: str
    order: str
    page: int

    @classmethod
    def from_address(cls) -> "ListRequest":
        asked = request.args
        state, order = asked.get("state", ""), asked.get("order", NEWEST)
        return cls(
            archived=asked.get("show") == "archived",
            text=asked.get("q", "").strip()[:MAX_SEARCHED_CHARACTERS],
            state=state if state in STATES else "",
            order=order if order in ORDERS else NEWEST,
            page=asked.get("page", 1, type=int),
        )

    @property
    def as_address(self) -> dict[str, str]:
        """The values for the address of another page of the same list."""
        order = "" if self.order == NEWEST else self.order
        show = "archived" if self.archived else ""
        asked = {"q": self.text, "state": self.state, "order": order, "show": show}
        return {name: value for name, value in asked.items() if value}

    def matching_surveys(self, surveys: Iterable[ListedSurvey]) -> list[ListedSurvey]:
        """The surveys that match, in order."""
        words = comparable_text(self.text).split()
        found = [
            each for each in surveys if matches(each, words) and self.state in ("", each.state)
        ]
        _, key = ORDERS[self.order]
        return found if key is None else sorted(found, key=key)


@blueprint.get("/", role=MEMBER)
def surveys() -> str:
    reached, asked = within_reach(store().surveys.list_surveys()), ListRequest.from_address()
    here = [each for each in reached if each.archived == asked.archived]
    found = asked.matching_surveys(here)
    last_page = max(1, -(-len(found) // SURVEYS_PER_PAGE))
    page = min(max(1, asked.page), last_page)
    put_away = sum(each.archived for each in reached)
    return render_template(
        "admin/surveys/surveys.html",
        surveys=[
            (each, 0 if each.state == "draft" else store().counts.number_of_responses(each.slug))
            for each in found[(page - 1) * SURVEYS_PER_PAGE : page * SURVEYS_PER_PAGE]
        ],
        asked=asked,
        found=len(found),
        here=len(here),
        searchable=len(here) >= MIN_SEARCHED,
        longest=MAX_SEARCHED_CHARACTERS,
        states=STATES,
        orders={name: title for name, (title, _) in ORDERS.items()},
        page=page,
        last_page=last_page,
        is_example=is_example,
        to_answer=OPEN_SLUG,
        to_read=SIMULATED_SLUG,
        only_examples=all(is_example(each) for each in reached),
        slugs={each.slug for each in reached},
        put_away=put_away,
        drafts=[each.slug for each in reached if each.state == "draft"],
        current=len(reached) - put_away,
        weak_total=weak_total_text(),
        deleted=[
            each for each in store().deleted_drafts.list_deleted(today()) if may_restore(each)
        ],
    )
