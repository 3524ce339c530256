"""One HTTP request to the app, with any header."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urlsplit

from tests.browser import rig


@dataclass(frozen=True)
class Answer:
    """What came back of one request."""

    status: int
    headers: Message
    body: bytes


def get(app: rig.App, path: str, **headers: str) -> Answer:
    """Send one GET request."""
    connection = http.client.HTTPConnection(urlsplit(app.url).netloc, timeout=30)
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = Answer(answer.status, answer.headers, answer.read())
    connection.close()
    return found
