"""Tables that researchers download, for several test modules."""

import csv
import io


def table(researcher, name):
    text = researcher.client.get(f"/admin/surveys/health/{name}").get_data(as_text=True)
    return list(csv.DictReader(io.StringIO(text)))
