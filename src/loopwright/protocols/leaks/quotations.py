"""Tells a call that is made from one that is only talked about: quoted, given as an example, or part of a sentence.

Owns the words that introduce an example, in the languages of the text protocol. What calls look like is not known here.
"""

import re
from typing import Literal

from loopwright.protocols.leaks.marks import TURN_END

Mention = Literal["", "quoted", "sentence"]

WINDOW = 300
"""Characters around a call that are looked at."""

_QUOTES = {'"': '"', "'": "'", "“": "””“", "„": "“”", "«": "»", "»": "«", "‘": "’", "「": "」", "『": "』", "`": "`"}

_VERB = "(?:call|use|write|send|run|invoke|emit|say|try|type|reply|output|give)"
_ENGLISH = "|".join(
    (
        r"\bfor (?:example|instance)\b|\be\.g\.|\bexamples?\s*[:：]|\blike this\b|(?:is|['’]s) how\b",
        r"\b(?:an?|the|this|another) (?:example|sample)\b(?=\s*(?:[:：,.]|$|of\b|call\b|tool\b|is\b|would\b))",
        rf"\b(?:you|one|they|someone|models?) (?:would|could|can|might|may|should|must) (?:\w+ )?{_VERB}\b",
        rf"\b(?:i|we) (?:could|might) (?:\w+ )?{_VERB}\b",
        r"\b(?:would|could|might|must|should) (?:then )?(?:look|read|be)\b|\blooks? like\b",
        r"\b(?:do not|don['’]t|never|must not|avoid) (?:ever )?(?:call|us|send|writ|run|invok|emit|output|repeat)",
        r"\b(?:syntax|format|form) (?:is|of)\b|\b(?:syntax|format)\s*[:：]|\bhypothetical",
    )
)
_OTHERS = "|".join(
    (
        r"\b(?:zum beispiel|beispielsweise|könnte|würde)|\bz\.\s?b\.",
        r"\b(?:par exemple|comme ceci|pourrait|pourriez)|\bp\.\s?ex\.",
        r"\b(?:por ejemplo|podría)|\bp\.\s?ej\.",
        r"\b(?:esimerkiksi|voisi)|\besim\.",
        "לדוגמה|למשל|例如|比如|举例|示例|可以这样|たとえば|例えば|例[:：]|のように",
    )
)
_QUOTING = "|".join(
    (
        r"\b(?:says?|said|reads?|contains?|contained|writes|wrote|shows?|showed|states?|stated|quotes?|quoted|returned",
        "prints?|printed|includes?|the tags?|schreibt|lautet|steht|enthält|dit|contient|dice|contiene|lukee|sisältää)",
    )
)
_CUE = re.compile(rf"{_ENGLISH}|{_OTHERS}|(?:{_QUOTING}|写着|包含|とある)\s*[:：]?\s*$", re.IGNORECASE)
_CUE_BEHIND = re.compile(
    r"\W*(?:(?:this|that|it|which) (?:would|(?:is|was) (?:just|only|merely|how|what|an? (?:example|sample)|the form))\b"
    r"|the above\b|(?:is|was|would|means|shows)\b|as an example\b|for example\b|but (?:i|we|it|no|not)\b"
    r"|(?:das|dies) (?:ist|wäre|würde)\b|c['’]est\b|esto (?:es|sería)\b|tämä (?:on|olisi)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?][\"'”’)]*\s+(?=[A-ZÀ-ÞЀ-Я\"“„«])|[。！？]")


def mention(text: str, start: int, end: int, floor: int = 0) -> Mention:
    """Whether what stands from `start` to `end` is only talked about; empty where it stands for itself.

    Text before `floor` belongs to something else.
    """
    before, lead = _before(text, start, floor)
    behind = TURN_END.sub("", text[end : end + WINDOW])
    after = behind.partition("\n")[0].strip()
    if before and after[:1] and after[0] in _QUOTES.get(before[-1], ""):
        return "quoted"
    if is_example(lead) or _CUE_BEHIND.match(behind.lstrip()):
        return "quoted"
    return "sentence" if before and after else ""


def is_example(lead: str) -> bool:
    """Whether the last sentence of a text introduces an example or a quotation, and not a call."""
    sentence = lead
    for stop in _SENTENCE.finditer(lead):
        if stop.end() < len(lead.rstrip()):
            sentence = lead[stop.end() :]
    return _CUE.search(sentence) is not None


def begins_line(text: str, position: int) -> bool:
    """Whether nothing but blanks stands before a position in its line."""
    return not text[max(0, position - WINDOW) : position].rpartition("\n")[2].strip()


def _before(text: str, start: int, floor: int) -> tuple[str, str]:
    """What stands before a position in its line, and the last line before it that is not blank."""
    window = text[max(floor, start - WINDOW) : start]
    line = window.rpartition("\n")[2].strip()
    return line, line or window.rstrip().rpartition("\n")[2].strip()
