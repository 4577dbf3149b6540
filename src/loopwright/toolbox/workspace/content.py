"""The text of a file: its encoding, its line endings, and a page of it.

Owns the way from bytes to text and back, so that what an edit does not touch stays as it was, byte for byte.
"""

from msgspec import Struct

from loopwright.toolbox.workspace.rules import PRIVATE_KEY

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class NoText(Exception):
    """A file holds something else than text that may be shown; the text says what."""


class Text(Struct, frozen=True):
    """A file, decoded."""

    text: str
    """With the line endings that the file has, without its byte order mark."""
    mark: bytes = b""
    encoding: str = "utf-8"
    broken: int = 0
    """Characters that stand for bytes which could not be read."""
    first_broken: int = 0
    """The line of the first of them; 0 where there is none."""

    @property
    def encoded(self) -> bytes:
        """The bytes of the file."""
        return self.mark + self.text.encode(self.encoding)

    @property
    def endings(self) -> str:
        r"""The line ending that most lines have: ``\r\n`` or ``\n``."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows * 2 > self.text.count("\n") else "\n"

    @property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        lines = self.text.replace("\r\n", "\n").split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    @property
    def note(self) -> str:
        """What is odd about the text, for whoever reads it."""
        notes = [f"the file is {self.encoding.upper()}"] if self.encoding != "utf-8" else []
        if self.broken:
            notes.append(
                f"{self.broken} characters are not UTF-8, the first in line {self.first_broken}; shown as \ufffd"
            )
        if self.endings == "\r\n":
            notes.append(r"the lines end with \r\n")
        return "; ".join(notes)


def decoded(data: bytes, path: str) -> Text:
    """The text of a file: UTF-8, or what its byte order mark says.

    Raises:
        NoText: it is binary, or holds a private key
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :]
    if encoding == "utf-8" and b"\0" in body:
        raise NoText(f"{path} is not a text: it holds bytes of value 0; only texts are offered")
    try:
        text, broken = body.decode(encoding), 0
    except UnicodeDecodeError as raised:
        if encoding != "utf-8":
            raise NoText(f"{path} is not a text in {encoding.upper()}, which its first bytes say") from None
        text = body.decode("utf-8", "replace")
        broken = text.count("\ufffd") - body.count("\ufffd".encode())
        first = body.count(b"\n", 0, raised.start) + 1
        return _checked(Text(text, mark, encoding, broken, first), path)
    return _checked(Text(text, mark, encoding, broken), path)


def counted(number: int, what: str) -> str:
    """A number of things: ``1 line``, ``3 lines``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def page(text: Text, first: int, most: int, room: int, *, numbered: bool) -> tuple[str, str]:
    """Whole lines from line `first` on, at most `most` and at most `room` characters of them, and how much is left.

    A first line that is longer than the room is shown in part, and the note says so.
    """
    lines = text.lines
    shown: list[str] = []
    left = room
    for number in range(first, min(first + most, len(lines) + 1)):
        line = f"{number}\t{lines[number - 1]}" if numbered else lines[number - 1]
        left -= len(line) + 1
        if left < 0:
            break
        shown.append(line)
    if lines and not shown:
        return lines[first - 1][:room], (
            f"line {first} of {len(lines)} has {len(lines[first - 1])} characters and its first {room} are shown; "
            f"search_files shows what stands around a text in it, and first={first + 1} goes on behind it"
        )
    last = first + len(shown) - 1
    if first == 1 and last == len(lines):
        return "\n".join(shown), ""
    span = f"lines {first} to {last} of {len(lines)}"
    more = len(lines) - last
    return "\n".join(shown), f"{span}; {counted(more, 'line')} left: go on with first={last + 1}" if more else span


def _checked(text: Text, path: str) -> Text:
    if "\0" in text.text:
        raise NoText(f"{path} is not a text: it holds characters of value 0; only texts are offered")
    if PRIVATE_KEY.search(text.text):
        raise NoText(f"{path} holds a private key; such files are never read or written here")
    return text
