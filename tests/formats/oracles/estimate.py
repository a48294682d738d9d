"""Every estimate with its interval from responses.csv, written without any code of Candor.

The tests compare the figures of estimates.csv with it. The formulas and their sources are in
docs/explanation/mathematics.md. The short scripts of the ZIP compute estimates and standard errors
only.
"""

import csv
import math
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from statistics import NormalDist

import numpy as np

LEVEL = 0.95  # of each interval
SIZE = None  # the number of people whom the estimates describe, or None if there is no limit
NORMAL = NormalDist()
LOG_GAMMA = np.frompyfunc(math.lgamma, 1, 1)


# ---- Roots and quantiles ----


def root(function, low, high):
    """The root of a function, to the last digits: Chandrupatla (1997)."""
    b, a, t = low, high, 0.5
    fb, fa = function(b), function(a)
    for _ in range(300):
        x = a + t * (b - a)
        fx = function(x)
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, at_best = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        limit = (4e-16 * abs(best) + 1e-300) / abs(b - a) if a != b else 1.0
        if limit > 0.5 or at_best == 0:
            return best
        place, part = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if part**2 < place and (1 - part) ** 2 < 1 - place:
            t = fa / (fb - fa) * fc / (fb - fc)
            t += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            t = 0.5
        t = min(1 - limit, max(limit, t))
    return best


def beta_below(x, a, b):
    """The distribution function of Beta(a, b), by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_below(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = fraction
        for step in (even, odd):
            d, c = 1 / (1 + step * d), 1 + step / c
            fraction *= d * c
        if abs(fraction - before) < 1e-16 * abs(fraction):
            break
    return front * fraction


def beta_quantile(chance, a, b):
    return root(lambda x: beta_below(x, a, b) - chance, 0.0, 1.0)


def student_quantile(n):
    """The quantile of Student's distribution with n - 1 degrees of freedom for a level of LEVEL."""
    y = beta_quantile(LEVEL, 0.5, (n - 1) / 2)
    return math.sqrt((n - 1) * y / (1 - y))


# ---- Scores: the value of each report; their mean is the estimate ----


def unbiased_scores(rows, target):
    """Least-variance S with P S = target, one row for each report; None if there is none."""
    table = rows / rows[0].sum()
    root_mass = np.sqrt(table.sum(axis=0))
    scores = np.linalg.lstsq(table / root_mass, target, rcond=None)[0] / root_mass[:, np.newaxis]
    off = np.abs(table @ scores - target).max()
    return None if off > 1e-9 * max(1.0, np.abs(scores).max()) else scores


def support_of(rows, scores, meant):
    """The reports that support an answer, with probability p given this answer and q given another.

    None if the scores have more than two values.
    """
    high, low = scores.max(), scores.min()
    speaks = scores > (high + low) / 2
    if np.abs(scores - np.where(speaks, high, low)).max() > 1e-9 * max(1.0, high - low):
        return None
    total = rows[0].sum()
    p, q = (rows[x, speaks].sum() / total for x in (np.argmax(meant), np.argmin(meant)))
    return speaks, p, q


def variance_of_mean(scores, counts):
    """The unbiased estimate of the variance of the mean score; None for a single response."""
    n = counts.sum()
    if n == 1:
        return None
    shares = counts / n
    return max(0.0, float(shares @ (scores - shares @ scores) ** 2 / (n - 1)))


def most_likely_shares(rows, counts):
    """Maximum likelihood, by projected Newton steps (Bertsekas 1982)."""
    table, observed = rows / rows[0].sum(), counts / counts.sum()
    scores = unbiased_scores(rows, np.eye(len(rows)))
    unbiased = np.ones(len(rows)) if scores is None else observed @ scores
    if rows.shape[0] == rows.shape[1] and unbiased.min() >= 0:
        return unbiased / unbiased.sum()
    table, observed = table[:, observed > 0], observed[observed > 0]

    def height(shares):
        chances = shares @ table
        return math.inf if chances.min() <= 0 else shares.sum() - observed @ np.log(chances)

    shares = np.maximum(unbiased, 1 / len(rows) / 100)
    shares, off = shares / shares.sum(), math.inf
    for _ in range(500):
        here, before = height(shares), off
        ratios = observed / (shares @ table)
        slope = 1 - table @ ratios
        off = max(-slope.min(), np.abs(shares * slope).max())
        if off < 1e-14 or (off < 1e-9 and off >= before):
            break
        far = np.abs(shares - np.maximum(shares - slope, 0)).max()
        free = (shares > min(0.01, far)) | (slope < 0)
        bent = table[free] * (ratios / np.sqrt(observed))
        curvature = bent @ bent.T
        ridge = max(far, 1e-14) * np.trace(curvature) / len(curvature)
        step = -shares
        step[free] = -np.linalg.solve(curvature + ridge * np.eye(len(curvature)), slope[free])
        stride = 1.0
        limit = here + 1e-14 * max(1.0, abs(here))
        while height(np.maximum(shares + stride * step, 0)) > limit and stride > 1e-14:
            stride /= 2
        shares = np.maximum(shares + stride * step, 0)
    return shares / shares.sum()


