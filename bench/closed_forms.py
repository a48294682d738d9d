"""n times the variances of the mechanisms in the literature, in closed form.

Here e is e^epsilon, the ideal odds. Respondents are drawn at random from a population. If their own
average were the target, its variance would be smaller by that of the answers.
"""

import math
from collections.abc import Callable

Curve = Callable[[float], float]  # a variance as a function of the true value


# Shares of k choices: the sum of their variances. In all of these mechanisms, a report supports the
# answer's choice with probability p and any other with q. So a share f appears as
# P = f p + (1 - f) q and has variance P (1 - P) / (p - q)^2. The sum of all P is fixed, so equal
# shares are the worst case.


def coins(p: float, q: float, shares: list[float]) -> float:
    """The sum over the shares of P (1 - P) / (p - q)^2: Warner (1965), and Wang et al. (2017)."""
    seen = [share * p + (1 - share) * q for share in shares]
    return sum(each * (1 - each) for each in seen) / (p - q) ** 2


def even(k: int) -> list[float]:
    return [1 / k] * k


def lower_bound(k: int, e: float) -> float:
    """M(k, epsilon) of Ye & Barg (2018): n E||error||^2 of any mechanism, in the worst case."""
    return min(
        (k - 1) ** 2 * (d * e + k - d) ** 2 / (k * d * (k - d) * (e - 1) ** 2) for d in range(1, k)
    )


def direct(k: int, e: float) -> float:
    """k-ary (generalised) randomised response: Kairouz, Bonawitz & Ramage (2016)."""
    return coins(e / (e + k - 1), 1 / (e + k - 1), even(k))


def subsets(k: int, e: float) -> float:
    """Subset selection with the best size of the sets: Ye & Barg (2018)."""

    def of_size(d: int) -> float:
        p = d * e / (d * e + k - d)
        return coins(p, (d - p) / (k - 1), even(k))

    return min(of_size(d) for d in range(1, k))


def hadamard(k: int, e: float) -> float:
    """Hadamard response with its best number B of blocks: Acharya, Sun & Zhang (2019).

    k (e + 2B - 1)^2 / (B (e - 1)^2) - 1/k, for choices spread evenly over the blocks. One block
    means p = e / (e + 1), q = 1/2.
    """
    blocks = [2**power for power in range(k.bit_length()) if 2**power <= k]
    return min(k * (e + 2 * b - 1) ** 2 / (b * (e - 1) ** 2) for b in blocks) - 1 / k


def local_hashing(k: int, e: float) -> float:
    """Optimised local hashing to g = round(e) + 1 values: Wang, Blocki, Li & Jha (2017)."""
    g = round(e) + 1
    return coins(e / (e + g - 1), 1 / g, even(k))


def optimised_unary(k: int, e: float) -> float:
    """OUE: Wang, Blocki, Li & Jha (2017)."""
    return coins(1 / 2, 1 / (e + 1), even(k))


def symmetric_unary(k: int, e: float) -> float:
    """SUE, basic one-time RAPPOR: Erlingsson, Pihur & Korolova (2014)."""
    root = math.sqrt(e)
    return coins(root / (root + 1), 1 / (root + 1), even(k))


# The mean of x in [-1, 1]: the variance of one report's score, as a function of x.


def laplace(epsilon: float) -> Curve:
    """Noise of scale 2 / epsilon: Dwork, McSherry, Nissim & Smith (2006)."""
    return lambda x: 8 / epsilon**2


def discrete_laplace(epsilon: float, points: int = 21) -> Curve:
    """Two-sided geometric noise on evenly spaced points: Ghosh, Roughgarden & Sundararajan (2012).

    For x between two points, at most a quarter of the squared distance is added.
    """
    step = 2 / (points - 1)
    falling = math.exp(-epsilon / (points - 1))
    noise = 2 * falling / (1 - falling) ** 2 * step**2

    def curve(x: float) -> float:
        above = (x + 1) % step
        return noise + above * (step - above)

    return curve


def duchi(epsilon: float) -> Curve:
    """+-C with C = (e + 1) / (e - 1): Duchi, Jordan & Wainwright (2018)."""
    reach = 1 / math.tanh(epsilon / 2)
    return lambda x: reach**2 - x**2


def piecewise(epsilon: float) -> Curve:
    """Wang et al. (ICDE 2019)."""
    root = math.exp(epsilon / 2)
    return lambda x: x**2 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)


def hybrid(epsilon: float) -> Curve:
    """Piecewise with probability 1 - e^(-epsilon/2), else Duchi's: Wang et al. (ICDE 2019).

    Below epsilon 0.61 it is only Duchi's.
    """
    share = 1 - math.exp(-epsilon / 2) if epsilon > 0.61 else 0.0
    one, other = piecewise(epsilon), duchi(epsilon)
    return lambda x: share * one(x) + (1 - share) * other(x)


def square_wave(epsilon: float) -> Curve:
    """Li et al. (SIGMOD 2020), made unbiased.

    On [0, 1] the density of a report is p within b of the value, and q elsewhere in [-b, 1 + b].
    Its expectation is linear in the value, so a linear function of it is unbiased.
    """
    e = math.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    q = 1 / (2 * b * e + 1)
    p = e * q
    slope = 2 * b * (p - q)

    def curve(x: float) -> float:
        value = (x + 1) / 2
        mean = q * (1 + 2 * b) / 2 + slope * value
        square = q * ((1 + b) ** 3 + b**3) / 3 + (p - q) * (2 * b * value**2 + 2 * b**3 / 3)
        return 4 * (square - mean**2) / slope**2

    return curve


# One box of k that half of the people tick.


def each_box(k: int, epsilon: float) -> float:
    """All boxes by randomised response, at epsilon / k each."""
    return 1 / (4 * math.tanh(epsilon / k / 2) ** 2)


def sampled_box(k: int, epsilon: float) -> float:
    """One random box, at epsilon."""
    return k / (4 * math.tanh(epsilon / 2) ** 2)


def joint_direct(k: int, epsilon: float) -> float:
    """k-ary randomised response on the 2^k combinations."""
    e = math.exp(epsilon)
    return ((e + 2**k - 1) / (e - 1)) ** 2 / 4


def joint_subsets(k: int, epsilon: float) -> float:
    """Subset selection on the 2^k combinations: M(2^k, epsilon) 2^k / (4 (2^k - 1)).

    The errors of the shares add up to zero and are exchangeable. A box's share sums half of them.
    """
    size = 2**k
    best = max(1, round(size / (math.exp(epsilon) + 1)))
    near = [d for d in (best - 1, best, best + 1) if 0 < d < size]
    e = math.exp(epsilon)
    least = min(
        (size - 1) ** 2 * (d * e + size - d) ** 2 / (size * d * (size - d) * (e - 1) ** 2)
        for d in near
    )
    return least * size / (4 * (size - 1))


def hypercube(k: int, epsilon: float) -> float:
    """A corner of the cube on the side of the answers: Duchi, Jordan & Wainwright (2018)."""
    if k % 2:
        wide = 2 ** (k - 1) / math.comb(k - 1, (k - 1) // 2)
    else:
        wide = (2 ** (k - 1) + math.comb(k, k // 2) / 2) / math.comb(k - 1, k // 2)
    return (wide / math.tanh(epsilon / 2)) ** 2 / 4
