"""The examples of docs/reference/api.md."""

import re

from tests.support.project import ROOT

EXAMPLES = (ROOT / "docs" / "reference" / "api.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", EXAMPLES, re.DOTALL)
