"""Conversion of a row of the sheet survey into a question of a definition.

The import omits what Candor does not support, and reports it. It never omits the protection of an
answer: a question with a faulty one is left out.
"""

import re
from dataclasses import replace
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.translate import later, translate
from survey.definition.choices import (
    DECLINED,
    MAX_CHOICES,
    MAX_NON_PRIVATE_CHOICES,
    MAX_TEXT_CHARACTERS,
    NOT_SENT,
    OTHER,
    SPECIFY,
    answer_words,
    free_name,
    other_words,
)
from survey.definition.parse_question import question_name
from survey.definition.protection_levels import LEVELS, privacy_of_level
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.choice_filters import add_choice_conditions, only_conditional_choices
from survey.formats.xlsform.conditions import EarlierQuestion
from survey.formats.xlsform.dates import date_members
from survey.formats.xlsform.form import TYPES, Form, Option
from survey.formats.xlsform.numbers import number_members
from survey.formats.xlsform.privacy import privacy_from_garbling
from survey.formats.xlsform.read_relevance import add_relevance
from survey.formats.xlsform.unsupported import UNSUPPORTED_TYPES, note_unsupported
from survey.formats.xlsform.vocabulary import (
    CHOICES,
    DERIVED,
    GARBLING,
    NO,
    OWN,
    PRIVACY,
    QUESTION_MEMBERS,
    RANDOMIZE,
    SELECT_MULTIPLE,
    SELECT_ONE,
    SELECTS,
    SURVEY,
    RowOmitted,
    XLSFormRow,
    cell_text,
    decode_cell,
    member_value,
    must_be_stated,
    parameters_of,
    renaming,
    type_of_list,
)

# The words of lists that have one spelling.
OTHER_LISTS = {kind.xlsform_list for kind in QUESTION_TYPES.values()} - {"", *SELECTS}
SELECT = re.compile(
    r"(?P<one>select[ _]one( from)?|select1|add select one prompt using)"
    r"|(?P<many>select[ _]multiple( from)?|select all that apply( from)?"
    r"|add select multiple prompt using)"
    r"|(?P<own>" + "|".join(sorted(OTHER_LISTS)) + r"(?=\s))",
    re.IGNORECASE,
)
WRONG_NUMBERS = {
    0: later(
        "the list %(list)s has no choices, but Candor needs %(least)s to %(most)s. The question is "
        "omitted."
    ),
    1: later(
        "the list %(list)s has only 1 choice, but Candor needs %(least)s to %(most)s. The question "
        "is omitted."
    ),
}
TOO_MANY_CHOICES = later(
    "the list %(list)s has %(n)s choices, but Candor needs %(least)s to %(most)s. The question is "
    "omitted."
)
TOO_MANY_PRIVATE_CHOICES = later(
    "the list %(list)s has %(n)s choices, but a private question can have %(least)s to %(most)s. "
    "Shorten the list, or set no protection. The question is omitted."
)
ONE_BOX = later(
    "the list %(list)s has only 1 choice, so the question becomes a box to tick, which can also "
    "stay empty."
)
UNPROTECTED = later(
    "the form sets no protection, so answers are stored as given. Choose a protection in the draft "
    "if needed."
)
OR_OTHER = re.compile(r"or[ _](specify[ _])?other", re.IGNORECASE)


def read_question(
    line: XLSFormRow, form: Form
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]] | None:
    """The question of a row and its texts in the other languages.

    None if Candor does not support such a question. Raises RowOmitted.
    """
    written = " ".join(line.text("type").split())
    select = SELECT.match(written)
    kind, options = type_of_row(written.lower(), line), list[Option]()
    if select:
        kind = type_of_list(list_word(select))
        options = options_of(written[select.end() :].split(), list_word(select), line, form)
        if sum(not declines(option, line) for option in options) == 1:
            kind = type_of_list(SELECT_MULTIPLE)
    if kind is None:
        why = UNSUPPORTED_TYPES.get(
            written.lower(),
            later("%(type)s is not a question type of Candor. The question is omitted."),
        )
        form.drop(line, "type", translate(why, type=repr(written)))
        return None
    if select and not options:
        return None
    entry: dict[str, Any] = {"name": name_in_form(line, form), "type": kind}
    entry["label"] = main_language_label(line, form)
    entry |= {"hint": hint} if (hint := form.hint(line)) else {}
    if options:
        add_choices(entry, options, line, form)
    elif "earliest" in QUESTION_TYPES[kind].keys:
        entry |= date_members(line, form.left_out)
    elif "min" in QUESTION_TYPES[kind].keys:
        private = sets_protection(line)
        entry |= number_members(QUESTION_TYPES[kind], line, form.left_out, private=private)
    add_own_members(entry, line, form)
    add_optional(entry, line, form)
    if "privacy" in QUESTION_TYPES[kind].keys:
        entry["privacy"] = privacy_of(entry, options, line, form)
    options = add_choice_conditions(entry, options, line, form)
    if not add_relevance(entry, line, form):
        return None
    note_unsupported(entry, line, form)
    remember_question(entry, options, line, form)
    return entry, translations_of(entry, options, line, form)


