"""An HTML document as its tags, attributes and texts."""

from __future__ import annotations

from html.parser import HTMLParser


class Parsed(HTMLParser):
    """Tags, attributes and texts of a document, the texts of pictures and styles apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"svg", "style", "head"} & set(self.open):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)
