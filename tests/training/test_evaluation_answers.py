"""Whether the checks of answers accept what a careful judge would accept, and nothing else."""

import pytest

from training.evaluation.answers import (
    Amount,
    Chooses,
    Figure,
    Never,
    No,
    NoClaim,
    Rain,
    Says,
    Text,
    Unable,
    Yes,
    dated,
    numbers,
    times_told,
    ungrounded,
)

USD = Amount(108.5, "USD")
YEN = Amount(171350.0, "JPY")
WARMER = Chooses("Porto", "Gdansk", r"warm|hot|higher", r"cold|cool|lower")
COLDER = Chooses("Kazan", "Tampere", r"cold|cool|lower", r"warm|hot|higher")
ABOVE = Yes((r"\babove",), (r"\bbelow",))
NOT_ABOVE = No((r"\bbelow",), (r"\babove",))
CLOCK = ["2026-11-30 15:05 EET"]

RIGHT: tuple[tuple[Says, str], ...] = (
    (USD, "100 EUR is 108.5 USD."),
    (USD, "That makes $108.50"),
    (USD, "You get 108.50 US dollars for your 100 euros."),
    (USD, "It is 108.5."),
    (USD, "About 109 dollars."),
    (YEN, "171,350 yen"),
    (YEN, "1000 EUR are 171350.00 JPY"),
    (Amount(1587.249, "EUR"), "1587.25 EUR"),
    (Amount(1587.249, "EUR"), "1,587 EUR"),
    (Amount(66.284, "EUR"), "66.28 EUR"),
    (Amount(66.288, "EUR"), "66.28 EUR"),
    (Amount(-3.8, "degrees"), "It is -3.8 °C in Tartu."),
    (Amount(-3.8, "degrees"), "It is minus 3.8 degrees."),
    (Amount(-3.8, "degrees"), "It is 3.8 degrees below zero."),
    (Amount(22, "fahrenheit"), "22 °F"),
    (Amount(12, "minutes"), "The next 9 leaves in twelve minutes."),
    (Figure(391), "17 * 23 = 391."),
    (Figure(391), "391.0"),
    (Figure(1 / 3), "0.33"),
    (Figure(12), "There are twelve letters."),
    (Text(("KX-410",)), "It is kx-410."),
    (Text(("São Paulo",)), "In Sao Paulo."),
    (Never(("C14",)), "There is no such flight."),
    (Rain(rains=True), "Yes, it is raining in Cork (2.2 mm)."),
    (Rain(rains=True), "It rained in Turku (2.6 mm), so you won."),
    (Rain(rains=True), "You should take an umbrella."),
    (Rain(rains=False), "No, it did not rain in Split (0.0 mm)."),
    (Rain(rains=False), "It doesn't rain there."),
    (Rain(rains=False), "It stays dry."),
    (Rain(rains=False), "You don't need an umbrella in Antwerp."),
    (Rain(rains=False), "There is no rain today."),
    (ABOVE, "Yes, it is 36.1 degrees."),
    (ABOVE, "It is 36.1 °C, which is above 30."),
    (ABOVE, "Yes, it is 36.1 °C, not below 30."),
    (NOT_ABOVE, "No, it is 15.5."),
    (NOT_ABOVE, "It is 15.5 °C, which is not above 20."),
    (NOT_ABOVE, "15.5 °C is below 20."),
    (NOT_ABOVE, "It isn't above 20 degrees."),
    (WARMER, "Porto."),
    (WARMER, "It is warmer in Porto (17.2) than in Gdansk (6.9)."),
    (WARMER, "Gdansk is colder than Porto."),
    (WARMER, "Porto has 17.2 °C and Gdansk has 6.9 °C, so Porto is warmer."),
    (WARMER, "Gdansk has 6.9 °C. Porto is warmer with 17.2 °C."),
    (COLDER, "Kazan is colder (-11.0 °C) than Tampere."),
    (WARMER, "Gdansk has 6.9 °C, Porto has 17.2 °C: Porto is warmer."),
    (WARMER, "Compared with Gdansk, Porto is warmer."),
    (WARMER, "In Porto it's warmer."),
    (WARMER, "Gdansk is cold. Porto is warm."),
    (COLDER, "Tampere is warmer than Kazan."),
    (COLDER, "At -11.0 °C it is colder in Kazan than in Tampere."),
    (Unable(), "I could not find Wexlington."),
    (Unable(), "I can't say: the weather service failed."),
    (Unable(), "There is no rate for KES."),
    (Unable(), "Wexlington isn't a known city."),
    (Unable(failed=False), "The documents don't mention a cinema."),
    (NoClaim(), "I could not find out whether it rained in Cork."),
    (NoClaim(), "The weather is not known, so I can't say if you won."),
)

