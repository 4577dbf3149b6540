"""What a docstring says about a function, in Google, NumPy or Sphinx style, whichever it is.

Owns the reading of docstrings and nothing of types or schemas.
"""

import inspect
import re
from typing import Any

from msgspec import Struct

_SECTIONS = re.compile(
    r"^\s*(?::\w+|@\w+ |[A-Z][\w ]*:\s*$|-{3,}\s*$)",
    re.MULTILINE,
)
"""Whether there is anything but plain text; only then the parser, which takes long to import, is needed."""


class Documented(Struct, frozen=True):
    """A docstring, understood."""

    text: str
    """Summary and body, without the sections; what is returned is its last paragraph."""
    parameters: dict[str, str]
    """Description of each parameter that is described."""


def documented(docstring: str | None) -> Documented:
    """Read a docstring. The sections on errors, examples and the like are for programmers and left out."""
    cleaned = inspect.cleandoc(docstring or "").strip()
    if not _SECTIONS.search(cleaned):
        return Documented(cleaned, {})
    return _parsed(cleaned)


def _parsed(cleaned: str) -> Documented:
    import griffe

    quiet: Any = {style: {"warnings": False} for style in ("google", "numpy", "sphinx")}
    texts: list[str] = []
    returned = ""
    parameters: dict[str, str] = {}
    for section in griffe.parse_auto(griffe.Docstring(cleaned), default="google", per_style_options=quiet):
        value: Any = section.value
        match str(section.kind.value):
            case "text":
                texts.append(str(value).strip())
            case "parameters" | "keyword parameters" | "other parameters":
                parameters |= {str(item.name).lstrip("*"): " ".join(str(item.description).split()) for item in value}
            case "returns":
                returned = "; ".join(str(item.description).strip() for item in value if item.description)
            case "admonition":
                texts.append(f"{section.title or value.kind}: {str(value.description).strip()}")
            case _:
                pass
    if returned:
        texts.append(f"Returns: {returned}")
    return Documented("\n\n".join(text for text in texts if text), parameters)
