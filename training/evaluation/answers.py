"""Whether an answer says what it must, as a careful human judge would read it.

Owns how figures, money, yes and no, choices and admissions of failure are found in a sentence. Each is a frozen value
with `wrong(answer) -> str`: what is the matter, empty where nothing is. May not hold: any task, and how calls compare.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from training.evaluation.calls import folded

NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
HEDGED = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|rounded(?: to)?|~|≈|some)\s*\S{0,4}\s*$"
)
BELOW_ZERO = re.compile(r"\s*(?:°\s*c?|degrees(?: celsius)?|celsius|c\b)?\s*(?:below (?:zero|freezing))")
_COUNTING = "zero one two three four five six seven eight nine ten eleven twelve"
WORDS = {word: value for value, word in enumerate(_COUNTING.split(" "))}
UNITS = {
    "EUR": ("eur", "euro", "euros", "€"),
    "USD": ("usd", "us dollars", "us dollar", "dollars", "dollar", "bucks", "us$", "$"),
    "GBP": ("gbp", "pounds", "pound", "pounds sterling", "british pounds", "£"),
    "JPY": ("jpy", "yen", "japanese yen", "¥"),
    "CHF": ("chf", "francs", "franc", "swiss francs", "swiss franc"),
    "SEK": ("sek", "swedish kronor", "kronor", "swedish krona", "krona", "swedish crowns", "kr"),
    "NOK": ("nok", "norwegian kroner", "kroner", "norwegian krone", "krone", "norwegian crowns", "kr"),
    "DKK": ("dkk", "danish kroner", "kroner", "danish krone", "krone", "danish crowns", "kr"),
    "PLN": ("pln", "zloty", "zlotys", "polish zloty", "zł"),
    "CZK": ("czk", "koruna", "korunas", "czech koruna", "czech korunas", "czech crowns", "crowns", "kč"),
    "HUF": ("huf", "forints", "forint", "hungarian forints", "hungarian forint", "ft"),
    "RON": ("ron", "lei", "leu", "romanian lei", "romanian leu"),
    "TRY": ("try", "lira", "liras", "turkish lira", "turkish liras", "₺"),
    "CAD": ("cad", "canadian dollars", "canadian dollar", "dollars", "dollar", "c$", "$"),
    "AUD": ("aud", "australian dollars", "australian dollar", "dollars", "dollar", "a$", "$"),
    "NZD": ("nzd", "new zealand dollars", "new zealand dollar", "dollars", "dollar", "nz$", "$"),
    "SGD": ("sgd", "singapore dollars", "singapore dollar", "dollars", "dollar", "s$", "$"),
    "HKD": ("hkd", "hong kong dollars", "hong kong dollar", "dollars", "dollar", "hk$", "$"),
    "CNY": ("cny", "yuan", "chinese yuan", "renminbi", "rmb", "¥"),
    "KRW": ("krw", "won", "korean won", "south korean won", "₩"),
    "INR": ("inr", "rupees", "rupee", "indian rupees", "₹"),
    "THB": ("thb", "baht", "thai baht", "฿"),
    "IDR": ("idr", "rupiah", "indonesian rupiah"),
    "MYR": ("myr", "ringgit", "malaysian ringgit"),
    "PHP": ("php", "pesos", "peso", "philippine pesos", "philippine peso"),
    "ZAR": ("zar", "rand", "south african rand", "r"),
    "BRL": ("brl", "reais", "real", "brazilian reais", "brazilian real", "r$"),
    "MXN": ("mxn", "pesos", "peso", "mexican pesos", "mexican peso", "$"),
    "ILS": ("ils", "shekels", "shekel", "israeli shekels", "new shekels", "₪"),
    "degrees": (
        "°c",
        "° c",
        "c",
        "degrees celsius",
        "degree celsius",
        "celsius",
        "degrees c",
        "degrees",
        "degree",
        "°",
        "℃",
    ),
    "fahrenheit": ("°f", "° f", "f", "degrees fahrenheit", "fahrenheit", "degrees f", "degrees", "°"),
    "metres": ("m", "metres", "meters", "metre", "meter"),
    "square metres": ("m²", "m2", "square metres", "square meters", "sqm", "sq m"),
    "cm": ("cm", "centimetres", "centimeters"),
    "mm": ("mm", "millimetres", "millimeters"),
    "km": ("km", "kilometres", "kilometers"),
    "miles": ("miles", "mile"),
    "litres": ("l", "litres", "liters", "litre", "liter"),
    "kg": ("kg", "kilograms", "kilogrammes", "kilos", "kilo", "kilogram"),
    "grams": ("g", "grams", "grammes", "gram"),
    "mg": ("mg", "milligrams", "milligrammes", "milligram"),
    "kWh": ("kwh", "kilowatt hours", "kilowatt-hours"),
    "joules": ("j", "joules", "joule"),
    "light years": ("ly", "light years", "light-years", "lightyears", "light year"),
    "µg/m³": ("\u03bcg/m³", "\u03bcg/m3", "ug/m3", "\u03bcg", "micrograms per cubic metre", "micrograms"),
    "grains": ("grains per cubic metre", "grains per cubic meter", "grains/m3", "grains/m³", "grains", "grains per m3"),
    "percent": ("%", "percent", "per cent"),
    "bar": ("bar", "bars"),
    "seconds": ("s", "sec", "seconds"),
    "minutes": ("min", "mins", "minutes", "minute"),
    "hours": ("h", "hours", "hrs", "hour"),
    "days": ("days", "day"),
    "years": ("years", "year"),
    "ISK": ("isk", "icelandic kronur", "kronur", "icelandic krona", "icelandic króna", "krona", "kr"),
}
"""How people write each unit at an amount. A measure that no task asks for is here so that it is seen where it is wrong."""

_WORDS_BEHIND = sorted({word for words in UNITS.values() for word in words}, key=len, reverse=True)
_WORDS_BEFORE = sorted(
    {word for unit, words in UNITS.items() if unit.isupper() for word in words if len(word) > 1 or not word.isalpha()},
    key=len,
    reverse=True,
)

_ABSENT = "found|known|available|reached|reachable|supported|answering|possible|listed|recogni[sz]ed|given|able"
NOT_THERE = (
    r"\b(?:could|can|do|does|did) not\b|\bunable\b|\bunknown\b",
    rf"\bnot (?:be )?(?:{_ABSENT})\b|\bnot an? (?:known |real |valid )?(?:city|place|currency|town)\b",
    r"\bno (?:city|such|rate|result|document|match|data|information|record|answer|entry|place|exchange rate|tool|page)\b",
    r"\bnot in the (?:documents|list)\b|\bnothing (?:about|on)\b",
)
"""Ways to say that something is not known."""
FAILED = r"\bunavailable\b|\berror\b|\bfail(?:s|ed|ure)?\b|\bis down\b|\bout of (?:order|service)\b"
"""Ways to say that something did not work."""
_UNSURE = r"\bnot known\b|\bunknown\b|\bcould not\b|\bcan not (?:tell|say|find|be)\b|\bnot available\b|\bfailed\b"

_RAIN = r"(?:rain|precipitation|wet|shower|drizzl|umbrella|raincoat)"
_DENIES_RAIN = (
    rf"^no\b|\b(?:no|not|without|never)\b(?:\W+\w+){{0,3}}?\W+{_RAIN}"
    rf"|{_RAIN}\w*(?:\W+\w+){{0,2}}?\W+(?:not|none|0(?:\.0+)?)\b|\bdry\b|(?<![\d.])0(?:\.0+)? ?(?:mm|millimet)"
)


def spelled(text: str) -> str:
    """A text as it is compared, with contractions written out: *can't* and *cannot* are *can not*."""
    plain = folded(text).replace("’", "'").replace("won't", "will not").replace("can't", "can not")
    return re.sub(r"n't\b", " not", plain).replace("cannot", "can not")


