"""Calculate estimates and standard errors again, and compare them with the file of estimates.

Intervals are only in that file. Candor's docs/explanation/mathematics.md has the formulas."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIZE = None  # the number of people whom the estimates describe, or None if there is no limit
KEY = ("question", "measure", "answer")
FIGURES = ("n", "estimate", "standard_error", "asked_estimate", "asked_standard_error")


def line(measure, answer, n, value, variance):
    error = None if variance is None else max(0.0, variance) ** 0.5
    return {"measure": measure, "answer": answer, "n": n, "estimate": value, FIGURES[2]: error}


def finite(variance, spread, size, least=0.0):
    """The variance of an estimate about `size` people whose values have the variance `spread`."""
    if size is None or variance is None:
        return variance
    smaller = min(variance, max(least, ((size - 1) * variance - spread) / size))
    return smaller if smaller > 1e-12 * variance else 0.0


def estimator(counts, rows):
    """Two functions of a value of each answer: its scores, and its mean with the mean's variance.

    The scores S solve P S = value with the smallest variance. `rows` is None for answers as given.
    The mean is among those with `given`. Browsers rounded values at random to levels of a `width`.
    """
    n = counts.sum()
    if rows is not None:
        table = rows / rows.sum(axis=1, keepdims=True)
        root = np.sqrt(table.sum(axis=0))
        inverse = np.linalg.pinv(table / root, max(rows.shape) * 2.3e-16) / root[:, np.newaxis]

    def score(values):
        if rows is None:
            return values
        off = np.abs(table @ (scores := inverse @ values) - values).max()
        return None if off > 1e-9 * max(1.0, np.abs(scores).max()) else scores

    def mean(values, given, size, width=0.0):
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
            spread = max(0.0, spread - (width / 2) ** 2) if width else spread
            noise = 0.0 if rows is None else (table @ worth**2 - values**2).min() / n
            variance = finite(variance, spread, size, noise)
        return value, variance / (counts @ among / n) ** 2

    return score, mean


def of_table(question, counts, rows, names, target, width=0.0):
    """The share of the answers with a 1 in each column of `target`, then the means."""
    n, (score, mean) = counts.sum(), estimator(counts, rows)
    size = None if width else SIZE  # Random rounding makes the part of an answer random.
    shares = [mean(column, np.ones(len(target)), size) for column in target.T]
    names = [] if None in shares else names  # Some reports identify only the mean.
    found = [line("share", name, n, *each) for name, each in zip(names, shares, strict=False)]
    if found and "conditional" in question:
        scores = score(target) - (values := np.array([value for value, _ in shares]))
        both = (counts / n * scores[:, -1]) @ scores / max(1, n - 1)
        add_asked(found, both, values, size, rows is None)
    for measure, item, values in question.get("means", []):
        k, rest = len(values), np.zeros(len(target) - len(values))
        each = mean(np.append(values, rest), np.append(np.ones(k), rest), SIZE, width)
        found += [] if each is None else [line(measure, item, n, *each)]
    return found


def add_asked(found, covariances, values, size, non_private):
    """Add the shares of those asked: a share over 1 minus that of "not asked", the last answer."""
    n, below, products = found[-1]["n"], 1 - found[-1]["estimate"], values * values[-1]
    asked, errors = round(below * n), [each["standard_error"] for each in found]
    if below <= 1e-9 or (not non_private and None in errors):
        return
    for each, error, both, product in zip(found[:-1], errors, covariances, products, strict=False):
        share = each["estimate"] / below
        if non_private:  # the share of the respondents who were asked
            share, people = round(each["estimate"] * n) / asked, size and round(size * asked / n)
            variance = share * (1 - share) / (asked - 1) if asked > 1 else None
            variance = finite(variance, share * (1 - share), size and max(asked, people))
        else:
            both = both if size is None else ((size - 1) * both + product) / size
            variance = (error**2 + 2 * share * both + (share * errors[-1]) ** 2) / below**2
        each |= {FIGURES[3]: share, FIGURES[4]: line("", "", n, share, variance)[FIGURES[2]]}


def of_bits(question, tally):
    """From bits for answers or boxes, or for combinations, of which each is in `parts_of`.

    Two bits are 1 with probability `own` if one belongs to the true answer, otherwise `other`."""
    cells, times = np.array([*tally]), np.array([*tally.values()], float)
    pairs = np.array([times @ (cells == bit) for bit in "10"]).T
    rows, names, k = np.array(question["rows"], float), question["answers"], len(pairs)
    (p, q), (own, other) = rows[:, 0] / rows.sum(1), question.get("chances", [0] * 4)[2:]
    sums = np.eye(len(names))[question.get("parts_of", range(k))]
    if question["kind"] == "boxes":  # Some may have no report yet.
        there = pairs.sum(1) > 0
        names, pairs, sums = np.array(names)[there].tolist(), pairs[there], sums[there][:, there]
    n, seen = pairs.sum(1), pairs[:, 0] / pairs.sum(1)
    values, apart = (seen - q) / (p - q), np.fmax(1, n - 1)[:, np.newaxis] * (p - q) ** 2
    both = np.add.outer(values, values) * (own - other) + other - np.outer(seen, seen)
    both /= apart
    if question["kind"] == "boxes":  # Nobody ticks a box that they were not shown.
        inside, sample = np.clip(values, 0, 1) / n, question.get("sample", 1)
        both = -np.outer(inside, inside) * pairs.sum() * (sample - 1) / max(1, k * (k - 1))
    np.fill_diagonal(both, (seen - seen**2) / apart[:, 0])
    shares, both, many = values @ sums, sums.T @ both @ sums, n @ sums / sums.sum(0)

    def noise(w):  # of the sum of the bits' shares with these weights, for each true answer
        noise = q * (w @ w) + (p - q) * w**2 + other * (w.sum() ** 2 - w @ w)
        noise += 2 * w * (w.sum() - w) * (own - other) - (q * w.sum() + (p - q) * w) ** 2
        return noise / (p - q) ** 2

    found = []
    for place, (name, n, value) in enumerate(zip(names, many, shares, strict=True)):
        least = noise(sums[:, place]).min() / n
        variance = finite(both[place, place], value - value**2, SIZE, least)
        found.append(line("share", name, n, value, variance if n > 1 else None))
    if "conditional" in question and names[-1] == question["answers"][-1]:
        inside = np.clip(shares, 0, 1) if question["kind"] == "boxes" else shares
        add_asked(found, both[:, -1], inside, SIZE, question["non_private"])
    for measure, item, levels in question.get("means", []):
        w, listed = sums[:, : len(levels)] @ levels, sums[:, : len(levels)].any(1)
        middle, given = w[listed].mean(), 1 - values[~listed].sum()
        if given <= 1e-9:
            continue
        value = middle + (w[listed] - middle) @ values[listed] / given
        w = np.where(listed, w - middle, value - middle)
        sampled = (SIZE - n) / max(1, SIZE - 1) if SIZE else 1.0
        second = noise(w) + sampled * w**2
        half = (second.max() + second.min()) / 2
        variance = np.clip(half + values @ (second - half), second.min(), second.max())
        variance = max(variance - sampled * (value - middle) ** 2, noise(w).min()) / given**2
        found.append(line(measure, item, n, value, variance / (n - 1) if n > 1 else None))
    return found


def estimates_of(question, tally):
    """The rows of one question, from the number of times that its cells occur."""
    if question["kind"] in ("bits", "boxes"):
        return of_bits(question, tally)
    tally = {"".join(cells): times for cells, times in tally.items()}
    reports = question.get("reports")
    if not reports:
        special = question["special_answers"]
        reports = [*({*tally} - {*special}), *special]
    counts = np.array([tally.get(report, 0) for report in reports], dtype=float)
    if "parts_of" in question:  # Each report of a joint question contains an answer.
        counts = np.bincount(question["parts_of"], counts, len(question["answers"]))
    rows = None if question["non_private"] else np.array(question["rows"], dtype=float)
    if question["kind"] != "number":
        target = question.get("target", np.eye(len(counts if rows is None else rows)))
        return of_table(question, counts, rows, question["answers"], np.array(target, float))
    low, step, names = question["low"], question["step"], question["answers"]
    others, places = np.arange(question["parts"], len(names)), np.arange(question["levels"])
    if rows is None:
        places = np.rint((np.array(reports[: len(reports) - len(others)], float) - low) / step)
    groups = np.append(places // question["part_size"], others)[:, np.newaxis]
    width = step if step != question.get("answer_step", step) else 0.0
    target, question["means"] = groups == np.arange(len(names)), [("mean", "", low + step * places)]
    return of_table(question, counts, rows, names, target + 0.0, width)


def main():
    global SIZE
    tallies, n, size, verdicts = [Counter() for _ in QUESTIONS], 0, Counter(), Counter()
    with (HERE / RESPONSES).open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            n += 1
            for question, tally in zip(QUESTIONS, tallies, strict=True):
                if any(cells := tuple([row[name] for name in question["columns"]])):
                    tally[cells] += 1  # Empty cells: no report on this question.
    SIZE = n if RESULTS_ABOUT == "respondents" else RESULTS_ABOUT
    SIZE = SIZE if isinstance(SIZE, int) and n <= SIZE else None  # A smaller size cannot be right.
    own = {(question["name"], each["measure"], each["answer"]): each
           for question, tally in zip(QUESTIONS, tallies, strict=True) if tally
           for each in estimates_of(question, tally)}  # fmt: skip
    with (HERE / ESTIMATES).open(encoding="utf-8-sig", newline="") as file:
        rows = {tuple(map(row.get, KEY)): row for row in csv.DictReader(file)}
    for key, row in rows.items():
        size[key[:2]] = max(1, size[key[:2]], *(abs(float(row[f] or 0)) for f in FIGURES[1:]))
    for key in [key for key in rows | own if key[1]]:  # Texts have no measure.
        mine = own.get(key, {})
        a, b = (np.array([float(1e99 if each.get(f) in (None, "") else each[f]) for f in FIGURES])
                for each in (rows.get(key, {}), mine))  # fmt: skip
        off = np.where(np.maximum(abs(a), abs(b)) > 1e-7 * (most := size[key[:2]]), abs(a - b), 0)
        verdict = "agrees" if off.max() <= 1e-9 * most else "DIFFERS"
        verdict += ": {}, standard error {}".format(*map(mine.get, FIGURES[1:3]))
        if key[1] == "deviation" or key[1].startswith("quantile"):
            verdict = "not recomputed: it is not a mean of scores"
        elif key in rows and rows[key]["weights"]:
            verdict = "not recomputed: it has weights"
        verdicts[verdict.partition(":")[0]] += 1
        print(f"{', '.join(filter(None, key))}: {verdict}")
    print("Rows:", ", ".join(f"{each} {times}" for each, times in sorted(verdicts.items())))
    return 1 if verdicts["DIFFERS"] else 0


# <survey>

if __name__ == "__main__":
    raise SystemExit(main())
