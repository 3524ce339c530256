"""Bytes to text, in blocks of whole lines.

The encoding is recognised by a byte order mark; without one the text is read as UTF-8 until a byte is invalid. If only
ASCII came before that byte, the rest is read as Windows-1252. Otherwise the file is damaged UTF-8 and is refused,
because another encoding would garble the names that were right. Text with bytes that Windows-1252 leaves undefined, or
with words of no Western European language, is in another encoding. It is also refused, and the user names the encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

from core.base.errors import InputError, LimitError, ParameterError
from core.base.errors import shown_name as shown
from core.data.reading.delimiter import SAMPLE
from core.data.tables.input_limits import InputLimits

BLOCK = 1 << 22

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with byte order mark"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),  # before UTF-16, whose mark begins the same
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
SURROGATE = re.compile(r"[\ud800-\udfff]")
MARKUP = ("<!doctype html", "<html", "<?xml")

NO_CHARACTER = "\x81\x8d\x8f\x90\x9d"
"""Bytes that Windows-1252 leaves undefined."""
WINDOWS_1252 = "".join(
    chr(byte) if chr(byte) in NO_CHARACTER else bytes([byte]).decode("cp1252") for byte in range(256)
)
_WORD = re.compile(r"[A-Za-z\x80-\U0010ffff]*[\x80-\U0010ffff][A-Za-z\x80-\U0010ffff]*")
_SIGNS = "“”„«»…¿¡°ºª†§®™©²³"
"""Characters that occur alone or at the ends of a word."""
_ALONE = "€£¥¢½¼¾±×"
"""Characters that occur next to digits, but rarely next to a letter."""
_APART = re.compile("[’‘´–—·\xa0]")
"""Characters between words, and between the parts of one."""
_RARE = "ŠšŽžŸƒ"
"""Letters of Windows-1252 that are rare in Western Europe; in other encodings their bytes are common."""
ODD_WORDS = 0.3
"""Largest share of strange words among those with an accented letter."""


def looks_western(text: str) -> bool:
    """Whether non-ASCII words look like a Western European language; O(length).

    A strange word has a sign between letters, an accented capital after another letter, or hardly any ASCII letter.
    """
    words = [word for run in _WORD.findall(text) for word in _APART.split(run) if not word.isascii()]
    return sum(map(_is_strange, words)) <= ODD_WORDS * len(words)


def _is_strange(word: str) -> bool:
    letters = word.strip(_SIGNS)
    if not letters.strip(_ALONE):
        return len(word) > 2
    accented = [letter for letter in letters if not letter.isascii()]
    capital = any(letter.isupper() and not letter.isascii() for letter in letters[1:]) and not letters.isupper()
    crowded = len(accented) > 1 and 2 * len(accented) > len(letters)
    return not letters.isalpha() or capital or crowded or any(letter in _RARE for letter in accented)


def count_lines(text: str) -> int:
    r"""Count line ends: ``\n``, ``\r\n`` and ``\r``."""
    return text.count("\n") + text.count("\r") - text.count("\r\n") if "\r" in text else text.count("\n")


class TextBlocks:
    """Iterates over the text of a file in blocks that end with a line.

    Parameters
    ----------
    read
        Returns the requested number of next bytes, fewer only at the end.
    encoding
        Name of a codec; detected by default.
    limits
        A line longer than a whole row may be is refused before it fills the memory.

    Raises
    ------
    InputError, LimitError
        While iterating: if the file is not text, not in that encoding, or a line does not end.
    ParameterError
        If there is no such encoding.
    """

    def __init__(self, read: Callable[[int], bytes], encoding: str | None, limits: InputLimits) -> None:
        self.label = "UTF-8"
        self.notes: list[str] = []
        self._read, self._max_line = read, limits.columns * (limits.cell + 3)
        self._codec = _codec(encoding) if encoding is not None else None
        self._guess = encoding is None
        self._fallback = False
        self._ascii = True
        self._lines = 0  # line ends in the blocks handed out
        self._rest = ""  # the line that is not complete yet

    def __iter__(self) -> Iterator[str]:
        """Yield blocks of text, each ending with a line end, except perhaps the last."""
        data = self._read(BLOCK)
        decoder = self._start(data)
        first = True
        while True:
            last = len(data) < BLOCK
            text = self._decode(decoder, data, last)
            self._check_block(text)
            if first:
                text = text.removeprefix("\ufeff")
                self._check_sample(text[:SAMPLE])
            first, text = False, self._rest + text
            # A carriage return at the very end may be half of a line end: leave it for later.
            cut = len(text) if last else max(text.rfind("\n"), text.rfind("\r", 0, -1)) + 1
            self._rest = text[cut:]
            self._lines += count_lines(text[:cut])
            if len(self._rest) > self._max_line:
                raise LimitError(
                    f"Line {self._lines + 1:,} is longer than {self._max_line:,} characters, the most that is "
                    "accepted; is this a text file with one record per line?"
                )
            if cut:
                yield text[:cut]
            if last:
                return
            data = self._read(BLOCK)

    def _start(self, head: bytes) -> codecs.IncrementalDecoder:
        codec = self._codec
        if codec is None:
            codec, self.label = "utf-8", "UTF-8"
            for mark, name, label in BYTE_ORDER_MARKS:
                if head.startswith(mark):
                    codec, self.label, self._guess = name, label, False
                    break
        else:
            self.label = codec.upper()
        self._codec = codec
        return codecs.getincrementaldecoder(codec)()

    def _decode(self, decoder: codecs.IncrementalDecoder, data: bytes, last: bool) -> str:
        if self._fallback:
            return self._western(data)
        try:
            text = decoder.decode(data, final=last)
            self._ascii = self._ascii and text.isascii()
            return text
        except UnicodeDecodeError as error:
            raw, at = bytes(error.object), error.start
        except UnicodeError:  # some codecs give no position
            raw, at = data, 0
        if self._guess and self._ascii and raw[:at].isascii():
            self._fallback, self.label = True, "Windows-1252"
            self.notes.append(
                "The file is not UTF-8 and was read as Windows-1252 (Western European); look at accented letters."
            )
            return self._western(raw)
        line = self._line_after(raw[:at].decode(self._codec or "utf-8", "ignore"))
        advice = "choose the encoding" if self._guess else "choose another encoding"
        raise InputError(f"Line {line:,} is not valid {self.label}; {advice}, or save the file as UTF-8.")

    def _western(self, raw: bytes) -> str:
        text = codecs.charmap_decode(raw, "strict", WINDOWS_1252)[0]
        first = next((text.index(letter) for letter in NO_CHARACTER if letter in text), None)
        if first is None and looks_western(text):
            return text
        self._check_block(text)  # data that is not text has no encoding
        self._check_sample(text[:SAMPLE])
        fault = "holds a byte that has no character in" if first is not None else "does not look like"
        where = f"Line {self._line_after(text[:first]):,}" if first is not None else "The file"
        raise InputError(
            f"{where} {fault} Windows-1252 (Western European), and the file is not UTF-8; give its encoding "
            "(--encoding), such as cp1251, gbk, cp850 or mac-roman, or save the file as UTF-8.",
            parameter="encoding",
        )

    def _line_after(self, prefix: str) -> int:
        return self._lines + count_lines(self._rest + prefix) + 1

    def _check_block(self, text: str) -> None:
        if "\0" in text:
            line = self._line_after(text[: text.index("\0")])
            raise InputError(
                f"The file is not a text file: line {line:,} holds NUL bytes. Load CSV, TSV, Parquet or Excel; "
                "if it is UTF-16 without a byte order mark, choose the encoding utf-16-le."
            )
        odd = None if text.isascii() else SURROGATE.search(text)  # codecs such as UTF-7 can produce these
        if odd:
            raise InputError(
                f"Line {self._line_after(text[: odd.start()]):,} holds half of a character, which cannot be written "
                f"to a file; is {self.label} the right encoding?"
            )

    def _check_sample(self, sample: str) -> None:
        if len(CONTROL.findall(sample)) > max(8, len(sample) // 100):
            raise InputError(
                "The file is not a text file: it is full of control characters. Load CSV, TSV, Parquet or Excel."
            )
        if sample[:200].lstrip().lower().startswith(MARKUP):
            raise InputError("The file is a web page or XML, not a table; open it in a spreadsheet and save it as CSV.")


def _codec(encoding: str) -> str:
    known = False
    try:
        codecs.getincrementaldecoder(encoding)
        b" ".decode(encoding)  # unlike the lookup this refuses codecs that do not give text
        known = True
    except UnicodeError:
        known = True
    except (LookupError, ValueError, TypeError):
        pass
    if not known:
        raise ParameterError(
            f"There is no text encoding {shown(str(encoding))}; try utf-8, cp1252 or utf-16.", parameter="encoding"
        )
    return codecs.lookup(encoding).name