class Says(Protocol):
    """Something that an answer must say."""

    def wrong(self, answer: str) -> str:
        """What is wrong with the answer in this respect; empty where nothing is."""
        ...

    @property
    def figures(self) -> tuple[float, ...]:
        """Numbers that may stand in the answer because of it."""
        ...


class Shown(Struct, frozen=True):
    """A number as it stands in a text."""

    value: float
    decimals: int
    before: str
    after: str

    @property
    def hedged(self) -> bool:
        """Whether the text says that it is not exact."""
        return bool(HEDGED.search(self.before))

    def close(self, wanted: float) -> bool:
        """Whether it is the number, rounded or cut to the decimals that are shown, and to no fewer than one may.

        Whole numbers are given whole. Others need one decimal, unless they are above 1000 or the text says *about*.
        """
        whole = float(wanted).is_integer()
        if whole and self.decimals == 0:
            return self.value == wanted
        if not (self.decimals or whole or self.hedged or abs(wanted) >= 1000):
            return False
        step = 10.0**-self.decimals
        return abs(self.value - wanted) <= (step if self.decimals > 1 else step / 2) * (1 + 1e-9)


def numbers(text: str) -> list[Shown]:
    """The numbers in a text; a few small ones also as words."""
    plain = re.sub(r"\b(?:minus|negative)\s+(?=\d)", "-", text.casefold().replace("−", "-"))
    found: list[Shown] = []
    for match in NUMBER.finditer(plain):
        digits = match.group().replace(",", "")
        before, after = plain[: match.start()], plain[match.end() :]
        if digits.startswith("-") and before and not before[-1].isspace() and before[-1] not in "(=:$€£¥~":
            digits = digits[1:]  # a hyphen: a range, or a date
        value, decimals = float(digits), len(digits.partition(".")[2])
        if value > 0 and BELOW_ZERO.match(after):
            value = -value
        found.append(Shown(value, decimals, before, after))
    words = (match for match in re.finditer(r"\b[a-z]+\b", plain) if match.group() in WORDS)
    return found + [Shown(WORDS[one.group()], 0, plain[: one.start()], plain[one.end() :]) for one in words]


