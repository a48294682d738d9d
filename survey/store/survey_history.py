"""Who created a survey and when, for databases in which only the audit log has this.

An earlier version stored neither, so the migration reads both from the audit log. A survey keeps
NULL if its entry is missing: because the log is younger than the survey, or because the draft was
created under another address. Like the migrations, this module is never changed later.
"""

# The beginnings of the entries that any version wrote when it created a survey.
CREATED = (
    *("made the survey", "created the survey", "imported the survey"),
    *("copied the survey", "duplicated the survey"),
)
OPENED = "opened the survey"


def history_from_audit_log(day: str) -> tuple[str, ...]:
    """Statements that fill the columns `creator`, `created` and `opened` of the table `surveys`.

    `day` is the SQL of this database for the day, in UTC, of the column `moment`. An address can
    belong to several surveys, one after the other, so the last creation counts, and the first
    opening after it.
    """
    is_creation = " OR ".join(f"action LIKE '{start}%'" for start in CREATED)
    last = f"SELECT max(number) FROM acts WHERE survey = surveys.slug AND ({is_creation})"
    opening = (
        f"SELECT min(number) FROM acts WHERE survey = surveys.slug AND action = '{OPENED}'"
        f" AND number > coalesce(({last}), 0)"
    )
    whole = "WHERE slug NOT LIKE '%.%'"
    return (
        f"UPDATE surveys SET creator = (SELECT account FROM acts WHERE number = ({last})) {whole}",
        f"UPDATE surveys SET created = (SELECT {day} FROM acts WHERE number = ({last})) {whole}",
        f"UPDATE surveys SET opened = (SELECT {day} FROM acts WHERE number = ({opening})) {whole}"
        " AND document IS NOT NULL",
    )
