"""`make hashes`: write the SHA-256 of each script that respondents load into SECURITY.md."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def rows() -> str:
    """The rows of the table, with randomizer.js first."""
    paths = list((ROOT / "static" / "respondent").glob("*.js"))
    paths.sort(key=lambda path: (path.name != "randomizer.js", path.name))
    return "".join(
        f"| static/respondent/{path.name} | `{hashlib.sha256(path.read_bytes()).hexdigest()}` |\n"
        for path in paths
    )


if __name__ == "__main__":
    document = ROOT / "SECURITY.md"
    text = document.read_text(encoding="utf-8")
    document.write_text(
        re.sub(
            r"(\| static/respondent/[a-z]+\.js \| `[0-9a-f]{64}` \|\n)+", lambda _: rows(), text
        ),
        encoding="utf-8",
    )
