"""The examples of docs/api.md."""

import re

from tests.support.project import ROOT

EXAMPLES = (ROOT / "docs" / "api.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", EXAMPLES, re.DOTALL)
