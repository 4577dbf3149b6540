"""Large results and artifacts in whole runs: what the model is shown, what the journal keeps, and reading on."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.json import decode

from loopwright import Agent, Limits, MemoryJournal, tool
from loopwright.agent import Protocol
from loopwright.core.errors import JournalError
from loopwright.core.events import CallEnded, Event, ModelReplied, RunStarted
from loopwright.core.limits import IMAGE_TOKENS, OFFER_BYTES
from loopwright.core.messages import Call, Content, Result, ToolSpec, Whole
from loopwright.engine.execute import execute
from loopwright.engine.reading_on import READ_MORE, ReadMore, reader_of
from loopwright.engine.results import finished, shown_in
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.cohere import CohereChat
from loopwright.protocols.gemini import Gemini
from loopwright.protocols.images import LARGEST
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.openai_responses import OpenAIResponses
from loopwright.protocols.speech import Capabilities
from loopwright.testing.clock import FrozenClock
from loopwright.testing.crash import Crash, CrashAt
from loopwright.testing.scripted import Asked, Line, Script, ScriptedModel, answers, calls
from loopwright.tools.artifact import Artifact
from loopwright.tools.result import result_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
ROWS = [{"row": number, "text": "Zürich"} for number in range(200)]


@pytest.fixture(params=["native", "text"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return request.param


@tool(max_chars=900)
def rows() -> list[dict[str, Any]]:
    """Two hundred rows."""
    return ROWS


@tool
def add(a: int, b: int) -> int:
    """Add.

    Args:
        a: one
        b: other
    """
    return a + b


@tool
def plot(show: bool = True) -> dict[str, Any]:
    """Draws.

    Args:
        show: whether it is to be seen
    """
    return {"trend": "up", "plot": Artifact(PNG, caption="Sales", show=show)}


def agent(model: ScriptedModel, journal: Any, protocol: Protocol, tools: Sequence[Any] = (rows, add)) -> Agent:
    return Agent(model, tools=tools, protocol=protocol, journal=journal, clock=FrozenClock())


def ends(events: Sequence[Event]) -> list[CallEnded]:
    return [event for event in events if isinstance(event, CallEnded)]


def data(result: Result) -> Any:
    return json.loads(bytes(result.data))


def told(model: ScriptedModel, number: int) -> str:
    return json.dumps(model.requests[number].messages[-1]["content"])


def reads_on(asked: Asked) -> Line:
    """Calls what the note of the last result names."""
    return calls("read_more", **_next(asked.messages[-1]["content"]))


READING: Script = [calls("rows"), reads_on, reads_on, answers("done")]


def _next(content: str) -> dict[str, Any]:
    """The arguments that the note of a result names: what a model reads."""
    text = json.loads(content)["note"] if content.startswith('{"status"') else content
    found, _ = json.JSONDecoder().raw_decode(text[text.index("read_more ") + len("read_more ") :])
    return found


async def test_what_was_cut_can_be_read_on_and_the_whole_stays_in_the_journal(protocol: Protocol) -> None:
    model, journal = ScriptedModel(replies=READING), MemoryJournal()
    result = await agent(model, journal, protocol).run("Read.")
    model.assert_done()
    first, second, third = ends(await journal.read(result.run_id))
    assert first.whole is not None
    whole = decode(await journal.content(first.whole.digest), type=Result)
    assert data(whole) == ROWS
    assert data(first.result) + data(second.result) + data(third.result) == ROWS[: _shown(first, second, third)]
    assert second.result.note.startswith(f"rows {_shown(first)} to {_shown(first, second) - 1} of 200, ")
    assert (second.whole, third.whole) == (None, None)
    assert all(len(bytes(event.result.data).decode()) <= 900 for event in (first, second, third))
    assert (result.status, result.calls, result.steps) == ("answered", 3, 3)
    assert await journal.damage(result.run_id) is None


def _shown(*events: CallEnded) -> int:
    return sum(len(data(event.result)) for event in events)


async def test_the_tool_is_offered_only_once_something_was_cut_and_behind_the_others() -> None:
    model, journal = ScriptedModel(replies=[calls("add", a=1, b=2), *READING]), MemoryJournal()
    result = await agent(model, journal, "native").run("Read.")
    assert [asked.tools for asked in model.requests] == [["rows", "add"]] * 2 + [["rows", "add", "read_more"]] * 3
    before, after = (model.requests[number].body for number in (1, 2))
    shared = before.index(b',"messages"') - 1
    assert before[:shared] == after[:shared]
    started = (await journal.read(result.run_id))[0]
    assert isinstance(started, RunStarted)
    assert [spec.name for spec in started.tools] == ["rows", "add"]
    assert started.reader == READ_MORE


async def test_it_is_unknown_before_anything_was_cut(protocol: Protocol) -> None:
    model = ScriptedModel(replies=[calls("read_more", result="1.1", offset=0), answers("no")])
    journal = MemoryJournal()
    result = await agent(model, journal, protocol).run("Read.")
    (ended,) = ends(await journal.read(result.run_id))
    assert (ended.how, ended.result.error[:52]) == ("refused", "UnknownTool: there is no tool 'read_more'; the tools")


@pytest.mark.parametrize("when", ["before", "after"])
async def test_reading_on_works_after_a_crash(protocol: Protocol, when: Any) -> None:
    counted = CrashAt(MemoryJournal())
    await agent(ScriptedModel(replies=READING), counted, protocol).run("Read.", run_id="r")
    plain = await counted.read("r")
    for append in range(1, counted.appends + 1):
        journal = MemoryJournal()
        broken = CrashAt(journal, append, when)
        with pytest.raises(Crash):
            await agent(ScriptedModel(replies=READING), broken, protocol).run("Read.", run_id="r")
        if append == 1 and when == "before":
            continue
        asked = sum(isinstance(event, ModelReplied) for event in await journal.read("r"))
        model = ScriptedModel(replies=READING[asked:])
        result = await agent(model, journal, protocol).resume("r")
        assert result.status == "answered"
        events = await journal.read("r")
        assert [data(event.result) for event in ends(events)] == [data(event.result) for event in ends(plain)]
        assert await journal.damage("r") is None


async def test_a_result_of_another_run_cannot_be_read() -> None:
    journal = MemoryJournal()
    await agent(ScriptedModel(replies=READING), journal, "native").run("Read.", run_id="other")
    strange = {"result": "7.1", "offset": 0}
    model = ScriptedModel(replies=[calls("rows"), calls("read_more", **strange), answers("no")])
    result = await agent(model, journal, "native").run("Read.")
    error = ends(await journal.read(result.run_id))[1].result.error
    assert error == "UnknownResult: no result '7.1' was cut; those that were: 1.1"


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"result": 1.1, "offset": 0}, "result: expected a string"),
        ({"result": "1.1"}, "offset: expected an integer of at least 0"),
        ({"result": "1.1", "offset": -1}, "offset: expected an integer"),
        ({"result": "1.1", "offset": True}, "offset: expected an integer"),
        ({"result": "1.1", "offset": 0, "limit": 9}, "limit: there is no such parameter"),
    ],
)
async def test_wrong_arguments_do_not_run(arguments: dict[str, Any], wrong: str) -> None:
    model = ScriptedModel(replies=[calls("rows"), calls("read_more", **arguments), answers("no")])
    journal = MemoryJournal()
    result = await agent(model, journal, "native").run("Read.")
    ended = ends(await journal.read(result.run_id))[1]
    assert (ended.how, ended.result.error.partition(":")[0]) == ("refused", "InvalidArguments")
    assert wrong in ended.result.error
    assert result.calls == 1


async def test_a_page_is_never_longer_than_its_tool_or_the_budget_allows_and_a_long_row_is_cut_in_turn() -> None:
    reading = ReadMore(reader_of([rows.spec]), [rows.spec], journal := MemoryJournal())
    wide = result_of(["short", "x" * 3000, "short"])
    made = finished(wide, "1.1", rows.spec, room=1 << 20, reader=reading.spec, images=False)
    assert made.whole is not None
    ended = CallEnded(call_id="1.1", result=made.result, whole=made.whole)
    start = RunStarted(run_id="r", task="t", model="m")
    await journal.append("r", 1, [start, ended], made.contents)
    reading.watch(ModelReplied(turn=decode(b'{"calls":[{"tool":"rows","id":"1.1"}]}', type=_turn_type())))
    reading.watch(ended)
    for room in (400, 900, 1 << 20):
        page = await execute(reading, Call("read_more", {"result": "1.1", "offset": 1}), room=room, timeout=None)
        again = finished(page, "2.1", reading.spec, room=room, reader=reading.spec, images=False)
        if room > 3000:
            assert data(again.result) == ["x" * 3000]
            continue
        assert again.whole is not None
        assert again.whole.part == "json"
        assert 'read_more {"result": "1.1", "offset": 2}; cut: the first' in again.result.note
        assert '; to read on: read_more {"result": "2.1", "offset": ' in again.result.note
    lost = ReadMore(reading.spec, [rows.spec], MemoryJournal())
    lost.watch(ended)
    assert (await lost.run({"result": "1.1", "offset": 1})).error.startswith("JournalError: the rest cannot be read")
    assert (await lost.run({"result": "1.1"})).error.startswith("InvalidArguments: offset")


def _turn_type() -> Any:
    from loopwright.core.messages import Turn

    return Turn


def test_another_tool_of_that_name_keeps_it_and_trust_is_inherited() -> None:
    taken = [ToolSpec("read_more"), ToolSpec("read_more_2")]
    assert reader_of(taken).name == "read_more_3"
    assert reader_of(taken).trusted_output
    assert not reader_of([ToolSpec("a"), ToolSpec("page", trusted_output=False)]).trusted_output


@pytest.mark.parametrize("dialect", [OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini(), CohereChat()])
def test_what_the_offer_adds_to_a_request_is_what_was_set_aside(dialect: Any) -> None:
    with_it, without = (len(dialect.tools(tools)) for tools in ((rows.spec, reader_of([rows.spec])), (rows.spec,)))
    assert with_it - without < OFFER_BYTES


async def test_no_budget_is_passed_by_reading_on() -> None:
    for tokens in range(8000, 24_000, 1000):
        model = ScriptedModel(replies=[calls("rows")] * 3 + [answers("x")])
        journal = MemoryJournal()
        limits = Limits(tokens=tokens)
        one = Agent(model, tools=[rows], journal=journal, clock=FrozenClock(), limits=limits, protocol="native")
        result = await one.run("Read.")
        assert result.usage.tokens <= tokens
        assert result.status != "failed"


async def test_without_tools_there_is_nothing_to_read_on(protocol: Protocol) -> None:
    @tool(free_form=True)
    def act(command: str) -> str:
        """Act.

        Args:
            command: what to do
        """
        return command

    for tools in ([], [act]):
        journal = MemoryJournal()
        model = ScriptedModel(replies=[answers("x")], way="text" if protocol == "text" else "native")
        result = await agent(model, journal, protocol, tools).run("Hi.")
        started = (await journal.read(result.run_id))[0]
        assert isinstance(started, RunStarted)
        assert started.reader is None


# Artifacts


async def test_an_artifact_is_kept_and_the_model_sees_what_it_is(protocol: Protocol) -> None:
    model, journal = ScriptedModel(replies=[calls("plot"), answers("up")]), MemoryJournal()
    result = await agent(model, journal, protocol, [plot]).run("Plot.")
    (ended,) = ends(await journal.read(result.run_id))
    (content,) = ended.result.artifacts
    assert await journal.content(content.digest) == PNG
    assert data(ended.result)["plot"] == {
        "artifact": content.reference,
        "media_type": "image/png",
        "size": len(PNG),
        "caption": "Sales",
    }
    assert ended.result.note == f"{content.reference} is not shown, this model takes no images"
    assert not content.shown
    assert content.reference in told(model, 1)
    assert b"base64" not in model.requests[1].body


async def test_a_model_that_takes_images_is_shown_it_when_the_tool_asks(protocol: Protocol) -> None:
    for show in (True, False):
        model = ScriptedModel(
            replies=[calls("plot", show=show) + calls("plot", show=show), answers("up")],
            capabilities=Capabilities(images=True),
        )
        journal = MemoryJournal()
        result = await agent(model, journal, protocol, [plot]).run("Plot.")
        contents = [event.result.artifacts[0] for event in ends(await journal.read(result.run_id))]
        assert [content.shown for content in contents] == [show, show]
        shown = model.requests[1].messages[-1]
        parts: list[dict[str, Any]] = shown["content"] if show else []
        images = [part for part in parts if part["type"] == "image_url"]
        assert show or isinstance(shown["content"], str)
        assert len(images) == (2 if show else 0)
        if show:
            assert shown["role"] == "user"
            assert images[0]["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


async def test_images_are_shown_again_after_a_crash_and_after_a_switch() -> None:
    replies = [calls("plot"), calls("add", a=1, b=1), answers("up")]
    takes = Capabilities(images=True)
    journal = MemoryJournal()
    first = ScriptedModel(replies=replies, capabilities=takes)
    with pytest.raises(Crash):
        await agent(first, CrashAt(journal, 7), "native", [plot, add]).run("Plot.", run_id="r")
    second = ScriptedModel(replies=replies[1:], capabilities=takes)
    await agent(second, journal, "native", [plot, add]).resume("r")
    assert first.requests[1].messages == second.requests[0].messages
    assert b"data:image/png;base64" in second.requests[0].body
    blind = ScriptedModel(replies=[], capabilities=Capabilities())
    assert (await agent(blind, journal, "native", [plot, add]).resume("r")).status == "answered"


async def test_a_lost_image_is_said_when_the_run_goes_on() -> None:
    content = Content("ab" * 32, 3, "image/png", shown=True)
    history = [CallEnded(call_id="1.1", result=Result(artifacts=(content,)))]
    with pytest.raises(JournalError, match="no content"):
        await shown_in(history, MemoryJournal())


SPEC = ToolSpec("plot", max_chars=2000)


@pytest.mark.parametrize(
    ("artifact", "why"),
    [
        (Artifact(b"II*\x00\x00", show=True), "only gif, jpeg, png, webp images can be"),
        (Artifact("<svg/>", "image/svg+xml", show=True), "only gif, jpeg, png, webp images can be"),
        (Artifact(PNG + bytes(LARGEST), show=True), "it has more than 3,750,000 bytes"),
    ],
)
def test_what_no_provider_takes_is_not_sent_and_the_note_says_so(artifact: Artifact, why: str) -> None:
    made = finished(result_of(artifact), "1.1", SPEC, room=1 << 20, reader=None, images=True)
    assert [content.shown for content in made.result.artifacts] == [False]
    assert made.result.note.endswith(f"is not shown, {why}")


def test_images_are_shown_as_far_as_the_budget_goes() -> None:
    value = [Artifact(PNG + bytes([number]), show=True) for number in range(3)]
    made = finished(result_of(value), "1.1", SPEC, room=2 * IMAGE_TOKENS + 2000, reader=None, images=True)
    assert [content.shown for content in made.result.artifacts] == [True, True, False]
    assert made.result.note == f"{made.result.artifacts[2].reference}: no room to show it"
    tight = finished(result_of(value), "1.1", SPEC, room=400, reader=None, images=True)
    assert not any(content.shown for content in tight.result.artifacts)
    assert len(tight.contents) == 3 + (tight.whole is not None)


async def test_artifacts_in_rows_that_were_cut_are_kept_and_come_with_their_page() -> None:
    value = [{"name": f"plot {number}", "plot": Artifact(PNG + bytes([number]), show=True)} for number in range(40)]
    reading = ReadMore(reader_of([SPEC]), [SPEC], journal := MemoryJournal())
    made = finished(result_of(value), "1.1", SPEC, room=1 << 30, reader=reading.spec, images=True)
    kept = len(data(made.result))
    assert 0 < kept < 40
    assert [content.shown for content in made.result.artifacts] == [True] * kept + [False] * (40 - kept)
    ended = CallEnded(call_id="1.1", result=made.result, whole=made.whole)
    await journal.append("r", 1, [RunStarted(run_id="r", task="t", model="m"), ended], made.contents)
    reading.watch(ended)
    page = await execute(reading, Call("read_more", {"result": "1.1", "offset": kept}), room=1 << 30, timeout=None)
    again = finished(page, "2.1", reading.spec, room=1 << 30, reader=reading.spec, images=True)
    assert [content.shown for content in again.result.artifacts] == [True] * len(data(again.result))
    assert set(again.contents) == {content.digest for content in again.result.artifacts}
    await journal.append("r", 3, [CallEnded(call_id="2.1", result=again.result)])


def test_a_whole_is_not_readable_without_room_or_without_a_tool_for_it() -> None:
    for room, reader in ((0, READ_MORE), (1 << 20, None)):
        made = finished(result_of(ROWS), "1.1", rows.spec, room=room, reader=reader, images=False)
        assert isinstance(made.whole, Whole)
        assert not made.whole.readable
        assert "read_more" not in made.result.note
        assert list(made.contents) == [made.whole.digest]
