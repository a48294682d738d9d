"""A survey with saved analyses, and its ZIP."""

import io
import random
import zipfile
from pathlib import Path

from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import Store
from survey.store.sql.saved_analyses import SavedAnalysis
from tests.support.definitions import yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import signed_in

QUESTIONS = (
    yes_no(),
    asked("party", "select_one", {"epsilon": 2}, choices=letters("abc")),
    asked("region", "select_one", "none", choices=letters("ns")),
    asked("degrees", "number", "none", min=-20, max=40, step=0.5),
    asked("mood", "scale", {"epsilon": 3, "mechanism": "exponential"},
          choices=letters("abcd")),
    asked("drinks", "yes_no", {"epsilon": 3}),
)  # fmt: skip
# Each with its analysis, its query, and whether the script repeats it.
SAVED = {
    "Zwei Fragen: „ü“ & ไทย": ("crosstab", "rows=smokes&columns=region&of=row", True),
    "three": ("crosstab", "rows=party&columns=smokes&layers=region", True),
    "share by group": ("groups", "measure=smokes%3A1&group=party", True),
    "mean by group": ("groups", "measure=degrees%3A&group=region", True),
    "mean of a scale": ("groups", "measure=mood%3A&group=party&against=first", True),
    "correlations": ("correlation", "questions=degrees%3A&questions=mood%3A&questions=smokes%3A0",
                     True),
    "tree": ("tree", "target=region&predictors=party", False),
    "weighted": ("crosstab", "rows=smokes&columns=party&strata=region", False),
}  # fmt: skip


def answers(n: int) -> list[Response]:
    """Reports with a relation between the questions, and some at every end of a range."""
    chance = random.Random(3)
    found = []
    for _ in range(n):
        region = chance.randrange(2)
        reports = (
            int(chance.random() < (0.3, 0.6)[region]),
            chance.choice([0, 0, 1, 2]) if region else chance.randrange(3),
            region,
            chance.choice([0, 1, 39, 40, 41, 120]) if region else chance.randrange(121),
            min(3, chance.randrange(5)),
            chance.randrange(2),
        )
        found.append(Response(chance.randbytes(16), reports))
    return found


def unzipped(app: Flask, folder: Path, slug: str = "health") -> dict[str, str]:
    """The text of each text file of the ZIP. All files are also in a folder."""
    reply = signed_in(app).client.get(f"/admin/surveys/{slug}/export.zip")
    with zipfile.ZipFile(io.BytesIO(reply.data)) as archive:
        archive.extractall(folder)
        binary = (".xlsx", ".dta", ".sav")
        texts = [name for name in archive.namelist() if not name.endswith(binary)]
        return {name: archive.read(name).decode() for name in texts}


def save_all(store: Store, **saved: tuple[str, str]) -> None:
    for name, (analysis, query) in saved.items():
        store.saved_analyses.save(
            SavedAnalysis(survey="health", name=name, analysis=analysis, query=query)
        )
