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


def add_asked(found, covariances, values, size, plain):
    """Add the shares of those asked: a share over 1 minus that of "not asked", the last answer."""
    n, below, products = found[-1]["n"], 1 - found[-1]["estimate"], values * values[-1]
    asked, errors = round(below * n), [each["standard_error"] for each in found]
    if below <= 1e-9 or (not plain and None in errors):
        return
    for each, error, both, product in zip(found[:-1], errors, covariances, products, strict=False):
        share = each["estimate"] / below
        if plain:  # the share of the respondents who were asked
            share, people = round(each["estimate"] * n) / asked, size and round(size * asked / n)
            variance = share * (1 - share) / (asked - 1) if asked > 1 else None
            variance = finite(variance, share * (1 - share), size and max(asked, people))
        else:
            both = both if size is None else ((size - 1) * both + product) / size
            variance = (error**2 + 2 * share * both + (share * errors[-1]) ** 2) / below**2
        each |= {FIGURES[3]: share, FIGURES[4]: line("", "", n, share, variance)[FIGURES[2]]}


def of_answers(question, pairs, bits):
    """Shares from the numbers of set and other bits, with `bits` of them for each answer."""
    p, q, own, other = question["chances"]
    n = pairs[0].sum() / bits[0]
    seen = pairs[:, 0] / n
    values, more = (seen - bits * q) / (p - q), bits - 1
    both = seen + 2 * more * values * (own - other) + bits * more * other
    variances = (both - seen**2) / max(1, n - 1) / (p - q) ** 2
    with_it = p + more * (q + 2 * own + (bits - 2) * other) - (p + more * q) ** 2
    without = bits * q + bits * more * other - (bits * q) ** 2
    least = np.minimum(with_it, without) / (p - q) ** 2 / n
    variances = [finite(each, value - value**2, SIZE, noise) if n > 1 else None
                 for each, value, noise in zip(variances, values, least, strict=True)]  # fmt: skip
    rows = zip(question["answers"], values, variances, strict=True)
    return [line("share", name, n, value, variance) for name, value, variance in rows]


def of_bits(question, tally):
    """From bits for answers or boxes. Two are 1 with `own` if one is the own answer, or `other`."""
    rows, target = np.array(question["rows"], float), np.array([[1.0], [0.0]])
    cells, times = np.array([*tally]), np.array([*tally.values()], float)
    pairs = np.array([times @ (cells == bit) for bit in "10"]).T
    p, q, own, other, k = *question.get("chances", (1, 0, 0, 0)), len(question["answers"])
    bits = np.ones(k)  # the bits of each answer: for a joint question its combinations
    if "parts_of" in question:
        bits = (groups := np.eye(k)[question["parts_of"]]).sum(0)
        pairs = groups.T @ pairs
    if "chances" in question:
        found = of_answers(question, pairs, bits)
    else:
        found = [each for name, pair in zip(question["answers"], pairs, strict=True) if pair.sum()
                 for each in of_table({}, pair, rows, [name], target)]  # fmt: skip
    n, values = np.array([(each["n"], each["estimate"]) for each in found]).T
    if "conditional" in question and pairs[-1].sum():
        if question["kind"] == "boxes":  # Nobody ticks a box that they were not shown.
            values = np.clip(values, 0, 1)
            both = -values * values[-1] * pairs.sum() * (question.get("sample", 1) - 1)
            both = both / (k * (k - 1)) / (n * n[-1])
        else:
            both = (bits * values[-1] + bits[-1] * values) * (own - other) + bits * bits[-1] * other
            both = (both - pairs[:, 0] * pairs[-1, 0] / n**2) / np.fmax(1, n - 1) / (p - q) ** 2
        add_asked(found, both, values, SIZE, question["plain"])
    for measure, item, levels in question.get("means", []):
        given, n = 1 - values[len(levels) :].sum(), found[0]["n"]
        middle = np.average(levels, weights=bits[: len(levels)])
        if given <= 1e-9:
            continue
        value = middle + (np.array(levels) - middle) @ values[: len(levels)] / given
        w = np.append(np.array(levels) - middle, np.full(k - len(levels), value - middle))
        total, squares = bits @ w, bits @ w**2
        noise = q * squares + (p - q) * w**2 + other * (total**2 - squares)
        noise += 2 * w * (total - w) * (own - other) - (q * total + (p - q) * w) ** 2
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
        target = question.get("target", np.eye(len(counts if rows is None else rows)))
        return of_table(question, counts, rows, question["answers"], np.array(target, float))
    low, step, names = question["low"], question["step"], question["answers"]
    others, places = np.arange(question["parts"], len(names)), np.arange(question["points"])
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
                    tally[cells] += 1  # Empty cells mean that the question was not drawn.
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
