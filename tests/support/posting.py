"""Responses posted one by one."""

import json
from contextlib import closing
from http.client import HTTPConnection

PATH = "/s/health/responses"


def post(port: int, body: bytes) -> tuple[int, dict[str, str]]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST", PATH, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