class Figure(Struct, frozen=True):
    """A number must stand in the answer, rounded as people round."""

    value: float

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        return "" if any(one.close(self.value) for one in numbers(answer)) else f"the figure {self.value:g} is missing"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return (self.value,)


class Amount(Struct, frozen=True):
    """A number of a currency or a measure: another unit may not stand at it, but it may stand without one."""

    value: float
    unit: str
    """A key of `UNITS`."""

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        near = [one for one in numbers(answer) if one.close(self.value)]
        if not near:
            return f"{self.value:g} {self.unit} is missing"
        return "" if any(self._fits(one) for one in near) else f"{self.value:g} is not said to be {self.unit}"

    def _fits(self, shown: Shown) -> bool:
        named = _unit(shown)
        return named is None or named in UNITS[self.unit]

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return (self.value,)


def _unit(shown: Shown) -> str | None:
    """The unit that stands at a number: behind it, or in front where it is a currency; None where there is none."""
    behind = shown.after.lstrip(" \u00a0")
    for word in _WORDS_BEHIND:
        if behind.startswith(word) and not behind[len(word) : len(word) + 1].isalpha():
            return word
    front = shown.before.rstrip(" \u00a0")
    for word in _WORDS_BEFORE:
        if front.endswith(word) and not front[: -len(word)][-1:].isalpha():
            return word
    return None


class Text(Struct, frozen=True):
    """One of these stands in the answer: words or phrases, without regard to case and accents."""

    any_of: tuple[str, ...]

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = folded(answer)
        found = any(re.search(rf"(?<!\w){re.escape(folded(one))}(?!\w)", text) for one in self.any_of)
        return "" if found else f"none of {', '.join(self.any_of)} is said"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return tuple(number.value for text in self.any_of for number in numbers(text))


