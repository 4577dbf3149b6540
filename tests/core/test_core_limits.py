"""The arithmetic of the budget: what a question may cost, and what is held back for the closing answer."""

import pytest
from core_runs import TOOLS
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core.limits import (
    CALL_TOKENS,
    CLOSING_TOKENS,
    LEAST_TOKENS,
    MESSAGE_BYTES,
    PLENTY,
    REFUSAL_BYTES,
    REMARK_BYTES,
    REPLY_TOKENS,
    SHOWN_BYTES,
    TELLING_BYTES,
    Grant,
    Ledger,
    shortened,
    size,
)
from loopwright.core.messages import Call, Limits, Price, Result, Turn, Usage
from loopwright.core.permission import Verdict
from loopwright.core.progress import Guard
from loopwright.core.refusal import closed, refuse, unanswered

UNLIMITED = Limits(steps=None, model_calls=None, tool_calls=None)
CENT = Price(1 / 1024, 4 / 1024)


def ledger(limits: Limits = UNLIMITED, price: Price | None = None, most: int | None = None, context: int = 0) -> Ledger:
    return Ledger(limits, price, most, context)


def granted(book: Ledger, closing: str = "") -> Grant:
    grant = book.grant(closing)
    assert isinstance(grant, Grant)
    return grant


# --- without budgets


def test_without_limits_everything_is_granted_as_the_settings_say() -> None:
    assert granted(ledger()) == Grant("", None, Usage(), None)
    assert granted(ledger(most=77)) == Grant("", 77, Usage(), None)
    assert granted(ledger(most=77), "steps") == Grant("steps", 77, Usage(), None)
    assert ledger().room(1) == PLENTY - MESSAGE_BYTES
    assert ledger().remark() == REMARK_BYTES
    assert ledger().exhausted() == ""


def test_a_limit_of_money_without_a_known_price_grants_everything() -> None:
    assert granted(ledger(Limits(cost=1e-9))) == Grant("", None, Usage(), None)


# --- tokens and money


@pytest.mark.parametrize("widest", [1, 4, 8, 32])
@pytest.mark.parametrize("most", [None, 100])
def test_the_least_limit_of_tokens_pays_for_an_ordinary_question_and_one_less_does_not(
    widest: int, most: int | None
) -> None:
    def book(tokens: int) -> Ledger:
        return ledger(Limits(tokens=tokens, calls_per_turn=widest), most=most, context=700)

    least = book(1).least_tokens()
    assert granted(book(least)).closing == ""
    assert granted(book(least - 1)).closing == "tokens"


def test_an_ordinary_question_leaves_the_closing_one_and_a_refusal_of_every_call_in_the_budget() -> None:
    book = ledger(Limits(tokens=22_000), context=1000)
    grant = granted(book)
    assert grant.closing == ""
    assert grant.max_tokens == REPLY_TOKENS
    assert grant.worst == Usage(1000, REPLY_TOKENS)
    reserve = 1000 + REPLY_TOKENS + Limits().calls_per_turn * REFUSAL_BYTES + 2 * TELLING_BYTES + CLOSING_TOKENS
    assert grant.worst.tokens + reserve <= 22_000


def test_a_small_budget_makes_replies_shorter_then_closes_then_stops() -> None:
    seen: list[tuple[str, int | None]] = []
    for tokens in range(8_000, 0, -50):
        grant = ledger(Limits(tokens=tokens), context=500).grant("")
        if isinstance(grant, Grant):
            assert grant.worst.tokens <= tokens
            seen.append((grant.closing, grant.max_tokens))
        else:
            assert grant == "tokens"
            assert tokens <= 500 + TELLING_BYTES
            seen.append(("stop", None))
    assert [name for name, _ in seen] == sorted((name for name, _ in seen), key=["", "tokens", "stop"].index)
    ordinary = [most for name, most in seen if name == "" and most is not None]
    assert ordinary == sorted(ordinary, reverse=True)
    assert min(ordinary) >= LEAST_TOKENS
    assert [most for name, most in seen if name == "tokens"][-1] == 50


