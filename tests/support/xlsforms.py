"""Three forms in the style of public ones, as rows. They are no real surveys."""

import io
import zipfile

from openpyxl import Workbook

ENGLISH, FRENCH, VIETNAMESE = "English (en)", "Français (fr)", "Tiếng Việt (vi)"


def table(*rows: tuple) -> list[dict]:
    """Rows with the columns that the first row names."""
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]


def listed(name: str, *choices: tuple) -> list[tuple]:
    return [(name, *choice) for choice in choices]


def workbook(sheets: dict[str, list[dict]]) -> bytes:
    """The form as spreadsheet programs save it."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        sheet.append(columns)
        for row in rows:
            sheet.append([row.get(column) for column in columns])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


HOUSEHOLD = {
    "survey": table(
        ("type", "name", "label", "hint", "required", "relevant", "constraint",
         "constraint_message", "appearance", "calculation", "default", "repeat_count"),
        ("start", "start"),
        ("deviceid", "deviceid"),
        ("note", "welcome", "Good morning. We ask about this household."),
        ("text", "Enumerator.Name", "Name of the enumerator", None, "yes"),
        ("geopoint", "gps", "Where is the house?"),
        ("begin_group", "household", "The household", None, None, None, None, None, "field-list"),
        ("integer", "hh_size", "How many people live here?", "Count children too.", "yes", None,
         ". > 0 and . <= 30", "Between 1 and 30"),
        ("select_one water", "water", "Where does drinking water come from?", None, "yes", None,
         None, None, "minimal"),
        ("text", "water_other", "Where else?", None, None, "${water} = 'other'"),
        ("integer", "minutes", "Minutes to fetch it?", None, "yes",
         "${water} != 'piped' and ${hh_size} >= 2", ". >= 0"),
        ("begin_repeat", "member", "Each member", None, None, None, None, None, None, None, None,
         "${hh_size}"),
        ("text", "member_name", "Name of member"),
        ("integer", "member_age", "Age of member"),
        ("end_repeat",),
        ("end_group",),
        ("select_multiple assets", "assets", "Which of these does the household own?"),
        ("decimal", "land", "How many hectares of land?", None, "yes",
         "selected(${assets}, 'land') or selected(${assets}, '1')", ". >= 0 and . <= 50"),
        ("calculate", "per_head", None, None, None, None, None, None, None, "${land} div 2"),
        ("date", "visited", "Date of the visit", None, "yes", None, ". <= today()"),
        ("select_one yes_no", "again", "May we come again?", None, "yes", None, None, None, None,
         None, "yes"),
        ("end", "end"),
    ),
    "choices": table(
        ("list_name", "name", "label"),
        *listed("water", ("piped", "Piped"), ("well", "Well"), ("other", "Other")),
        *listed("assets", (1, "Radio"), (2, "Bicycle"), ("land", "Land")),
        *listed("yes_no", ("yes", "Yes"), ("no", "No")),
    ),
    "settings": table(
        ("form_title", "form_id", "version"),
        ("Household survey 2026", "HH_Survey_2026", 2026110101),
    ),
}  # fmt: skip
HEALTH = {
    "survey": table(
        ("type", "name", f"label::{ENGLISH}", f"label::{FRENCH}", f"label::{VIETNAMESE}",
         f"hint::{ENGLISH}", f"hint::{VIETNAMESE}", "required", "relevant", "constraint",
         "choice_filter", "media::image", "parameters", "privacy::mechanism", "privacy::epsilon",
         "privacy::gamma", "privacy::goal", "candor::prefer_not_to_say"),
        ("select_one consent", "consent", "Do you agree to take part?", "Acceptez-vous ?",
         "Bạn đồng ý tham gia không?", None, None, "yes", None, None, None, None, None, "none"),
        ("begin group", "knowledge", "Knowledge", "Connaissances", "Kiến thức", None, None, None,
         "${consent} = 'agree'"),
        ("select_multiple ways", "ways", "How can HIV be passed on?", "Comment ?",
         "HIV lây qua đường nào?", "Tick all that apply.", "Chọn tất cả.", None, None, None, None,
         None, "randomize=true", "none"),
        ("range", "risk", "How large is your own risk?", None, "Nguy cơ của bạn?", None, None,
         "yes", None, None, None, None, "start=0 end=10 step=1", "none"),
        ("end group", None),
        ("select_one yes_no_dk", "tested", "Have you ever been tested?", "Testé ?",
         "Bạn đã xét nghiệm chưa?", None, None, "yes", None, None, None, None, None, None, 1.5),
        ("select_one yn", "injects", "Have you ever injected drugs?", "Injecté ?",
         "Bạn từng tiêm chích chưa?", "Ever, even once.", "Dù chỉ một lần.", "yes", None, None,
         None, "syringe.png", None, "randomized_response", None, 0.3),
        ("select_multiple practice", "practice", "In the last month, which of these?", None,
         "Trong tháng qua?", None, None, None,
         "${injects} = 'yes' and not(${tested} = 'dk')", None, "age > 17", None, None, None, 2),
        ("integer", "partners", "How many partners in the last year?", "Combien ?",
         "Bao nhiêu bạn tình?", None, None, "yes", None, ". >= 0 and . < 51", None, None, None,
         None, 1, None, "mean", "yes"),
        ("text", "comment", "Anything else?", None, "Còn gì nữa không?", None, None, None,
         "${injects} = 'no'"),
    ),
    "choices": table(
        ("list_name", "name", f"label::{ENGLISH}", f"label::{FRENCH}", f"label::{VIETNAMESE}",
         "region"),
        *listed("consent", ("agree", "I agree", "Oui", "Tôi đồng ý"),
                ("disagree", "I do not agree", "Non", "Tôi không đồng ý")),
        *listed("ways", ("sex", "Unprotected sex", None, "Quan hệ không an toàn", "all"),
                ("needle", "Shared needles", None, "Dùng chung kim"),
                ("kiss", "Kissing", None, "Hôn")),
        *listed("yes_no_dk", ("yes", "Yes", "Oui", "Có"), ("no", "No", "Non", "Không"),
                ("dk", "I do not know", "Ne sait pas", "Không biết"),
                ("prefer_not_to_say", "Refused", "Refus", "Từ chối")),
        *listed("yn", ("yes", "Yes", "Oui", "Có"), ("no", "No", "Non", "Không")),
        *listed("practice", ("share", "Shared a needle", None, "Dùng chung kim"),
                ("condom", "Sex without a condom", None, "Không dùng bao cao su"),
                ("none", "None of these", None, "Không có")),
    ),
    "settings": table(
        ("form_title", "form_id", "default_language", "style", "candor::introduction",
         f"candor::title::{VIETNAMESE}", f"candor::introduction::{VIETNAMESE}",
         "candor::asked_by", "candor::budget", "candor::minutes", "candor::receipts",
         "allow_choice_duplicates"),
        ("Knowledge, attitudes, practice", "kap", ENGLISH, "pages", "We ask about **health**.",
         "Kiến thức, thái độ, hành vi", "Chúng tôi hỏi về **sức khỏe**.", "A clinic", 9, 10, "yes",
         "no"),
    ),
}  # fmt: skip
EXIT = {
    "survey": table(
        ("type", "name", "label", "hint", "required", "relevance", "appearance",
         "garbling::answer", "garbling::rate", "garbling::covariate", "bind::constraint"),
        ("begin_group", "visit", "Your visit"),
        ("select_one agree", "clean", "The rooms were clean.", None, "yes", None, "likert"),
        ("select_one agree", "wait", "I was seen in good time.", None, "true()", None, "w4 likert"),
        ("select_one reason or_other", "reason", "Why did you come?", None, "yes", None,
         "horizontal"),
        ("begin_group", "again", None, None, None, "${clean} = 1 or ${clean} = 2"),
        ("select_one Yes-No", "return", "Would you come again?", "Be honest.", "yes",
         "not(${reason} = 'check up')"),
        ("end_group", None),
        ("end_group", None),
        ("select_one YN", "harassed", "Did staff ever harass you?", None, "yes", None, None, "1",
         0.4, "*"),
        ("select_one YN", "paid", "Were you asked for a bribe?", None, "yes", None, None, "1",
         0.2),
        ("text", "who", "Who was it?", None, None, "${harassed} = 1"),
        ("integer", "age", "How old are you?", None, "yes", None, None, None, None, None,
         ". >= 18 and . <= 110"),
        ("acknowledge", "thanks", "Thank you."),
    ),
    "choices": table(
        ("list name", "name", "label"),
        *listed("agree", (1, "Strongly agree"), (2, "Agree"), (3, "Disagree"),
                (4, "Strongly disagree")),
        *listed("reason", ("check up", "Check-up"), ("ill", "Illness"), ("-99", "Illness")),
        *listed("Yes-No", ("yes", "Certainly"), ("no", "No")),
        *listed("YN", (1, "Yes"), (0, "No")),
    ),
    "settings": table(("form_title", "form_id"), ("Exit interview", "exit-interview")),
    "Read me": table(("About",), ("Version of May",)),
}  # fmt: skip


def repacked(content: bytes, **parts: bytes) -> bytes:
    """A workbook with some of its parts replaced."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", 8) as new:
        for name in old.namelist():
            part = next((v for k, v in parts.items() if name.endswith(k + ".xml")), None)
            new.writestr(name, old.read(name) if part is None else part)
    return changed.getvalue()


SMALL = workbook({"survey": table(("type", "name", "label"), ("text", "q", "?"))})
