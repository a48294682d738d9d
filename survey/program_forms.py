"""Forms about other programs: tokens of the API, and whom to tell of thresholds."""

from flask_wtf import FlaskForm
from wtforms import StringField
from wtforms.validators import InputRequired, Length, NumberRange

from .forms import WholeNumberField
from .people_forms import own_password
from .tokens import DAYS, MOST_DAYS, MOST_LETTERS
from .webhooks import LONGEST_ADDRESS


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
