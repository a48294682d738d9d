"""Forms about analyses. They change nothing and are sent by GET, so that each is a link."""

from wtforms import Form, SelectChoice, SelectField

from .analysis.offered import Offered

NOTHING = SelectChoice("", "–")
OF_ALL, OF_ROW, OF_COLUMN = "all", "row", "column"


class CrosstabForm(Form):
    rows = SelectField("Rows")
    columns = SelectField("Columns")
    layers = SelectField("Apart for each answer to", default="")
    of = SelectField(
        "Percentages",
        choices=[
            SelectChoice(OF_ROW, "of each row"),
            SelectChoice(OF_COLUMN, "of each column"),
            SelectChoice(OF_ALL, "of everyone"),
        ],
        default=OF_ROW,
    )

    def offer(self, variables: tuple[Offered, ...]) -> None:
        """Fill the lists; where nothing was chosen, the first two questions are."""
        choices = [SelectChoice(each.name, each.label) for each in variables]
        self.rows.choices = self.columns.choices = choices
        self.layers.choices = [NOTHING, *choices]
        if self.rows.data is None:
            self.rows.data = variables[0].name
        if self.columns.data is None:
            self.columns.data = next(
                each.name for each in variables if each.question is not variables[0].question
            )

    @property
    def percentages(self) -> str:
        """What the percentages are of, in words."""
        return next(str(each.label) for each in self.of.choices if each.value == self.of.data)

    @property
    def wanted(self) -> list[str]:
        return [each.data for each in (self.rows, self.columns, self.layers) if each.data]
