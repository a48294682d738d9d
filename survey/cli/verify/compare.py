"""Comparison of what a server sends with what this release renders, for `candor verify`.

The argument: a respondent's page depends only on the frozen survey and the language. So this
release can render it again from the survey's public document. One different byte is a finding,
whichever client received it. Nothing here is random, so no correct page is called wrong.
SECURITY.md says what cannot be seen from outside, such as a page that is changed for one visitor
only.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from survey.cli.verify.expected_pages import near
from survey.cli.verify.http_client import ClientReply
from survey.core.errors import CannotVerify, SurveyError
from survey.core.json_text import parse_json
from survey.definition.certainty import epsilon_text, surest
from survey.definition.frozen import FrozenSurvey
from survey.definition.privacy_limits import limits_text, sentences_above

OPEN = 200
CLOSED = 410
DIFFERENCE_CHARACTERS = 60
K = TypeVar("K")


@dataclass(frozen=True)
class Finding:
    ok: bool
    sentence: str

    def __str__(self) -> str:
        return f"{'ok   ' if self.ok else 'WRONG'}  {self.sentence}"


def clients_of(replies: Sequence[ClientReply]) -> str:
    return ", ".join(dict.fromkeys(reply.client for reply in replies))


# The frozen document


def read_document(reply: ClientReply) -> dict[str, Any]:
    """The survey's public document. Raises CannotVerify if the reply is not one."""
    problem = f"There is no Candor survey at that address. Check it: {reply.path} "
    if reply.status != OPEN:
        raise CannotVerify(f"{problem}answered with status {reply.status}.")
    try:
        document = parse_json(reply.body)
    except ValueError as error:
        raise CannotVerify(f"{problem}is not JSON.") from error
    if not isinstance(document, dict) or not {"definition", "tables"} <= document.keys():
        raise CannotVerify(f"{problem}is not a frozen survey.")
    return document


def frozen_from_document(document: Mapping[str, Any]) -> FrozenSurvey | Finding:
    """The survey in the document, or a finding if the document is wrong."""
    try:
        return FrozenSurvey.from_json(json.dumps(document))
    except SurveyError as error:
        return Finding(False, f"The survey's document: {error}")
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError):
        return Finding(False, "The survey's document has a form that this release does not know.")


def check_document(document: Mapping[str, Any], frozen: FrozenSurvey) -> Iterator[Finding]:
    """Whether everything that the document states follows from its definition and its integers."""
    yield Finding(
        True,
        f"The fingerprint matches the questions and tables: {frozen.fingerprint}. Ask others "
        "whether they see the same one.",
    )
    computed = json.loads(frozen.to_json())
    for name, entry in computed["tables"].items():
        stated = document["tables"].get(name, {})
        rest = {key for key in entry.keys() | stated.keys() if key != "epsilon"}
        faults = sorted(key for key in rest if stated.get(key) != entry.get(key))
        if not near(stated.get("epsilon"), entry["epsilon"]):
            faults.append("epsilon")
        if faults:
            yield Finding(
                False,
                f"The table of {name} states values that do not follow from its integers: "
                f"{' and '.join(faults)} (epsilon is {entry['epsilon']}).",
            )
    if document["tables"].keys() != computed["tables"].keys():
        yield Finding(False, "The tables do not belong to the private questions.")
    if document["definition"] != computed["definition"]:
        yield Finding(False, "The definition is not in its canonical form.")
    if near(document.get("epsilon"), computed["epsilon"]):
        total = epsilon_text(frozen.survey.epsilon)
        yield Finding(True, f"The stated sum agrees with the tables: epsilon {total}.")
    else:
        # All digits, because two decimals may not tell both sums apart.
        total, stated = computed["epsilon"], ascii(document.get("epsilon"))
        yield Finding(False, f"The sum of epsilon is {total}, but the document states {stated}.")


def check_limits(frozen: FrozenSurvey) -> Finding:
    """Whether the survey is within the limits of this release, whatever limits its server has."""
    survey = frozen.survey
    above = sentences_above(survey)
    if not above:
        if not survey.protected:
            return Finding(True, "No answer is randomised. Each is stored as given.")
        return Finding(
            True,
            f"At worst someone becomes {surest(survey.largest_ratio_bound)} sure about one "
            f"question, and {surest(survey.ratio_bound)} about all of them: within the limits of "
            "this release.",
        )
    stated = "It states no limits."
    if frozen.limits is not None:
        certainty, epsilon = limits_text(frozen.limits)
        stated = f"It states the limits {certainty} for one question and ε = {epsilon} in all."
    return Finding(False, f"This survey protects too little. {' '.join(above)} {stated}")


# Pages and files


def check_bytes(what: str, replies: Sequence[ClientReply], made: bytes | None = None) -> Finding:
    """Whether all replies have the same bytes, and those of this release, if it has them."""
    bodies = {reply.body for reply in replies}
    if made is None and len(bodies) == 1:
        return Finding(True, f"{what}: the same for every client, in all {len(replies)} replies.")
    if bodies == {made}:
        times = f"for every client, in all {len(replies)} replies"
        return Finding(True, f"{what}: identical to this release, {times}.")
    usual = made
    if usual not in bodies:
        usual = max(bodies, key=lambda body: sum(reply.body == body for reply in replies))
    others = [reply for reply in replies if reply.body != usual]
    sentences = []
    if others:
        sentences.append(
            f"{what} is not the same for everyone: {len(others)} of {len(replies)} replies "
            f"differed, for {clients_of(others)}."
        )
    if made is not None:
        wrong = next(reply.body for reply in replies if reply.body != made)
        sentences.append(f"{what} differs from this release. {difference(wrong, made)}")
    return Finding(False, " ".join(sentences))


def difference(served: bytes, made: bytes) -> str:
    """The first difference of two files. `ascii` keeps control sequences off the terminal."""
    start = next(
        (at for at, (a, b) in enumerate(zip(served, made, strict=False)) if a != b),
        min(len(served), len(made)),
    )
    parts = [
        each[start : start + DIFFERENCE_CHARACTERS].decode(errors="replace")
        for each in (served, made)
    ]
    return f"From byte {start + 1}, it has {parts[0]!a} instead of {parts[1]!a}."


def check_status(replies: Sequence[ClientReply], expected: int) -> Iterator[Finding]:
    for (status, to), those in replies_by_key(
        ((reply.status, reply.header("Location")), reply) for reply in replies
    ).items():
        if status != expected:
            led = "" if to is None else f" and redirects to {to[:200]!a}"
            yield Finding(
                False,
                f"{those[0].path} answered with status {status}{led} instead of {expected}: "
                f"{len(those)} of {len(replies)} times, for {clients_of(those)}.",
            )


def replies_by_key(pairs: Iterable[tuple[K, ClientReply]]) -> dict[K, list[ClientReply]]:
    groups: dict[K, list[ClientReply]] = {}
    for key, reply in pairs:
        groups.setdefault(key, []).append(reply)
    return groups
