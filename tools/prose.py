"""`make lint`: find hard English in documentation, pages, messages, docstrings and comments.

It checks three rules of CONTRIBUTING.md: no word of `WORDS`, no sentence of more than
`MAX_SENTENCE_WORDS`, and no line of Markdown longer than `MAX_LINE_CHARACTERS` outside tables and
code. It prints `file:line: what is wrong`, and ends with status 1 if it finds something.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from survey.core.languages import LANGUAGES, MAIN

ROOT = Path(__file__).parent.parent
TRANSLATED = {*LANGUAGES} - {MAIN}
# docs/reference/writing.md explains these rules, and has the words with a star.
MAX_SENTENCE_WORDS = 30
MAX_LINE_CHARACTERS = 120
# Each word with a plainer one. The message contains both.
WORDS = {
    r"anew": "again",
    r"mend(s|ed|ing)?": "fix",
    r"reckon(s|ed|ing)?": "calculate",
    r"whoever(['’]s)?": "anyone who",
    r"wish(es|ed)": "want, or request",
    r"told\sof": "described",
    r"by\shand\sof": "by",
    r"(take|takes|taken|taking|took)(\s\w+){0,2}\shome": "download, or export",
}
FORBIDDEN = [(re.compile(rf"\b{word}\b", re.IGNORECASE), better) for word, better in WORDS.items()]
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_`]*[A-Z0-9`])|\s*\n\s*\n\s*")
WORD = re.compile(r"[^\s]*[^\W_][^\s]*")
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|vs|cf|pp|al|Dr|Fig|ch|sec)\.", re.IGNORECASE)


class Text(NamedTuple):
    """A piece of prose with the line of the file on which it begins."""

    line: int
    words: str


def texts_of_markdown(source: str) -> Iterator[Text]:
    """Every paragraph, heading, list item and table cell. Code counts as one word."""
    for token in MarkdownIt().enable("table").parse(source):
        if token.type == "inline" and token.map:
            parts = [
                "code" if each.type == "code_inline" else each.content or " "
                for each in token.children or []
            ]
            yield Text(token.map[0] + 1, "".join(parts))


def long_lines(source: str) -> Iterator[int]:
    """The numbers of the Markdown lines that are too long, outside tables, code and addresses."""
    fence = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        if fence or line.lstrip().startswith("|") or line.startswith("    "):
            continue
        if len(line) > MAX_LINE_CHARACTERS and " " in line.strip():
            yield number


def texts_of_python(source: str) -> Iterator[Text]:
    """Docstrings and comments. Comments on consecutive lines are one text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstring = ast.get_docstring(node)
                if docstring:
                    yield from paragraphs(docstring, first.lineno)
    yield from joined(
        (token.start[0], token.line.lstrip().startswith("#"), token.string.lstrip("#! "))
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    )


def paragraphs(text: str, start: int) -> Iterator[Text]:
    """The paragraphs of a docstring. List items and lines with " : " are separate texts."""
    lines: list[str] = []
    begin = start
    for number, line in enumerate([*text.splitlines(), ""], start):
        apart = not line.strip() or re.match(r"\s*([-*•]|\d+\.) |\s*-{3,}|.* : |.*── ", line)
        if apart and lines:
            yield Text(begin, " ".join(lines))
            lines = []
        if line.strip():
            begin = begin if lines else number
            lines.append(line.strip())


def joined(comments: Iterator[tuple[int, bool, str]]) -> Iterator[Text]:
    """Comments on consecutive whole lines, as one text."""
    lines: list[str] = []
    begin = last = 0
    for number, whole, words in comments:
        if lines and not (whole and number == last + 1):
            yield Text(begin, " ".join(lines))
            lines = []
        begin = begin if lines else number
        lines.append(words)
        last = number if whole else 0
    if lines:
        yield Text(begin, " ".join(lines))


