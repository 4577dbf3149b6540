"""The embedded model, asked for real: what it answers, and what happens when a question is cut short."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loopwright.core.errors import ModelError
from loopwright.engine.ports import Model
from loopwright.models.local import local_model
from loopwright.protocols.embedded import system_prompt
from loopwright.protocols.grammar import grammar_of
from loopwright.protocols.labels import ENGLISH
from loopwright.protocols.speech import Reply
from loopwright.toolbox.arithmetic import calculator
from loopwright.toolbox.currency import convert_currency
from loopwright.toolbox.weather import get_current_weather

TOOLS = (get_current_weather.spec, convert_currency.spec, calculator.spec)
SYSTEM = system_prompt(TOOLS)
GRAMMAR = grammar_of(TOOLS, ENGLISH, short=True)
BET = "Question: I bet my friend 100 EUR that it would rain in Athens today. If I won, how many USD is that?"
RAIN = (
    'Observation: {"city": "Athens", "temperature": 17.4, "precipitation_mm": 3.2, "unit": "celsius", '
    '"country": "Greece", "time": "2026-11-30T12:00"}'
)
DRY = RAIN.replace("3.2", "0.0")
CONVERTED = (
    'Observation: {"amount": 100, "from_currency": "EUR", "to_currency": "USD", "converted_amount": 108.5, '
    '"rate": 1.085, "date": "2026-11-30"}'
)
SUM = "Question: What is 17 * 23?"
LONG = "Question: " + "rain or no rain, " * 600
FOREVER = "root ::= [a-z ] root"
PATIENCE = 60.0


def body(said: Iterable[str], **options: object) -> bytes:
    """A request in which user and model spoke in turn, the user first."""
    turns = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
    fields = {"messages": [{"role": "system", "content": SYSTEM}, *turns], "grammar": GRAMMAR, "max_tokens": 300}
    return msgspec.json.encode(fields | options)


async def ask(model: Model, *said: str, stream: bool = True, **options: object) -> Reply:
    reader = model.dialect.reader(stream=stream)
    request = body(said, stream=stream, **options)
    await model.transport.send(request, lambda data: void(reader.feed(data)), stream=stream, timeout=PATIENCE)
    return reader.close()


def void(_: Any) -> None:
    """A feed returns nothing."""


@pytest.fixture
def model() -> Model:
    return local_model()


async def test_with_rain_the_bet_takes_the_weather_then_the_conversion_then_the_answer(model: Model) -> None:
    weather = (await ask(model, BET)).text
    assert weather.endswith('Action: get_current_weather {"city": "Athens"}')
    converting = (await ask(model, BET, weather, RAIN)).text
    assert converting.endswith('convert_currency {"amount": 100, "from_currency": "EUR", "to_currency": "USD"}')
    answer = (await ask(model, BET, weather, RAIN, converting, CONVERTED)).text
    assert "Final Answer:" in answer
    assert "108.5" in answer


async def test_without_rain_nothing_is_converted(model: Model) -> None:
    answer = (await ask(model, BET, (await ask(model, BET)).text, DRY)).text
    assert "Final Answer:" in answer
    assert "convert_currency" not in answer


async def test_a_later_step_only_evaluates_what_is_new(model: Model) -> None:
    first = await ask(model, BET)
    second = await ask(model, BET, first.text, RAIN)
    assert first.usage is not None
    assert second.usage is not None
    assert first.usage.input_tokens < second.usage.cached_tokens < second.usage.input_tokens


async def test_whole_and_streamed_replies_are_the_same(model: Model) -> None:
    whole, streamed = await ask(model, SUM, stream=False), await ask(model, SUM)
    assert whole.text == streamed.text
    assert "17 * 23" in whole.text
    assert (whole.finish, whole.complete, streamed.finish, streamed.complete) == ("stop", True, "stop", True)
    assert whole.usage is not None
    assert streamed.usage is not None
    assert whole.usage.output_tokens == streamed.usage.output_tokens


async def test_questions_at_the_same_time_get_the_replies_they_get_alone(model: Model) -> None:
    questions = [f"Question: What is {number} * 17?" for number in (3, 5, 8)]
    alone = [(await ask(model, question)).text for question in questions]
    together = await asyncio.gather(*[ask(local_model(), question) for question in questions])
    assert [reply.text for reply in together] == alone
    assert len(set(alone)) == len(questions)


async def test_it_is_loaded_once(model: Model) -> None:
    await ask(model, SUM, max_tokens=1)
    await ask(local_model(), SUM, max_tokens=1)
    assert [thread.name for thread in threading.enumerate()].count("loopwright smollm2-135m-react") == 1


def test_event_loops_of_different_threads_share_it(model: Model) -> None:
    texts: list[str] = []
    askers = [threading.Thread(target=lambda: texts.append(asyncio.run(ask(model, SUM)).text)) for _ in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(PATIENCE)
    assert len(texts) == 2
    assert texts[0] == texts[1]


async def test_the_grammar_of_the_request_holds(model: Model) -> None:
    assert (await ask(model, SUM, grammar='root ::= "yes" | "no"')).text in ("yes", "no")


async def test_a_stop_mark_ends_the_reply(model: Model) -> None:
    assert "Action" not in (await ask(model, SUM, stop=["Action"])).text


async def test_a_reply_that_reaches_its_token_limit_says_so(model: Model) -> None:
    reply = await ask(model, SUM, grammar=FOREVER, max_tokens=5)
    assert reply.finish == "length"
    assert reply.usage is not None
    assert reply.usage.output_tokens == 5


async def test_the_event_loop_stays_free_while_it_works(model: Model) -> None:
    ticks = 0
    asking = asyncio.create_task(ask(model, SUM))
    while not asking.done():
        await asyncio.sleep(0)
        ticks += 1
    assert (await asking).text
    assert ticks > 100


async def test_a_prompt_longer_than_the_context_fails_as_context(model: Model) -> None:
    with pytest.raises(ModelError, match="exceeds the available context size") as raised:
        await ask(model, LONG * 3)
    assert raised.value.failure == "context"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_that_fills_the_context_fails_as_context(stream: bool) -> None:
    with pytest.raises(ModelError, match="the context was full after") as raised:
        await ask(local_model(context=256), SUM, grammar=FOREVER, max_tokens=4000, stream=stream)
    assert raised.value.failure == "context"


async def test_a_request_that_llama_cpp_refuses_fails_with_its_words(model: Model) -> None:
    with pytest.raises(ModelError, match=r"llama\.cpp: .*messages") as raised:
        await ask(model, SUM, messages=3)
    assert raised.value.failure == "request"


async def test_a_late_reply_is_discarded_and_does_not_hold_up_the_next(model: Model) -> None:
    fed: list[bytes] = []
    with pytest.raises(ModelError, match=r"no whole reply within 0\.3 seconds") as raised:
        await model.transport.send(body([LONG]), fed.append, stream=True, timeout=0.3)
    assert (raised.value.failure, raised.value.lost) == ("timeout", True)
    before = len(fed)
    assert (await ask(model, SUM)).text
    assert len(fed) == before


async def test_a_cancelled_question_is_given_up(model: Model) -> None:
    fed: list[bytes] = []
    arriving = asyncio.Event()

    def feed(data: bytes) -> None:
        fed.append(data)
        arriving.set()

    request = body([SUM], grammar=FOREVER, max_tokens=4000)
    asking = asyncio.create_task(model.transport.send(request, feed, stream=True, timeout=PATIENCE))
    await arriving.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    before = len(fed)
    assert (await ask(model, SUM)).text  # would wait for thousands of tokens if the first still ran
    assert len(fed) == before


async def test_what_the_feed_raises_comes_back_to_the_asker(model: Model) -> None:
    def full(_: bytes) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await model.transport.send(body([SUM]), full, stream=True, timeout=PATIENCE)
    assert (await ask(model, SUM)).text


LEAVE_IN_THE_MIDDLE = """
import asyncio, os
from loopwright.models.local import local_model

async def main() -> None:
    model, fed = local_model(), []
    sending = model.transport.send(os.environb[b"BODY"], fed.append, stream=True, timeout=None)
    asking = asyncio.create_task(sending)
    while not fed:
        await asyncio.sleep(0.01)
    assert os.listdir(os.environ["TMPDIR"]) == [], "a door to llama.cpp's server is open"
    {end}

asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["asking.cancel()", "pass", "raise SystemExit(0)"])
def test_a_process_that_leaves_in_the_middle_ends_silently(end: str, tmp_path: Path) -> None:
    request = body([SUM], grammar=FOREVER, max_tokens=4000)
    leaving = subprocess.run(
        [sys.executable, "-c", LEAVE_IN_THE_MIDDLE.format(end=end)],
        env={**os.environb, b"BODY": request, b"TMPDIR": os.fsencode(tmp_path)},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (leaving.returncode, leaving.stdout, leaving.stderr) == (0, b"", b"")
