"""The large bodies of events in a journal's SQLite file, each once, under its hash.

Owns how they are laid out: those of middle size are compressed where that pays, with a window that is small enough to
take some 15 microseconds for a result of 2 KB; beside them stands how many bytes they had. Small ones, images and what
is very large are kept as they are. Hashes are always of the content itself. Whoever calls has the connection.
"""

import sqlite3
import zlib

LEAST, MOST = 512, 262_144
"""Bytes from which on, and up to which, a content is compressed."""
_PAYS = 0.9
_SMALL = 16_384

_INSERT = "INSERT OR IGNORE INTO bodies (hash, content, size) VALUES (?, ?, ?)"
# Whoever edits a journal by hand may leave text where bytes were; an audit must get as far as saying so.
_BODY = "SELECT CAST(content AS BLOB), CAST(size AS INTEGER) FROM bodies WHERE hash = ?"


def store(connection: sqlite3.Connection, name: str, content: bytes) -> None:
    """Keep a content, unless it is there."""
    connection.execute(_INSERT, (bytes.fromhex(name), *_shrunk(content)))


def find(connection: sqlite3.Connection, name: str) -> bytes | None:
    """The content of a hash; None where it is not here."""
    found: tuple[bytes, int] | None = connection.execute(_BODY, (_key(name),)).fetchone()
    return _grown(*found) if found else None


def is_stored(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the content of a hash is here."""
    return connection.execute("SELECT 1 FROM bodies WHERE hash = ?", (_key(name),)).fetchone() is not None


def _shrunk(content: bytes) -> tuple[bytes, int]:
    """What is stored, and the size before; 0 where it is the content itself."""
    if not LEAST <= len(content) <= MOST:
        return content, 0
    window, memory = (12, 5) if len(content) <= _SMALL else (15, 8)
    compressor = zlib.compressobj(1, zlib.DEFLATED, window, memory)
    less = compressor.compress(content) + compressor.flush()
    return (less, len(content)) if len(less) <= _PAYS * len(content) else (content, 0)


def _grown(stored: bytes, size: int) -> bytes:
    """The content; where what is stored was damaged, something that does not fit its hash."""
    if size <= 0:
        return stored
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(stored, size + 1)  # one more, so that it looks at its own sum behind the last
    except zlib.error:
        return stored
    return content if decompressor.eof and not decompressor.unused_data else stored


def _key(name: str) -> bytes:
    """The key of a body; for a name that is no hash, one that nothing has."""
    try:
        return bytes.fromhex(name)
    except ValueError:
        return b""
