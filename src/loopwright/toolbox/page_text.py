"""The text of a page in HTML: its title and what a reader would see of it.

Owns what counts as text. It is a program of its own as well, which reads a page from standard input and writes the text
as JSON: a page can be made so that taking it apart takes hours, and a process can be ended.
"""

import codecs
import json
import re
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

_BLOCKS = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody tfoot thead tr ul"
)
BLOCKS = frozenset(_BLOCKS.split())
"""Elements that begin on a line of their own."""
_LEFT_OUT = (
    "audio button canvas datalist embed head iframe input math noscript object option script select style svg template "
    "textarea video -comment"
)
LEFT_OUT = frozenset(_LEFT_OUT.split())
"""Elements that hold no text of the page."""
AROUND = frozenset(("nav", "header", "footer", "aside", "form"))
"""What stands around the text of a page; it counts where a page has no text beside it."""
MAIN = 0.3
"""The part of all text that an element must hold to be the main one."""
MOST = 1_000_000
"""Characters of text that are given."""

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])")
_BLANKS = re.compile(r"[ \t\n\r\f\u00a0]+")
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_TEXT_CODECS = re.compile(
    r"ascii|utf-8|utf-16(?:-[lb]e)?|iso8859-\d{1,2}|cp\d{3,4}|koi8-[ru]|gb2312|gbk|gb18030|big5(?:hkscs)?|"
    r"euc_jp|euc_kr|shift_jis|iso2022_jp|mac-(?:roman|cyrillic)|tis-620"
)


def decoded(data: bytes, charset: str = "") -> str:
    """The text of bytes: by their mark at the beginning, the charset of the response, a page's own, or UTF-8.

    A charset that is unknown, or that the bytes are not of, gives way to UTF-8, and that to Windows-1252.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(name, "replace")
    own = _META.search(data[:2_048])
    named = [charset, own[1].decode("ascii", "replace") if own else ""]
    for name in (*filter(None, map(_codec, named)), "utf-8"):
        try:
            return data.decode(name)
        except UnicodeDecodeError as wrong:
            if wrong.reason == "unexpected end of data":  # its last character was cut
                return data.decode(name, "replace")
    return data.decode("cp1252", "replace")


def _codec(name: str) -> str:
    """The name of a charset as Python has it; empty where it is none of text."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return found if _TEXT_CODECS.fullmatch(found) else ""


def text_of(html: str, *, address: str = "", links: bool = False) -> tuple[str, str]:
    """The title and the text of a page.

    Args:
        html: the page
        address: where it came from, for links
        links: whether the addresses of links are written behind their text
    """
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(html)
    title = page.css_first("title")
    body = page.body
    if body is None:
        return "", ""
    base = address if links else ""
    whole = _written(body, base, around=False)
    for name in ("main", "[role=main]", "article"):
        found = page.css(name)
        text = _written(found[0], base, around=False) if len(found) == 1 else ""
        if len(text) > MAIN * len(whole):
            whole = text
            break
    said = whole or _written(body, base, around=True)
    return " ".join(title.text().split()) if title is not None else "", said[:MOST]


def _written(root: Any, address: str, *, around: bool) -> str:
    """The text beneath an element, one block a line, with an empty line where paragraphs end."""
    lines = [line.strip() for line in "".join(_parts(root, address, around=around)).split("\n")]
    text = "\n".join(line.replace("\x01", " ") for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _parts(root: Any, address: str, *, around: bool) -> Iterator[str]:
    """Pieces of text and line ends, in order; without recursion, because a page may nest without end."""
    stack: list[tuple[Any, str, bool]] = [(root, "", False)]
    while stack:
        node, closing, fixed = stack.pop()
        if closing:
            yield closing
            continue
        name = node.tag
        if name == "-text":
            text = node.text_content or ""
            yield text.replace(" ", "\x01") if fixed else _BLANKS.sub(" ", text)
            continue
        if name in LEFT_OUT or (name in AROUND and not around) or _is_hidden(node):
            continue
        before, behind = _frame(node, name, address)
        yield before
        if behind:
            stack.append((node, behind, False))
        fixed = fixed or name == "pre"
        stack += [(child, "", fixed) for child in reversed(list(node.iter(include_text=True)))]


def _frame(node: Any, name: str, address: str) -> tuple[str, str]:
    """What is written before and behind an element."""
    if name == "br":
        return "\n", ""
    if name == "li":
        return "\n- ", "\n"
    if name in ("td", "th"):
        return "", " | "
    if name in ("tr", "dt", "dd"):
        return "\n", "\n"
    if len(name) == 2 and name[0] == "h" and name[1] in "123456":
        return f"\n\n{'#' * int(name[1])} ", "\n\n"
    if name == "img" and (about := (node.attributes.get("alt") or "").strip()):
        return f"[{about}]", ""
    if name == "a" and address and (target := _target(node, address)):
        return "[", f"]({target})"
    return ("\n\n", "\n\n") if name in BLOCKS else ("", "")


def _target(node: Any, address: str) -> str:
    link = (node.attributes.get("href") or "").strip()
    if not link or link.startswith("#"):
        return ""
    try:
        target = urljoin(address, link)
    except ValueError:
        return ""
    return target if target.startswith(("http://", "https://")) and len(target) <= 500 else ""


def _is_hidden(node: Any) -> bool:
    """Whether an element is there for no reader: a place where instructions for models are put."""
    given = node.attributes
    if not given:
        return False
    return (
        "hidden" in given
        or given.get("aria-hidden") == "true"
        or bool(_HIDDEN.search((given.get("style") or "").lower()))
    )


def main() -> None:
    """Read a line of JSON and then a page from standard input; write title and text as JSON to standard output."""
    _bound()
    asked: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    html = decoded(sys.stdin.buffer.read(), asked["charset"])
    title, text = text_of(html, address=asked["address"], links=asked["links"])
    sys.stdout.buffer.write(json.dumps({"title": title, "text": text}).encode())


def _bound() -> None:
    """Bound time and memory, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


if __name__ == "__main__":
    main()
