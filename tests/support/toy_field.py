"""A field of the builder that only tests use: the unit of a number, with another label."""

from survey.admin.builder.fields import BuilderField

MEASURE = BuilderField(
    label="Measured in",
    place="range",
    default="glasses",
    hint="What one counts.",
    attributes={"placeholder": "such as cups"},
    optional=True,
    part="number",
    faults={"": "take a shorter word."},
)
NUMBER = {"type": "number", "min": "0", "max": "9", "privacy": "medium", "name": ""}
TOO_LONG = "u" * 41