def test_the_settings_bound_the_reply_and_the_closing_answer() -> None:
    assert granted(ledger(Limits(tokens=50_000), most=100)).max_tokens == 100
    assert granted(ledger(Limits(tokens=50_000), most=100), "steps").max_tokens == 100
    assert granted(ledger(Limits(tokens=50_000), most=9000), "steps").max_tokens == CLOSING_TOKENS
    assert granted(ledger(Limits(tokens=50_000)), "steps").worst == Usage(TELLING_BYTES, CLOSING_TOKENS)


def test_money_is_counted_at_the_price_of_input_and_output() -> None:
    grant = granted(ledger(Limits(cost=40.0), CENT, 1000, 100))
    assert grant.worst == Usage(100, 1000, 0, 100 / 1024 + 4000 / 1024)
    assert granted(ledger(Limits(cost=2.0), CENT, 1000, 100)).closing == "cost"
    assert ledger(Limits(cost=0.5), CENT, 1000, 100).grant("") == "cost"
    assert ledger(Limits(cost=1.0), CENT, 1000, 100).grant("steps") == granted(
        ledger(Limits(cost=1.0), CENT, 1000, 100), "steps"
    )


def test_the_tighter_of_two_budgets_decides() -> None:
    both = Limits(tokens=100_000, cost=2.0)
    assert granted(ledger(both, CENT, 1000, 100)).closing == "cost"
    both = Limits(tokens=1_000, cost=1e6)
    assert granted(ledger(both, CENT, 1000, 100)).closing == "tokens"


@pytest.mark.parametrize("price", [Price(0, 0), Price(0, 1 / 1024), Price(1 / 1024, 0)])
def test_a_price_of_nothing_divides_nothing_by_zero(price: Price) -> None:
    book = ledger(Limits(cost=100.0), price, None, 100)
    assert granted(book).max_tokens == REPLY_TOKENS
    assert granted(book, "steps").max_tokens == CLOSING_TOKENS
    assert book.room(2) > 0
    book.spent = Usage(0, 0, 0, 100.0)
    assert isinstance(book.grant(""), Grant) == (price == Price(0, 0))
    assert (book.room(1) > 0) == (price.input == 0)


def test_a_lost_reply_costs_the_worst_and_a_refused_one_nothing() -> None:
    book = ledger(Limits(tokens=9_000), context=1000)
    book.ask(Usage(1000, 500))
    book.release()
    assert (book.asks, book.spent, book.reserved) == (1, Usage(), Usage())
    book.ask(Usage(1000, 500))
    book.forfeit()
    assert (book.asks, book.spent, book.reserved) == (2, Usage(1000, 500), Usage())


def test_what_was_used_becomes_the_size_of_the_next_request() -> None:
    book = ledger(context=1000)
    book.ask(Usage(1000, 500))
    book.settle(Usage(400, 30), Turn())
    assert (book.spent, book.reserved, book.context) == (Usage(400, 30), Usage(), 430)
    book.observe(Result(data=Raw(b"[1]"), note="né"))
    assert book.context == 430 + MESSAGE_BYTES + 3 + 3
    book.tell("é")
    assert book.context == 430 + MESSAGE_BYTES + 6 + TELLING_BYTES + 2


def test_an_estimate_never_makes_the_next_request_smaller() -> None:
    turn = Turn(text="w" * 100, calls=(Call("read", text="{}"),))
    book = ledger(context=1000)
    book.ask(Usage())
    book.settle(Usage(10, 10, estimated=True), turn)
    assert book.context == 1000 + 2 * MESSAGE_BYTES + 102
    book.ask(Usage(2000, 50))
    book.settle(Usage(10, 10, estimated=True), turn)
    assert book.context == 1000 + 2 * MESSAGE_BYTES + 102 + 50


def test_a_room_that_is_used_up_still_leaves_the_reminder_and_the_closing_question() -> None:
    book = ledger(Limits(tokens=12_000), context=1000)
    for calls in (3, 2, 1):
        room = book.room(calls)
        assert room > 0
        book.observe(Result(data=Raw(b"d" * room)))
    assert book.room(1) == 0
    book.tell("")
    assert granted(book).closing == "tokens"
    assert granted(book).max_tokens == CLOSING_TOKENS


# --- counts and time


def test_one_model_call_is_kept_for_the_closing_answer() -> None:
    book = ledger(Limits(model_calls=2))
    assert granted(book).closing == ""
    book.ask(Usage())
    assert granted(book).closing == "model_calls"
    assert granted(book, "steps").closing == "steps"
    book.ask(Usage())
    assert book.grant("") == "model_calls"
    assert book.grant("steps") == "steps"


