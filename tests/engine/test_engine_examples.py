"""Examples in whole runs: as they are given, as they are told both ways, and runs that become examples."""

from typing import Any, cast

import msgspec
import pytest
from msgspec import Raw

from loopwright import Agent, UsageError, tool
from loopwright.core.events import Event, NoteAdded, RunStarted
from loopwright.core.messages import Call, Example, Exchange, Limits, Result, ToolSpec, Turn, Way
from loopwright.engine.examples import strange_tools, trajectory
from loopwright.engine.history import example_of
from loopwright.engine.ports import Model
from loopwright.engine.speak import speech_of
from loopwright.journal.memory import MemoryJournal
from loopwright.protocols.anthropic import Anthropic
from loopwright.protocols.command_text import CommandText
from loopwright.protocols.openai_chat import OpenAIChat
from loopwright.protocols.paper import COMMAND
from loopwright.protocols.speech import Capabilities
from loopwright.testing.scripted import Entry, Scripted, ScriptedModel, answers, calls, says

WAYS: tuple[Way, ...] = ("native", "text")


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def search(query: str) -> str:
    """Look something up."""
    return f"all about {query}"


@tool(effect="send")
def send(text: str) -> str:
    """Send a message."""
    return f"sent {text}"


@tool(free_form=True)
def act(command: str) -> str:
    """Go to a place, take a thing, look."""
    return f"You {command}."


PLAIN: dict[str, Any] = {
    "task": "How much is 1+1, and what is a cat?",
    "steps": [
        {"thought": "I add.", "tool": "add", "arguments": {"a": 1, "b": 1}, "observation": 2},
        {"thought": "I look.", "tool": "Search", "arguments": "cat", "observation": {"page": "Cat"}},
        {"thought": "I know."},
    ],
    "answer": "2, and an animal.",
}


def agent_of(replies: list[Entry], way: Way, *tools: Any, **more: Any) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(replies=tuple(replies), way=way)
    given: dict[str, Any] = {"journal": ":memory:", "protocol": way, **more}
    return Agent(model, tools=tools or (add, search), **given), model


async def told(example: Example | dict[str, Any], way: Way, *tools: Any, **more: Any) -> list[dict[str, Any]]:
    """The messages of a request after the system's, where the task is `t`."""
    agent, model = agent_of([answers("so")], way, *tools, examples=[example], **more)
    assert (await agent.run("t")).answer == "so"
    messages = model.requests[0].messages
    return messages[1:] if messages[0]["role"] == "system" else messages


async def test_an_example_is_told_as_text_in_text_form() -> None:
    messages = await told(PLAIN, "text")
    assert [(message["role"], message["content"]) for message in messages] == [
        ("user", PLAIN["task"]),
        ("assistant", 'Thought: I add.\nAction: add {"a": 1, "b": 1}'),
        ("user", "Observation: 2"),
        ("assistant", 'Thought: I look.\nAction: search {"query": "cat"}'),
        ("user", 'Observation: {"page":"Cat"}'),
        ("assistant", "Thought: I know.\nFinal Answer: 2, and an animal."),
        ("user", "t"),
    ]


async def test_an_example_is_told_as_calls_natively() -> None:
    messages = await told(PLAIN, "native")
    assert [message["role"] for message in messages] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    made = [message["tool_calls"][0] for message in messages if "tool_calls" in message]
    assert [call["function"] for call in made] == [
        {"name": "add", "arguments": '{"a":1,"b":1}'},
        {"name": "search", "arguments": '{"query":"cat"}'},
    ]
    assert [call["id"] for call in made] == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert [message["content"] for message in messages if message["role"] == "tool"] == [
        '{"status":"ok","data":2}', '{"status":"ok","data":{"page":"Cat"}}',
    ]  # fmt: skip
    assert messages[-2]["content"] == "I know.\n\n2, and an animal."


async def test_several_calls_of_a_step_are_one_turn() -> None:
    made = [{"tool": "add", "arguments": {"a": n, "b": n}, "observation": n} for n in (1, 2)]
    example = {"task": "u", "steps": [{"calls": made}], "answer": "x"}
    _, turn, *results = await told(example, "native")
    assert [len(turn["tool_calls"]), [message["role"] for message in results]] == [
        2, ["tool", "tool", "assistant", "user"],
    ]  # fmt: skip
    text = await told(example, "text")
    assert text[2]["content"] == "Observation 1 (add): 1\nObservation 2 (add): 2"