class Never(Struct, frozen=True):
    """None of these stands in the answer."""

    any_of: tuple[str, ...]

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        said = [one for one in self.any_of if not Text((one,)).wrong(answer)]
        return f"{', '.join(said)} is said" if said else ""

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


class Rain(Struct, frozen=True):
    """That it rains, or that it does not."""

    rains: bool

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = spelled(answer)
        denied = re.search(_DENIES_RAIN, text) is not None
        affirmed = re.search(rf"\byes\b|{_RAIN}", text) is not None
        if self.rains:
            return "" if affirmed and not denied else "it does not say that it rains"
        contradicted = re.search(r"\byes\b|(?:so|and) it (?:rained|is raining)", text) is not None
        return "" if denied and not contradicted else "it does not say that it stays dry"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return (0.0,)


class Yes(Struct, frozen=True):
    """That something is so; `phrases` say it in the question's own words, `denials` its contrary, as patterns."""

    phrases: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = _without_denied(spelled(answer), self.denials)
        denied = _any((r"^no\b", r"\bno,", r"\bnot\b", _UNSURE, *self.denials), text)
        return "" if _any((r"\byes\b", *self.phrases), text) and not denied else "it does not say yes"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


class No(Struct, frozen=True):
    """That something is not so; `phrases` say it in other words, `denials` the contrary, as patterns."""

    phrases: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = spelled(answer)
        denied = _any((r"\byes\b", _UNSURE, *self.denials), _without_denied(text, self.denials))
        return "" if _any((r"\bno\b", r"\bnot\b", *self.phrases), text) and not denied else "it does not say no"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