def texts_of_messages(source: str) -> Iterator[Text]:
    """The messages of a Python program: every string of several words, except docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            said = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = "" if id(node) in docstrings | inner else node.value
        else:
            continue
        if " " in said.strip() and not re.search(r"\b(SELECT|INSERT|UPDATE|CREATE|DELETE)\b", said):
            # Lines are separate texts, since such a string is a table or a program.
            for line in said.splitlines():
                yield Text(node.lineno, line)


def texts_of_script(source: str) -> Iterator[Text]:
    """The comments of a script or a style sheet."""
    found = []
    for match in re.finditer(r"(?m)(?<![:\"'\w/])//[ \t]?([^\n]*)$", source):
        line = source.count("\n", 0, match.start()) + 1
        before = source[source.rfind("\n", 0, match.start()) + 1 : match.start()]
        found.append((line, not before.strip(), match.group(1)))
    yield from joined(iter(found))
    for match in re.finditer(r"/\*(.*?)\*/", source, re.DOTALL):
        yield Text(source.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split()))


# Elements within a sentence. Every other element ends it.
INLINE = frozenset(
    ("a", "abbr", "b", "code", "em", "i", "kbd", "span", "strong", "sub", "sup", "var")
)


class TemplateText(HTMLParser):
    """The words of a template, with one text for each block element."""

    def __init__(self) -> None:
        super().__init__()
        self.prose = True
        self.texts: list[Text] = []
        self.now: list[str] = []
        self.begin = 0

    def end(self) -> None:
        words = " ".join("".join(self.now).split())
        if words:
            self.texts.append(Text(self.begin, words))
        self.now = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in INLINE:
            self.end()
        self.prose = tag not in ("script", "style")
        for name, value in attrs:
            if name in ("title", "placeholder", "aria-label", "alt", "content") and value:
                self.texts.append(Text(self.getpos()[0], value))

    def handle_endtag(self, tag: str) -> None:
        self.prose = True
        if tag not in INLINE:
            self.end()

    def handle_data(self, data: str) -> None:
        if not self.prose:
            return
        if not self.now:
            self.begin = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
        self.now.append(data)


def texts_of_template(source: str) -> Iterator[Text]:
    """The words and comments of a template. A placeholder counts as one word."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n")

    for match in re.finditer(r"{#-?(.*?)-?#}", source, re.DOTALL):
        yield Text(source.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split()))
    bare = re.sub(r"{#.*?#}", blank, source, flags=re.DOTALL)
    # Labels and hints are arguments of macros.
    for match in re.finditer(r"{{.*?}}|{%.*?%}", bare, re.DOTALL):
        for string in re.finditer(r"""(["'])(.*?)\1""", match.group(), re.DOTALL):
            start = match.start() + string.start()
            if " " in string[2].strip():
                yield Text(bare.count("\n", 0, start) + 1, " ".join(string[2].split()))
    # Alternatives are separate texts.
    bare = re.sub(
        r"{%-?\s*(if|elif|else|endif|for|endfor|block|endblock|macro|endmacro|call|endcall|pluralize).*?%}",
        lambda match: "<br>" + blank(match),
        bare,
        flags=re.DOTALL,
    )
    bare = re.sub(r"{%.*?%}", blank, bare, flags=re.DOTALL)
    # The text between two sentences, which is empty in Chinese.
    bare = re.sub(r"{{ gap\(\) -?}}", " ", bare)
    bare = re.sub(r"{{.*?}}", lambda match: "x" + blank(match), bare, flags=re.DOTALL)
    parser = TemplateText()
    parser.feed(bare)
    parser.end()
    yield from parser.texts


def faults_of(text: Text) -> Iterator[tuple[int, str]]:
    """The faults of a piece of prose, each with its line."""
    for pattern, better in FORBIDDEN:
        for match in pattern.finditer(text.words):
            yield text.line, f"“{match.group()}”: write {better}"
    for sentence in SENTENCE_END.split(ABBREVIATIONS.sub(r"\1", text.words)):
        count = len(WORD.findall(sentence))
        if count > MAX_SENTENCE_WORDS:
            start = " ".join(sentence.split()[:8])
            yield text.line, f"a sentence of {count} words: “{start} …”"


READERS = {
    ".md": [texts_of_markdown],
    ".py": [texts_of_python, texts_of_messages],
    ".js": [texts_of_script],
    ".css": [texts_of_script],
    ".html": [texts_of_template],
}


def faults_of_file(path: Path) -> list[tuple[int, str]]:
    source = path.read_text(encoding="utf-8")
    readers = READERS[path.suffix]
    if "tests" in path.parts:  # Their strings are examples, also of bad and of earlier texts.
        readers = [reader for reader in readers if reader is not texts_of_messages]
    faults = [fault for read in readers for text in read(source) for fault in faults_of(text)]
    if path.suffix == ".md":
        too_long = f"a line of more than {MAX_LINE_CHARACTERS} characters"
        faults += [(number, too_long) for number in long_lines(source)]
    return sorted(faults)


def sources(folder: Path = ROOT) -> Iterator[Path]:
    """Every file of the project with English prose in it. Translations are in folders with the code
    of their language."""
    for path in sorted(folder.rglob("*")):
        folders = path.relative_to(folder).parts[:-1]
        hidden = any(part.startswith((".", "__")) or part in TRANSLATED for part in folders)
        if path.suffix in READERS and not hidden:
            yield path


def main(names: list[str]) -> int:
    paths = [Path(name) for name in names] or [path.relative_to(ROOT) for path in sources()]
    count = 0
    for path in paths:
        if path.suffix not in READERS or not path.is_file():
            print(f"{path}: not a file that this check reads. It reads {' '.join(READERS)}.")
            return 2
        for line, fault in faults_of_file(path):
            print(f"{path}:{line}: {fault}")
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
