"""What becomes of a frozen survey in SQL: open, closed, archived, deleted; and its limits.

The clock is not read here: `close_due` is told what time it is.
"""

from survey.core.errors import StateError
from survey.definition.frozen import FrozenSurvey, require_openable
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.sub_surveys import REHEARSALS, is_part, part_slug, survey_parts, whole_of
from survey.store import Limits, StoredSurvey
from survey.store.database import Database
from survey.store.sql.counts import SQLCounts


def refuse_part(slug: str) -> None:
    if is_part(slug):
        raise StateError(
            f"{slug!r} is a part of survey {whole_of(slug)!r}, which opens and closes with it and "
            "holds what people answered there, nothing else."
        )


def with_parts(frozen: FrozenSurvey) -> tuple[str, ...]:
    """The slugs of a survey and of its parts."""
    return (frozen.survey.slug, *(part.slug for part in survey_parts(frozen.survey)))


class SQLLifecycle(SQLCounts):
    """The part of the store that opens, closes and clears away."""

    def set_state(self, slug: str, state: str, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
        refuse_part(slug)
        with self.transaction(slug) as db:
            stored_survey = self.find(db, slug)
            if stored_survey.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; open it first.")
            if state == stored_survey.state:
                return
            if state == "open":
                self.reopen(db, stored_survey, stored_survey.frozen, limits)
            else:
                self.end(db, stored_survey.frozen)

    def reopen(
        self, db: Database, found: StoredSurvey, frozen: FrozenSurvey, limits: PrivacyLimits
    ) -> None:
        slug = frozen.survey.slug
        if found.archived:
            raise StateError(f"Survey {slug!r} is archived; bring it back first.")
        if found.origin != "browser":
            raise StateError(
                f"Survey {slug!r} holds {found.origin} responses; real ones are never "
                "mixed with them. Import the definition under another name."
            )
        require_openable(found.survey, limits)
        self.refuse_reached(db, frozen, found.limits.cap)
        for each in with_parts(frozen):
            db.execute("UPDATE surveys SET state = 'open' WHERE slug = ?", [each])

    def end(self, db: Database, frozen: FrozenSurvey) -> None:
        """Close an open survey and its parts.

        What waits is released, unless so few wait that they could be read off one by one, or a
        closing has released what waited before: then the next one shows it who completes a batch,
        and nobody can open a survey for one response and read off what that was."""
        for slug in with_parts(frozen):
            part, waits = self.find(db, slug), self.count_waiting(db, slug)
            few = 0 < waits < frozen.survey.fieldwork.fewest_at_closing
            if part.frozen is not None and not part.closed_before and not few:
                self.release(db, part.frozen)
                db.execute("UPDATE surveys SET closed_before = 1 WHERE slug = ?", [slug])
            db.execute("UPDATE surveys SET state = 'closed' WHERE slug = ?", [slug])

    def room(self, db: Database, found: StoredSurvey) -> int | None:
        """How many more responses a survey, or the one that it is a part of, takes before it
        closes: 0 if it is closed, None without a cap."""
        if found.state != "open":
            return 0
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is None or frozen is None:
            return None
        return max(1, cap - self.count_people(db, frozen))

    def whole(self, db: Database, found: StoredSurvey) -> StoredSurvey:
        slug = found.survey.slug
        return self.find(db, whole_of(slug)) if is_part(slug) else found

    def end_at_cap(self, db: Database, found: StoredSurvey) -> None:
        """Close a survey if one of the responses that have just come, to it or to a part of it, is
        the last that it takes."""
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is not None and frozen is not None and self.count_people(db, frozen) >= cap:
            self.end(db, frozen)
            self.seal_due = True

    def close_due(self, now: int) -> None:
        due = "SELECT slug FROM surveys WHERE closes <= ? AND state = 'open'"
        with self.reading() as db:
            held = [slug for (slug,) in db.execute(due, [now]).fetchall()]
        if not held:
            return
        with self.transaction(*held) as db:
            for (slug,) in db.execute(due, [now]).fetchall():
                frozen = self.find(db, slug).frozen
                if slug in held and frozen is not None:
                    self.end(db, frozen)
                    self.seal_due = True

    def set_limits(self, slug: str, limits: Limits) -> None:
        refuse_part(slug)
        with self.transaction(slug) as db:
            frozen = self.find(db, slug).frozen
            if frozen is not None:
                self.refuse_reached(db, frozen, limits.cap)
            db.execute(
                "UPDATE surveys SET cap = ?, closes = ?, target = ? WHERE slug = ?",
                [limits.cap, limits.closes, limits.target, slug],
            )

    def refuse_reached(self, db: Database, frozen: FrozenSurvey, cap: int | None) -> None:
        if cap is None:
            return
        people = self.count_people(db, frozen)
        if people >= cap:
            raise StateError(
                f"{people:,} responses have come already; a survey that takes at most {cap:,} "
                "cannot be open. Choose a larger number, or none."
            )

    def set_archived(self, slug: str, archived: bool) -> None:
        refuse_part(slug)
        with self.transaction(slug) as db:
            self.find_closed(db, slug)
            db.execute("UPDATE surveys SET archived = ? WHERE slug = ?", [int(archived), slug])

    def find_closed(self, db: Database, slug: str) -> FrozenSurvey:
        stored_survey = self.find(db, slug)
        if stored_survey.frozen is None or stored_survey.state != "closed":
            raise StateError(f"Survey {slug!r} is {stored_survey.state}; close it first.")
        return stored_survey.frozen

    def delete_survey(self, slug: str) -> None:
        refuse_part(slug)
        with self.transaction(slug) as db:
            for each in with_parts(self.find_closed(db, slug)):
                self.drop(db, each)
            for kind in REHEARSALS:
                self.drop(db, part_slug(kind, slug))
        self.forget()
