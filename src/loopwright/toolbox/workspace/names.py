"""What a path may look like, before anything is opened: text only.

Owns the form of paths, and why one is refused, in words that tell a model what to write instead. Which files are there
and what they are is no part of it: a path that passes here may still lead nowhere.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterator

LONGEST = 1_000
"""Characters of a path."""
LONGEST_NAME = 255
"""Bytes of one name, which is what most file systems keep."""
DEEPEST = 32
"""Names in a path."""

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Characters that show nothing although their category is that of letters or marks."""
_BREAKING = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Categories: control, format (marks of direction, joiners), surrogate, private, unassigned, ends of lines."""
_LIKE_SEPARATORS = {
    "/": "\u2044\u2215\u2571\u29f8\uff0f",
    "\\": "\u2216\u29f5\u29f9\ufe68\uff3c",
    ".": "\u2024\u2025\u2026\ufe52\uff0e\uff61",
}
_LIKE = {character: plain for plain, alike in _LIKE_SEPARATORS.items() for character in alike}
_GREEK_LIKE_LATIN = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχ")
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?")
_ENCODED = re.compile(r"(?i)%(00|25|2e|2f|5c)")
_SHORT = re.compile(r"[^.]{1,6}~\d+(\.[^.]{0,3})?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_WORD = re.compile(r"[^\W\d_]+")
_GIVE = "give a path beneath the workspace, such as src/main.py"


def fault_in_path(path: str, root: str) -> str:
    """Why the path is refused, and what to write instead; empty where its form is fine.

    Args:
        path: as the model wrote it; ``.`` is the workspace itself
        root: the workspace's own absolute path, so that a path written out from the root of the disk can be mended
    """
    if path == ".":
        return ""
    if fault := next(_in_whole(path, root), ""):
        return f"{shown(path)} {fault}"
    return next(_in_parts(path), "")


def fault_in_name(name: str) -> str:
    """Why one name of a path is refused; empty where it is fine. Hidden names are another matter: see `rules`."""
    return next((fault for fault in (*_in_characters(name), *_in_form(name)) if fault), "")


def about(path: str, part: str, fault: str) -> str:
    """What is wrong with one name of a path, as a sentence about the path."""
    return f"{shown(path)} {fault}" if part == path else f"{shown(path)}: {shown(part)} {fault}"


def parts_of(path: str) -> tuple[str, ...]:
    """The names of a path whose form is fine, from the workspace down; none for the workspace itself."""
    return () if path == "." else tuple(path.split("/"))


def shown(path: str) -> str:
    """A path in quotation marks, of at most some 120 characters, with whatever cannot be seen written out."""
    plain = path.isprintable() and not any(character in _UNSEEN or character in _LIKE for character in path)
    text = repr(path) if plain and unicodedata.is_normalized("NFC", path) else ascii(path)
    return text if len(text) <= 120 else f"{text[:80]}… ({len(path)} characters)"


def _in_whole(path: str, root: str) -> Iterator[str]:
    if not path:
        yield f"is no path; {_GIVE}"
    if len(path) > LONGEST:
        yield f"is too long: at most {LONGEST} characters are taken; {_GIVE}"
    yield from _in_characters(path)
    if path.startswith(("\\\\", "//")):
        yield f"is an address in a network; {_GIVE}"
    if re.match(r"[A-Za-z]:", path):
        yield f"begins with a drive; {_GIVE}"
    if _SCHEME.match(path):
        yield f"is an address; files are named by paths alone: {_GIVE}"
    if "\\" in path:
        yield "holds a backslash; write / between folders"
    if path.startswith("/"):
        yield _absolute(path, root)
    if path.startswith("~"):
        yield f"begins with ~, and no home folder is offered; {_GIVE}"
    if _ENCODED.search(path):
        yield "holds a percent sign with a code, which is not decoded; write the character itself"


def _absolute(path: str, root: str) -> str:
    """A path from the root of the disk; models often write out where they are."""
    inside = posixpath.normpath(path)
    if inside == root:
        return "is the workspace itself; write '.'"
    if inside.startswith(f"{root}/"):
        return f"begins at the root of the disk; write {shown(inside[len(root) + 1 :])}"
    return f"begins at the root of the disk; {_GIVE}"


def _in_parts(path: str) -> Iterator[str]:
    parts = path.split("/")
    if ".." in parts:
        yield f"{shown(path)} leads upwards; {_GIVE}, or call list_files to see what there is"
    kept = [part for part in parts if part not in ("", ".")]
    if len(kept) < len(parts):
        yield f"{shown(path)} has more slashes or dots than it needs; write {shown('/'.join(kept) or '.')}"
    if len(parts) > DEEPEST:
        yield f"{shown(path)} lies {len(parts)} names deep; at most {DEEPEST} are taken"
    for part in parts:
        yield from (about(path, part, fault) for fault in _in_form(part))


def _in_characters(text: str) -> Iterator[str]:
    for character in text:
        if character.isascii() and character.isprintable():
            continue
        if fault := _in_character(character):
            yield f"holds {_named(character)}, {fault}"


def _in_character(character: str) -> str:
    if unicodedata.category(character) in _BREAKING or character in _UNSEEN:
        return "which cannot be seen or may turn the name round; write visible characters only"
    if unicodedata.category(character) == "Zs" and character != " ":
        return "which looks like a space and is none; write a plain space"
    if character == "\ufffd":
        return "the sign of a character that was broken; write the name again"
    if character in _LIKE:
        return f"which looks like {_LIKE[character]!r} and is none; write the plain character"
    return ""


def _in_form(part: str) -> Iterator[str]:
    """What is wrong with one name; its characters are checked elsewhere."""
    if part != part.strip(" ") or part.endswith("."):
        yield "begins or ends with a space, or ends with a dot, which other systems drop"
    if ":" in part:
        yield "has a colon, which means a drive or a hidden stream on other systems; leave it out"
    if found := re.search(r'[*?"<>|]', part):
        yield f"holds {found[0]}; a path names one file, without wildcards: list_files and search_files take a pattern"
    if _DEVICE.fullmatch(part):
        yield "is the name of a device on other systems; choose another"
    if _SHORT.fullmatch(part):
        yield "may stand for a longer name on other systems; write the whole name"
    if len(part.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        yield f"is too long: at most {LONGEST_NAME} bytes are taken for one name"
    if not unicodedata.is_normalized("NFC", part):
        yield "is written in decomposed characters; write it composed (NFC)"
    if mixed := _mixed(part):
        yield mixed


def _mixed(part: str) -> str:
    """Letters of other scripts that pass for Latin ones inside a Latin word."""
    if part.isascii():
        return ""
    for word in _WORD.findall(part):
        strange = next((letter for letter in word if _passes_for_latin(letter)), "")
        if strange and any(unicodedata.name(letter, "").startswith("LATIN") for letter in word):
            return f"mixes Latin letters with {_named(strange)}, which looks like one; write it in one script"
    return ""


def _passes_for_latin(letter: str) -> bool:
    return letter in _GREEK_LIKE_LATIN or unicodedata.name(letter, "").startswith(("CYRILLIC", "ARMENIAN", "CHEROKEE"))


def _named(character: str) -> str:
    name = unicodedata.name(character, "a control character" if unicodedata.category(character) == "Cc" else "unnamed")
    return f"U+{ord(character):04X} ({name})"