def nearest_shares(values):
    """The shares nearest to these values that add up to one: Held, Wolfe & Crowder (1974)."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    return np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0)


# ---- Intervals ----


def smallest_accepted(y, n, least, most, level):
    """The smallest P in this range that the exact test accepts for y of n reports.

    The test orders outcomes by their likelihood ratio against the best P in the range: Feldman &
    Cousins (1998). Below y / n, the likelier outcomes are those from a + 1 to y - 1. From a value
    of P on, its crossing, the outcome a is no longer likelier than y.
    """
    if y <= n * least:
        return least

    def height(outcome):  # the largest log-likelihood, without the binomial coefficient
        best = min(max(outcome / n, least), most)
        hits = outcome * math.log(best) if outcome else 0.0
        return hits + ((n - outcome) * math.log1p(-best) if outcome < n else 0.0)

    def crossing(a):
        if a < 0:
            return least
        slope = (height(y) - height(a)) / (y - a)
        return 1 / (1 + math.exp(-slope)) if slope > -700 else 0.0

    def excess(a, chance):  # of the probability of all outcomes that are not likelier than y
        below = beta_below(1 - chance, n - a, a + 1) if a >= 0 else 0.0
        return below + beta_below(chance, y, n - y + 1) - (1 - level)

    rejected, accepted = -2, y - 1
    while accepted - rejected > 1:
        a = (accepted + rejected) // 2
        if excess(a, crossing(a)) > 0:
            accepted = a
        else:
            rejected = a
    if accepted < 0:
        return least
    start, end = crossing(accepted - 1), crossing(accepted)
    if excess(accepted - 1, end) <= 0:
        return end
    return root(lambda chance: excess(accepted - 1, chance), start, end)


def unlimited_interval(y, n, p, q, level=LEVEL):
    """For the share pi behind a binomial count with chance q + (p - q) pi."""
    least, most = min(p, q), max(p, q)
    lowest = smallest_accepted(y, n, least, most, level)
    highest = 1 - smallest_accepted(n - y, n, 1 - most, 1 - least, level)
    low, high = sorted((bound - q) / (p - q) for bound in (lowest, highest))
    return max(0.0, low), min(1.0, high)


def share_interval(successes, n, p, q, size=None):
    """The same for the share of a population of `size` people, n of whom report."""
    y, n = int(successes), int(n)
    if size is None:
        return *unlimited_interval(y, n, p, q), "exact, likelihood-ratio ordered"
    if size == n and {p, q} == {0.0, 1.0}:
        share = (y / n - q) / (p - q)
        return share, share, "known exactly, no interval"
    if n > 500:
        method = "likelihood-ratio ordered, level adjusted to a finite population"
        return *adjusted_interval(y, n, p, q, size), method
    method = "exact for a finite population, likelihood-ratio ordered"
    return *finite_interval(y, n, p, q, size), method


# ---- Finite populations ----


def finite_variance(variance, spread, size, least=0.0):
    """The variance of a mean score about `size` people: ((size - 1) variance - spread) / size."""
    if size is None or variance is None:
        return variance
    finite = min(variance, max(least, ((size - 1) * variance - spread) / size))
    return finite if finite > 1e-12 * variance else 0.0


def finite_level(ratio, level=LEVEL):
    """The level that multiplies the normal quantile by the ratio of two standard errors."""
    return level if ratio >= 1 else 2 * NORMAL.cdf(ratio * NORMAL.inv_cdf((1 + level) / 2)) - 1


def log_choose(whole, part):
    """ln (whole choose part); minus infinity if the part is larger than the whole."""
    whole, part = np.asarray(whole, float), np.asarray(part, float)
    whole_log, part_log, rest_log = (
        np.asarray(LOG_GAMMA(each + 1), float)
        for each in (whole, part, np.maximum(whole - part, 0))
    )
    return np.where(part <= whole, whole_log - part_log - rest_log, -np.inf)


def binomial(n, chance):
    hits = np.arange(n + 1.0)
    if chance in (0, 1):
        return (hits == n * chance).astype(float)
    terms = log_choose(n, hits) + hits * math.log(chance) + (n - hits) * math.log1p(-chance)
    return np.exp(terms)


# All answers of a question use the same chances.
@lru_cache(maxsize=1)
def chances_in_sample(n, p, q):
    """For each number of reporting people with the answer, the chances of 0 to n successes."""
    return np.array([np.convolve(binomial(k, p), binomial(n - k, q)) for k in range(n + 1)])


def finite_chances(have, n, p, q, size):
    """For each number of people with the answer, the chances of 0 to n successes."""
    by_sample = chances_in_sample(n, p, q)
    if size == n:
        return by_sample[have]
    have, drawn = np.asarray(have, float)[:, np.newaxis], np.arange(n + 1.0)
    terms = log_choose(have, drawn) + log_choose(size - have, n - drawn) - log_choose(size, n)
    return np.exp(terms) @ by_sample


@lru_cache(maxsize=1)
def chances_on_grid(n, p, q, size):
    """Numbers of people with the answer, the chances of each outcome, and their largest chances."""
    grid = np.unique(np.round(np.linspace(0, size, min(size, 2000) + 1)).astype(int))
    on_grid = finite_chances(grid, n, p, q, size)
    return grid, on_grid, np.maximum(on_grid.max(axis=0), 1e-300)


def finite_interval(y, n, p, q, size):
    """The test orders the outcomes by their likelihood ratio against the best number of people.

    If K of the n people who report have the answer, the outcome is Bin(K, p) + Bin(n - K, q).
    """
    grid, on_grid, best = chances_on_grid(n, p, q, size)

    def accepted(rows):
        ratios = rows / best
        return ((ratios > ratios[:, [y]] * (1 + 1e-9)) * rows).sum(axis=1) < LEVEL

    places, ends = np.flatnonzero(accepted(on_grid)), []
    for place, step in ((places[0], -1), (places[-1], 1)):
        inside, beyond = int(grid[place]), place + step
        outside = int(grid[beyond]) if 0 <= beyond < len(grid) else inside
        while abs(outside - inside) > 1:
            middle = (inside + outside) // 2
            if accepted(finite_chances([middle], n, p, q, size))[0]:
                inside = middle
            else:
                outside = middle
        ends.append(inside / size)
    return ends


def adjusted_interval(y, n, p, q, size):
    """Each end at the level that fits it, moved outwards to the next possible share."""
    ends = []
    for place in (0, 1):
        share = min(1.0, max(0.0, (y / n - q) / (p - q)))
        for _ in range(4):
            chance = q + (p - q) * share
            whole, sampling = chance * (1 - chance), (p - q) ** 2 * share * (1 - share)
            ratio = float(size > n)
            if whole > 0:
                ratio = math.sqrt(max(0.0, 1 - (n - 1) / (size - 1) * sampling / whole))
            if not ratio:
                break
            share = unlimited_interval(y, n, p, q, finite_level(ratio))[place]
        ends.append(share * size)
    return math.floor(ends[0] + 1e-9) / size, math.ceil(ends[1] - 1e-9) / size


def chance_positive(counts, scores):
    """Pr(sum of G_y scores[y] > 0), G_y ~ Gamma(counts[y]): Lugannani & Rice (1980)."""
    there = (counts > 0) & (scores != 0)
    weights, values = counts[there], scores[there]
    if not len(values) or values.max() <= 0:
        return 0.0
    if values.min() >= 0:
        return 1.0
    values = values / np.abs(values).max()
    mean = (weights * values).sum()

    def slope(theta):
        return (weights * (values / (1 - theta * values))).sum()

    low, high = 1 / values.min() * (1 - 1e-12), 1 / values.max() * (1 - 1e-12)
    theta = root(slope, low, 0.0) if mean > 0 else root(slope, 0.0, high) if mean else 0.0
    factors = 1 - theta * values
    curvature = weights @ (values / factors) ** 2
    depth = 2 * weights @ np.log(factors)
    if depth < 1e-7:
        third = 2 * weights @ values**3
        return 0.5 + third / (6 * math.sqrt(2 * math.pi) * curvature**1.5)
    w, u = math.copysign(math.sqrt(depth), theta), theta * math.sqrt(curvature)
    return min(1.0, max(0.0, NORMAL.cdf(-w) + NORMAL.pdf(w) * (1 / u - 1 / w)))


def pushed(counts, scores, upwards):
    """The same with one more report that has the most extreme score."""
    more = counts.astype(float)
    more[np.argmax(scores) if upwards else np.argmin(scores)] += 1
    return chance_positive(more, scores)


def mean_interval(counts, scores, among, low, high, level=LEVEL, finite=1.0):
    """Gaffke's (2005) bounds for a mean of scores, over the mean of `among`.

    `finite` is the standard error relative to that for an unlimited population.
    """
    if finite <= 0:
        value = min(max((counts @ scores) / (counts @ among), low), high)
        return value, value, "known exactly, no interval"
    miss = (1 - finite_level(finite, level)) / 2

    def excess(value, upwards):
        chance = pushed(counts, scores - value * among, upwards)
        return chance - (miss if upwards else 1 - miss)

    value = (counts @ scores) / max(counts @ among, 1e-12)
    moved = min(max(value, low), high) - value
    lowest, highest = min(low, value) - (high - low), max(high, value) + (high - low)
    ends = []
    for upwards in (False, True):
        if excess(lowest, upwards) <= 0:
            ends.append(lowest)
        elif excess(highest, upwards) >= 0:
            ends.append(highest)
        else:
            ends.append(root(lambda x, up=upwards: excess(x, up), lowest, highest))
    bottom, top = min(ends) + min(moved, 0.0), max(ends) + max(moved, 0.0)
    method = "Gaffke, Dirichlet-weighted scores"
    if finite < 1:
        method += ", level adjusted to a finite population"
    return min(max(bottom, low), high), max(min(top, high), low), method


# ---- Shares ----


def figure(measure, answer, n, value, variance, interval, **more):
    low, high, method = interval
    error = None if variance is None else math.sqrt(variance)
    return {
        "measure": measure, "answer": answer, "n": int(n), "estimate": float(value),
        "standard_error": error, "low": float(low), "high": float(high), "method": method, **more,
    }  # fmt: skip


def shares(rows, counts, target, names, plain, conditional=False, size=None):
    """The share of each answer, or of each group of answers in a column of `target`."""
    scores = unbiased_scores(rows, target)
    if scores is None:
        return []  # These reports identify only the mean.
    n, likely, found = counts.sum(), most_likely_shares(rows, counts) @ target, []
    for column, name in enumerate(names):
        worth, more = scores[:, column], {}
        support = support_of(rows, worth, target[:, column] > 0)
        value, unlimited = counts @ worth / n, variance_of_mean(worth, counts)
        noise = rows / rows[0].sum() @ worth**2 - target[:, column] ** 2
        variance = finite_variance(unlimited, value * (1 - value), size, noise.min() / n)
        if support is None:
            finite = math.sqrt(variance / unlimited) if unlimited else 1.0
            interval = mean_interval(counts, worth, np.ones(len(worth)), 0.0, 1.0, finite=finite)
        else:
            speaks, p, q = support
            hits = counts[speaks].sum()
            interval = share_interval(hits, n, p, q, size)
            more["observed"] = hits / n
            if not plain and rows.shape == (2, 2) and rows[0, 0] == rows[1, 1]:
                gamma = rows[0, 0] / rows[0].sum() - 0.5
                more["variance_bound"] = 1 / (16 * gamma**2 * n)
                more["variance_at_observed"] = hits / n * (1 - hits / n) / (4 * gamma**2 * n)
        found.append(figure("share", name, n, value, variance, interval, **more))
        found[-1]["possible"] = float(likely[column])
    if conditional and plain:
        add_asked_plain(found, size)
    elif conditional:
        add_asked_of_table(found, scores, counts, size)
    return found


def chances_of_bits(question):
    """The probabilities that a bit is set: p if it belongs to the answer, q if not.

    Also the probabilities that two bits are both set: one if one of them belongs to the answer, and
    one if neither does.
    """
    k = len(question["answers"])
    if question["kind"] == "unary":
        (a, b), (c, d) = question["rows"]
        p, q = a / (a + b), c / (c + d)
        return p, q, p * q, q * q
    d, near, far = question["size"], question["near"], question["far"]
    total = d * near + (k - d) * far
    p, q = d * near / total, d * (total - near) / (total * (k - 1))
    both = p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)
    return p, q, p * (d - 1) / (k - 1), both / ((k - 1) * (k - 2)) if k > 2 else 0.0


def shares_of_bits(question, ones, n):
    """The share of each answer, from reports with a bit for each answer."""
    p, q, own, other = chances_of_bits(question)
    seen = ones / n
    values = (seen - q) / (p - q)
    found, possible = [], nearest_shares(values)
    for j, name in enumerate(question["answers"]):
        variance = None
        if n > 1:
            variance = max(0.0, (seen[j] - seen[j] ** 2) / (n - 1) / (p - q) ** 2)
            least = min(p * (1 - p), q * (1 - q)) / (p - q) ** 2 / n
            variance = finite_variance(variance, values[j] * (1 - values[j]), SIZE, least)
        interval = share_interval(ones[j], n, p, q, SIZE)
        more = {"observed": seen[j], "possible": float(possible[j])}
        found.append(figure("share", name, n, values[j], variance, interval, **more))
    if question.get("conditional") and n > 1:
        pairs = values[:-1] + values[-1]
        both = pairs * own + (1 - pairs) * other
        covariances = (both - seen[:-1] * seen[-1]) / (n - 1) / (p - q) ** 2
        if SIZE is not None:
            covariances = ((SIZE - 1) * covariances + values[:-1] * values[-1]) / SIZE
        add_asked_of_bits(found, covariances)
    chances = (p, q, own, other)
    return found + means_of_answers(
        question, lambda *about: mean_of_bits(*about, values, n, chances)
    )


# ---- Shares behind a joint question whose reports are sets of combinations ----


def chosen_combinations(question, answer, truth):
    """Pr(0, 1, ... chosen combinations with the answer) for a true one with it, or without it."""
    m, d, near, far = len(question["parts_of"]), *(question[k] for k in ("size", "near", "far"))
    own = question["parts_of"].count(answer)
    chances = np.zeros(own + 1)
    for number in range(own + 1):
        for inside in (0, 1):
            rest_own = own - truth
            chosen_own = number - inside * truth
            others, left = m - own - (1 - truth), d - inside - chosen_own
            if chosen_own >= 0 and left >= 0:
                ways = math.comb(rest_own, chosen_own) * math.comb(others, left)
                chances[number] += ways * (near if inside else far)
    return chances / chances.sum()


def share_interval_of_part(question, answer, ones, n):
    """The shares whose expected number of chosen combinations is near enough to the observed."""
    with_it, without = (chosen_combinations(question, answer, truth) for truth in (1, 0))
    numbers = np.arange(len(with_it))
    gap, low = with_it @ numbers - without @ numbers, without @ numbers
    spreads = [row @ numbers**2 - (row @ numbers) ** 2 for row in (with_it, without)]
    if len(numbers) == 2:
        return share_interval(ones, n, low + gap, low, SIZE)
    method = "Student, error at each share, continuity-corrected"
    method += "" if SIZE is None else ", for a finite population"
    if n == 1:
        return 0.0, 1.0, method
    times, start = student_quantile(n), min(max((ones / n - low) / gap, 0.0), 1.0)
    sampled = 1.0 if SIZE is None else (SIZE - n) / max(1, SIZE - 1)

    def beyond(share):
        noise = (share * spreads[0] + (1 - share) * spreads[1]) / gap**2
        error = math.sqrt((noise + sampled * share * (1 - share)) / n)
        return abs(share - start) - times * error - 0.5 / n / gap

    ends = [end if beyond(end) <= 0 else root(beyond, start, end) for end in (0.0, 1.0)]
    return (*ends, method)


def shares_of_part(question, pairs):
    """The share of each answer, from the shares of the combinations that have it."""
    parts, n = np.array(question["parts_of"]), pairs[0].sum()
    p, q, own, other = chances = chances_of_bits(question | {"kind": "subset", "answers": parts})
    seen = np.array([pair[0] for pair in pairs]) / n
    cells = (seen - q) / (p - q)
    sums = (np.arange(len(question["answers"]))[:, np.newaxis] == parts).astype(float)
    both = np.add.outer(cells, cells)
    both = both * own + (1 - both) * other
    np.fill_diagonal(both, seen)
    covariance = sums @ (both - np.outer(seen, seen)) @ sums.T / max(1, n - 1) / (p - q) ** 2
    values = sums @ cells
    found, possible = [], nearest_shares(values)
    for j, name in enumerate(question["answers"]):
        rows = [chosen_combinations(question, j, truth) for truth in (1, 0)]
        numbers = np.arange(len(rows[0]))
        least = min(row @ numbers**2 - (row @ numbers) ** 2 for row in rows) / (p - q) ** 2 / n
        spread = values[j] * (1 - values[j])
        variance = finite_variance(max(0.0, covariance[j, j]), spread, SIZE, least)
        ones = round(float(sums[j] @ seen * n))
        more = {"observed": ones / n if len(numbers) == 2 else None, "possible": possible[j]}
        interval = share_interval_of_part(question, j, ones, n)
        found.append(
            figure("share", name, n, values[j], variance if n > 1 else None, interval, **more)
        )
    if question.get("conditional") and n > 1:
        covariances = covariance[:-1, -1]
        if SIZE is not None:
            covariances = ((SIZE - 1) * covariances + values[:-1] * values[-1]) / SIZE
        add_asked_of_bits(found, covariances)
    order = np.argsort(parts, kind="stable")

    def mean_of(levels, measure, answer):
        levels = np.array([levels[part] for part in parts[order] if part < len(levels)])
        return mean_of_bits(levels, measure, answer, cells[order], n, chances)

    return found + means_of_answers(question, mean_of)


# ---- Shares among those asked ----


def add_asked(found, last, value, variance, interval):
    """Add the share among those asked to the figure of an answer; `last` is that of "not asked"."""
    low, high, method = interval
    error = None if variance is None else math.sqrt(max(0.0, variance))
    found.update(
        asked_estimate=float(value), asked_standard_error=error, asked_low=float(low),
        asked_high=float(high), asked_method=method,
    )  # fmt: skip


def add_asked_plain(found, size=None):
    """For non-private answers: the shares of the respondents who were asked.

    The number of people in a finite population who would be asked is estimated.
    """
    *listed, last = found
    n = last["n"] - round(last["observed"] * last["n"])
    asked = max(n, round(size * n / last["n"])) if size is not None else None
    for each in listed if n else ():
        hits = round(each["observed"] * each["n"])
        share = hits / n
        variance = share * (1 - share) / (n - 1) if n > 1 else None
        variance = finite_variance(variance, share * (1 - share), asked)
        add_asked(each, last, share, variance, share_interval(hits, n, 1.0, 0.0, asked))


def add_asked_of_table(found, scores, counts, size=None):
    """For a table: the ratio of the mean score of the answer and that of being asked."""
    among = 1 - scores[:, -1]
    if counts.sum() < 2 or counts @ among / counts.sum() <= 1e-9:
        return
    for place, each in enumerate(found[:-1]):
        value, variance = ratio(counts, scores[:, place], among)
        finite = 1.0
        if size is not None:
            n, below = counts.sum(), 1 - found[-1]["estimate"]
            own, last = scores[:, place], scores[:, -1]
            product = each["estimate"] * found[-1]["estimate"]
            both = (counts / n) @ (own * last) - (counts @ own / n) * (counts @ last / n)
            both = ((size - 1) * both / (n - 1) + product) / size
            unlimited = variance * below**2
            variance = each["standard_error"] ** 2 + 2 * value * both
            variance = max(0.0, variance + value**2 * found[-1]["standard_error"] ** 2)
            finite = math.sqrt(min(1.0, variance / unlimited)) if unlimited > 1e-15 else 1.0
            variance /= below**2
        interval = mean_interval(counts, scores[:, place], among, 0.0, 1.0, finite=finite)
        add_asked(each, found[-1], value, variance, interval)


def add_asked_of_bits(found, covariances):
    """For reports of bits: Fieller's interval of the ratio of two estimates."""
    *listed, last = found
    below = 1 - last["estimate"]
    if last["standard_error"] is None or below <= 1e-9:
        return

    def reach(each):
        inside = min(max(each["estimate"], each["low"]), each["high"])
        return max(each["high"] - inside, inside - each["low"])

    for each, covariance in zip(listed, covariances, strict=True):
        errors = [figure["standard_error"] for figure in (each, last)]
        times = student_quantile(min(each["n"], last["n"]))
        floors = [reach(figure) / times for figure in (each, last)]

        def variance(share, own, other, covariance=covariance):
            return max(0.0, own**2 + share**2 * other**2 + 2 * share * covariance) / below**2

        value = each["estimate"] / below
        start = min(max(value, 0.0), 1.0)
        widened = [max(error, floor) for error, floor in zip(errors, floors, strict=True)]

        def beyond(share, start=start, times=times, widened=widened, variance=variance):
            return abs(share - start) - times * math.sqrt(variance(share, *widened))

        ends = [end if beyond(end) <= 0 else root(beyond, start, end) for end in (0.0, 1.0)]
        interval = (*ends, "Fieller, ratio of two estimates")
        add_asked(each, last, value, variance(value, *errors), interval)


