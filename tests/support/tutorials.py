"""The commands and steps of a Markdown page, as its reader meets them."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from markdown_it import MarkdownIt
from markdown_it.token import Token

from survey.cli.groups import COMMANDS, command_names, load_command
from survey.server.settings import SETTINGS
from tests.support.project import ROOT

SAVED_AS = re.compile(r"\bas\s`([\w.-]+)`:$")
PATH = re.compile(
    r"(?<![\w./:-])(?:/srv/candor/)?((?:deploy|docs|static|survey|tests|tools)/[\w./*-]+)"
)
CANDOR_COMMAND = re.compile(
    r"(?:^(?:[A-Z_]+=\S+ )*candor|\.venv/bin/candor|deploy/candor-command) ([^\n|>;&]+)",
    re.MULTILINE,
)
MAKE = re.compile(r"^(?:[A-Z]+=\S+ )*make (?:-C \S+ )?([\w./-]+)", re.MULTILINE)
UNIT = re.compile(r"(?<![\w./-])(candor(?:-(?!command)\w+)?)(\.\w+)?(?![\w./*-])")
SYSTEMD = re.compile(r"^(?:systemctl|journalctl) (.+)$", re.MULTILINE)
SETTING = re.compile(r"\bCANDOR_[A-Z_0-9]+")
PLACE = re.compile(r"(?:/etc/candor|/var/lib/candor)[\w./-]*")


class Block(NamedTuple):
    """A block of code: why no test runs it, if none does, and the file that the reader makes of it,
    if the sentence before it names one."""

    line: int
    language: str
    source: str
    not_run: str
    file: str


class Command(NamedTuple):
    """A command of a console block, and what the block says that it prints."""

    line: str
    output: str


class Step(NamedTuple):
    """What a numbered step asks for: a label to click, or a field and what to type or choose. Text
    that the reader is to see has no label."""

    heading: str
    label: str
    values: tuple[str, ...]
    seen: str = ""


def blocks(path: Path) -> Iterator[Block]:
    """A block that no test runs says so after its language: `sh not run: needs root`. No page shows
    this."""
    before = ""
    for token in MarkdownIt().parse(path.read_text()):
        if token.type == "inline":
            before = token.content
        elif token.type == "fence" and token.map:
            language, _, rest = token.info.partition(" ")
            saved = SAVED_AS.search(before)
            name = saved[1] if saved and language not in ("sh", "console") else ""
            not_run = rest.removeprefix("not run: ")
            yield Block(token.map[0] + 1, language, token.content, not_run, name)
            before = ""


def commands(block: Block) -> Iterator[Command]:
    """Each command of a console block: its line begins with a dollar sign."""
    for part in re.split(r"^\$ ", block.source, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def script_of(block: Block) -> str:
    """What a reader types."""
    if block.language != "console":
        return block.source
    return "".join(f"{command.line}\n" for command in commands(block))


def fits(shown: str, printed: str) -> bool:
    """Whether a command printed what is shown; “…” stands for anything within a line."""
    pattern = re.escape(shown.strip("\n")).replace("…", ".*")
    return re.fullmatch(pattern, printed.strip("\n")) is not None


def steps(path: Path) -> Iterator[Step]:
    """What the numbered lists ask for, in order: **labels** with the `values` that follow, and
    “texts” that appear."""
    heading, lists, kind = "", 0, ""
    for token in MarkdownIt().parse(path.read_text()):
        lists += {"ordered_list_open": 1, "ordered_list_close": -1}.get(token.type, 0)
        kind = token.type if token.type.endswith("_open") else kind
        if token.type == "inline" and kind == "heading_open":
            heading = token.content
        elif token.type == "inline" and lists:
            yield from steps_of(heading, token.children or [])


def steps_of(heading: str, children: list[Token]) -> Iterator[Step]:
    label, values, strong = "", [], False
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            strong = child.type == "strong_open"
        elif strong:
            if label:
                yield Step(heading, label, tuple(values))
            label, values = child.content, []
        elif child.type == "code_inline" and label:
            values.append(child.content)
        else:
            for seen in re.findall(r"“([^”]+)”", child.content):
                if label:
                    yield Step(heading, label, tuple(values))
                    label, values = "", []
                yield Step(heading, "", (), seen)
    if label:
        yield Step(heading, label, tuple(values))


# What a command names


def unknown_names(source: str) -> list[str]:
    """The files, units, commands, options, settings and targets that a script names and that this
    project does not have; and its faults of syntax."""
    script = re.sub(r"\\\n\s*", "", source)
    return [
        *(f"file {name}" for name in PATH.findall(script) if not [*ROOT.glob(name)]),
        *(f"target {name}" for name in MAKE.findall(script) if name not in targets()),
        *(f"unit {name}" for name in units_in(script) if not unit_exists(*name)),
        *(f"setting {name}" for name in SETTING.findall(script) if name not in settings()),
        *(f"place {name}" for name in PLACE.findall(script) if not is_deployed(name)),
        *(fault for line in CANDOR_COMMAND.findall(script) for fault in unknown_command(line)),
        *syntax_faults(script),
    ]


def targets() -> set[str]:
    return set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def units_in(script: str) -> Iterator[tuple[str, str]]:
    for arguments in SYSTEMD.findall(script):
        yield from UNIT.findall(arguments.replace("--unit=", ""))


def unit_exists(name: str, suffix: str) -> bool:
    return (ROOT / "deploy" / f"{name}{suffix or '.service'}").exists()


def settings() -> set[str]:
    proxy = re.findall(r"presetenv (\w+)", (ROOT / "deploy" / "haproxy.cfg").read_text())
    return {row.name for row in SETTINGS} | set(proxy)


def is_deployed(place: str) -> bool:
    """Whether a file of `deploy/` names a folder or file of the server, or its folder."""
    folder = ROOT / "deploy"
    text = "".join(path.read_text() for path in folder.iterdir() if path.is_file())
    text = text.replace("%S/", "/var/lib/") + " /etc/candor /var/lib/candor"
    return re.search(rf"{re.escape(place.rstrip('.'))}(?![\w-])", text) is not None


def unknown_command(line: str) -> Iterator[str]:
    """Whether Candor has a command, and its options."""
    words = shlex.split(line)
    group, name = words[0], next(iter(words[1:]), "")
    if group in COMMANDS and name in command_names(group):
        known = options_of(load_command(f"{group} {name}"))
    elif group in ("demo", "serve", "verify"):
        known = set()
    else:
        yield f"command {group} {name}"
        return
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("-") and option not in known:
            yield f"option {option} of {group} {name}"


def options_of(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


def syntax_faults(script: str) -> Iterator[str]:
    checked = subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True)
    if checked.returncode:
        yield checked.stderr.strip()
