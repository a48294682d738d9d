"""Codes of free texts in SQL: the code list of a survey, and the codes that each coder gave.

A coding names its text by a hash of the random id of the text's row, so no page and no file shows
an id. When a text is withdrawn, its codings are deleted in the same transaction.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from survey.core.errors import StateError
from survey.core.translate import translate
from survey.definition.sub_surveys import whole_of
from survey.definition.survey import Survey
from survey.store.database import Connection, Part, count, random_number
from survey.store.sql.surveys import Surveys

MAX_CODES = 50  # of a survey
# In place of a code: the coder read the text, and no code fits it.
NO_CODE = 0

# The codes that each account gave to each text, by the key of the text.
Codings = dict[bytes, dict[str, frozenset[int]]]


@dataclass(frozen=True)
class Code:
    """A code of a survey. `number` is random and never used again."""

    number: int
    name: str


def coded_text_key(id: bytes, question: str) -> bytes:
    """The key of the text to a question in the row with this id: 32 bytes."""
    return sha256(id + question.encode()).digest()


@dataclass(eq=False)
class Codes(Part):
    """The codes of surveys, and the coded texts."""

    surveys: Surveys

    def code_list(self, slug: str) -> list[Code]:
        """The codes of a survey, in the order of their names."""
        rows = self.fetch_all("SELECT number, name FROM codes WHERE survey = ?", slug)
        return sorted((Code(*row) for row in rows), key=lambda code: code.name.casefold())

    def add_code(self, slug: str, name: str) -> None:
        """Add a code. Raises StateError for a draft, a taken name, and too many codes."""
        with self.database.transaction() as db:
            if self.surveys.find(db, slug).frozen is None:
                raise StateError(
                    translate(
                        "Survey '%(slug)s' is a draft without texts. Open it first.", slug=slug
                    )
                )
            if count(db, "codes", "survey = ?", [slug]) >= MAX_CODES:
                raise StateError(
                    translate("A survey can have %(most)s codes. Delete one first.", most=MAX_CODES)
                )
            refuse_taken_code(db, slug, name)
            db.execute("INSERT INTO codes VALUES (?, ?, ?)", [random_number(), slug, name])

    def rename_code(self, slug: str, number: int, name: str) -> None:
        """Rename a code, if it exists. Raises StateError if another one has the name."""
        with self.database.transaction() as db:
            refuse_taken_code(db, slug, name, number)
            db.execute(
                "UPDATE codes SET name = ? WHERE survey = ? AND number = ?", [name, slug, number]
            )

    def delete_code(self, slug: str, number: int) -> None:
        """Delete a code with its codings, if it exists.

        A text that had only this code from a coder is then not coded by this coder.
        """
        with self.database.transaction() as db:
            values = [slug, number]
            db.execute("DELETE FROM codes WHERE survey = ? AND number = ?", values)
            if number != NO_CODE:
                db.execute("DELETE FROM coded_texts WHERE survey = ? AND code = ?", values)
        self.database.forget()

    def codings(self, slug: str) -> Codings:
        """All codings of a survey."""
        found: Codings = defaultdict(dict)
        select = "SELECT text, account, code FROM coded_texts WHERE survey = ?"
        for text, account, code in self.fetch_all(select, slug):
            given = found[bytes(text)].get(account, frozenset())
            found[bytes(text)][account] = given | {code}
        return dict(found)

    def set_codings(self, slug: str, account: str, given: Mapping[bytes, Iterable[int]]) -> int:
        """Replace the codes that an account gave to these texts.

        An unknown code is left out: somebody may have deleted it in the meantime. NO_CODE is kept
        only if the text has no other code. Returns the number of texts whose codes changed.
        """
        with self.database.transaction() as db:
            rows = db.execute("SELECT number FROM codes WHERE survey = ?", [slug]).fetchall()
            known = {number for (number,) in rows} | {NO_CODE}
            changed = 0
            where = [slug, account]
            for text, codes in given.items():
                rows = db.execute(
                    "SELECT code FROM coded_texts WHERE survey = ? AND account = ? AND text = ?",
                    [*where, text],
                ).fetchall()
                before = {code for (code,) in rows}
                after = set(codes) & known
                if len(after) > 1:
                    after.discard(NO_CODE)
                if before == after:
                    continue
                changed += 1
                db.execute(
                    "DELETE FROM coded_texts WHERE survey = ? AND account = ? AND text = ?",
                    [*where, text],
                )
                new = [(slug, text, account, code) for code in after]
                db.executemany("INSERT INTO coded_texts VALUES (?, ?, ?, ?)", new)
            return changed


def refuse_taken_code(db: Connection, slug: str, name: str, number: int = 0) -> None:
    """Raises StateError if a code other than `number` has this name."""
    if count(db, "codes", "survey = ? AND name = ? AND number <> ?", [slug, name, number]):
        raise StateError(
            translate("There is already a code “%(name)s”. Type a different name.", name=name)
        )


def delete_codings(db: Connection, survey: Survey, id: bytes) -> None:
    """Delete the codings of the texts in a row of responses, within a transaction."""
    # Texts that are stored apart have no response.
    for question in () if survey.texts_apart else survey.texts_and_dates:
        db.execute(
            "DELETE FROM coded_texts WHERE survey = ? AND text = ?",
            [whole_of(survey.slug), coded_text_key(id, question.name)],
        )
