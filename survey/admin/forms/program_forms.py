"""Forms of API tokens and webhooks."""

from wtforms import StringField
from wtforms.validators import InputRequired, Length, NumberRange

from survey.admin.forms.people_forms import own_password
from survey.admin.forms.survey_form import WholeNumberField
from survey.core.translate import later
from survey.server.webhooks.messages import MAX_URL_CHARACTERS
from survey.web.api_tokens import DEFAULT_TOKEN_DAYS, MAX_LABEL_CHARACTERS, MAX_TOKEN_DAYS
from survey.web.form_fields import PostForm


class TokenForm(PostForm):
    label = StringField(
        later("Name of the token"),
        [
            InputRequired(later("Type a name, so that you know later which token to revoke.")),
            Length(max=MAX_LABEL_CHARACTERS),
        ],
    )
    days = WholeNumberField(
        f"Days until the token expires (1 to {MAX_TOKEN_DAYS})",
        [
            InputRequired(later("Type a number of days.")),
            NumberRange(1, MAX_TOKEN_DAYS, f"Type a number from 1 to {MAX_TOKEN_DAYS}."),
        ],
        default=DEFAULT_TOKEN_DAYS,
    )
    own = own_password()


class WebhookForm(PostForm):
    url = StringField(
        "URL",
        [InputRequired(later("Type the URL of the program.")), Length(max=MAX_URL_CHARACTERS)],
    )
    thresholds = StringField(
        later("Numbers of responses"),
        [InputRequired(later("Type one or more numbers.")), Length(max=200)],
    )