def test_time_is_kept_for_the_closing_answer() -> None:
    book = ledger(Limits(seconds=10.0))
    assert granted(book).until == book.work_until() == 8.0
    book.elapsed = 8.0
    assert granted(book) == Grant("seconds", None, Usage(), 10.0)
    book.elapsed = 10.0
    assert book.grant("") == "seconds"
    assert ledger(Limits(seconds=1000.0)).work_until() == 970.0
    assert ledger().work_until() is None


def test_calls_and_steps_run_out() -> None:
    book = ledger(Limits(tool_calls=1, steps=1))
    assert book.exhausted() == ""
    book.steps = 1
    assert book.exhausted() == "steps"
    book.admitted = 1
    assert book.exhausted() == "tool_calls"


# --- texts


@given(st.text(st.characters()), st.integers(3, 80))
def test_a_shortened_text_fits_and_says_that_it_goes_on(text: str, most: int) -> None:
    short = shortened(text, most)
    assert size(short) <= most
    assert short == text or (short.endswith("…") and text.startswith(short[:-1].replace("\ud800", "")[:1]))


def test_half_of_a_pair_counts_as_the_mark_that_replaces_it() -> None:
    assert size("\ud800") == size("\ufffd") == 3
    assert size("abc") == 3
    assert size("日") == 3


WILD = st.text(st.characters(), max_size=300) | st.sampled_from(["\x00" * 99, "\ud800" * 99, "'\"" * 99, "\\" * 99])


@settings(max_examples=300, deadline=None)
@given(WILD, WILD, st.sampled_from(["strict", "repaired", "rejected"]), st.booleans(), st.sampled_from(TOOLS))
def test_every_refusal_fits_what_is_set_aside_for_it_when_money_is_short(
    wild: str, reason: str, state: str, known: bool, tool: object
) -> None:
    """This is what `REFUSAL_BYTES` promises to the reserve."""
    poor = ledger(Limits(tokens=1, tool_calls=0))
    assert poor.remark() == SHOWN_BYTES
    named = next(spec.name for spec in TOOLS if spec is tool) if known else wild
    call = Call(named, id="1.1", text=wild, state="rejected" if state == "rejected" else "repaired", reason=reason)
    if state == "strict":
        call = Call(named, id="1.1")
    many = {f"{number:03}": TOOLS[0] for number in range(100)} | {spec.name: spec for spec in TOOLS}
    verdict = Verdict("deny", why=reason) if tool is TOOLS[0] else Verdict("allow")
    found = refuse(call, many, Guard(), poor, verdict)
    assert found is not None
    answers = [
        found.result,
        closed(call).result,
        unanswered(call, poor, doubtful=True, asked=True, said=reason).result,
        unanswered(call, poor, doubtful=False, asked=True, said=reason).result,
        unanswered(call, poor, doubtful=False, asked=False, said=reason).result,
    ]
    for result in answers:
        before = poor.context
        poor.observe(result)
        assert poor.context - before <= REFUSAL_BYTES


@settings(max_examples=300, deadline=None)
@given(
    tokens=st.integers(1, 60_000),
    context=st.integers(0, 5_000),
    most=st.sampled_from([None, 1, 64, 5000]),
    widest=st.sampled_from([1, 4, 32]),
    price=st.sampled_from([None, Price(1 / 1024, 0), Price(1 / 1024, 1 / 1024), Price(64 / 1024, 1 / 1024)]),
)
def test_after_the_worst_ordinary_reply_the_closing_question_is_still_paid_for(
    tokens: int, context: int, most: int | None, widest: int, price: Price | None
) -> None:
    limits = Limits(tokens=tokens) if price is None else Limits(cost=tokens * price.input)
    book = ledger(Limits(tokens=limits.tokens, cost=limits.cost, calls_per_turn=widest), price, most, context)
    grant = book.grant("")
    if not isinstance(grant, Grant) or grant.closing:
        return
    book.ask(grant.worst)
    book.settle(grant.worst, Turn())
    calls = min(widest, (grant.max_tokens or 0) // CALL_TOKENS)
    book.context += calls * REFUSAL_BYTES + TELLING_BYTES + (0 if calls else SHOWN_BYTES)
    assert isinstance(book.grant("steps"), Grant)