def type_of_row(written: str, line: XLSFormRow) -> str | None:
    """The type of question that the column type names, unless it is a list.

    XLSForm has no joint questions, so only rows with Candor's column of the rule can be one.
    """
    kind = QUESTION_TYPES.get(written)
    in_xlsform = kind is not None and (kind.xlsform_names or kind.xlsform_list)
    if kind is not None and not in_xlsform and line.text(DERIVED):
        return written
    return TYPES.get(written)


def list_word(select: re.Match[str]) -> str:
    """The word before the name of a list, without its older spellings."""
    if select["own"]:
        return select["own"].lower()
    return SELECT_ONE if select["one"] else SELECT_MULTIPLE


def options_of(said: list[str], word: str, line: XLSFormRow, form: Form) -> list[Option]:
    """The choices of a list, whose name stands after `word` in the column type.

    An empty list, with a note, if there are too few or too many.
    """
    name = said[0] if said else ""
    if name in ("_from_file", "_external"):
        note = translate(
            "Candor reads choices only from the sheet choices. Move them there. The question is "
            "omitted."
        )
        form.drop(line, "type", note)
        return []
    options = list(form.lists.get(name, []))
    if asks_for_other(line) and OTHER not in {option.written for option in options}:
        labels = {
            language: free_name(
                other_words(language)[0], {o.labels.get(language, "") for o in options}
            )
            for language in (form.tongues.main, *form.tongues.others)
        }
        code = free_name(OTHER, {option.name for option in options})
        options.append(Option(written=OTHER, name=code, labels=labels, row=line.number))
    least, most, too_many = 1, MAX_NON_PRIVATE_CHOICES, TOO_MANY_CHOICES
    limits = QUESTION_TYPES[type_of_list(word)].item_limits
    if limits is not None:
        least, most = limits
    elif sets_protection(line) or line.under(GARBLING):
        least, most, too_many = 2, MAX_CHOICES, TOO_MANY_PRIVATE_CHOICES
    n = sum(not declines(option, line) for option in options)
    if not least <= n <= most:
        note = WRONG_NUMBERS.get(n, too_many)
        values = {"list": repr(name), "n": n, "least": least, "most": most}
        form.drop(line, "type", translate(note, **values))
        return []
    if n == 1 and word == SELECT_ONE:
        form.drop(line, "type", translate(ONE_BOX, list=repr(name)))
    return options


def declines(option: Option, line: XLSFormRow) -> bool:
    """Whether a choice is the answer "prefer not to say", which has the name of the member."""
    return option.name == DECLINED and DECLINED not in line.under(OWN)


def asks_for_other(line: XLSFormRow) -> bool:
    """Whether the list has the choice "Other", with a text question about it."""
    select = SELECT.match(" ".join(line.text("type").split()))
    is_select = select is None or list_word(select) in SELECTS
    return OR_OTHER.search(line.text("type")) is not None and is_select


def question_on_other(
    entry: dict[str, Any], line: XLSFormRow, form: Form
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]] | None:
    """The text question for respondents who choose "Other", and its translations.

    None if the list has no such choice, or if the question is private. A text would then reveal
    the answer.
    """
    if not asks_for_other(line):
        return None
    if entry["privacy"] != "none":
        note = translate(
            "Candor asks for no text after “Other”. The question is private, and a text would "
            "reveal that someone chose “Other”."
        )
        form.drop(line, "type", note)
        return None
    name = free_name(f"{entry['name'][:50]}{SPECIFY}", form.taken)
    note = translate(
        "the text question '%(name)s' follows “Other”. Delete it if you protect this question.",
        name=name,
    )
    form.drop(line, "type", note)
    form.taken.add(name)
    names = form.known[line.text("name")].names
    code = next(name for name, written in names.items() if written == OTHER)
    text = {
        "name": name,
        "type": "text",
        "label": other_words(form.tongues.main)[1],
        "privacy": "none",
        "relevant": dict(entry.get("relevant", {})) | {entry["name"]: [code]},
    }
    others = {other: {"label": other_words(other)[1]} for other in form.tongues.others}
    return text, others


