"""What researchers hand out: a ZIP with invitations as a list, as printable slips, as QR codes.

It is made in memory and sent or written once. The files carry no time, and lie in the order in
which the codes were drawn, which is random.
"""

import csv
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from flask import render_template
from flask_babel import force_locale

from survey.definition.responses.invitation_codes import code_in_groups, link
from survey.definition.survey import Survey

NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP can say
QUIET_ZONE_MODULES = 4  # modules of white around a QR code, as the standard asks for


def qr_symbol(text: str) -> Any:
    """A QR code that holds this text, as segno has it."""
    import segno

    return segno.make(text, micro=False)


def pack_invitations(survey: Survey, codes: Sequence[str], url: str) -> bytes:
    """The ZIP: invitations.csv, slips.html, qr/CODE.svg for each by the code's first six
    characters, or more where two begin alike."""
    symbols = {code: qr_symbol(link(url, survey.slug, code)) for code in codes}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:

        def add(name: str, content: str | bytes) -> None:
            entry = zipfile.ZipInfo(name, NO_TIME)
            file.writestr(entry, content, zipfile.ZIP_DEFLATED)

        add("invitations.csv", as_csv(survey, codes, url))
        add("slips.html", as_slips(survey, symbols, url))
        for name, code in zip(short_names(codes), codes, strict=True):
            svg = io.BytesIO()
            symbols[code].save(svg, kind="svg", border=QUIET_ZONE_MODULES, scale=4)
            add(f"qr/{name}.svg", svg.getvalue())
    return buffer.getvalue()


def as_csv(survey: Survey, codes: Sequence[str], url: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["code", "link"])
    writer.writerows([code, link(url, survey.slug, code)] for code in codes)
    return text.getvalue()


def as_slips(survey: Survey, symbols: dict[str, Any], url: str) -> str:
    """A page for the printer, in the survey's main language; it loads nothing."""
    slips = [(code_in_groups(code), symbol) for code, symbol in symbols.items()]
    address = f"{url}/s/{survey.slug}"
    with force_locale(survey.language):
        return render_template("invitation_slips.html", survey=survey, slips=slips, address=address)


def short_names(codes: Sequence[str]) -> list[str]:
    """The first six characters of each code, or as many as tell it from all others."""
    names = list[str]()
    for code in codes:
        length = 6
        while sum(other.startswith(code[:length]) for other in codes) > 1:
            length += 1
        names.append(code[:length])
    return names
