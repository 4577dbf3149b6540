"""What some invented tools work out from their arguments, so that their results are true.

Owns pure functions of one or more arguments. They are named in `invented_tools.txt` by `sum(name,argument,...)`.
"""

from collections.abc import Callable, Mapping
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


def roman(number: int) -> str:
    """A number in Roman numerals."""
    pairs = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
             (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]  # fmt: skip
    text = ""
    for size, letters in pairs:
        text += letters * (number // size)
        number %= size
    return text


SUMS: Mapping[str, Callable[..., Any]] = {
    "reverse": lambda text: text[::-1],
    "upper": lambda text: text.upper(),
    "title": lambda text: text.title(),
    "snake": lambda text: "_".join(text.lower().split()),
    "count_words": lambda text: len(text.split()),
    "count_letters": len,
    "count_one": lambda text, letter: text.lower().count(letter.lower()),
    "factors": factors,
    "is_prime": lambda number: len(factors(number)) == 1 and number > 1,
    "roman": roman,
    "km_to_miles": lambda amount: round(amount / 1.609344, 2),
    "miles_to_km": lambda amount: round(amount * 1.609344, 2),
    "kg_to_pounds": lambda amount: round(amount / 0.45359237, 2),
    "celsius_to_fahrenheit": lambda amount: round(amount * 9 / 5 + 32, 1),
    "percent": lambda share, whole: round(share * whole / 100, 2),
    "tip": lambda bill, share: round(bill * (100 + share) / 100, 2),
    "binary": lambda number: f"{number:b}",
    "square_root": lambda number: round(number**0.5, 3),
    "add": lambda numbers: round(sum(numbers), 2),
    "mean": lambda numbers: round(sum(numbers) / len(numbers), 2),
    "largest": max,
    "sorted": sorted,
    "joined": "-".join,
    "initials": lambda text: "".join(word[0].upper() for word in text.split()),
    "box": lambda length, width, height: round(length * width * height, 2),
}