def read_section(
    line: XLSFormRow, form: Form
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]] | None:
    """The section that a group becomes, and its texts in the other languages.

    None if nobody is asked its questions.
    """
    entry: dict[str, Any] = {"name": name_in_form(line, form), "type": "section"}
    entry["label"] = form.tongues.main_text(line, "label")
    entry |= {"hint": hint} if (hint := form.hint(line)) else {}
    for key, column in line.under(OWN).items():
        if key in ("random_order", "battery"):
            entry[key] = member_value(key, line.cells[column])
    form.left_out.add_notes_on_texts(SURVEY, line)
    if not add_relevance(entry, line, form):
        return None
    form.section, form.section_condition = form.section + 1, dict(entry.get("relevant", {}))
    note_unsupported(entry, line, form)
    return entry, translations_of(entry, [], line, form)


def name_in_form(line: XLSFormRow, form: Form) -> str:
    """A valid name that is not yet in use."""
    written = line.text("name")
    name = question_name(written, line.number, form.taken)
    form.taken.add(name)
    if name != written:
        form.drop(line, "name", renaming(written, name))
    return name


def main_language_label(line: XLSFormRow, form: Form) -> str:
    label = form.tongues.main_text(line, "label")
    if not label:
        label = form.tongues.main_text(line, "hint") or line.text("name") or "?"
        note = translate("is empty, so %(text)s is used.", text=repr(label))
        column = form.tongues.labels.get(SURVEY, "label")
        form.left_out.add(SURVEY, line.number, column, note)
    if len(label) > MAX_TEXT_CHARACTERS:
        raise RowOmitted(
            "label",
            "has %(n)s characters, but Candor takes %(most)s. Shorten it, or split it into several "
            "notes.",
            n=len(label),
            most=MAX_TEXT_CHARACTERS,
        )
    form.left_out.add_notes_on_texts(SURVEY, line)
    return label


def add_choices(entry: dict[str, Any], options: list[Option], line: XLSFormRow, form: Form) -> None:
    """Add the choices, and set the type of question that they make."""
    of_list = QUESTION_TYPES[entry["type"]].xlsform_list
    for option in options[:]:
        if declines(option, line) and of_list in SELECTS:
            options.remove(option)
            entry["prefer_not_to_say"] = True
            word = answer_words(form.tongues.main)[2]
            if option.labels[form.tongues.main] != word:
                note = translate(
                    "Candor uses its own words for this answer: “%(words)s”.", words=word
                )
                form.left_out.add(CHOICES, option.row, "label", note)
    looks = set(line.text("appearance").lower().split())
    names = [option.name for option in options]
    stated = QUESTION_TYPES.get(line.text(f"{OWN}::type"))
    if stated is not None and must_be_stated(stated) and of_list == SELECT_ONE:
        entry["type"] = stated.name
    else:
        entry["type"] = type_of_list(of_list, looks, names)
    entry["choices"] = [{"name": o.name, "label": o.labels[form.tongues.main]} for o in options]
    kind = QUESTION_TYPES[entry["type"]]
    if RANDOMIZE in parameters_of(line) and "random_order" in kind.keys:
        entry["random_order"] = True


def add_own_members(entry: dict[str, Any], line: XLSFormRow, form: Form) -> None:
    """Add the columns of Candor that this type of question has."""
    kind = QUESTION_TYPES[entry["type"]]
    for key, column in line.under(OWN).items():
        value = member_value(key, line.cells[column])
        if key in QUESTION_MEMBERS:
            if key != "type" or value != kind.name or not must_be_stated(kind):
                form.drop(line, column.key, translate("Candor reads this from another column."))
        elif key not in kind.keys:
            note = translate("is no column of Candor for this type of question. It is ignored.")
            form.drop(line, column.key, note)
        elif key == "anchors" or (key == "otherwise" and kind.boxes):
            entry[key] = value if isinstance(value, list) else cell_text(value).split()
        elif key == "otherwise" and "min" not in kind.keys:
            entry[key] = cell_text(value)
        elif key != DECLINED or value is not False:
            entry[key] = value


def add_optional(entry: dict[str, Any], line: XLSFormRow, form: Form) -> None:
    """Let respondents skip the question, if the form says so."""
    kind = QUESTION_TYPES[entry["type"]]
    own_choice = DECLINED in {choice["name"] for choice in entry.get("choices", ())}
    if line.text("required").lower() not in NO or "optional" not in kind.keys or own_choice:
        return
    entry["optional"] = True
    if not entry.get(DECLINED):
        entry[DECLINED] = True
        note = translate(
            "Respondents may skip the question. This counts as “prefer not to say”, which Candor "
            "adds as an answer."
        )
        form.drop(line, "required", note)