async def test_an_example_without_a_step_is_a_question_and_its_answer() -> None:
    assert [m["content"] for m in await told({"task": "u", "answer": "x"}, "native")] == ["u", "x", "t"]


WRONG: dict[str, tuple[Any, str]] = {
    "no list": (PLAIN, "pass a list"),
    "text": ("last", "pass a list"),
    "one example": (Example("t"), "pass a list"),
    "no dict": ([5], "example 1 is of type int"),
    "unknown key": ([{"task": "t", "answer": "a", "note": "n"}], "unknown field `note`"),
    "unknown key of a step": ([{"task": "t", "steps": [{"tol": "add"}], "answer": "a"}], r"`tol`.*steps\[0\]"),
    "no answer": ([{"task": "t"}], "example 1 cannot be used: .*`answer`"),
    "empty answer": ([{"task": "t", "answer": " "}], "no answer"),
    "no task": ([{"task": "", "answer": "a"}], "no task"),
    "second one": ([PLAIN, {"answer": "a"}], "example 2 .*`task`"),
    "no observation": (
        [{"task": "t", "steps": [{"tool": "add", "arguments": {}}], "answer": "a"}],
        "step 1, has no observation",
    ),
    "a call without observation": ([{"task": "t", "steps": [{"calls": [{"tool": "add"}]}], "answer": "a"}], "no obs"),
    "no tool": ([{"task": "t", "steps": [{"observation": 1}], "answer": "a"}], "step 1, names no tool"),
    "no tool, and more": (
        [{"task": "t", "steps": [{"arguments": {}}, {"thought": "x"}], "answer": "a"}],
        "step 1, names no tool",
    ),
    "thought between": (
        [{"task": "t", "steps": [{"thought": "x"}, {"tool": "add", "observation": 1}], "answer": "a"}],
        "only the last step",
    ),
    "tool and calls": (
        [{"task": "t", "steps": [{"tool": "add", "calls": [{"tool": "add", "observation": 1}]}], "answer": "a"}],
        'either "calls"',
    ),
    "no calls": ([{"task": "t", "steps": [{"calls": []}], "answer": "a"}], "at least one"),
    "no JSON": ([{"task": "t", "steps": [{"tool": "add", "observation": {1, 2}}], "answer": "a"}], "JSON cannot carry"),
    "text for two": (
        [{"task": "t", "steps": [{"tool": "add", "arguments": "1", "observation": 1}], "answer": "a"}],
        "the arguments of add, '1'",
    ),
    "no turn": ([Example("t")], "no answer"),
    "call at the end": ([Example("t", (Exchange(Turn(calls=(Call("add"),), answer="a")),))], "no answer"),
    "no result": (
        [Example("t", (Exchange(Turn(calls=(Call("add"),))), Exchange(Turn(answer="a"))))],
        "a call without an observation",
    ),
    "no name": (
        [Example("t", (Exchange(Turn(calls=(Call(""),)), (Result(),)), Exchange(Turn(answer="a"))))],
        "without the name",
    ),
    "turn without call": (
        [Example("t", (Exchange(Turn(thought="x")), Exchange(Turn(answer="a"))))],
        "a turn without a call",
    ),
}


