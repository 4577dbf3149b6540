"""What some invented tools work out from their arguments, so that their results are true.

Owns pure functions of one or more arguments. They are named in `invented_tools.txt` by `sum(name,argument,...)`.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def factors(number: int) -> list[int]:
    """The prime factors, smallest first."""
    found, divisor = list[int](), 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return [*found, number] if number > 1 or not found else found


def prime_word(number: int) -> str:
    """The verdict on a number."""
    return "a prime number" if len(factors(number)) == 1 else "not a prime number"


def roman(number: int) -> str:
    """A number in Roman numerals."""
    text = ""
    for size, letters in zip(_SIZES, _LETTERS, strict=True):
        text += letters * (number // size)
        number %= size
    return text


_SIZES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
_LETTERS = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")


def scaled(factor: float, shift: float = 0, places: int = 2) -> Callable[[float], float]:
    """A function that converts a unit."""

    def convert(amount: float) -> float:
        return round(amount * factor + shift, places)

    return convert


def count_one(text: str, letter: str) -> int:
    """How often a letter stands in a text, large or small."""
    return text.lower().count(letter.lower())


def percent(share: float, whole: float) -> float:
    """So many percent of an amount."""
    return round(share * whole / 100, 2)


def box(length: float, width: float, height: float) -> float:
    """The volume of a cuboid."""
    return round(length * width * height, 2)


def total(numbers: Sequence[float]) -> float:
    """The sum."""
    return round(sum(numbers), 2)


def mean(numbers: Sequence[float]) -> float:
    """The average."""
    return round(sum(numbers) / len(numbers), 2)


def in_order(numbers: Sequence[float]) -> list[float]:
    """Smallest first."""
    return sorted(numbers)


def square_root(number: float) -> float:
    """The root, to three places."""
    return round(number**0.5, 3)


def binary(number: int) -> str:
    """The digits to base 2."""
    return f"{number:b}"


def reverse(text: str) -> str:
    """From back to front."""
    return text[::-1]


def snake(text: str) -> str:
    """The words joined by underscores."""
    return "_".join(text.lower().split())


def initials(text: str) -> str:
    """The first letters, as capitals."""
    return "".join(word[0].upper() for word in text.split())


def count_words(text: str) -> int:
    """The number of words."""
    return len(text.split())


def weekday(day: str) -> str:
    """The English name of a date's weekday."""
    return _WEEKDAYS[dt.date.fromisoformat(day).weekday()]


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def days_apart(first: str, last: str) -> int:
    """Days between two dates, whichever comes first."""
    return abs((dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days)


SPELLINGS = {
    "recieve": "receive",
    "seperate": "separate",
    "definately": "definitely",
    "accomodate": "accommodate",
    "occured": "occurred",
    "tommorow": "tomorrow",
    "neccessary": "necessary",
    "begining": "beginning",
    "wierd": "weird",
    "adress": "address",
    "calender": "calendar",
    "goverment": "government",
}
LONG_FORMS = {
    "NASA": "National Aeronautics and Space Administration",
    "GDPR": "General Data Protection Regulation",
    "HTML": "HyperText Markup Language",
    "ETA": "estimated time of arrival",
    "RSVP": "please reply",
    "FAQ": "frequently asked questions",
    "GPS": "Global Positioning System",
    "PDF": "Portable Document Format",
    "VAT": "value added tax",
    "DIY": "do it yourself",
    "CEO": "chief executive officer",
    "ISBN": "International Standard Book Number",
}
FORMULAS = {
    "table salt": "NaCl",
    "baking soda": "NaHCO3",
    "ammonia": "NH3",
    "rust": "Fe2O3",
    "chalk": "CaCO3",
    "quartz": "SiO2",
    "methane": "CH4",
    "laughing gas": "N2O",
}

SUMS: Mapping[str, Callable[..., Any]] = {
    "reverse": reverse,
    "upper": str.upper,
    "title": str.title,
    "snake": snake,
    "initials": initials,
    "count_words": count_words,
    "count_letters": len,
    "count_one": count_one,
    "factors": factors,
    "prime_word": prime_word,
    "roman": roman,
    "binary": binary,
    "square_root": square_root,
    "km_to_miles": scaled(1 / 1.609344),
    "kg_to_pounds": scaled(1 / 0.45359237),
    "celsius_to_fahrenheit": scaled(1.8, 32, 1),
    "percent": percent,
    "box": box,
    "add": total,
    "mean": mean,
    "sorted": in_order,
    "weekday": weekday,
    "days_apart": days_apart,
    "spelling": SPELLINGS.__getitem__,
    "long_form": LONG_FORMS.__getitem__,
    "formula": FORMULAS.__getitem__,
}