def protection_level(line: XLSFormRow) -> str:
    """The word in the column `privacy`, such as strong."""
    # Only the word before a colon counts, as in “Medium: rather not say” of the builder.
    return line.text(PRIVACY).partition(":")[0].strip().lower()


def sets_protection(line: XLSFormRow) -> bool:
    """Whether the row makes its question private."""
    columns = line.under(PRIVACY)
    if set(columns) == {"mechanism"}:
        return line.text(f"{PRIVACY}::mechanism") not in ("none", NOT_SENT)
    return bool(columns) or protection_level(line) in LEVELS


def privacy_of(entry: dict[str, Any], options: list[Option], line: XLSFormRow, form: Form) -> Any:
    """The protection of the question. If the form has none, "none" with a note."""
    members = {key: decode_cell(line.cells[column]) for key, column in line.under(PRIVACY).items()}
    kind = QUESTION_TYPES[entry["type"]]
    written, level = line.text(PRIVACY), protection_level(line)
    if level in ("none", NOT_SENT) and not members:
        return level
    if written and (members or not kind.estimated):
        note = (
            later("%(value)s is ignored, because `privacy::` defines the protection.")
            if members
            else later("%(value)s is ignored, because texts and dates are not private.")
        )
        form.drop(line, PRIVACY, translate(note, value=repr(written)))
    elif level in LEVELS:
        return privacy_of_level(level, kind)
    elif written:
        note = translate(
            "%(value)s is not a protection. Write %(levels)s or none.",
            value=repr(written),
            levels=", ".join(LEVELS),
        )
        form.drop(line, PRIVACY, note)
    if members in ({"mechanism": "none"}, {"mechanism": NOT_SENT}):
        return members["mechanism"]
    if members and "mechanism" not in members and members.keys() - {"goal"} != {"epsilon"}:
        raise RowOmitted(
            PRIVACY,
            "the mechanism is missing. Write it into %(mechanism)s, or fill only %(epsilon)s.",
            mechanism=f"{PRIVACY}::mechanism",
            epsilon=f"{PRIVACY}::epsilon",
        )
    if members:
        return members
    if (privacy := privacy_from_garbling(options, line, form.left_out)) is not None:
        return privacy
    if kind.mechanisms is not None:
        form.unprotected.append(entry["name"])
        form.left_out.add(SURVEY, line.number, "", translate(UNPROTECTED))
    return "none"


def remember_question(
    entry: dict[str, Any], options: list[Option], line: XLSFormRow, form: Form
) -> None:
    """Make the question available to the conditions of later ones."""
    kind = QUESTION_TYPES[entry["type"]]
    if not kind.can_be_condition:
        return
    if entry["privacy"] != "none":
        form.private.add(entry["name"])
    names = {option.name: option.written for option in options}
    if entry.get("prefer_not_to_say"):
        names[DECLINED] = DECLINED
    sometimes = "relevant" in entry or only_conditional_choices(entry)
    skippable = sometimes and "otherwise" not in entry
    optional = entry.get("optional", False)
    earlier = EarlierQuestion(
        name=entry["name"], kind=kind, names=names, skippable=skippable, optional=optional
    )
    if "min" in entry:
        low, high, step = (exact(entry[key], key) for key in ("min", "max", "step"))
        earlier = replace(earlier, low=low, high=high, step=step)
    form.known[line.text("name")] = earlier
    form.entries[entry["name"]] = entry, line


def translations_of(
    entry: dict[str, Any], options: list[Option], line: XLSFormRow, form: Form
) -> dict[str, dict[str, Any]]:
    """The texts of the question in the other languages, as far as a definition can store them."""
    tongues = form.tongues
    translations: dict[str, dict[str, Any]] = {}
    for other in tongues.others:
        texts: dict[str, Any] = {}
        for key, column in (("label", "label"), ("hint", "hint"), ("unit", f"{OWN}::unit")):
            text = form.text_within_limit(tongues.text(line, column, other), line, column)
            if text and key in entry:
                texts[key] = text
            elif text:
                note = translate("translates a text that is empty in the main language.")
                form.drop(line, column, note)
        choices: dict[str, str] = {}
        own_words, other_words = map(QUESTION_TYPES[entry["type"]].own_words, (tongues.main, other))
        for number, option in enumerate(options):
            label = option.labels.get(other, "")
            if own_words and option.labels[tongues.main] == own_words[number]:
                if label not in ("", other_words[number]):
                    why = translate(
                        "Candor uses its own words for Yes and No, not %(label)s.",
                        label=repr(label),
                    )
                    form.drop(line, "type", why)
            elif label:
                choices[option.name] = label
        if choices:
            texts["choices"] = choices
        if texts:
            translations[other] = texts
    return translations
