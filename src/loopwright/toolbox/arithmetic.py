"""The calculator tool: a parser of its own, so that nothing but arithmetic can be run.

Owns the grammar, the exact arithmetic and its limits. Numbers are exact fractions until a function such as `sin`
makes them floating-point.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/" | "//" | "%" | "of") signed)*
    signed  = ("+" | "-") signed | power
    power   = postfix (("**" | "^") signed)?
    postfix = atom ("!" | "%")*
    atom    = number | constant | function "(" sum ("," sum)* ")" | "(" sum ")"

A ``%`` before a number, a name or a parenthesis is the remainder, anywhere else it is percent.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from msgspec import Struct
from pydantic import Field

from loopwright.core.messages import Result
from loopwright.tools.declare import tool
from loopwright.tools.result import ok

LENGTH = 500
"""Characters of an expression."""
DEPTH = 40
"""Parentheses, signs and powers within each other."""
BITS = 4096
"""Size of the numerator and of the denominator of any number on the way: 1233 digits."""
DIGITS = 15
"""Significant digits of a result that has no end."""

_EXPRESSION = "numbers, operators and functions only, without units or thousands separators"

Number = Fraction | float


class InvalidExpression(Exception):
    """The expression cannot be calculated; the text says where and why."""


@tool(effect="read", timeout=5)
async def calculator(
    expression: Annotated[str, Field(min_length=1, max_length=LENGTH, description=_EXPRESSION)],
) -> Result:
    """Calculate an arithmetic expression exactly, such as 17 * 23, (1.5 + 2) / 7, 2 ** 10, sqrt(2) or 15% of 80.

    Operators: + - * / // % ** ^ and parentheses. Functions: sqrt, cbrt, abs, round, floor, ceil, min, max, exp, ln,
    log10, log2, log(x, base), sin, cos, tan (radians), factorial. Constants: pi, e.
    """
    return ok(shown(calculate(expression)))


def calculate(expression: str) -> Number:
    """The value of an expression.

    Raises:
        InvalidExpression: it is no expression, has no value, or is too large
    """
    if len(expression) > LENGTH:
        raise InvalidExpression(f"{len(expression)} characters; at most {LENGTH} are taken")
    try:
        return _Parser(expression).value()
    except (OverflowError, ZeroDivisionError, ValueError) as raised:
        raise InvalidExpression(f"no result: {raised}") from None


def shown(value: Number) -> str:
    """A number as text: exact where its decimal digits end within reach, else to `DIGITS` significant digits."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    if value.denominator == 1:
        return str(value.numerator)
    places = _places(value.denominator)
    if places is None:
        return f"{_float(value):.{DIGITS}g}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _places(denominator: int) -> int | None:
    """Decimal places of a fraction of this denominator; None where they do not end, or only after 30."""
    for places in range(1, 31):
        if 10**places % denominator == 0:
            return places
    return None


class _Token(Struct, frozen=True):
    kind: str
    """number, name, operator or end."""
    text: str
    position: int
    """Counted from 1."""


_PATTERN = re.compile(
    r"""\s*(?:
    (?P<separated>\d{1,3}(?:,\d{3})+(?!\d))
    |(?P<number>(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<operator>\*\*|//|[-+*/%^(),!×÷·−])
    )""",
    re.VERBOSE,
)
_SPELLINGS = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}


