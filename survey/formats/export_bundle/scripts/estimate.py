"""Compute the estimates and standard errors of estimates.csv again from responses.csv.

Run it with Python 3.11 or later and numpy: `python estimate.py`. For each row of the file of
estimates, it prints whether the row agrees. Intervals are only in that file. The formulas are in
docs/explanation/mathematics.md of Candor. The tables of the survey come last.
"""

import csv
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIZE = None  # the number of people whom the estimates describe, or None if there is no limit
FIGURES = ("n", "estimate", "standard_error", "asked_estimate", "asked_standard_error")
UNKNOWN = 1e99  # in place of an empty cell


def root_of(variance):
    return None if variance is None else math.sqrt(max(0.0, variance))


def line(measure, answer, n, value, variance):
    error = root_of(variance)
    return {"measure": measure, "answer": answer, "n": n, "estimate": value, FIGURES[2]: error}


def finite(variance, spread, size, least=0.0):
    """The variance of an estimate about `size` people whose values have the variance `spread`."""
    if size is None or variance is None:
        return variance
    smaller = min(variance, max(least, ((size - 1) * variance - spread) / size))
    return smaller if smaller > 1e-12 * variance else 0.0


def estimator(counts, rows):
    """Two functions of a value of each answer: its scores, and its mean with the mean's variance.

    The scores S of the reports solve P S = value with the smallest variance, so the mean score of
    the reports is unbiased. `rows` is None for answers that are stored as given.
    """
    n = counts.sum()
    if rows is not None:
        table = rows / rows.sum(axis=1, keepdims=True)
        root = np.sqrt(table.sum(axis=0))
        limit = max(rows.shape) * np.finfo(float).eps
        inverse = np.linalg.pinv(table / root, rcond=limit) / root[:, np.newaxis]

    def score(values):
        scores = values if rows is None else inverse @ values
        off = 0.0 if rows is None else np.abs(table @ scores - values).max()
        return None if off > 1e-9 * max(1.0, np.abs(scores).max()) else scores

    def mean(values, given, size, rounded=0):
        """Among those with `given`. The first `rounded` values come from rounding at random."""
        worth, among = score(values), score(given)
        if worth is None or among is None or counts @ among <= 0:
            return None
        value = counts @ worth / (counts @ among)
        values = values - value * given
        worth, own = score(values), score(values**2)
        if n == 1:
            return value, None
        variance = counts @ (worth - counts @ worth / n) ** 2 / n / (n - 1)
        if own is not None:
            spread = counts @ own / n - (counts @ worth / n) ** 2
            if rounded:
                spread = max(0.0, spread - (np.abs(np.diff(values[:rounded])).max() / 2) ** 2)
            noise = 0.0 if rows is None else (table @ worth**2 - values**2).min() / n
            variance = finite(variance, spread, size, noise)
        return value, variance / (counts @ among / n) ** 2

    return score, mean


def of_table(question, counts, rows, names, target, rounded=0):
    """The share of the answers with a 1 in each column of `target`, then the means."""
    n, (score, mean), found = counts.sum(), estimator(counts, rows), []
    size = None if rounded else SIZE  # Random rounding makes the part of an answer random.
    shares = [mean(column, np.ones(len(target)), size) for column in target.T]
    if None not in shares:  # Some reports identify only the mean.
        found = [line("share", name, n, *each) for name, each in zip(names, shares, strict=True)]
    if found and "conditional" in question:
        scores, values = score(target), np.array([value for value, _ in shares])
        both = (counts / n * scores[:, -1]) @ scores - values * values[-1]
        add_asked(found, both / max(1, n - 1), size, rows is None)
    for measure, item, values in question.get("means", []):
        k, rest = len(values), np.zeros(len(target) - len(values))
        each = mean(np.append(values, rest), np.append(np.ones(k), rest), SIZE, rounded)
        found += [] if each is None else [line(measure, item, n, *each)]
    return found


def add_asked(found, covariances, size, plain):
    """Add the shares of those asked: a share over 1 minus that of "not asked", the last answer."""
    last, n, below = found[-1], found[-1]["n"], 1 - found[-1]["estimate"]
    asked, errors = round(below * n), [each["standard_error"] for each in found]
    if below <= 1e-9 or (not plain and None in errors):
        return
    for each, error, both in zip(found[:-1], errors, covariances, strict=False):
        if plain:  # the share of the respondents who were asked
            share, people = round(each["estimate"] * n) / asked, round((size or 0) * asked / n)
            variance = share * (1 - share) / (asked - 1) if asked > 1 else None
            people = None if size is None else max(asked, people)
            variance = finite(variance, share * (1 - share), people)
        else:
            share, product = each["estimate"] / below, each["estimate"] * last["estimate"]
            both = both if size is None else ((size - 1) * both + product) / size
            variance = error**2 + 2 * share * both + (share * errors[-1]) ** 2
            variance /= below**2
        each |= {"asked_estimate": share, "asked_standard_error": root_of(variance)}


