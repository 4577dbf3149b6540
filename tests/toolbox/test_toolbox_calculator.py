"""Arithmetic: exact, refused with a reason, never stuck."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loopwright.toolbox.arithmetic import LENGTH, InvalidExpression, calculate, calculator, shown


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17 * 23", "391"),
        ("0.1 + 0.2", "0.3"),
        ("100/3", "33.3333333333333"),
        ("1/3 + 1/3 + 1/3", "1"),
        ("1/8", "0.125"),
        ("-1/8", "-0.125"),
        ("1e-5", "0.00001"),
        ("1.5e3 + .5", "1500.5"),
        ("2 ** 10", "1024"),
        ("2 ^ -2", "0.25"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("(-2) ** 2", "4"),
        ("--3", "3"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("50%", "0.5"),
        ("15% of 80", "12"),
        ("200 * 10%", "20"),
        ("50% * 10 + 1", "6"),
        ("3 × 4 − 6 ÷ 2", "9"),
        ("5!", "120"),
        ("3!!", "720"),
        ("sqrt(16) + sqrt(1/4)", "4.5"),
        ("sqrt(2)", "1.4142135623731"),
        ("abs(-3) + round(2.5) + round(-2.5)", "3"),
        ("round(3.14159, 2)", "3.14"),
        ("round(1234, -2)", "1200"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("min(3, 1, 2) + max(1, 2)", "3"),
        ("log(8, 2) + log10(1000) + log2(1/4)", "4"),
        ("ln(e)", "1"),
        ("SIN(pi / 2)", "1"),
        ("cos(0) + tan(0) + exp(0) + cbrt(27)", "5"),
        ("factorial(5)", "120"),
        ("1_000 * 2", "2000"),
        ("0 ** 0", "1"),
        ("(-1) ** 1000000001", "-1"),
        ("2 ** 0.5", "1.4142135623731"),
    ],
)
def test_what_is_calculated(expression: str, value: str) -> None:
    assert shown(calculate(expression)) == value


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("1/0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("5 % (0)", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("100 + 10%", "two ways"),
        ("100 - 10%", "two ways"),
        ("1,000 + 1", "write 1000"),
        ("max(1,200)", "write 1200"),
        ("log(8)", "log needs its base"),
        ("sqrt(-1)", "no real value"),
        ("(-8) ** (1/3)", "no real value"),
        ("ln(0)", "positive number"),
        ("9 ** 9 ** 9", "the power is too large"),
        ("2 ** (2 ** 100)", "the power is too large"),
        ("10 ** 1000 * 10 ** 1000", "too many digits"),
        ("1e400 ** 0.5", "too large"),
        ("exp(1000)", "no result"),
        ("exp(700) * exp(700)", "too large"),
        ("factorial(500)", "from 0 to 450"),
        ("0.5!", "must be a whole number"),
        ("99999!", "from 0 to 450"),
        ("1e99999999999", "too large or too small"),
        ("(" * 100 + "1" + ")" * 100, "nested deeper"),
        ("-" * 100 + "1", "nested deeper"),
        ("2**" * 100 + "1", "nested deeper"),
        ("1" * (LENGTH + 1), "at most"),
        ("", "found the end"),
        ("1 +", "found the end"),
        ("(1", "expected ) but found the end"),
        ("1)", "found ')' at position 2"),
        ("2 3", "found '3' at position 3"),
        ("2(3)", "found '(' at position 2"),
        ("x + 1", "unknown name 'x' at position 1"),
        ("sqrt 2", "expected ( after sqrt"),
        ("min()", "expected a number"),
        ("abs(1, 2)", "abs takes 1 numbers, not 2"),
        ("$5", "unexpected '$' at position 1"),
        ("__import__('os').system('true')", "unexpected"),
        ("1 if 1 else 2", "found 'if'"),
        ("round(1, 1000)", "at most 100 places"),
    ],
)
def test_what_is_refused_and_why(expression: str, told: str) -> None:
    with pytest.raises(InvalidExpression) as raised:
        calculate(expression)
    assert told in str(raised.value)


async def test_the_tool_gives_text_and_errors_in_words() -> None:
    assert json.decode((await calculator.run({"expression": "17*23"})).data) == "391"
    assert (await calculator.run({"expression": "1/0"})).error == "InvalidExpression: division by zero"


@given(st.text(alphabet="0123456789+-*/%^()!,. episqrtlnofmax", max_size=60))
def test_every_text_ends_in_a_number_or_a_reason(expression: str) -> None:
    with suppress(InvalidExpression):
        assert shown(calculate(expression))


whole = st.integers(-(10**6), 10**6)


@given(whole, whole, st.sampled_from(["+", "-", "*", "/"]))
def test_four_operations_are_exact(left: int, right: int, operator: str) -> None:
    if operator == "/" and right == 0:
        return
    exact = {"+": left + right, "-": left - right, "*": left * right, "/": Fraction(left, right or 1)}
    assert calculate(f"({left}) {operator} ({right})") == exact[operator]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**6), max_value=10**6))
def test_decimals_come_back_exactly(number: object) -> None:
    assert Fraction(shown(calculate(f"{number}"))) == Fraction(f"{number}")
