"""Files for commands that read them."""

import json


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)