# ---- Means, deviations, quantiles ----


def means_of_answers(question, mean_of):
    """The mean of a scale 1, 2, ..., or of each item's rank, and each share ranked first.

    `mean_of` computes one of them from the numbers of the answers, its measure and its item.
    """
    found = []
    for measure, item, values in question.get("means", []):
        one = mean_of(np.array(values, dtype=float), measure, item)
        if not one:
            return []
        found += one
    return found


def mean_of_bits(levels, measure, answer, values, n, chances):
    """The mean of the numbers `levels` of the first answers, from unbiased shares of all."""
    k, every = len(levels), len(values)
    given = 1 - values[k:].sum()
    if given <= 0:
        return []
    p, q, own, other = chances
    middle, bottom, top = levels.mean(), levels.min(), levels.max()
    value = middle + (levels - middle) @ values[:k] / given

    def variance(mean, more):
        weights = np.append(levels - middle, np.full(every - k, mean - middle))
        rest, squares = weights.sum() - weights, weights @ weights - weights**2
        noise = weights**2 * p * (1 - p) + squares * q * (1 - q)
        noise += 2 * weights * rest * (own - p * q) + (rest**2 - squares) * (other - q * q)
        noise /= (p - q) ** 2
        second = noise + sampled * weights**2
        half = (second.max() + second.min()) / 2
        seen = np.clip(half + values @ (second - half), second.min(), second.max())
        mixed = (n * seen + more * second.max()) / (n + more)
        return max(mixed - sampled * (mean - middle) ** 2, noise.min()) / given**2

    sampled = 1.0 if SIZE is None else (SIZE - n) / max(1, SIZE - 1)
    method = "Student, error at each mean" + ("" if SIZE is None else ", for a finite population")
    if n == 1:
        return [figure(measure, answer, n, value, None, (bottom, top, method))]
    times, start = student_quantile(n), min(max(value, bottom), top)

    def beyond(mean):
        return abs(mean - start) - times * math.sqrt(variance(mean, times**2) / n)

    ends = [end if beyond(end) <= 0 else root(beyond, start, end) for end in (bottom, top)]
    interval = (*ends, method)
    return [figure(measure, answer, n, value, variance(value, 0.0) / (n - 1), interval)]


