"""The ZIP of invitations: its list, slips and QR codes."""

import csv
import io
import re
from xml.etree import ElementTree

import pytest

from survey.definition.responses.invitation_codes import canonical_code
from tests.support.definitions import definition, opened
from tests.support.invitations import INVITED, made, response, unpacked

pytestmark = pytest.mark.both_stores


TITLE = 'Sức khỏe & "việc" <b>'


def test_a_zip_has_a_list_slips_and_a_qr_code_for_each(store, researcher):
    opened(store, definition(invitations=True, title=TITLE, language="vi"))
    reply = made(researcher, 40)
    assert (reply.status_code, reply.mimetype) == (200, "application/zip")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="health-invitations.zip"'
    files = unpacked(reply.data)
    header, *rows = csv.reader(io.StringIO(files.pop("invitations.csv"), newline=""))
    assert header == ["code", "link"]
    given_out = [code for code, _ in rows]
    assert len(set(given_out)) == 40
    assert given_out != sorted(given_out)
    for code, address in rows:
        assert canonical_code(code) == code
        assert address == f"http://127.0.0.1:8000/s/health#{code}"
    slips = files.pop("slips.html")
    assert '<html lang="vi">' in slips
    assert slips.count("Sức khỏe &amp; &#34;việc&#34; &lt;b&gt;") == 41  # and the page title
    printed = re.findall(r'"code".*?>(.*?)</p>', slips)
    assert [each.replace(" ", "") for each in printed] == given_out
    assert slips.count("<svg") == 40
    assert slips.count("<p>http://127.0.0.1:8000/s/health</p>") == 40
    # The page loads nothing.
    assert not re.search(r"\bsrc=|\bhref=|url\(|<script|@import", slips)
    assert sorted(files) == sorted(f"qr/{code[:6]}.svg" for code in given_out)
    for content in files.values():
        assert ElementTree.fromstring(content).tag.endswith("svg")
    # These codes are valid.
    assert store.invitations.issued_and_spent("health") == (40, 0)
    for number, code in enumerate(given_out):
        assert store.responses.add_response("health", response(number, code))
    assert store.invitations.issued_and_spent("health") == (40, 40)


def test_a_qr_code_reads_as_its_link(store, researcher, browser):
    """The browser's own reader reads it if there is one; else the squares are compared."""
    import segno

    opened(store, INVITED)
    files = unpacked(made(researcher, 1).data)
    [[_, address]] = list(csv.reader(io.StringIO(files["invitations.csv"])))[1:]
    [picture] = [content for name, content in files.items() if name.startswith("qr/")]
    symbol = segno.make(address, micro=False)
    size = symbol.symbol_size(border=4)[0]
    page = browser.new_page(viewport={"width": size * 4, "height": size * 4})
    page.set_content(
        f"<style>body{{margin:0;background:#fff}}svg{{display:block}}</style>{picture}"
    )
    dark = page.evaluate(
        """async (size) => {
          const svg = new XMLSerializer().serializeToString(document.querySelector('svg'));
          const image = new Image();
          image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
          await image.decode();
          const canvas = document.createElement('canvas');
          canvas.width = canvas.height = size * 4;
          const context = canvas.getContext('2d');
          context.fillStyle = '#fff';
          context.fillRect(0, 0, size * 4, size * 4);
          context.drawImage(image, 0, 0, size * 4, size * 4);
          const lit = (x, y) => context.getImageData(x * 4 + 2, y * 4 + 2, 1, 1).data[0] < 128;
          return [...Array(size).keys()].map((y) => [...Array(size).keys()].map((x) => lit(x, y)));
        }""",
        size,
    )
    page.close()
    assert dark == [[bool(module) for module in row] for row in symbol.matrix_iter(border=4)]


def test_short_names_that_begin_alike_are_told_apart():
    from survey.web.invitation_zip import short_names

    assert short_names(["ABCDEF11", "ABCDEF12", "XBCDEF11"]) == ["ABCDEF11", "ABCDEF12", "XBCDEF"]