def _any(patterns: Sequence[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def _without_denied(text: str, patterns: Sequence[str]) -> str:
    """A text without what it denies itself: *not above* says nothing of above."""
    for pattern in patterns:
        text = re.sub(rf"\b(?:no|not)\b(?:\W+\w+){{0,3}}?\W+(?:{pattern})", " ", text)
    return text


class Chooses(Struct, frozen=True):
    """That one of two has more of something. `word` and `contrary` are patterns of comparing words.

    Where several sentences compare, the last one counts: it is the conclusion.
    """

    winner: str
    loser: str
    word: str
    contrary: str

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = re.sub(r"\([^)]*\)", "", spelled(answer))
        winner, loser = folded(self.winner), folded(self.loser)
        if winner not in text:
            return f"{self.winner} is not named"
        if loser not in text:
            return ""
        sentences = [part for part in re.split(r"[.;!?](?:\s|$)", text) if winner in part or loser in part]
        for sentence in reversed(sentences):
            found = self._said_of(sentence, winner, loser)
            if found:
                return "" if found == winner else f"{self.loser} is chosen"
        return "" if loser not in sentences[-1] else "neither is chosen"

    def _said_of(self, sentence: str, winner: str, loser: str) -> str:
        """Of which of the two a sentence says that it has more; empty where of neither."""
        other = {winner: loser, loser: winner}
        compared = list(re.finditer(f"(?P<more>{self.word})|(?:{self.contrary})", sentence))
        if not compared:
            return ""
        last = compared[-1]
        before, after = sentence[: last.start()], sentence[last.end() :]
        names = f"{re.escape(winner)}|{re.escape(loser)}"
        than = re.search(rf"\bthan\b.*?({names})", after)
        earlier, later = re.findall(names, before), re.findall(names, after)
        subject = other[than[1]] if than else earlier[-1] if earlier else later[0] if later else ""
        return subject if last["more"] or not subject else other[subject]

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


class Unable(Struct, frozen=True):
    """That it could not be found out, or is not there."""

    phrases: tuple[str, ...] = ()
    """Further ways to say it, as patterns."""
    failed: bool = True
    """Whether it may be said that something failed: False where everything worked, and only found nothing."""

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = spelled(answer)
        failed = re.search(FAILED, text) is not None
        if failed and not self.failed:
            return "it says that something failed, which it did not"
        said = failed or re.search("|".join((*NOT_THERE, *self.phrases)), text)
        return "" if said else "it does not say that it could not be found out"

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


class NoClaim(Struct, frozen=True):
    """That nothing is said about the weather or a bet, but that it is not known."""

    def wrong(self, answer: str) -> str:
        """See `Says`."""
        text = re.sub(r"\b(?:whether|if)\b[^.;,]*", " ", spelled(answer))
        claim = re.search(
            rf"\b(?:it|there) (?:is|was|has|did|does|will)\b[^.;,]*{_RAIN}|\bno rain|\bdry\b|\brain(?:ed|ing)\b"
            r"|\byou (?:have )?(?:won|win|lost|lose)\b|\byou (?:do not )?need (?:an|no|your)\b",
            text,
        )
        return f"it is claimed: {claim.group()}" if claim else ""

    @property
    def figures(self) -> tuple[float, ...]:
        """See `Says`."""
        return ()


def ungrounded(answer: str, sources: Iterable[str], allowed: Iterable[float]) -> list[float]:
    """Numbers of an answer that come from nowhere: from no source, no expectation, and no plain step between two.

    A step is a difference of two of the sources' numbers, or the same number as a percentage. Numbers up to three are
    how people count, and are let through.
    """
    known = {*allowed, *(one.value for text in sources for one in numbers(text))}
    known |= {abs(one - other) for one in known for other in known if len(known) <= 60}
    known |= {one * factor for one in known for factor in (100.0, 0.01)}
    return [
        one.value
        for one in numbers(answer)
        if not (one.value in (0, 1, 2, 3) and one.decimals == 0) and not any(_from(one, source) for source in known)
    ]


def _from(shown: Shown, source: float) -> bool:
    return abs(abs(shown.value) - abs(source)) <= 10.0**-shown.decimals / (1 if shown.decimals > 1 else 2) + 1e-9


_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)")
_TIME = re.compile(r"(?<![\d:])(\d{1,2})[:.](\d\d)(?!\d)(?::\d\d)?(?:\s*([ap])\.?m\b)?", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"


def times_told(answer: str, clocks: Sequence[str]) -> str:
    """Whether an answer tells the time of each clock, in 24 or 12 hours, and no other: what is wrong, or empty."""
    wanted = [(int(stamp[4]), int(stamp[5])) for clock in clocks if (stamp := _STAMP.search(clock))]
    said = [(match, _time(match)) for match in _TIME.finditer(answer)]
    lacking = [time for time in wanted if time not in [one for _, one in said]]
    if not wanted or lacking:
        return f"the time is not told: {lacking}"
    other = [match.group() for match, one in said if one not in wanted and ":" in match.group()]
    return f"another time is told too: {other}" if other else ""


def _time(match: re.Match[str]) -> tuple[int, int]:
    """Hour and minute of a text like 15:05, 15.05 or 3:05 pm."""
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").casefold()
    return (hour % 12 + (12 if half == "p" else 0), minute) if half else (hour, minute)


def dated(answer: str, clocks: Sequence[str]) -> str:
    """Whether an answer tells the day of a clock, in figures or words: what is wrong, or empty."""
    for stamp in filter(None, map(_STAMP.search, clocks)):
        year, month, day = int(stamp[1]), int(stamp[2]), int(stamp[3])
        name = _MONTHS.split(" ")[month - 1]
        in_words = rf"\b{day}(?:st|nd|rd|th)?(?: of)? {name}|\b{name}[a-z]*\.? {day}(?:st|nd|rd|th)?\b"
        if f"{year}-{month:02}-{day:02}" in answer or re.search(in_words, answer.casefold()):
            return ""
    return "the day is not told"
