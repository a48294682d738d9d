"""The two libraries, each method as one function from true answers to estimates of their shares.

Both are used as documented: a client for each answer, then a server. The closed forms need neither.
If one is missing, the comparison continues without it.
"""

import importlib
import importlib.util
import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
PURE_LDP, MULTI_FREQ = "pure-ldp", "multi-freq-ldpy"


@dataclass(frozen=True)
class Estimate:
    """Shares, from the unbiased formula, and clipped if the library clips."""

    unbiased: Array
    clipped: Array | None = None


Run = Callable[[Sequence[int], int, float], Estimate]


def installed() -> dict[str, dict[str, Run]]:
    """The libraries that can be used here, with their methods by name."""
    found = {}
    for name, methods in LIBRARIES.items():
        with suppress(ImportError):
            found[name] = methods()
    return found


def seed_all(seed: int) -> None:
    """Seed all generators that the libraries use. numba's is separate from numpy's."""
    random.seed(seed)
    np.random.seed(seed)  # They use the legacy generator.
    if importlib.util.find_spec("numba"):
        numba = importlib.import_module("numba")
        numba.njit(lambda value: np.random.seed(value))(seed)


# pure-ldp: objects for clients and servers. Its estimates are unbiased counts.


def pure_ldp() -> dict[str, Run]:
    oracles = importlib.import_module("pure_ldp.frequency_oracles")

    def with_(name: str, client: dict[str, object], server: dict[str, object]) -> Run:
        def run(answers: Sequence[int], k: int, epsilon: float) -> Estimate:
            collecting = pure_server(oracles, name, k, epsilon, server)
            asking = pure_client(oracles, name, k, epsilon, client, collecting)
            collecting.aggregate_all(map(asking.privatise, answers))
            return Estimate(collecting.estimate_all(range(k), suppress_warnings=True)
                            / len(answers))  # fmt: skip

        return run

    return {
        "GRR": with_("DE", {}, {}),
        "SUE": with_("UE", {}, {}),
        "OUE": with_("UE", {"use_oue": True}, {"use_oue": True}),
        "OLH": with_("LH", {"use_olh": True}, {"use_olh": True}),
        "HR": with_("HadamardResponse", {}, {}),
        "SHE": with_("HE", {}, {}),
        "THE": with_("HE", {}, {"use_the": True}),
    }


def pure_server(
    oracles: ModuleType, name: str, k: int, epsilon: float, options: dict[str, object]
) -> Any:
    return getattr(oracles, f"{name}Server")(epsilon, k, index_mapper=int, **options)


def pure_client(
    oracles: ModuleType, name: str, k: int, epsilon: float, options: dict[str, object], server: Any
) -> Any:
    if name == "HadamardResponse":  # Its clients need the server's order of the choices.
        options = {"hash_funcs": server.get_hash_funcs()}
    return getattr(oracles, f"{name}Client")(epsilon, k, index_mapper=int, **options)


# multi-freq-ldpy: functions. Its servers clip negative shares and divide by the sum.


def multi_freq() -> dict[str, Run]:
    folder = "multi_freq_ldpy.pure_frequency_oracles"
    direct, unary, hashing, subset = (
        importlib.import_module(f"{folder}.{name}") for name in ("GRR", "UE", "LH", "SS")
    )

    def with_(
        module: ModuleType, client: Callable[..., object], server: Callable[..., Array]
    ) -> Run:
        def run(answers: Sequence[int], k: int, epsilon: float) -> Estimate:
            return both(module, server, [client(answer, k, epsilon) for answer in answers], k,
                        epsilon)  # fmt: skip

        return run

    def unary_with(optimal: bool) -> Run:
        return with_(
            unary,
            lambda answer, k, epsilon: unary.UE_Client(answer, k, epsilon, optimal),
            lambda reports, k, epsilon: unary.UE_Aggregator_MI(reports, epsilon, optimal),
        )

    return {
        "GRR": with_(direct, direct.GRR_Client, direct.GRR_Aggregator_MI),
        "SUE": unary_with(False),
        "OUE": unary_with(True),
        "OLH": with_(hashing, hashing.LH_Client, hashing.LH_Aggregator_MI),
        "SS": with_(subset, subset.SS_Client, subset.SS_Aggregator_MI),
    }


def both(
    module: ModuleType,
    server: Callable[..., Array],
    reports: Iterable[object],
    k: int,
    epsilon: float,
) -> Estimate:
    """The library's own estimate, and its value before clipping.

    Each server of the library ends by calling `MI` with its counts, p and q. This function records
    these arguments.
    """
    theirs, noted = module.MI, []

    def noting(counts: Array, n: int, p: float, q: float) -> Array:
        noted.append((np.asarray(counts) / n - q) / (p - q))
        return theirs(counts, n, p, q)

    module.MI = noting
    try:
        clipped = server(reports, k, epsilon)
    finally:
        module.MI = theirs
    return Estimate(noted[0], clipped)


LIBRARIES = {PURE_LDP: pure_ldp, MULTI_FREQ: multi_freq}
