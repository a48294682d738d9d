"""A ZIP file of invitations: a list, printable slips, and QR codes.

The codes are drawn here, shown once, and stored only as hashes, so nobody can look them up later.
The hashes are stored last, so that a failure before leaves no issued codes that nobody has seen.
The ZIP file is made in memory, and sent or written once. Its files have no time, and are in the
order in which the codes were drawn, which is random.
"""

import csv
import io
import secrets
import zipfile
from collections.abc import Sequence
from typing import Any

from flask import current_app, render_template

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import (
    RANDOM_BYTES,
    code_from,
    code_in_groups,
    link,
    token_hash,
)
from survey.definition.survey import Survey
from survey.store.stored import not_opened
from survey.web.extensions import store
from survey.web.i18n import render_in

# The columns of invitations.csv: each with its unit or format, and a sentence. `make reference`
# writes them into docs/reference/csv-columns.md.
INVITATION_FIELDS = {
    "code": ("26 characters", "The single-use code, without spaces and hyphens."),
    "link": ("address", "Link to the survey that contains the code."),
}
# The earliest time that a ZIP file can have.
NO_TIME = (1980, 1, 1, 0, 0, 0)
# The white border around a QR code, as its standard requires.
QUIET_ZONE_MODULES = 4


def make_invitation_zip(slug: str, count: int) -> bytes:
    """Create `count` invitations to a survey, as a ZIP file: invitations.csv, slips.html, and
    qr/CODE.svg for each. CODE is the first six characters of the code, or more if two codes begin
    alike. Raises UnknownSurvey, and StateError if the survey needs no invitations."""
    stored = store().surveys.by_slug(slug)
    if stored.frozen is None:
        raise not_opened(slug)
    if not stored.survey.fieldwork.invitations:
        raise StateError("Survey '%(slug)s' needs no invitations. Share its link.", slug=slug)
    codes = [code_from(secrets.token_bytes(RANDOM_BYTES)) for _ in range(count)]
    url = current_app.config["CANDOR_URL"]
    links = [link(url, slug, code) for code in codes]
    symbols = [qr_symbol(each) for each in links]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([tuple(INVITATION_FIELDS), *zip(codes, links, strict=True)])
    contents: dict[str, str | bytes] = {
        "invitations.csv": text.getvalue(),
        "slips.html": slips_page(stored.survey, codes, symbols, url),
    }
    for name, symbol in zip(short_names(codes), symbols, strict=True):
        svg = io.BytesIO()
        symbol.save(svg, kind="svg", border=QUIET_ZONE_MODULES, scale=4)
        contents[f"qr/{name}.svg"] = svg.getvalue()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in contents.items():
            file.writestr(zipfile.ZipInfo(name, NO_TIME), content, zipfile.ZIP_DEFLATED)
    store().invitations.add_invitations(slug, map(token_hash, codes))
    return buffer.getvalue()


def qr_symbol(text: str) -> Any:
    """A QR code with this text, as a segno object."""
    import segno

    return segno.make(text, micro=False)


def slips_page(survey: Survey, codes: Sequence[str], symbols: Sequence[Any], url: str) -> str:
    """A page to print, in the survey's main language. It loads no other files."""
    slips = [(code_in_groups(code), symbol) for code, symbol in zip(codes, symbols, strict=True)]
    address = f"{url}/s/{survey.slug}"
    with render_in(survey.language):
        return render_template("invitation_slips.html", survey=survey, slips=slips, address=address)


def short_names(codes: Sequence[str]) -> list[str]:
    """The first six characters of each code, or as many as make it unique."""
    names = list[str]()
    for code in codes:
        length = 6
        while sum(other.startswith(code[:length]) for other in codes) > 1:
            length += 1
        names.append(code[:length])
    return names
