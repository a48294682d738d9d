"""Simulated respondents with a tape of random words: answers, randomness and results.

A tape of words replaces the browser's randomness. `expected` gives the reports that these words
make of the answers. `steered` gives the words that make certain reports of them. Both follow only
the description of the tables, in exact arithmetic, and share no code with the page or with survey/.

An answer is the name of a choice, a list of names of boxes, the text of a number or of a free text,
or "prefer_not_to_say".
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

WORDS = 2**32
DECLINED, NOT_ASKED, NOT_SENT = "prefer_not_to_say", "not_asked", "not_sent"
TYPED = ("number", "text")
UNANSWERED = ("note", "section")

Answers = Mapping[str, Any]
Entry = Mapping[str, Any]

# Every draw comes from `tape` and is recorded. `early` has the words for the start, which pick
# questions. The self-test when the page loads gets zeros. `ids` are those of a response and of its
# texts.
TAPE = """
Math.random = () => { throw new Error('Math.random was called'); };
globalThis.tape = { words: [], id: new Array(16).fill(0) };
globalThis.draws = [];
Crypto.prototype.getRandomValues = function (array) {
  draws.push(`${array.constructor.name} ${array.length}`);
  const words = globalThis.early?.length ? early : tape.words;
  if (array instanceof Uint8Array) array.set(tape.ids?.shift() ?? tape.id);
  else if (words.length) array[0] = words.shift();
  else throw new Error('The tape is at its end.');
  return array;
};
"""
# One act: [question, text to type or null, the inputs to check].
ACT = """
globalThis.act = ([name, text, places]) => {
  // Choices in random order have the order of the definition here.
  const { inputs } = questions.all.find((question) => question.name === name);
  inputs.forEach((input, place) => {
    if (input.type === 'radio' || input.type === 'checkbox') {
      // Nobody can press a choice that is not offered.
      const pressed = !input.closest('.choice')?.hidden && places.includes(place);
      if (pressed !== input.checked) input.click();
    } else if (text !== null) {
      input.value = text;
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  });
};
"""
# Sets the inputs of each respondent, and reads what the page derives.
DERIVE = """([everyone]) => everyone.map((acts) => {
  for (const [name, text, places] of acts) {
    const { inputs } = questions.all.find((question) => question.name === name);
    inputs.forEach((input, place) => {
      if (['radio', 'checkbox'].includes(input.type)) input.checked = places.includes(place);
      else input.value = text ?? '';
    });
  }
  return Object.fromEntries(questions.all.filter((question) => question.derived)
    .map(({ name, answer }) => [name, answer]));
})"""


def listed(names: str | Sequence[str]) -> Sequence[str]:
    """The names in an answer or a condition, which may be a single one."""
    return [names] if isinstance(names, str) else names


def offered(entry: Entry) -> list[str]:
    """The choices of a question, in the order of the page."""
    names = [choice["name"] for choice in entry.get("choices", [])]
    return [*names, DECLINED] if entry.get(DECLINED) else names


def act(entry: Entry, answer: Any) -> tuple[str, str | None, list[int]]:
    """The act on the page for this answer."""
    if entry["type"] in TYPED and answer != DECLINED:
        return entry["name"], answer, []
    names = listed(answer)
    # The input for typed text comes first.
    behind = 1 if entry["type"] in TYPED else 0
    return entry["name"], None, [offered(entry).index(name) + behind for name in names]


# Relevance.


def holds(entry: Entry, answer: Any, condition: Any) -> bool:
    """Whether the answer to this question satisfies the condition of a later one."""
    if answer == DECLINED and isinstance(condition, Mapping):
        return False
    if isinstance(condition, Mapping):
        value = Fraction(answer)
        low, high = condition.get("min", value), condition.get("max", value)
        return Fraction(str(low)) <= value <= Fraction(str(high))
    wanted = listed(condition)
    given = listed(answer)
    return any(name in wanted for name in given)


def asked(questions: Sequence[Entry], answers: Answers) -> list[str]:
    """The names of the questions that are asked. Answers to other questions do not count."""
    _, shown = answers_and_asked(questions, answers)
    return shown


def is_asked_of_some(entry: Entry) -> bool:
    """Whether there are respondents who are not asked.

    In these surveys, nothing is offered to some if all choices have conditions.
    """
    choices = entry.get("choices", [])
    return "relevant" in entry or bool(choices and all("relevant" in each for each in choices))


def ancestors(questions: Sequence[Entry], name: str) -> set[str]:
    """All questions that determine whether this one is asked."""
    entry = next(entry for entry in questions if entry["name"] == name)
    parents = set(entry.get("relevant", {}))
    return parents.union(*(ancestors(questions, parent) for parent in parents))


def effective(entry: Entry, answer: Any, is_asked: bool) -> Any:
    """The answer that counts."""
    if is_asked:
        return answer
    otherwise = entry.get("otherwise", NOT_ASKED)
    return str(otherwise) if entry["type"] == "number" and otherwise != NOT_ASKED else otherwise


# Derived answers, by trying out every answer that could stand for one that was declined.


def possible_answers(entry: Entry) -> list[Any]:
    """Every answer that a respondent can give to a question, except to decline it."""
    names = [choice["name"] for choice in entry.get("choices", [])]
    if entry["type"] == "number":
        low, step = Fraction(str(entry["min"])), Fraction(str(entry["step"]))
        return [str(low + place * step) for place in range(steps(entry, str(entry["max"])) + 1)]
    if entry["type"] == "select_multiple":
        bits = product((False, True), repeat=len(names))
        return [[name for name, bit in zip(names, each, strict=True) if bit] for each in bits]
    return names


def points_of(points: Any, answer: Any) -> Fraction:
    if isinstance(points, int):
        return points * Fraction(answer)
    return Fraction(sum(points[name] for name in listed(answer)))


def outcome(
    entry: Entry,
    known: Mapping[str, Entry],
    answers: Answers,
    declined: Sequence[str],
    shown: Sequence[str],
) -> Any:
    """The derived answer, with answers in place of the declined ones.

    It follows docs/reference/definition.md. A condition that lists “Prefer not to say” holds for
    the declined ones. No condition holds for a question that is not `shown`.
    """
    rule = entry["derived"]
    names = [choice["name"] for choice in entry.get("choices", [])]

    def all_hold(conditions: Mapping[str, Any]) -> list[bool]:
        return [
            name in shown
            and holds(
                known[name], DECLINED if name in declined and DECLINED in c else answers[name], c
            )
            for name, c in conditions.items()
        ]

    def points_from(name: str, points: Any) -> Fraction:
        if name in shown:
            return points_of(points, answers[name])
        instead = known[name].get("otherwise")
        return Fraction(0) if instead is None else points_of(points, instead)

    if "any" in rule:
        return "yes" if any(all_hold(rule["any"])) else "no"
    if "all" in rule:
        return "yes" if all(all_hold(rule["all"])) else "no"
    if "recode" in rule:
        return next(name for name in names if all(all_hold(rule["recode"].get(name, {}))))
    if "count" in rule:
        value = Fraction(sum(all_hold(rule["count"])))
    else:
        entries = rule.get("sum", rule.get("mean"))
        value = sum((points_from(*each) for each in entries.items()), start=Fraction(0))
        if "mean" in rule:
            # For someone who is not asked for the result, any value will do.
            value /= sum(name in shown or "otherwise" in known[name] for name in entries) or 1
    if "at_least" in rule:
        return "yes" if value >= Fraction(str(rule["at_least"])) else "no"
    if "bands" in rule:
        reached = [name for name in names if Fraction(str(rule["bands"][name])) <= value]
        return (reached or names[:1])[-1]
    # The nearest possible answer, and the larger one of two.
    low, step = Fraction(str(entry["min"])), Fraction(str(entry.get("step", 1)))
    return str(max(low, low + (value - low + step / 2) // step * step))


def sources(entry: Entry) -> set[str]:
    """The names of the questions that a derived answer uses."""
    conditions = entry["derived"].get("recode", {}).values()
    direct = (entry["derived"].get(name, {}) for name in ("sum", "mean", "count", "any", "all"))
    return {name for each in (*conditions, *direct) for name in each}


def with_derived(questions: Sequence[Entry], answers: Answers) -> Answers:
    """The answers together with the derived ones."""
    found, _ = answers_and_asked(questions, answers)
    return found


def answers_and_asked(
    questions: Sequence[Entry], answers: Answers
) -> tuple[dict[str, Any], list[str]]:
    """The answers together with the derived ones, and the names of the questions that are asked."""
    known = {entry["name"]: entry for entry in questions}
    found, shown = dict(answers), list[str]()

    def meet(conditions: Mapping[str, Any]) -> bool:
        return all(p in shown and holds(known[p], found[p], c) for p, c in conditions.items())

    for entry in questions:
        # An experimental arm is among the answers, because no rule gives it.
        if "joint" in entry.get("derived", {}):
            names = entry["derived"]["joint"]
            parts = [effective(known[name], found[name], name in shown) for name in names]
            found[entry["name"]] = "+".join(parts)
        elif "derived" in entry and "random" not in entry["derived"]:
            used = [name for name in sources(entry) if name in shown]
            unknown = [name for name in used if DECLINED in listed(found[name])]
            outcomes = {
                outcome(
                    entry, known, found | dict(zip(unknown, tried, strict=True)), unknown, shown
                )
                for tried in product(*(possible_answers(known[name]) for name in unknown))
            }
            found[entry["name"]] = outcomes.pop() if len(outcomes) == 1 else DECLINED
        choices = entry.get("choices", [])
        some = not choices or any(meet(choice.get("relevant", {})) for choice in choices)
        if meet(entry.get("relevant", {})) and some:
            shown.append(entry["name"])
    return found, shown


# Words into reports.


def below(n: int, words: Iterator[int]) -> int:
    word = next(words)
    assert word < WORDS - WORDS % n, "a tape that has a word redrawn"
    return word % n


def picked(count: int, size: int, words: Iterator[int]) -> list[bool]:
    """Which `size` of `count` things are picked.

    Each is picked with the ratio of missing picks to remaining things as its probability.
    """
    taken: list[bool] = []
    for place in range(count):
        taken.append(below(count - place, words) < size - sum(taken))
    return taken


def walked(row: Sequence[int], words: Iterator[int]) -> int:
    ticket = below(sum(row), words)
    return next(y for y in range(len(row)) if ticket < sum(row[: y + 1]))


def steps(entry: Entry, value: Any) -> int:
    low, step = Fraction(str(entry["min"])), Fraction(str(entry["step"]))
    place = (Fraction(value) - low) / step
    assert place.denominator == 1
    return int(place)


def special_answers_of(entry: Entry) -> list[str]:
    declined = [DECLINED] if entry.get(DECLINED) else []
    not_asked = [NOT_ASKED] if is_asked_of_some(entry) and "otherwise" not in entry else []
    return declined + not_asked


def plain(entry: Entry, answer: Any) -> str:
    """The report to a non-private question: the answer, in a text of fixed width."""
    if entry["type"] == "text":
        return "" if answer == NOT_ASKED else answer
    special_answers = special_answers_of(entry)
    names = [choice["name"] for choice in entry.get("choices", [])]
    if entry["type"] == "select_multiple":
        ticked = listed(answer)
        return "".join(str(int(name in ticked)) for name in [*names, *special_answers])
    if entry["type"] == "number":
        size = steps(entry, str(entry["max"])) + 1
        special = answer in special_answers
        place = size + special_answers.index(answer) if special else steps(entry, answer)
        return str(place).zfill(len(str(size + len(special_answers) - 1)))
    every = [*names, *special_answers]
    return str(every.index(answer)).zfill(len(str(len(every) - 1)))


def rows_met(entry: Entry, table: Mapping[str, Any], answer: Any) -> list[int]:
    """The row of a table for each word of the rounding: a single row unless it is a number."""
    names = list(table["answers"])
    if entry["type"] == "number":
        width = table["width"]
        if answer in (DECLINED, NOT_ASKED):
            return [names.index(answer)] * width
        whole, part = divmod(steps(entry, answer), width)
        return [whole + (word < part) for word in range(width)]
    if entry["type"] == "select_multiple":
        special_answers = special_answers_of(entry)
        boxes = [name for name in names if name not in special_answers]
        ticked = listed(answer)
        for place, special in enumerate(special_answers):
            if special in ticked:
                return [2 ** len(boxes) + place]
        return [sum(2**place for place, box in enumerate(boxes) if box in ticked)]
    return [names.index(answer)]


def report(
    entry: Entry, table: Mapping[str, Any], answer: Any, rounding: int | None, words: Iterator[int]
) -> str:
    """The report to a private question. `rounding` is the word that rounds a number."""
    names = list(table["answers"])
    own = listed(answer)
    kind = table.get("kind")
    if kind == "boxes":
        taken = picked(len(names), table["sample"], words)
        bits = [
            str(1 - walked(table["rows"][0 if name in own else 1], words)) if reported else "-"
            for name, reported in zip(names, taken, strict=True)
        ]
        return "".join(bits)
    if kind == "unary":
        return "".join(
            str(1 - walked(table["rows"][0 if name in own else 1], words)) for name in names
        )
    if kind == "subset":
        size, near, far = table["size"], table["near"], table["far"]
        inside = below(size * near + (len(names) - size) * far, words) < size * near
        others = picked(len(names) - 1, size - inside, words)
        place = names.index(answer)
        return "".join(str(int(bit)) for bit in [*others[:place], inside, *others[place:]])
    rows = rows_met(entry, table, answer)
    row = rows[0] if rounding is None else rows[below(len(rows), iter([rounding]))]
    width = len(str(len(table["rows"][0]) - 1))
    return str(walked(table["rows"][row], words)).zfill(width)


def is_private(entry: Entry) -> bool:
    return entry["type"] not in UNANSWERED and entry["privacy"] not in ("none", NOT_SENT)


def fields(document: Mapping[str, Any]) -> list[Entry]:
    questions = document["definition"]["questions"]
    return [
        entry
        for entry in questions
        if entry["type"] not in UNANSWERED and entry["privacy"] != NOT_SENT
    ]


def not_picked(table: Mapping[str, Any]) -> str:
    long = len(table["answers"]) if "kind" in table else len(str(len(table["rows"][0]) - 1))
    return "-" * long


def rounded(document: Mapping[str, Any], chosen: Sequence[str] | None) -> list[Entry]:
    """The private numbers that are reported on."""
    numbers = [e for e in fields(document) if is_private(e) and e["type"] == "number"]
    return [entry for entry in numbers if chosen is None or entry["name"] in chosen]


def expected(
    document: Mapping[str, Any],
    answers: Answers,
    words: Sequence[int],
    chosen: Sequence[str] | None = None,
) -> dict[str, str]:
    """The reports that these words make of the answers, and a check that no word is left.

    `chosen` names the sampled private questions, or is None for all of them. All numbers are
    rounded before the first report is drawn.
    """
    answers = with_derived(document["definition"]["questions"], answers)
    tape = iter(words)
    rounding = {entry["name"]: next(tape) for entry in rounded(document, chosen)}
    shown = asked(document["definition"]["questions"], answers)
    reports = {}
    for entry in fields(document):
        name = entry["name"]
        answer = effective(entry, answers.get(name), name in shown)
        if not is_private(entry):
            reports[name] = plain(entry, answer)
        elif chosen is not None and name not in chosen:
            reports[name] = not_picked(document["tables"][name])
        else:
            table = document["tables"][name]
            reports[name] = report(entry, table, answer, rounding.get(name), tape)
    assert next(tape, None) is None, "words are left on the tape"
    return reports


# Reports into words.


def steered_pick(taken: Sequence[bool], chance: random.Random) -> list[int]:
    """Words that pick exactly these."""
    words = []
    for place, wanted in enumerate(taken):
        missing, left = sum(taken[place:]), len(taken) - place
        words.append(chance.randrange(missing) if wanted else chance.randrange(missing, left))
    return words


def steered_walk(row: Sequence[int], wanted: int, chance: random.Random) -> int:
    """A word that makes this report: one of the tickets in its block."""
    return sum(row[:wanted]) + chance.randrange(row[wanted])


def steered_report(
    entry: Entry, table: Mapping[str, Any], answer: Any, wanted: str, chance: random.Random
) -> tuple[list[int], list[int]]:
    """The words that round the answer, and those that make this report of it."""
    names = list(table["answers"])
    own = listed(answer)
    kind = table.get("kind")
    if kind in ("boxes", "unary"):
        bits = [
            steered_walk(table["rows"][0 if name in own else 1], 1 - int(bit), chance)
            for name, bit in zip(names, wanted, strict=True)
            if bit != "-"
        ]
        if kind == "unary":
            return [], bits
        # Each picked box is drawn after all are picked.
        return [], steered_pick([bit != "-" for bit in wanted], chance) + bits
    if kind == "subset":
        place, size = names.index(answer), table["size"]
        near, far = size * table["near"], (len(names) - size) * table["far"]
        first = steered_walk([near, far], 1 - int(wanted[place]), chance)
        others = wanted[:place] + wanted[place + 1 :]
        return [], [first, *steered_pick([bit == "1" for bit in others], chance)]
    rows = rows_met(entry, table, answer)
    rounding = chance.randrange(len(rows))
    word = steered_walk(table["rows"][rows[rounding]], int(wanted), chance)
    return [rounding] if entry["type"] == "number" else [], [word]


def steered(
    document: Mapping[str, Any], answers: Answers, reports: Mapping[str, str], seed: int
) -> list[int]:
    """Words that make these reports of the answers. The seed selects one of many such tapes."""
    chance = random.Random(seed)
    answers = with_derived(document["definition"]["questions"], answers)
    shown = asked(document["definition"]["questions"], answers)
    rounding: list[int] = []
    drawing: list[int] = []
    for entry in fields(document):
        name = entry["name"]
        if is_private(entry) and set(reports[name]) != {"-"}:
            answer = effective(entry, answers.get(name), name in shown)
            table = document["tables"][name]
            first, then = steered_report(entry, table, answer, reports[name], chance)
            rounding += first
            drawing += then
    return rounding + drawing
