"""The lifecycle of a frozen survey in SQL: open, closed, archived, deleted; and its limits.

This module reads no clock. The caller of `close_due` passes the time.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from survey.core.errors import CapReached, StateError, UnknownSurvey
from survey.core.translate import translate_plural
from survey.definition.frozen import FrozenSurvey, require_openable
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.sub_surveys import (
    REHEARSALS,
    TEXTS,
    is_sub_survey,
    sub_survey_kind,
    sub_surveys_of,
    texts_slug,
    whole_of,
)
from survey.store.database import Connection, Part
from survey.store.sql.counts import Counts
from survey.store.sql.surveys import Surveys
from survey.store.sql.texts_apart import TextsApart
from survey.store.stored import (
    CLASS_LASTS,
    Limits,
    StoredSurvey,
    never_mixed,
    not_closed,
    not_opened,
)


def refuse_sub_survey(slug: str) -> None:
    if is_sub_survey(slug):
        raise StateError(
            "'%(part)s' is a part of survey '%(slug)s' and opens and closes with it. Use the "
            "survey itself.",
            part=slug,
            slug=whole_of(slug),
        )


def with_parts(frozen: FrozenSurvey) -> tuple[str, ...]:
    """The slugs of a survey and its sub-surveys."""
    return (frozen.survey.slug, *(part.slug for part in sub_surveys_of(frozen.survey)))


@dataclass(eq=False)
class Lifecycle(Part):
    """Opens, closes, archives and deletes surveys."""

    surveys: Surveys
    counts: Counts
    texts: TextsApart

    def set_state(
        self,
        slug: str,
        state: str,
        limits: PrivacyLimits = DEFAULT_LIMITS,
        closing: Limits | None = None,
    ) -> None:
        """Close an open survey, or reopen a closed one, together with its sub-surveys.

        With `closing`, it also sets the limits at which the survey closes automatically. If it
        raises, it changes nothing.

        The first closing publishes the waiting responses (see `end`). A later closing does not.
        Otherwise somebody could reopen the survey for one response, and read that response from
        the difference.

        Raises StateError for a sub-survey, an archived survey, a survey with loaded or simulated
        responses. Raises CapReached if the survey has reached its cap, and AboveLimit if it exceeds
        the server's privacy limits.
        """
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            found = self.surveys.find(db, slug)
            if found.frozen is None:
                raise not_opened(slug)
            if closing is not None:
                self.write_limits(db, found, closing)
            if state == found.state:
                return
            if state == "open":
                self.reopen(db, found, found.frozen, limits, closing or found.limits)
            else:
                self.end(db, found.frozen)

    def close_at_precision(self, slug: str) -> None:
        """Close a survey that is as precise as its designer asked (survey/server/stopping_rule.py).

        It counts as a closing that has published the waiting responses, also if too few wait.
        Otherwise, the rule would close the survey again after somebody reopens it.
        """
        with self.database.transaction(slug) as db:
            found = self.surveys.find(db, slug)
            if found.frozen is not None and found.state == "open":
                self.end(db, found.frozen)
                db.execute("UPDATE surveys SET closed_before = 1 WHERE slug = ?", [slug])
                self.database.compaction_due = True

    def reopen(
        self,
        db: Connection,
        found: StoredSurvey,
        frozen: FrozenSurvey,
        limits: PrivacyLimits,
        closing: Limits,
    ) -> None:
        slug = frozen.survey.slug
        if found.archived:
            raise StateError("Survey '%(slug)s' is archived. Unarchive it first.", slug=slug)
        if found.origin != "browser":
            raise never_mixed(slug, found.origin)
        require_openable(found.survey, limits)
        self.refuse_reached(db, frozen, closing.cap)
        self.texts.hide_texts(db, texts_slug(slug))
        for each in with_parts(frozen):
            db.execute("UPDATE surveys SET state = 'open' WHERE slug = ?", [each])

    def end(self, db: Connection, frozen: FrozenSurvey) -> None:
        """Close an open survey and its sub-surveys, and publish the waiting responses.

        They stay waiting in two cases. The first is that too few wait, so that someone could read
        them one by one. The second is that an earlier closing has published waiting responses.
        Then the next responses are published when they complete a batch, so nobody can open a
        survey for one response and read it from the difference.

        Texts that are stored apart are published now, and never in batches.
        """
        for slug in with_parts(frozen):
            part = self.surveys.find(db, slug)
            if part.frozen is not None and sub_survey_kind(slug) == TEXTS:
                self.texts.publish_texts(db, part.frozen)
            elif part.frozen is not None:
                self.publish_waiting(db, part, part.frozen)
            db.execute("UPDATE surveys SET state = 'closed' WHERE slug = ?", [slug])

    def publish_waiting(self, db: Connection, part: StoredSurvey, frozen: FrozenSurvey) -> None:
        slug = frozen.survey.slug
        # In a shared database, full batches may be waiting.
        self.counts.publish_due_batches(db, slug)
        waits = self.counts.count_waiting(db, slug)
        few = 0 < waits < frozen.survey.fieldwork.fewest_at_closing
        if not part.closed_before and not few:
            self.counts.publish_responses(db, frozen, waits)
            db.execute("UPDATE surveys SET closed_before = 1 WHERE slug = ?", [slug])

    def room(self, db: Connection, found: StoredSurvey) -> int | None:
        """The number of further responses that a survey accepts; None without a cap.

        It is 0 if the survey is closed. The sub-surveys share the cap of their survey.
        """
        if found.state != "open":
            return 0
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is None or frozen is None:
            return None
        return max(1, cap - self.counts.count_people(db, frozen))

    def whole(self, db: Connection, found: StoredSurvey) -> StoredSurvey:
        slug = found.survey.slug
        return self.surveys.find(db, whole_of(slug)) if is_sub_survey(slug) else found

    def end_at_cap(self, db: Connection, found: StoredSurvey) -> None:
        """Close a survey if it, together with its sub-surveys, has reached its cap."""
        whole = self.whole(db, found)
        cap, frozen = whole.limits.cap, whole.frozen
        if cap is not None and frozen is not None and self.counts.count_people(db, frozen) >= cap:
            self.end(db, frozen)
            self.database.compaction_due = True

    def close_due(self, now: int) -> None:
        """Close the open surveys whose closing time has passed. `now` is in seconds since 1970.

        If there are none, it only reads an index.
        """
        due = "SELECT slug FROM surveys WHERE closes <= ? AND state = 'open'"
        held = [slug for (slug,) in self.fetch_all(due, now)]
        if not held:
            return
        with self.database.transaction(*held) as db:
            for (slug,) in db.execute(due, [now]).fetchall():
                frozen = self.surveys.find(db, slug).frozen
                if slug in held and frozen is not None:
                    self.end(db, frozen)
                    self.database.compaction_due = True

    def set_limits(self, slug: str, limits: Limits) -> None:
        """Set the limits of a survey. Raises StateError for a sub-survey, and CapReached."""
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            self.write_limits(db, self.surveys.find(db, slug), limits)

    def write_limits(self, db: Connection, found: StoredSurvey, limits: Limits) -> None:
        if found.frozen is not None:
            self.refuse_reached(db, found.frozen, limits.cap)
        db.execute(
            "UPDATE surveys SET cap = ?, closes = ?, target = ? WHERE slug = ?",
            [limits.cap, limits.closes, limits.target, found.survey.slug],
        )

    def refuse_reached(self, db: Connection, frozen: FrozenSurvey, cap: int | None) -> None:
        if cap is None:
            return
        people = self.counts.count_people(db, frozen)
        if people >= cap:
            raise CapReached(
                translate_plural(
                    "There is already %(n)s response, so a maximum of %(cap)s would close the "
                    "survey immediately. Choose a larger maximum, or none.",
                    "There are already %(n)s responses, so a maximum of %(cap)s would close the "
                    "survey immediately. Choose a larger maximum, or none.",
                    people,
                    cap=cap,
                )
            )

    def set_archived(self, slug: str, archived: bool) -> None:
        """Archive or unarchive a closed survey. Raises StateError for any other survey."""
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            self.find_closed(db, slug)
            db.execute("UPDATE surveys SET archived = ? WHERE slug = ?", [int(archived), slug])

    def find_closed(self, db: Connection, slug: str) -> FrozenSurvey:
        stored_survey = self.surveys.find(db, slug)
        if stored_survey.frozen is None or stored_survey.state != "closed":
            raise not_closed(slug, stored_survey.state)
        return stored_survey.frozen

    def delete_survey(self, slug: str) -> None:
        """Delete a closed survey with its sub-surveys, responses, counts and invitations.

        Overwrites the deleted data. Raises StateError for a survey that is not closed.
        """
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            self.drop_whole(db, self.find_closed(db, slug))
        self.database.forget()

    def drop_whole(self, db: Connection, frozen: FrozenSurvey) -> None:
        for each in with_parts(frozen):
            self.surveys.drop(db, each)
        for kind in REHEARSALS:
            self.surveys.drop_rehearsal(db, kind, frozen.survey.slug)

    def end_class(self, slug: str) -> None:
        """Delete an open or closed survey in class mode, as `delete_survey` does.

        Raises StateError for any other survey.
        """
        refuse_sub_survey(slug)
        with self.database.transaction(slug) as db:
            found = self.surveys.find(db, slug)
            if found.frozen is None:
                raise not_opened(slug)
            if not found.survey.fieldwork.class_mode:
                raise StateError(
                    "Survey '%(slug)s' is not in class mode. To delete it, close it first.",
                    slug=slug,
                )
            self.drop_whole(db, found.frozen)
        self.database.forget()

    def end_old_classes(self, today: date) -> list[str]:
        """Delete the surveys in class mode whose last day is over, and return their slugs.

        It reads every definition, so call it once a day.
        """
        # In canonical JSON, no text of a survey can contain this: a quote in a text is escaped.
        in_class = "slug NOT LIKE '%.%' AND definition LIKE '%\"class_mode\":true%'"
        rows = self.fetch_all(
            f"SELECT slug FROM surveys WHERE opened < ? AND {in_class}", f"{today - CLASS_LASTS}"
        )
        ended = []
        for (slug,) in rows:
            with suppress(UnknownSurvey):  # Somebody has just ended it.
                self.end_class(slug)
                ended.append(slug)
        return ended
