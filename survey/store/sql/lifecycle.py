"""What becomes of a frozen survey in SQL: open, closed, archived, deleted; and its limits.

The clock is not read here: `close_due` is told what time it is.
"""

from dataclasses import dataclass

from survey.core.errors import StateError
from survey.definition.frozen import FrozenSurvey, require_openable
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.sub_surveys import REHEARSALS, is_part, part_slug, survey_parts, whole_of
from survey.store.database import Connection, Part
from survey.store.sql.counts import Counts
from survey.store.sql.surveys import Surveys
from survey.store.stored import Limits, StoredSurvey


def refuse_part(slug: str) -> None:
    if is_part(slug):
        raise StateError(
            f"{slug!r} is a part of survey {whole_of(slug)!r}, which opens and closes with it and "
            "holds what people answered there, nothing else."
        )


def with_parts(frozen: FrozenSurvey) -> tuple[str, ...]:
    """The slugs of a survey and of its parts."""
    return (frozen.survey.slug, *(part.slug for part in survey_parts(frozen.survey)))


@dataclass(eq=False)
class Lifecycle(Part):
    """Opens, closes, archives and deletes surveys."""

    surveys: Surveys
    counts: Counts

    def set_state(self, slug: str, state: str, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
        """Close an open survey, or open a closed one whose responses come from browsers; its parts
        with it. The first closing releases what waits (see `end`); one after it was opened again
        does not, or somebody could open it for one response and read that off.
        Raises StateError for a part, one that is archived, and one whose cap is reached; AboveLimit
        for one that would open above the server's privacy limits."""
        refuse_part(slug)
        with self.database.transaction(slug) as db:
            stored_survey = self.surveys.find(db, slug)
            if stored_survey.frozen is None:
                raise StateError(f"Survey {slug!r} is a draft; open it first.")
            if state == stored_survey.state:
                return
            if state == "open":
                self.reopen(db, stored_survey, stored_survey.frozen, limits)
            else:
                self.end(db, stored_survey.frozen)

    def reopen(
        self, db: Connection, found: StoredSurvey, frozen: FrozenSurvey, limits: PrivacyLimits
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

    def end(self, db: Connection, frozen: FrozenSurvey) -> None:
        """Close an open survey and its parts.

        What waits is released, unless so few wait that they could be read off one by one, or a
        closing has released what waited before: then the next one shows it who completes a batch,
        and nobody can open a survey for one response and read off what that was."""
        for slug in with_parts(frozen):
            self.counts.release_due(db, slug)  # in a shared database whole batches may wait
            part, waits = self.surveys.find(db, slug), self.counts.count_waiting(db, slug)
            few = 0 < waits < frozen.survey.fieldwork.fewest_at_closing
            if part.frozen is not None and not part.closed_before and not few:
                self.counts.release(db, part.frozen, waits)
                db.execute("UPDATE surveys SET closed_before = 1 WHERE slug = ?", [slug])
            db.execute("UPDATE surveys SET state = 'closed' WHERE slug = ?", [slug])

    def room(self, db: Connection, found: StoredSurvey) -> int | None:
        """How many more responses a survey, or the one that it is a part of, takes before it
        closes: 0 if it is closed, None without a cap."""
        if found.state != "open":
            return 0
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is None or frozen is None:
            return None
        return max(1, cap - self.counts.count_people(db, frozen))

    def whole(self, db: Connection, found: StoredSurvey) -> StoredSurvey:
        slug = found.survey.slug
        return self.surveys.find(db, whole_of(slug)) if is_part(slug) else found

    def end_at_cap(self, db: Connection, found: StoredSurvey) -> None:
        """Close a survey if one of the responses that have just come, to it or to a part of it, is
        the last that it takes."""
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is not None and frozen is not None and self.counts.count_people(db, frozen) >= cap:
            self.end(db, frozen)
            self.database.seal_due = True

    def close_due(self, now: int) -> None:
        """Close the open surveys whose moment has come; `now` is in seconds since 1970. Costs
        one look at an index where there is none."""
        due = "SELECT slug FROM surveys WHERE closes <= ? AND state = 'open'"
        held = [slug for (slug,) in self.fetch_all(due, now)]
        if not held:
            return
        with self.database.transaction(*held) as db:
            for (slug,) in db.execute(due, [now]).fetchall():
                frozen = self.surveys.find(db, slug).frozen
                if slug in held and frozen is not None:
                    self.end(db, frozen)
                    self.database.seal_due = True

    def set_limits(self, slug: str, limits: Limits) -> None:
        """Raises StateError for a part, and where as many responses as the cap have come."""
        refuse_part(slug)
        with self.database.transaction(slug) as db:
            frozen = self.surveys.find(db, slug).frozen
            if frozen is not None:
                self.refuse_reached(db, frozen, limits.cap)
            db.execute(
                "UPDATE surveys SET cap = ?, closes = ?, target = ? WHERE slug = ?",
                [limits.cap, limits.closes, limits.target, slug],
            )

    def refuse_reached(self, db: Connection, frozen: FrozenSurvey, cap: int | None) -> None:
        if cap is None:
            return
        people = self.counts.count_people(db, frozen)
        if people >= cap:
            raise StateError(
                f"{people:,} responses have come already; a survey that takes at most {cap:,} "
                "cannot be open. Choose a larger number, or none."
            )

    def set_archived(self, slug: str, archived: bool) -> None:
        """Put a closed survey out of the way, or bring it back. Raises StateError for others."""
        refuse_part(slug)
        with self.database.transaction(slug) as db:
            self.find_closed(db, slug)
            db.execute("UPDATE surveys SET archived = ? WHERE slug = ?", [int(archived), slug])

    def find_closed(self, db: Connection, slug: str) -> FrozenSurvey:
        stored_survey = self.surveys.find(db, slug)
        if stored_survey.frozen is None or stored_survey.state != "closed":
            raise StateError(f"Survey {slug!r} is {stored_survey.state}; close it first.")
        return stored_survey.frozen

    def delete_survey(self, slug: str) -> None:
        """Remove a closed survey with its parts, responses, counts and invitations, and overwrite
        what they were written on. Raises StateError for a survey that is not closed."""
        refuse_part(slug)
        with self.database.transaction(slug) as db:
            for each in with_parts(self.find_closed(db, slug)):
                self.surveys.drop(db, each)
            for kind in REHEARSALS:
                self.surveys.drop(db, part_slug(kind, slug))
        self.database.forget()
