"""The page of all studies, as their data lead to it."""

from collections.abc import Sequence

from bench.evidence import Row, markdown_table, wrapped

from .study import FEW, HIGHEST, LEAST, MOST_ALARMS, POWER_POINTS, Study, outside, studies

PAGE = """# Examinations

This page is for statisticians who want to know whether figures and tests of Candor that no other
page of evidence measures are right. Each study simulates surveys whose truth is known, and calls
the functions that pages call. `.venv/bin/python -m bench.examinations` repeats all studies with
fixed seeds, and writes this page and its data, [examinations.csv](data/examinations.csv). An
interrupted study continues with the next row.

The bias is the mean error in standard deviations of the estimate. Coverage is that of 95 %
intervals, and should be from {least} to {highest} %, with fewer than {few} respondents at least
{least} %. A false alarm is a p-value below 0.05 although what the test looks for does not exist. At
most {alarms} % of surveys should have one. Power is the percentage of surveys in which a test finds
what exists. It is compared with the best known test of the same reports, or with the power that
Candor states, from which it may differ by {points} percentage points. “Refused” counts the surveys
for which Candor gives no estimate.

## Summary

The table has the worst row of each study. With few surveys in a row, it is partly chance, and rows
with many refused surveys have few figures.

{summary}

## What was wrong

These studies found faults, which are repaired. The figures are those before the repair.

{repairs}

## Limits that do not hold

{limits}

{studies}
"""
HEADS = ("refused", "bias", "coverage", "false alarms", "power", "best power", "stated power")


def page(rows: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    found = studies().values()
    return wrapped(
        PAGE.format(
            least=f"{LEAST:g}", highest=f"{HIGHEST:g}", few=FEW, alarms=f"{MOST_ALARMS:g}",
            points=f"{POWER_POINTS:g}",
            summary=summary(rows), limits=limits(rows), repairs=repairs(),
            studies="\n\n".join(section(each, rows_of(each, rows)) for each in found),
        )
    )  # fmt: skip


def rows_of(study: Study, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["method"] == study.title]


def section(study: Study, rows: Sequence[Row]) -> str:
    """The paragraph and the table of a study, without columns that are empty."""
    heads = [head for head in HEADS if any(row[head] not in ("", "0") for row in rows)]
    lines = [[row["case"], f"{int(row['n']):,}", f"{int(row['surveys']):,}",
              *(shown(row[head]) for head in heads)] for row in rows]  # fmt: skip
    table = markdown_table(["surveys of", "n", "surveys", *heads], lines)
    return f"## {study.title}\n\n{study.text.strip()}\n\n{table}"


def shown(entry: str) -> str:
    """A percentage with one decimal place, all else as it is, or a dash."""
    return f"{float(entry):.1f}" if "." in entry and entry[0] not in "+-" else entry or "–"


def summary(rows: Sequence[Row]) -> str:
    lines = []
    for study in studies().values():
        own = rows_of(study, rows)
        of = {head: [float(row[head]) for row in own if row[head]] for head in HEADS}
        ratios = [
            float(row["power"]) / float(row["best power"])
            for row in own
            if row["best power"] and float(row["best power"])
        ]
        lines.append(
            [
                study.title,
                f"{min(of['coverage']):.1f}" if of["coverage"] else "–",
                f"{max(of['false alarms']):.1f}" if of["false alarms"] else "–",
                f"{max(of['bias'], key=abs):+.3f}" if of["bias"] else "–",
                f"{min(ratios):.2f}" if ratios else "–",
            ]
        )
    heads = ["method", "least coverage", "most false alarms", "largest bias", "least power / best"]
    return markdown_table(heads, lines)


def repairs() -> str:
    """What was wrong before each study."""
    return "\n".join(
        f"* {study.title}: {' '.join(study.repaired.split())}"
        for study in studies().values()
        if study.repaired
    )


def limits(rows: Sequence[Row]) -> str:
    """The rows that are outside of a limit by more than three standard errors, with a reason."""
    lines = []
    for study in studies().values():
        reasons = {(case.name, str(case.n)): case.reason for case in study.cases()}
        lines += [
            f"* {study.title}, {row['case']}, n = {int(row['n']):,}: {', '.join(found)}. "
            f"{reasons[row['case'], row['n']]}"
            for row in rows_of(study, rows)
            if (found := outside(row))
        ]
    return "\n".join(lines) or "There are none."