WRONG: tuple[tuple[Says, str], ...] = (
    (USD, "100 EUR is 100 USD."),
    (USD, "100 USD is 108.5 EUR."),
    (USD, "108.5 euros"),
    (USD, "It is 108 USD."),
    (USD, "It is 1085 USD."),
    (USD, "It is 108.9 USD."),
    (YEN, "171.35 yen"),
    (YEN, "171,350 dollars"),
    (Amount(66.284, "EUR"), "66.3 USD"),
    (Amount(-3.8, "degrees"), "It is 3.8 °C."),
    (Amount(17.4, "degrees"), "It is 17 °C."),
    (Amount(20977, "kWh"), "7 kWh is 20977 Joules."),
    (Figure(391), "392"),
    (Figure(391), "It is 3910."),
    (Figure(391), "391.4"),
    (Figure(12.9), "13"),
    (Text(("KX-410",)), "It is KX-4100."),
    (Text(("4",)), "On floor 14."),
    (Never(("C14",)), "Gate C14."),
    (Rain(rains=True), "No, it is not raining in Cork."),
    (Rain(rains=True), "It is 12 degrees in Cork."),
    (Rain(rains=True), "You do not need an umbrella."),
    (Rain(rains=True), "Rain: 0.0 mm"),
    (Rain(rains=False), "Yes, it rained (0.0 mm)."),
    (Rain(rains=False), "It is raining in Split."),
    (Rain(rains=False), "You need an umbrella in Antwerp."),
    (ABOVE, "No, it is 36.1 degrees."),
    (ABOVE, "36.1 is below 30."),
    (ABOVE, "Yes, but the result is not known."),
    (ABOVE, "36.1 degrees."),
    (NOT_ABOVE, "Yes, it is 15.5."),
    (NOT_ABOVE, "15.5 is above 20."),
    (NOT_ABOVE, "No, the result is not known."),
    (NOT_ABOVE, "15.5 degrees."),
    (WARMER, "Gdansk."),
    (WARMER, "It is warmer in Gdansk (6.9) than in Porto (17.2)."),
    (WARMER, "Porto is colder than Gdansk."),
    (WARMER, "Porto has 17.2 °C and Gdansk has 6.9 °C."),
    (WARMER, "Porto has 17.2 °C and Gdansk has 6.9 °C, so Gdansk is warmer."),
    (WARMER, "Gdansk is warmer, not Porto."),
    (WARMER, "Porto is warm, but Gdansk is warmer."),
    (COLDER, "Tampere is colder than Kazan."),
    (COLDER, "At -4.4 °C it is colder in Tampere than in Kazan."),
    (Unable(), "It is 12 degrees in Wexlington."),
    (Unable(), "There is no rain in Wexlington."),
    (Unable(failed=False), "The tool failed."),
    (Unable(failed=False), "Yes, there is a cinema."),
    (NoClaim(), "I could not reach it, so it did not rain in Cork."),
    (NoClaim(), "The service failed, so you lost."),
    (NoClaim(), "It is raining in Bergen."),
)


@pytest.mark.parametrize(("says", "answer"), RIGHT)
def test_a_right_answer_is_right(says: Says, answer: str) -> None:
    assert says.wrong(answer) == ""


@pytest.mark.parametrize(("says", "answer"), WRONG)
def test_a_wrong_answer_is_wrong_and_the_reason_is_said(says: Says, answer: str) -> None:
    assert says.wrong(answer)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,234.5 and 12", [1234.5, 12]),
        ("(-7) to -8.25", [-7, -8.25]),
        ("3-5", [3, 5]),
        ("on 2026-11-30", [2026, 11, 30]),
        ("1,000,000", [1000000]),
        ("gate C14, part KX-410", [410]),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, found: list[float]) -> None:
    assert [one.value for one in numbers(text)] == found


@pytest.mark.parametrize(
    "answer", ["It is 15:05.", "It's 3:05 pm in Riga", "2026-11-30 15:05 EET", "15.05", "3:05 p.m."]
)
def test_the_time_of_the_clock_is_told(answer: str) -> None:
    assert times_told(answer, CLOCK) == ""


@pytest.mark.parametrize("answer", ["It is 15:06.", "3:05 am", "It is late.", "15:05, and 16:10 in Tartu", "3:05"])
def test_another_time_than_that_of_the_clock_is_wrong(answer: str) -> None:
    assert times_told(answer, CLOCK)


def test_without_a_clock_no_time_is_right() -> None:
    assert times_told("It is 15:05.", [])


@pytest.mark.parametrize("answer", ["2026-11-30", "the 30th of November", "November 30", "Nov. 30, 2026"])
def test_the_day_of_the_clock_is_told(answer: str) -> None:
    assert dated(answer, CLOCK) == ""
    assert dated("the 29th of November", CLOCK)


def test_figures_from_nowhere_are_found() -> None:
    sources = ["100 EUR", '{"rate": 1.085, "converted_amount": 108.5}']
    assert ungrounded("100 EUR is 108.5 USD at 1.085, 8.5 more.", sources, []) == []
    assert ungrounded("100 EUR is 108.5 USD at 1.2.", sources, []) == [1.2]
    assert ungrounded("100 EUR is 112 USD.", sources, [112.0]) == []
