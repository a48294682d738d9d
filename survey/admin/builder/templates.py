"""Example surveys, from which a new draft can start."""

from survey import PROJECT_FOLDER
from survey.definition.survey import Survey, read_definition

FOLDER = PROJECT_FOLDER / "demo" / "examples"


def examples() -> dict[str, Survey]:
    """The example surveys by the names of their files, in the order of the names."""
    paths = sorted(FOLDER.glob("*.json"))
    return {path.stem: read_definition(path.read_bytes()) for path in paths}