def ratio(counts, scores, among):
    """The ratio of two mean scores, and its variance."""
    n = counts.sum()
    below = counts @ among / n
    value = counts @ scores / n / below
    variance = variance_of_mean(scores - value * among, counts)
    return value, None if variance is None else variance / below**2


def quantities(
    counts, values, outside, rows=None, step=0, width=0, wanted=(), about=("mean", ""),
    highest=None, for_quantiles=False,
):  # fmt: skip
    """Mean, deviation and quartiles of those who gave a number.

    `values` are the numbers of the first answers, and `outside` is the number of other answers.
    `rows` is None for non-private answers. `width` is the distance of the values if answers between
    them were rounded at random. `step` is the distance of the answers. `highest` is the
    largest answer, if it is known.
    """
    k, plain = len(values), rows is None

    def score(of_value):
        target = np.append(of_value, np.zeros(outside))
        if plain:
            return target
        scores = unbiased_scores(rows, target[:, np.newaxis])
        return None if scores is None else scores[:, 0]

    n, among, scores = counts.sum(), score(np.ones(k)), score(values)
    if among is None or scores is None or counts @ among <= 0:
        return []
    known = plain and n == SIZE

    def error_ratio(of_value):
        return error_ratio_of(of_value, counts, score, rows, outside, width, known)

    def finite_ratio(of_value):
        return finite_ratio_of(counts, score(of_value), among, of_value, error_ratio)

    ends = float(values.min()), float(values.max())
    centre, variance, finite = finite_ratio(values)
    interval = mean_interval(counts, scores, among, *ends, finite=finite)
    found = [figure(*about, n, centre, variance, interval)]
    square = score((values - centre) ** 2)
    if "deviation" in wanted and square is not None:
        spread, error, _ = finite_ratio((values - centre) ** 2)
        usual, most = rounding_adds(width, step)
        spread = max(0.0, spread + (variance or 0.0) - usual)
        where = mean_interval(counts, scores, among, *ends, (1 + LEVEL) / 2, finite)
        low, high = where[:2]
        middle, bounds = min(max(centre, low), high), []
        for point in (low, (low + middle) / 2, middle, (middle + high) / 2, high):
            about = counts, score((values - point) ** 2), among
            own = 1.0 if known else finite_ratio((values - point) ** 2)[2]
            if plain:  # An answer at this point was possible, although nobody gave it.
                about = tuple(np.append(a, b) for a, b in zip(about, (0, 0, 1), strict=True))
            largest = (ends[1] - ends[0]) ** 2 / 4
            bounds.append(mean_interval(*about, 0.0, largest, finite=own))
        low = math.sqrt(max(0.0, min(bound[0] for bound in bounds) - most))
        high = math.sqrt(max(bound[1] for bound in bounds))
        error = error / (4 * spread) if error and spread else None
        interval, value = (low, high, bounds[0][2]), math.sqrt(spread)
        if known:
            interval, error = (value, value, "known exactly, no interval"), 0.0
        found.append(figure("deviation", "", n, value, error, interval))
    if "quantiles" in wanted:
        rounded = step, width, highest, for_quantiles
        found += quartiles(counts, values, among, rows, outside, rounded, known, error_ratio)
    return found