def of_bits(question, tally):
    """From reports with a bit for each answer or box, which was randomised by two rows."""
    rows, target, found = np.array(question["rows"], float), np.array([[1.0], [0.0]]), []
    cells, times = np.array([*tally]), np.array([*tally.values()], float)
    pairs = np.array([times @ (cells == bit) for bit in "10"]).T
    for name, pair in zip(question["answers"], pairs, strict=True):
        if pair.sum():  # Nobody may have reported on this box yet.
            found += of_table({}, pair, rows, [name], target)
    n, values = np.array([(each["n"], each["estimate"]) for each in found]).T
    k, s, last, inside = len(pairs), question.get("sample", 1), values[-1], np.clip(values, 0, 1)
    # Two bits are both 1: `own` if one of them is that of the answer, otherwise `other`.
    p, q, own, other = question.get("chances", (1, 0, 0, 0))
    if "conditional" in question and pairs[-1].sum():
        both = (values + last) * own + (1 - values - last) * other
        if question["kind"] == "boxes":  # Nobody ticks a box that they were not shown.
            both = -inside * inside[-1] * pairs.sum() * (s - 1) / (k * (k - 1)) / (n * n[-1])
        else:
            both = both - pairs[:, 0] * pairs[-1, 0] / n**2
            both = both / np.maximum(1, n - 1) / (p - q) ** 2
        add_asked(found, both, SIZE, question["plain"])
    for measure, item, levels in question.get("means", []):
        middle, given, n = np.mean(levels), 1 - values[len(levels) :].sum(), found[0]["n"]
        if given <= 0:
            continue
        value = middle + (np.array(levels) - middle) @ values[: len(levels)] / given
        w = np.append(np.array(levels) - middle, np.full(k - len(levels), value - middle))
        noise = q * (w @ w) + (p - q) * w**2 + other * (w.sum() ** 2 - w @ w)
        noise += 2 * w * (w.sum() - w) * (own - other) - (q * w.sum() + (p - q) * w) ** 2
        noise, sampled = noise / (p - q) ** 2, (SIZE - n) / max(1, SIZE - 1) if SIZE else 1.0
        second = noise + sampled * w**2
        half = (second.max() + second.min()) / 2
        variance = np.clip(half + values @ (second - half), second.min(), second.max())
        variance = max(variance - sampled * (value - middle) ** 2, noise.min()) / given**2
        found.append(line(measure, item, n, value, variance / (n - 1) if n > 1 else None))
    return found


def estimates_of(question, tally):
    """The rows of one question, from the number of times that its cells occur."""
    if question["kind"] in ("bits", "boxes"):
        return of_bits(question, tally)
    tally = {"".join(cells): times for cells, times in tally.items()}
    reports = question.get("reports") or [*({*tally} - {*question["extras"]}), *question["extras"]]
    counts = np.array([tally.get(report, 0) for report in reports], dtype=float)
    if "parts_of" in question:  # Each report of a joint question contains an answer.
        counts = np.bincount(question["parts_of"], counts, len(question["answers"]))
    rows = None if question["plain"] else np.array(question["rows"], dtype=float)
    if question["kind"] != "number":
        target = np.eye(len(counts if rows is None else rows))
        if question["kind"] == "combinations":
            target = np.array([[float(digit) for digit in report] for report in reports])
        return of_table(question, counts, rows, question["answers"], target)
    low, step, names = question["low"], question["step"], [*question["parts"], *question["extras"]]
    k = question["points"] if rows is not None else len(reports) - len(question["extras"])
    places = np.arange(k) if rows is not None else np.rint((np.array(reports[:k], float) - low) / step)
    groups = np.append(places // question["part_size"], np.arange(len(question["parts"]), len(names)))
    target = (groups[:, np.newaxis] == np.arange(len(names))) + 0.0
    rounded = k if rows is not None and step != question["answer_step"] else 0
    means = {"means": [("mean", "", low + step * places)]}
    return of_table(question | means, counts, rows, names, target, rounded)


def main():
    global SIZE
    tallies, n, size, verdicts = [Counter() for _ in QUESTIONS], 0, Counter(), Counter()
    with (HERE / RESPONSES).open(encoding="utf-8-sig", newline="") as file:
        for n, row in enumerate(csv.DictReader(file), 1):
            for question, tally in zip(QUESTIONS, tallies, strict=True):
                if any(cells := tuple([row[name] for name in question["columns"]])):
                    tally[cells] += 1  # Empty cells mean that the question was not drawn.
    SIZE = n if RESULTS_ABOUT == "respondents" else RESULTS_ABOUT
    # A population that is smaller than the number of responses cannot be right.
    SIZE = SIZE if isinstance(SIZE, int) and n <= SIZE else None
    own = {
        (question["name"], each["measure"], each["answer"]): each
        for question, tally in zip(QUESTIONS, tallies, strict=True)
        for each in (estimates_of(question, tally) if tally else ())
    }
    with (HERE / ESTIMATES).open(encoding="utf-8-sig", newline="") as file:
        rows = {(row["question"], row["measure"], row["answer"]): row for row in csv.DictReader(file)}
    for key, row in rows.items():
        size[key[:2]] = max(1.0, size[key[:2]], *(abs(float(row[f] or 0)) for f in FIGURES[1:]))
    for key in [key for key in rows | own if key[1]]:  # Texts have no measure.
        mine, off = own.get(key, {}), math.inf
        if key in rows:
            pairs = [[float(UNKNOWN if v in (None, "") else v) for v in (rows[key][f], mine.get(f))]
                     for f in FIGURES]  # fmt: skip
            off = max(abs(ours - theirs) for ours, theirs in pairs) / size[key[:2]]
        verdict = f"{'agrees' if off <= 1e-9 else 'DIFFERS'}: {mine.get('estimate')}"
        verdict += f", standard error {mine.get('standard_error')}"
        if key[1] == "deviation" or key[1].startswith("quantile"):
            verdict = "not recomputed: it is no mean of scores"
        elif key in rows and rows[key]["weights"]:
            verdict = "not recomputed: it has weights"
        verdicts[verdict.partition(":")[0]] += 1
        print(f"{', '.join(key)}: {verdict}")
    print("Rows: " + (", ".join(f"{verdicts[each]} {each}" for each in verdicts) or "none"))
    return 1 if verdicts["DIFFERS"] else 0


# ---- The survey ----

# <survey>

if __name__ == "__main__":
    sys.exit(main())
