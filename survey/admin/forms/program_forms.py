"""Forms about other programs: tokens of the API, and whom to tell of thresholds."""

from flask_wtf import FlaskForm
from wtforms import StringField
from wtforms.validators import InputRequired, Length, NumberRange

from survey.admin.forms.people_forms import own_password
from survey.admin.forms.survey_form import WholeNumberField
from survey.server.webhooks.messages import MAX_URL_CHARACTERS
from survey.web.api_tokens import DEFAULT_TOKEN_DAYS, MAX_LABEL_CHARACTERS, MAX_TOKEN_DAYS


class TokenForm(FlaskForm):
    label = StringField(
        "What it is for",
        [
            InputRequired("Say what it is for, so that you know later which one to revoke."),
            Length(
                max=MAX_LABEL_CHARACTERS, message=f"Use at most {MAX_LABEL_CHARACTERS} letters."
            ),
        ],
    )
    days = WholeNumberField(
        f"Good for how many days (1 to {MAX_TOKEN_DAYS})",
        [InputRequired("Say for how many days."), NumberRange(1, MAX_TOKEN_DAYS)],
        default=DEFAULT_TOKEN_DAYS,
    )
    own = own_password()


class WebhookForm(FlaskForm):
    url = StringField(
        "Address",
        [InputRequired("Type the address of the program."), Length(max=MAX_URL_CHARACTERS)],
    )
    thresholds = StringField(
        "Numbers of responses", [InputRequired("Type a number, or several."), Length(max=200)]
    )
