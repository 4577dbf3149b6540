"""Takes a key out of the bytes of a reply, before anybody reads, shows or keeps them.

Owns the search over the borders of pieces. Some servers repeat the key that they got, in an error with status 200 or in
the middle of a stream.
"""

from urllib.parse import quote

from loopwright.engine.ports import Feed
from loopwright.protocols.keys import MASK

LEAST = 8
"""Characters of a key that is looked for."""
PLACEHOLDERS = frozenset(
    {"lm-studio", "not-needed", "no-key-required", "sk-no-key-required", "no-api-key", "dummy-key"}
)
"""What is written as the key for servers that want none: words that a reply may hold for good reason."""


def is_secret(key: str) -> bool:
    """Whether a key is one: not a placeholder, and too long to be an ordinary word."""
    return len(key) >= LEAST and key not in PLACEHOLDERS


class Mask:
    """Passes bytes on to `feed`, without the key. One for each reply; call `close` after the last piece.

    A piece that ends like a key might begin is held back up to that point, until the next one or the end.
    """

    def __init__(self, key: str, feed: Feed) -> None:
        """A key of less than `LEAST` characters, and a placeholder, is no secret: then nothing is changed."""
        written = {key, quote(key, safe=""), key.replace("/", r"\/")} if is_secret(key) else set[str]()
        self._forms = sorted((form.encode() for form in written), key=len, reverse=True)
        self._feed = feed
        self._held = b""

    def __call__(self, data: bytes) -> None:
        """Pass the next piece on."""
        if not self._forms:
            self._feed(data)
            return
        data = self._masked(self._held + data)
        border = len(data) - max(_begun(data, form) for form in self._forms)
        self._held = data[border:]
        if border:
            self._feed(data[:border])

    def close(self) -> None:
        """Pass on what was held back."""
        held, self._held = self._held, b""
        if held:
            self._feed(held)

    def _masked(self, data: bytes) -> bytes:
        for form in self._forms:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data


def _begun(data: bytes, form: bytes) -> int:
    """How many bytes at the end of `data` may be the beginning of `form`."""
    place = max(0, len(data) - len(form) + 1)
    while (place := data.find(form[:1], place)) >= 0:
        if form.startswith(data[place:]):
            return len(data) - place
        place += 1
    return 0