@pytest.mark.parametrize(("examples", "words"), WRONG.values(), ids=WRONG)
def test_what_is_no_example_is_refused_with_the_reason(examples: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        agent_of([], "text", examples=examples)


def test_tools_that_a_run_lacks_are_named_and_left_as_they_are() -> None:
    example = trajectory({"task": "t", "steps": [{"tool": "fly", "arguments": "far", "observation": 1}], "answer": "a"})
    agent, _ = agent_of([], "text", examples=[example, PLAIN])
    assert strange_tools(agent.examples, [add.spec, search.spec]) == ["fly"]
    assert agent.examples[0].exchanges[0].turn.calls[0].arguments == {"input": "far"}


def test_commands_go_to_the_free_form_tool_of_the_run() -> None:
    look = Call(COMMAND, {"input": "look"}, text="look")
    game = Example("t", (Exchange(Turn(calls=(look,)), (Result(),)), Exchange(Turn(answer="a"))))

    @tool(free_form=True)
    def play(line: str) -> str:
        """Play."""
        return line

    for tools, expected in ((play, add), ("play", {"line": "look"})), ((add,), (COMMAND, {"input": "look"})):
        agent, _ = agent_of([], "text", *cast("Any", tools), examples=[game])
        (call,) = agent.examples[0].exchanges[0].turn.calls
        assert (call.tool, call.arguments) == expected


# --- runs as examples


async def run_and_example(
    replies: list[Entry], way: Way, *tools: Any, **more: Any
) -> tuple[Example, list[dict[str, Any]]]:
    """A run with the task `u` as an example, and the messages that it had after the system's."""
    journal, spoken = MemoryJournal(), [*replies, answers("end")]
    agent, model = agent_of(spoken[:-1], way, *tools, journal=journal, **more)
    result = await agent.run("u")
    model.assert_done()
    example = example_of(await journal.read(result.run_id))
    messages = model.requests[-1].messages
    return example, messages[1:] if messages[0]["role"] == "system" else messages


@pytest.mark.parametrize("way", WAYS)
async def test_a_run_that_becomes_an_example_is_told_as_it_was(way: Way) -> None:
    replies: list[Entry] = [
        calls("add", a=1, b=2).thinking("I add.") + calls("search", query="cat"),
        calls("search", query="dog").thinking("One more."),
        answers("done"),
    ]
    if way == "text":  # as the prompt asks for it
        replies[0] = 'Thought: I add.\nAction: add {"a": 1, "b": 2}\nAction: search {"query": "cat"}'
        replies[1] = 'Thought: One more.\nAction: search {"query": "dog"}'
    example, had = await run_and_example(replies, way)
    again = await told(example, way)
    assert without_ids(again[: len(had)]) == without_ids(had)
    assert again[len(had)]["content"] == ("done" if way == "native" else "Final Answer: done")


def without_ids(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with ids that only say which calls are answered."""
    text, known = msgspec.json.encode(messages).decode(), dict[str, str]()
    for message in messages:
        for call in message.get("tool_calls", ()):
            known[call["id"]] = f"id{len(known)}"
    for given, plain in known.items():
        text = text.replace(f'"{given}"', f'"{plain}"')
    return msgspec.json.decode(text)


async def test_a_run_natively_is_an_example_in_text_form() -> None:
    example, _ = await run_and_example([calls("add", a=1, b=2).thinking("I add."), answers("3")], "native")
    assert [message["content"] for message in await told(example, "text")] == [
        "u", 'Thought: I add.\nAction: add {"a": 1, "b": 2}', "Observation: 3", "Final Answer: 3", "t",
    ]  # fmt: skip


async def test_only_calls_that_ran_are_shown() -> None:
    example, _ = await run_and_example(
        [
            "I will see.",
            calls("nothing", x=1),
            calls("send", text="hi").thinking("Tell.") + calls("add", a=1, b=2),
            "Thought: so\nAction: add {oh",
            answers("3"),
        ],
        "text",
        add,
        send,
        require_action=True,
    )
    (exchange, last) = example.exchanges
    assert [(call.tool, call.arguments, call.id) for call in exchange.turn.calls] == [("add", {"a": 1, "b": 2}, "")]
    assert exchange.results == (Result(data=Raw(b"3")),)
    assert last.turn == Turn(answer="3")


@pytest.mark.parametrize("stuck", ["no answer", "not over"])
async def test_a_run_without_an_answer_is_no_example(stuck: str) -> None:
    journal = MemoryJournal()
    agent, _ = agent_of([says(""), says("")], "native", journal=journal, limits=Limits(model_calls=1))
    history = await journal.read((await agent.run("u")).run_id)
    with pytest.raises(UsageError, match="cannot be an example"):
        example_of(history[:-1] if stuck == "not over" else history)


async def test_a_run_keeps_its_examples_and_roles_when_it_is_resumed() -> None:
    journal = MemoryJournal()
    replies: list[Entry] = [calls("add", a=1, b=2), answers("3")]
    first, model = agent_of(replies, "text", journal=journal, examples=[PLAIN], observation_role="system")
    result = await first.run("t")
    history = await journal.read(result.run_id)
    other = MemoryJournal()
    await other.append(result.run_id, 1, history[:6])
    again, asked_again = agent_of(replies[1:], "text", journal=other)
    assert (await again.resume(result.run_id)).answer == "3"
    assert asked_again.requests[0].messages == model.requests[1].messages
    assert model.requests[1].messages[-1]["role"] == "system"
    started = (await other.read(result.run_id))[0]
    assert isinstance(started, RunStarted)
    assert len(started.examples) == 1


# --- who says the observations


def model_of(**more: Any) -> Model:
    given: dict[str, Any] = {"dialect": OpenAIChat(), "transport": Scripted(), **more}
    return Model("m", "p:m", **given)


@pytest.mark.parametrize(
    ("role", "protocol", "model", "words"),
    [
        ("nobody", "text", model_of(), "use user, assistant, system or tool"),
        ("system", "text", model_of(dialect=Anthropic()), "leave observation_role out"),
        ("assistant", "text", model_of(capabilities=Capabilities(assistant_twice=False)), "in a row"),
        ("tool", "auto", model_of(), "needs protocol text"),
        ("tool", "text", model_of(capabilities=Capabilities(tools=False)), "with tool calling"),
    ],
)
def test_a_role_that_the_provider_would_refuse_is_refused_first(
    role: Any, protocol: Any, model: Model, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        Agent(model, observation_role=role, protocol=protocol, journal=":memory:")


async def test_a_tool_says_the_observations_of_a_run() -> None:
    agent, model = agent_of([calls("add", a=1, b=2), answers("3")], "text", observation_role="tool")
    assert (await agent.run("t")).answer == "3"
    turn, answer = model.requests[1].messages[2:]
    assert answer == {"role": "tool", "tool_call_id": turn["tool_calls"][0]["id"], "content": "Observation: 3"}


@pytest.mark.parametrize("other", [{"dialect": Anthropic()}, {"capabilities": Capabilities(tools=False)}])
def test_another_model_that_would_refuse_the_role_hears_the_user(other: dict[str, Any]) -> None:
    started = RunStarted(run_id="r", task="t", model="m", tools=(add.spec,), observation_role="tool")
    (message,) = speech_of("text", model_of(**other), started).results([(Call("add"), Result())])
    assert message.role == "user"


# --- environments


async def test_a_run_in_an_environment_in_text_form() -> None:
    happened, journal = list[Event](), MemoryJournal()

    def watch(_run_id: str, event: Any) -> None:
        happened.append(event)

    agent, model = agent_of(
        [
            "> think: I need a pen. I look first.",
            "> think: It may be on a desk.\n> go to desk 1\nYou see a pen.\n> take pen 1",
            "take pen 1",
            "> think: I have it.\nFinal Answer: Here is the pen.",
        ],
        "text",
        act,
        journal=journal,
        observers=[watch],
    )
    result = await agent.run("Find a pen.")
    assert (result.status, result.answer, result.steps) == ("answered", "Here is the pen.", 2)
    said = [(message["role"], message["content"]) for message in model.requests[3].messages[2:]]
    assert said == [
        ("assistant", "> think: I need a pen. I look first."),
        ("user", "OK.\nWrite one of these:\n> ...\nFinal Answer: ..."),
        ("assistant", "> think: It may be on a desk.\n> go to desk 1"),
        ("user", "You go to desk 1."),
        ("assistant", "take pen 1"),
        ("user", "You take pen 1."),
    ]
    assert [event.kind for event in happened if isinstance(event, NoteAdded)] == ["thinking"]
    assert "Action" not in model.requests[0].messages[0]["content"]
    example = example_of(await journal.read(result.run_id))
    told_again = await told(example, "text", act)
    assert [message["content"] for message in told_again] == [
        "Find a pen.",
        "> think: I need a pen. I look first. It may be on a desk.\n> go to desk 1",
        "You go to desk 1.",
        "> take pen 1",
        "You take pen 1.",
        "> think: I have it.\nFinal Answer: Here is the pen.",
        "t",
    ]


async def test_thoughts_without_end_close_the_run() -> None:
    agent, model = agent_of(["> think: a", "> think: b", "> think: c", "It is over."], "text", act)
    result = await agent.run("Find a pen.")
    assert (result.status, result.answer, result.reason) == ("partial", "It is over.", "unreadable")
    model.assert_done()


async def test_natively_an_environment_is_an_ordinary_tool() -> None:
    agent, model = agent_of([calls("act", command="look"), answers("A pen.")], "native", act)
    assert (await agent.run("Find a pen.")).answer == "A pen."
    assert model.requests[0].tools == ["act"]


def test_beside_other_tools_an_environment_takes_no_bare_commands() -> None:
    started = RunStarted(run_id="r", task="t", model="m", tools=(act.spec, ToolSpec("other")))
    assert not isinstance(speech_of("text", model_of(), started), CommandText)
