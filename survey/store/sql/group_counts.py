"""Counts within groups, in SQL.

They say how often each report came from those who gave each answer to one plain question. They are
read from the responses themselves, and so in time proportional to them.
"""

from survey.core.errors import UnknownSurvey
from survey.definition.questions import Question
from survey.store.sql.counts import SQLCounts


class SQLGroups(SQLCounts):
    """The part of the store that looks at two questions at a time."""

    def counts_within(self, slug: str, by: Question) -> dict[int, dict[str, dict[int, int]]]:
        self.require_figures()
        groups: dict[int, dict[str, dict[int, int]]] = {}
        table = self.response_table(slug)
        frozen = self.survey(slug).frozen
        if frozen is None:
            raise UnknownSurvey(f"There is no survey {slug!r}.")
        # or a release in between would be in some questions alone
        with self.snapshot(table, "waiting", "counts") as db:
            if self.isolates(db, slug, self.read_counts(db, slug)):
                return {}
            for question in frozen.survey.fields:
                rows = db.execute(
                    f'SELECT "{by.name}", "{question.name}", count(*) FROM {table}'
                    " WHERE id NOT IN (SELECT id FROM waiting WHERE survey = ?) GROUP BY 1, 2",
                    [slug],
                )
                for group, report, times in rows:
                    if report is None:
                        continue
                    counts = groups.setdefault(group, {}).setdefault(question.name, {})
                    for code in question.form.codes(report):
                        counts[code] = counts.get(code, 0) + times
        return groups
