"""Tells a call that is made from one that is only talked about: quoted, given as an example, or part of a sentence.

Owns the words that introduce an example, in the languages of the text protocol. What calls look like is not known here.
"""

import re
from typing import Literal

from loopwright.protocols.leaks.marks import without_ending

Mention = Literal["", "quoted", "sentence"]

WINDOW = 300
"""Characters around a call that are looked at."""

_QUOTES = {'"': '"', "'": "'", "“": "””“", "„": "“”", "«": "»", "»": "«", "‘": "’", "「": "」", "『": "』", "`": "`"}

_VERB = "(?:call|use|write|send|run|invoke|emit|say|try|type|reply|output|give)"
_ENGLISH = "|".join(
    (
        r"for (?:example|instance)\b|e\.g\.|examples?\s*[:：]|like this\b|(?:is|here['’]s|that['’]s) how\b",
        r"(?:an?|the|this|another) (?:example|sample)\b(?=\s*(?:[:：,.]|$|of\b|call\b|tool\b|is\b|would\b))",
        rf"(?:you|one|they|someone|models?) (?:would|could|can|might|may|should|must) (?:\w+ )?{_VERB}\b",
        rf"(?:i|we) (?:could|might) (?:\w+ )?{_VERB}\b",
        r"(?:would|could|might|must|should) (?:then )?(?:look|read|be)\b|looks? like\b",
        r"(?:do not|don['’]t|never|must not|avoid) (?:ever )?(?:call|us|send|writ|run|invok|emit|output|repeat)",
        r"(?:syntax|format|form) (?:is|of)\b|(?:syntax|format)\s*[:：]|hypothetical",
        r"(?:zum beispiel|beispielsweise|könnte|würde)|z\.\s?b\.",
        r"(?:par exemple|comme ceci|pourrait|pourriez)|p\.\s?ex\.",
        r"(?:por ejemplo|podría)|p\.\s?ej\.|esimerkiksi|voisi|esim\.",
    )
)
_ASIAN = "לדוגמה|למשל|例如|比如|举例|示例|可以这样|たとえば|例えば|例[:：]|のように"
_QUOTING = "|".join(
    (
        r"\b(?:says?|said|reads?|contains?|contained|writes|wrote|shows?|showed|states?|stated|quotes?|quoted|returned",
        "prints?|printed|includes?|the tags?|schreibt|lautet|steht|enthält|dit|contient|dice|contiene|lukee|sisältää)",
    )
)
_CUE = re.compile(rf"\b(?:{_ENGLISH})|{_ASIAN}")
"""Looked for in lower case."""
_QUOTES_NEXT = re.compile(rf"(?:{_QUOTING}|写着|包含|とある)\s*[:：]?\Z")
_DONE = "(?:call(?:ed)?|make|made|used?|r[au]n|sen[dt]|invoked?|emit(?:ted)?|executed?|do|writ(?:e|ten)|repeat|output)"
_NOT_MEANT = re.compile(
    r"(?:"
    r"\b(?:i|we)(?: will not| won['’]t| cannot| can['’]t| refuse to|(?: am|['’]m| are|['’]re) not going to)"
    rf" (?:\w+ )?{_DONE}\b"
    r"|(?<!user )(?<!you )\b(?:asks?|asked|tells?|told|wants?|wanted|instruct(?:s|ed)|order(?:s|ed)) (?:me|us) to"
    rf" (?:\w+ )?{_DONE}\b"
    r"|\b(?:attacker|page|website|document|injection|e-?mail) (?:\w+ )?(?:wants?|demands?|asks? for)\b"
    rf"|\b(?:i|we)(?: have|['’]ve)? (?:already|previously) {_DONE}\b"
    r")[^,;.:]{0,60}[:：]\Z"
)
"""A refusal or a report that leads to what stands behind its colon."""
_CUE_BEHIND = re.compile(
    r"\W*(?:(?:this|that|it|which) (?:would|(?:is|was) (?:just|only|merely|how|what|an? (?:example|sample)|the form))\b"
    r"|the above\b|(?:is|was|would|means|shows)\b|as an example\b|for example\b|but (?:i|we|it|no|not)\b"
    r"|(?:das|dies) (?:ist|wäre|würde)\b|c['’]est\b|esto (?:es|sería)\b|tämä (?:on|olisi)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?][\"'”’)]*\s+(?=[A-ZÀ-ÞЀ-Я\"“„«])|[。！？]")


def is_mentioned(text: str, start: int, end: int, floor: int = 0) -> bool:
    """Whether `mention` finds anything; told at once for what stands inside of a line, of which there may be much."""
    after = without_ending(text[end : end + WINDOW]).partition("\n")[0].strip()
    return bool(after and _before(text, start, floor)[0]) or bool(mention(text, start, end, floor))


def mention(text: str, start: int, end: int, floor: int = 0) -> Mention:
    """Whether what stands from `start` to `end` is only talked about; empty where it stands for itself.

    Text before `floor` belongs to something else.
    """
    before, lead = _before(text, start, floor)
    behind = without_ending(text[end : end + WINDOW])
    after = behind.partition("\n")[0].strip()
    if before and after[:1] and after[0] in _QUOTES.get(before[-1], ""):
        return "quoted"
    if is_example(lead) or _CUE_BEHIND.match(behind.lstrip()):
        return "quoted"
    return "sentence" if before and after else ""


def is_example(lead: str) -> bool:
    """Whether the last sentence of a text introduces an example or a quotation, and not a call."""
    lead = lead.rstrip()
    sentence = next((lead[stop.end() :] for stop in reversed(list(_SENTENCE.finditer(lead, 0, len(lead) - 1)))), lead)
    sentence = sentence.strip().lower()
    if _NOT_MEANT.search(sentence):
        return True
    return _CUE.search(sentence) is not None or _QUOTES_NEXT.search(sentence, max(0, len(sentence) - 20)) is not None


def begins_line(text: str, position: int) -> bool:
    """Whether nothing but blanks stands before a position in its line."""
    if position == 0 or text[position - 1] not in " \t":
        return position == 0 or text[position - 1] == "\n"
    return not text[max(0, position - WINDOW) : position].rpartition("\n")[2].strip()


def _before(text: str, start: int, floor: int) -> tuple[str, str]:
    """What stands before a position in its line, and the last line before it that is not blank."""
    window = text[max(floor, start - WINDOW) : start]
    line = window.rpartition("\n")[2].strip()
    return line, line or window.rstrip().rpartition("\n")[2].strip()
