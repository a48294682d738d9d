"""Forms of API tokens and webhooks."""

from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, StringField
from wtforms.validators import InputRequired, Length, ValidationError

from survey.admin.forms.people_forms import own_password
from survey.admin.forms.survey_form import WholeNumberField
from survey.core.translate import later, translate
from survey.server.webhooks.messages import MAX_URL_CHARACTERS
from survey.web.api_tokens import DEFAULT_TOKEN_DAYS, MAX_LABEL_CHARACTERS, MAX_TOKEN_DAYS
from survey.web.form_fields import PostForm, number_between


def short_label(_form: FlaskForm, field: Field) -> None:
    if len(field.data or "") > MAX_LABEL_CHARACTERS:
        raise ValidationError(translate("Use at most %(n)s characters.", n=MAX_LABEL_CHARACTERS))


class TokenForm(PostForm):
    label = StringField(
        later("Name of the token"),
        [
            InputRequired(later("Type a name, so that you know later which token to revoke.")),
            short_label,
        ],
    )
    days = WholeNumberField(
        validators=[
            InputRequired(later("Type a number of days.")),
            number_between(1, MAX_TOKEN_DAYS, "whole number"),
        ],
        default=DEFAULT_TOKEN_DAYS,
    )
    own = own_password()

    def __init__(self, **rest: Any):
        super().__init__(**rest)
        self.days.label.text = translate(
            "Days until the token expires (1 to %(most)s)", most=MAX_TOKEN_DAYS
        )


class WebhookForm(PostForm):
    url = StringField(
        "URL",
        [InputRequired(later("Type the URL of the program.")), Length(max=MAX_URL_CHARACTERS)],
    )
    thresholds = StringField(
        later("Numbers of responses"),
        [InputRequired(later("Type one or more numbers.")), Length(max=200)],
    )
