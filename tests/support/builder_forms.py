"""Forms of the builder, read from its pages and filled in."""

import json
import re
from html.parser import HTMLParser

QUESTION_FIELDS = {
    "label": "Do you smoke?", "hint": "", "name": "smokes", "type": "yes_no", "choices": "",
    "min": "", "max": "", "step": "1", "unit": "", "relevant": "", "otherwise": "",
    "privacy": "coin_flip", "gamma": "0.25", "epsilon": "1", "other": "",
}  # fmt: skip
SURVEY_FIELDS = {
    "title": "Health", "slug": "", "language": "en", "introduction": "", "budget": "", "sample": "",
    "level": "",
    "asked_by": "", "contact": "", "minutes": "", "support": "", "layout": "all_on_one_page",
    "exit": "", "series": "", "translations": "",
}  # fmt: skip


def filled(*questions, do="close", **change):
    """A form of the builder, by default with one question about smoking and a coin flip.

    An unticked box is not sent, as in a browser.
    """
    survey = {key: change.pop(key, value) for key, value in SURVEY_FIELDS.items()}
    for number, question in enumerate(questions or [change]):
        fields = QUESTION_FIELDS | question
        survey |= {f"questions-{number}-{key}": value for key, value in fields.items()}
    return {**survey, "do": do}


def hidden(researcher, path, name):
    """The value of a hidden field on a page."""
    page = researcher.client.get(path).get_data(as_text=True)
    return re.search(rf'name="{name}"[^>]*value="([^"]+)"', page)[1]


def sent_again(researcher, path):
    """The fields that a browser sends from the untouched form of a page."""
    form = Form()
    form.feed(researcher.client.get(path).get_data(as_text=True))
    return form.fields | {"do": "save"}


class Form(HTMLParser):
    """The fields of the page's longest form, as a browser reads them.

    The builder's scripts make the fields of its questions from the page's data.
    """

    def __init__(self):
        super().__init__()
        self.fields, self.select, self.area, self.live = {}, None, None, True
        self.scripted = False

    def handle_starttag(self, tag, attributes):
        field = dict(attributes)
        self.scripted = field.get("id") == "scripted"
        if tag == "template":  # The content of a template is on no page yet.
            self.live = False
        if not self.live or (tag in ("select", "textarea") and "name" not in field):
            self.select = None
        elif tag == "input" and "name" in field and field.get("type") != "submit":
            if field.get("type") != "checkbox" or "checked" in field:
                self.fields[field["name"]] = field.get("value") or "y"
                if field.get("type") != "checkbox":
                    self.fields[field["name"]] = field.get("value") or ""
        elif tag == "select":
            self.select = field["name"]
        elif tag == "option" and "selected" in field and self.select:
            self.fields[self.select] = field["value"]
        elif tag == "textarea":
            self.area = field["name"]
            self.fields[self.area] = ""

    def handle_data(self, data):
        if self.area:
            self.fields[self.area] += data
        if self.scripted and data.strip():
            for number, question in enumerate(json.loads(data)["questions"]):
                for name, value in question.items():
                    if value is not False:
                        value = "y" if value is True else value
                        self.fields[f"questions-{number}-{name}"] = value

    def handle_endtag(self, tag):
        self.scripted = False
        self.live = self.live or tag == "template"
        if tag == "textarea" and self.area:
            self.fields[self.area] = self.fields[self.area].removeprefix("\r\n").strip("\n")
            self.area = None