def quartiles(counts, values, among, rows, outside, rounded, known, error_ratio):
    """The quartiles and the median.

    `rounded` is the step, the width, the largest answer, and whether the mechanism is
    optimal_quantiles.
    """
    k, n, plain, found = len(values), counts.sum(), rows is None, []
    step, width, highest, for_quantiles = rounded
    more = max(0.0, width - step)
    likely = (counts / n if plain else most_likely_shares(rows, counts))[:k]
    below = np.cumsum(likely / max(likely.sum(), 1e-12))
    reach = np.vstack([np.triu(np.ones((k, k))), np.zeros((outside, k))]) if not plain else None
    upto = None if plain else unbiased_scores(rows, reach)
    for share in (0.25, 0.5, 0.75):
        if for_quantiles and n >= 20:
            ends = quantile_of_curve(counts, values, among, upto, share, rows)
            method = "inverted score tests of the cumulative share"
            found.append(quartile(share, n, *ends, method, highest))
            continue
        value = crossing(values, below, share, width)
        levels = quantile_levels(share, k, n, plain, error_ratio)
        reached, unreached = quantile_bounds(counts, among, upto, share, k, (1 - levels) / 2)
        low = max(float(values[0]), float(values[reached]) - more)
        high = min(float(values[-1]), float(values[unreached]) + more)
        method = "inverted bounds of the distribution"
        if known:
            low, high, method = value, value, "known exactly, no interval"
        found.append(quartile(share, n, value, low, high, method, highest))
    return found