def _tokens(expression: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    end = len(expression.rstrip())
    while at < end:
        found = _PATTERN.match(expression, at)
        if found is None:
            character = expression[at:].lstrip()[0]
            place = expression.index(character, at) + 1
            raise InvalidExpression(f"unexpected {character!r} at position {place}")
        kind = str(found.lastgroup)
        text = found.group(kind)
        if kind == "separated":
            raise InvalidExpression(
                f"{text} can be read in two ways; write {text.replace(',', '')}, "
                "or a space after each comma that separates arguments"
            )
        tokens.append(_Token(kind, _SPELLINGS.get(text, text), found.start(kind) + 1))
        at = found.end()
    tokens.append(_Token("end", "", end + 1))
    return tokens


class _Parser:
    """Reads and calculates in one go; one method a rule of the grammar."""

    def __init__(self, expression: str) -> None:
        self._rest = _tokens(expression)
        self._at = 0
        self._depth = 0
        self._percent = False
        """Whether the operand that was read last is a bare percentage."""

    def value(self) -> Number:
        """The whole expression."""
        value = self._sum()
        if self._next.kind != "end":
            raise self._unexpected("an operator")
        return value

    @property
    def _next(self) -> _Token:
        return self._rest[self._at]

    def _take(self, *texts: str) -> str:
        """The next token's text if it is one of these, and then step over it."""
        token = self._next
        if token.kind in ("operator", "name") and token.text in texts:
            self._at += 1
            return token.text
        return ""

    def _unexpected(self, expected: str) -> InvalidExpression:
        token = self._next
        what = f"{token.text!r} at position {token.position}" if token.text else "the end"
        return InvalidExpression(f"expected {expected} but found {what}")

    def _sum(self) -> Number:
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            if self._percent:
                raise InvalidExpression(
                    f"a percentage after {sign} can be read in two ways; write 100 * 1.10, or 100 + 0.10"
                )
            value = _sized(value + other if sign == "+" else value - other)
        return value

    def _product(self) -> Number:
        value = self._signed()
        while operator := self._take("*", "/", "//", "%", "of"):
            value = _sized(_OPERATIONS[operator](value, self._signed()))
            self._percent = False
        return value

    def _signed(self) -> Number:
        with_sign = self._take("+", "-")
        if not with_sign:
            return self._power()
        self._enter()
        value = self._signed()
        self._depth -= 1
        return -value if with_sign == "-" else value

    def _power(self) -> Number:
        base = self._postfix()
        if not self._take("**"):
            return base
        self._enter()
        exponent = self._signed()
        self._depth -= 1
        self._percent = False
        return _sized(_power(base, exponent))

    def _postfix(self) -> Number:
        value = self._atom()
        self._percent = False
        while True:
            if self._take("!"):
                value = _factorial(value)
            elif self._next.text == "%" and not self._starts_operand(self._rest[self._at + 1]):
                self._at += 1
                value = value / 100
                self._percent = True
            else:
                return value

    @staticmethod
    def _starts_operand(token: _Token) -> bool:
        return token.kind == "number" or (token.kind == "name" and token.text != "of") or token.text == "("

    def _atom(self) -> Number:
        token = self._next
        if token.kind == "number":
            self._at += 1
            return _number(token.text)
        if token.kind == "name":
            self._at += 1
            return self._named(token)
        if not self._take("("):
            raise self._unexpected("a number")
        self._enter()
        value = self._sum()
        self._close()
        return value

    def _named(self, token: _Token) -> Number:
        name = token.text.lower()
        if name in _CONSTANTS and self._next.text != "(":
            return _CONSTANTS[name]
        function = _FUNCTIONS.get(name)
        if function is None:
            known = ", ".join([*_FUNCTIONS, *_CONSTANTS])
            raise InvalidExpression(f"unknown name {token.text!r} at position {token.position}; known are {known}")
        if not self._take("("):
            raise self._unexpected(f"( after {name}")
        self._enter()
        arguments = [self._sum()]
        while self._take(","):
            arguments.append(self._sum())
        self._close()
        least, most, call = function
        if not least <= len(arguments) <= most:
            raise InvalidExpression(_count(name, least, most, len(arguments)))
        return _sized(call(*arguments))

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            raise InvalidExpression(f"nested deeper than {DEPTH} levels")

    def _close(self) -> None:
        if not self._take(")"):
            raise self._unexpected(")")
        self._depth -= 1


def _count(name: str, least: int, most: int, given: int) -> str:
    if name == "log" and given == 1:
        return "log needs its base, as in log(8, 2); or write ln(x), log10(x) or log2(x)"
    wanted = str(least) if least == most else f"{least} to {most}" if most < LENGTH else f"at least {least}"
    return f"{name} takes {wanted} numbers, not {given}"


def _number(text: str) -> Number:
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    if exponent and abs(int(exponent[:8])) > 1000:
        raise InvalidExpression(f"the number {text[:30]} is too large or too small")
    return _sized(Fraction(f"{digits}e{exponent}" if exponent else digits))


def _sized(value: Number) -> Number:
    """The value itself, unless it is out of bounds."""
    if isinstance(value, Fraction):
        if _bits(value) > BITS:
            raise InvalidExpression(f"the result has too many digits; about {BITS * 3 // 10} are the most")
    elif not math.isfinite(value):
        raise InvalidExpression("the result is too large")
    return value


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InvalidExpression("the number is too large for this function") from None


def _divide(value: Number, by: Number) -> Number:
    if by == 0:
        raise InvalidExpression("division by zero")
    return value / by


def _floor_divide(value: Number, by: Number) -> Number:
    return _floor(_divide(value, by))


def _remainder(value: Number, by: Number) -> Number:
    if by == 0:
        raise InvalidExpression("division by zero")
    return value % by


def _power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise InvalidExpression("division by zero: 0 to a negative power")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    if base < 0:
        raise InvalidExpression("a negative number to a power that is not whole has no real value")
    return _float(base) ** _float(exponent)


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    if base in (0, 1, -1):
        return base ** (exponent % 2 if base == -1 else min(exponent, 1) if base == 0 else 1)
    if (_bits(base) - 1) * abs(exponent) > BITS:
        raise InvalidExpression(f"the power is too large; about {BITS * 3 // 10} digits are the most")
    return base**exponent


def _whole(value: Number, what: str) -> int:
    if isinstance(value, float) or value.denominator != 1:
        raise InvalidExpression(f"{what} must be a whole number")
    return value.numerator


def _factorial(value: Number) -> Number:
    whole = _whole(value, "the number whose factorial is taken")
    if not 0 <= whole <= 450:
        raise InvalidExpression("the factorial is taken of whole numbers from 0 to 450")
    return Fraction(math.factorial(whole))


def _floor(value: Number) -> Number:
    return Fraction(math.floor(value))


def _ceil(value: Number) -> Number:
    return Fraction(math.ceil(value))


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Halves go away from zero, as in school."""
    digits = _whole(places, "the number of places")
    if abs(digits) > 100:
        raise InvalidExpression("at most 100 places")
    scale = Fraction(10) ** digits
    scaled = abs(Fraction(value)) * scale + Fraction(1, 2)
    return math.floor(scaled) / scale * (-1 if value < 0 else 1)


def _root(value: Number) -> Number:
    if value < 0:
        raise InvalidExpression("the square root of a negative number has no real value")
    if isinstance(value, Fraction):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    return math.sqrt(_float(value))


def _logarithm(value: Number, base: Number) -> Number:
    if value <= 0 or base <= 0 or base == 1:
        raise InvalidExpression("a logarithm needs a positive number, and a positive base other than 1")
    near = round(_log(value) / _log(base))
    if isinstance(base, Fraction) and abs(near) * _bits(base) <= BITS and _whole_power(base, near) == value:
        return Fraction(near)
    return _log(value) / _log(base)


def _log(value: Number) -> float:
    """Natural logarithm, of numbers too that no float can hold."""
    if value <= 0:
        raise InvalidExpression("a logarithm needs a positive number")
    if isinstance(value, Fraction) and abs(value.numerator.bit_length() - value.denominator.bit_length()) > 1000:
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _through(function: Callable[[float], float]) -> Callable[[Number], Number]:
    def calculated(value: Number) -> Number:
        return function(_float(value))

    return calculated


def _natural(value: Number) -> Number:
    return _log(value)


def _tenth(value: Number) -> Number:
    return _logarithm(value, Fraction(10))


def _second(value: Number) -> Number:
    return _logarithm(value, Fraction(2))


def _absolute(value: Number) -> Number:
    return abs(value)


def _least(*values: Number) -> Number:
    return min(values)


def _most(*values: Number) -> Number:
    return max(values)


_OPERATIONS: dict[str, Callable[[Number, Number], Number]] = {
    "*": lambda left, right: left * right,
    "of": lambda left, right: left * right,
    "/": _divide,
    "//": _floor_divide,
    "%": _remainder,
}
_CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e}
_FUNCTIONS: dict[str, tuple[int, int, Callable[..., Number]]] = {
    "sqrt": (1, 1, _root),
    "cbrt": (1, 1, _through(math.cbrt)),
    "abs": (1, 1, _absolute),
    "round": (1, 2, _round),
    "floor": (1, 1, _floor),
    "ceil": (1, 1, _ceil),
    "min": (1, LENGTH, _least),
    "max": (1, LENGTH, _most),
    "exp": (1, 1, _through(math.exp)),
    "ln": (1, 1, _natural),
    "log10": (1, 1, _tenth),
    "log2": (1, 1, _second),
    "log": (2, 2, _logarithm),
    "sin": (1, 1, _through(math.sin)),
    "cos": (1, 1, _through(math.cos)),
    "tan": (1, 1, _through(math.tan)),
    "factorial": (1, 1, _factorial),
}
"""Least and most arguments, and the function."""
