"""`make hashes`: write the SHA-256 of what respondents' pages load into SECURITY.md."""

import hashlib
import re
from pathlib import Path

from survey.server.http.static_files import SURVEY_SCRIPT, static_files

ROOT = Path(__file__).parent.parent
# What a survey's page loads comes first, then the source that randomises.
FIRST = (SURVEY_SCRIPT, "style.css", "respondent/randomizer.js")


def rows() -> str:
    """The rows of the table."""
    others = sorted(name for name in static_files() if name.startswith("respondent/"))
    return "".join(
        f"| static/{name} | `{hashlib.sha256(static_files()[name].content).hexdigest()}` |\n"
        for name in dict.fromkeys([*FIRST, *others])
    )


if __name__ == "__main__":
    document = ROOT / "SECURITY.md"
    text = document.read_text(encoding="utf-8")
    document.write_text(
        re.sub(r"(\| static/[a-z/]+\.(js|css) \| `[0-9a-f]{64}` \|\n)+", lambda _: rows(), text),
        encoding="utf-8",
    )
