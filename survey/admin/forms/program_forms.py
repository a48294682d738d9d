"""Forms about other programs: tokens of the API, and whom to tell of thresholds."""

from flask_wtf import FlaskForm
from wtforms import StringField
from wtforms.validators import InputRequired, Length, NumberRange

from survey.admin.forms.people_forms import own_password
from survey.admin.forms.survey_form import WholeNumberField
from survey.server.webhooks.messages import LONGEST_ADDRESS
from survey.web.api_tokens import DAYS, MOST_DAYS, MOST_LETTERS


class TokenForm(FlaskForm):
    label = StringField(
        "What it is for",
        [
            InputRequired("Say what it is for, so that you know later which one to revoke."),
            Length(max=MOST_LETTERS, message=f"Use at most {MOST_LETTERS} letters."),
        ],
    )
    days = WholeNumberField(
        f"Good for how many days (1 to {MOST_DAYS})",
        [InputRequired("Say for how many days."), NumberRange(1, MOST_DAYS)],
        default=DAYS,
    )
    own = own_password()


class WebhookForm(FlaskForm):
    url = StringField(
        "Address",
        [InputRequired("Type the address of the program."), Length(max=LONGEST_ADDRESS)],
    )
    thresholds = StringField(
        "Numbers of responses", [InputRequired("Type a number, or several."), Length(max=200)]
    )