def quartile(share, n, value, low, high, method, highest):
    """The figure of a quartile. The last level can be above the largest answer."""
    value, low, high = (
        float(each if highest is None else min(each, highest)) for each in (value, low, high)
    )
    return figure(f"quantile_{100 * share:g}", "", n, value, None, (low, high, method))


def quantile_of_curve(counts, values, among, upto, share, rows):
    """The place where the estimated distribution function reaches the share, and its interval.

    The interval begins at the first answer for which "at least the share" is not rejected. It ends
    at the last one for which "less than the share up to the answer before" is not rejected.
    """
    n, k = counts.sum(), len(values)
    excess = upto - share * among[:, np.newaxis]
    error = math.sqrt(max(probabilities_of(rows).mean(axis=0) @ excess**2) / n)
    more = min(round(0.12 * error * (k - 1)), k // 4)
    z = NormalDist().inv_cdf(1 - 0.8 * (1 - LEVEL))

    def signal(places):
        mean = excess[:, places].mean(axis=1)
        return counts @ mean / max(math.sqrt(counts @ mean**2), 1e-300)

    heights = counts @ excess / n
    # The greatest convex minorant: the smallest over ends of the largest over starts of the means.
    rising = [
        max(min(heights[a : b + 1].mean() for b in range(j, k)) for a in range(j + 1))
        for j in range(k)
    ]
    value = next((j for j in range(k) if rising[j] >= -1e-12), k - 1)
    low = next((j for j in range(k) if signal(slice(j, j + more + 1)) >= -z), k - 1)
    reached = [signal(slice(max(0, j - more), j + 1)) >= z for j in range(k)]
    high = next((j + 1 for j in range(k - 1, -1, -1) if not reached[j]), 0)
    return values[value], values[min(low, value)], values[max(min(high, k - 1), value)]


def probabilities_of(rows):
    return rows / rows.sum(axis=1, keepdims=True)


def rounding_adds(width, step):
    """The variance that random rounding adds: for evenly spread answers, and at most."""
    if not width:
        return 0.0, 0.0
    steps = round(width / step)
    return (width**2 - step**2) / 6, steps // 2 * (steps - steps // 2) * step**2


def finite_ratio_of(counts, scores, among, of_value, error_ratio):
    """A ratio of mean scores, its variance, and its standard error relative to the unlimited."""
    value, variance = ratio(counts, scores, among)
    finite = error_ratio(of_value - value)
    return value, None if variance is None else variance * finite**2, finite


def error_ratio_of(of_value, counts, score, rows, outside, width, known):
    """The standard error of a mean score relative to that for an unlimited population."""
    if SIZE is None:
        return 1.0
    n, worth, own = counts.sum(), score(of_value), score(of_value**2)
    unlimited = variance_of_mean(worth, counts)
    if not unlimited:
        return float(not known)
    if own is None:
        return 1.0
    spread = counts @ own / n - (counts @ worth / n) ** 2
    if width:
        spread = max(0.0, spread - (np.abs(np.diff(of_value)).max() / 2) ** 2)
    least = 0.0
    if rows is not None:
        squares = np.append(of_value, np.zeros(outside)) ** 2
        least = (rows / rows[0].sum() @ worth**2 - squares).min() / n
    return math.sqrt(finite_variance(unlimited, spread, SIZE, least) / unlimited)


def quantile_levels(share, k, n, plain, error_ratio):
    """The level at which each of k values is compared with a quantile."""
    if SIZE is None:
        return np.full(k, LEVEL)
    ratios = [math.sqrt((SIZE - n) / max(1, SIZE - 1))] * k
    if not plain:
        ratios = [error_ratio((np.arange(k) <= place) - share) for place in range(k)]
    return np.array([finite_level(each) for each in ratios])


def quantile_bounds(counts, among, upto, share, k, misses):
    """The places of the smallest and the largest value that the quantile can have."""
    if upto is None:
        below = np.cumsum(counts[:k])

        def reached(place):
            above = below[-1] - below[place]
            return above == 0 or beta_below(share, below[place] + 1, above) <= 1 - misses[place]

        def unreached(place):
            above = below[-1] - below[place]
            return below[place] == 0 or beta_below(share, below[place], above + 1) > misses[place]
    else:

        def reached(place):
            return pushed(counts, upto[:, place] - share * among, True) > misses[place]

        def unreached(place):
            return pushed(counts, upto[:, place] - share * among, False) < 1 - misses[place]

    places = range(k)
    if upto is None:  # Both conditions are monotone, so bisection finds where they change.
        return first(reached, k), first(lambda place: not unreached(place), k)
    low = next((place for place in places if reached(place)), k - 1)
    last = [place for place in places if unreached(place)]
    return low, min(last[-1] + 1, k - 1) if last else 0


def first(holds, k):
    """The first of k places from which on a condition holds; the last place if there is none."""
    return min(bisect_left(range(k), True, key=holds), k - 1)


def crossing(values, below, share, width):
    """The value where the distribution reaches the share, interpolated between rounded values."""
    place = min(int(np.searchsorted(below, share - 1e-12)), len(below) - 1)
    if not width:
        return float(values[place])
    before = below[place - 1] if place else 0.0
    part = (share - before) / max(below[place] - before, 1e-12)
    return min(max(values[place] + width * (min(part, 1.0) - 0.5), values[0]), values[-1])


# ---- Questions ----


def add_asked_of_boxes(question, found, reports):
    """Nobody ticks a box of a question that they were not asked; this gives the covariance."""
    if question["non_private"]:
        add_asked_plain(found, SIZE)
        return
    k, s = len(question["answers"]), question["sample"]
    both = reports // s * s * (s - 1) / (k * (k - 1))
    inside = [min(max(each["estimate"], 0.0), 1.0) for each in found]
    last = found[-1]
    if any(each["standard_error"] is None for each in found):
        return
    covariances = []
    for share, each in zip(inside[:-1], found[:-1], strict=True):
        product = share * inside[-1]
        covariance = -product * both / (each["n"] * last["n"])
        if SIZE is not None:
            covariance = ((SIZE - 1) * covariance + product) / SIZE
        covariances.append(covariance)
    add_asked_of_bits(found, covariances)


def estimates_of(question, tally):
    """Every figure of one question, from the number of times that each cell occurs."""
    kind, plain = question["kind"], question["non_private"]
    if kind in ("unary", "subset", "subset_part", "boxes"):
        pairs = [
            np.array([tally[column, "1"], tally[column, "0"]], dtype=float)
            for column in question["columns"]
        ]
        if kind == "boxes":
            rows = np.array(question["rows"], dtype=float)
            found = []
            for name, pair in zip(question["answers"], pairs, strict=True):
                if pair.sum():  # Nobody may have reported on this box yet.
                    found += shares(rows, pair, np.eye(2), [name, ""], plain, size=SIZE)[:1]
            if question.get("conditional") and pairs[-1].sum():
                add_asked_of_boxes(question, found, sum(pair.sum() for pair in pairs))
            return found
        n = pairs[0].sum()
        if kind == "subset_part":
            return shares_of_part(question, pairs) if n else []
        return shares_of_bits(question, np.array([p[0] for p in pairs]), n) if n else []
    if kind == "number":
        return estimates_of_number(question, tally)
    counts = np.array([tally[report] for report in question["reports"]], dtype=float)
    if "parts_of" in question:
        counts = np.bincount(question["parts_of"], counts, len(question["answers"]))
    if not counts.sum():
        return []
    answers = question["answers"]
    rows = np.eye(len(counts)) if plain else np.array(question["rows"], dtype=float)
    target = np.eye(len(rows))
    if "target" in question:
        target = np.array(question["target"], dtype=float)
    conditional = question.get("conditional", False)
    found = shares(rows, counts, target, answers, plain, conditional, SIZE)

    def mean_of(values, measure, answer):
        outside, about = len(answers) - len(values), (measure, answer)
        return quantities(counts, values, outside, None if plain else rows, about=about)

    return found + means_of_answers(question, mean_of)


def estimates_of_number(question, tally):
    low, step, points, special_answers = (
        question[key] for key in ("low", "step", "levels", "special_answers")
    )
    names, size = question["answers"], question["part_size"]
    everything = ("mean", "deviation", "quantiles")
    conditional = question.get("conditional", False)
    if question["non_private"]:
        given = {round((float(cell) - low) / step): tally[cell] for cell in tally
                 if cell not in special_answers}  # fmt: skip
        others = [tally[special] for special in special_answers]
        if not sum(given.values()) + sum(others):
            return []
        places = sorted({*given, 0, points - 1})
        in_parts = np.zeros(question["parts"])
        for place in given:
            in_parts[place // size] += given[place]
        counts = np.array([*(given.get(place, 0) for place in places), *others], dtype=float)
        values = low + step * np.array(places)
        ones = np.eye(len(names))
        found = shares(ones, np.append(in_parts, others), ones, names, True, conditional, SIZE)
        return found + quantities(counts, values, len(special_answers), wanted=everything)
    counts = np.array([tally[report] for report in question["reports"]], dtype=float)
    if not counts.sum():
        return []
    rows, target = np.array(question["rows"], dtype=float), np.eye(points + len(special_answers))
    parts = [target[:, at : min(at + size, points)].sum(axis=1) for at in range(0, points, size)]
    target = np.column_stack([*parts, target[:, points:]])
    values, answer_step = low + step * np.arange(points), question["answer_step"]
    width = step if step != answer_step else 0.0
    # Random rounding makes the part of an answer random.
    size = None if width else SIZE
    found = shares(rows, counts, target, names, False, conditional, size)
    wanted = everything if found else ("mean", "deviation")
    return found + quantities(
        counts, values, len(special_answers), rows, answer_step, width, wanted,
        highest=question["highest"], for_quantiles=question["for_quantiles"],
    )  # fmt: skip


# ---- Files ----


def read_tallies(questions, path):
    """The number of times that each report of each question occurs; bits are counted separately.

    Also the number of responses.
    """
    n = 0
    tallies = [Counter() for _ in questions]
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        places = [[header.index(column) for column in q["columns"]] for q in questions]
        for line in lines:
            n += 1
            for question, tally, at in zip(questions, tallies, places, strict=True):
                if question["kind"] in ("unary", "subset", "subset_part", "boxes"):
                    for column, place in zip(question["columns"], at, strict=True):
                        tally[column, line[place]] += 1
                else:
                    tally["".join([line[place] for place in at])] += 1
    for tally in tallies:
        tally.pop("", None)  # An empty cell means that the question was not drawn.
    return tallies, n


def target_size(about, n):
    """The number of people whom the estimates describe, or None if there is no limit."""
    if about == "respondents":
        return n
    # More responses than people: the size cannot be right.
    return about if isinstance(about, int) and n <= about else None


def figures_of_file(questions, path, about):
    """Every figure of a file of responses, by question, measure and answer.

    `questions` are the facts of survey/formats/export_bundle/facts.py, and those of
    `oracle_questions` in tests/support/export_bundles.py. `about` is whom the results describe.
    """
    global SIZE
    tallies, n = read_tallies(questions, path)
    SIZE = target_size(about, n)
    return {
        (question["name"], found["measure"], found["answer"]): found
        for question, tally in zip(questions, tallies, strict=True)
        for found in estimates_of(question, tally)
    }
