"""The person who is asked for approvals and for answers: a function as one, and what counts as a yes."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast, get_args

from loopwright.core.errors import UsageError
from loopwright.core.messages import Call, Result, Scope, ToolSpec
from loopwright.engine.ports import Approval, People, Question, Tool
from loopwright.tools.asked import AskedTool

Approve = Callable[[Call, ToolSpec], bool | Approval | Awaitable[bool | Approval]]


class Callback:
    """Asks a function of the application; it says yes or no, or returns an `Approval` with more."""

    def __init__(self, approve: Approve) -> None:
        self._approve = approve

    async def approve(self, question: Question) -> Approval:
        """Ask the function about the call and its tool.

        Raises:
            UsageError: it returned neither a bool nor an `Approval`
        """
        said = self._approve(question.call, question.tool)
        if inspect.isawaitable(said):
            said = await said
        return approval_of(said)


class ByLetter:
    """Nobody is here: approvals, and answers in the place of tools, come as letters to the run.

    Args:
        pauses: whether the run is paused where one is needed that is not there yet, or waits for it
    """

    def __init__(self, *, pauses: bool) -> None:
        self.pauses = pauses

    async def approve(self, question: Question) -> Approval:
        """Wait; whoever has a letter for the call does not wait for this."""
        del question
        return await asyncio.get_running_loop().create_future()


def people_of(approve: object) -> People | None:
    """Whom to ask: a function of (call, tool), an object like `People`, ``inbox``, ``pause``, or nobody.

    Raises:
        UsageError: it is something else
    """
    if approve is None or callable(getattr(approve, "approve", None)):
        return cast("People | None", approve)
    if approve in ("inbox", "pause"):
        return ByLetter(pauses=approve == "pause")
    if not callable(approve):
        raise UsageError(
            f"approve is {approve!r}; pass a function of (call, tool) that returns True or False, or 'inbox' or 'pause'"
        )
    return Callback(cast("Approve", approve))


class Answers(Protocol):
    """Whoever can be asked in the place of a tool; `People` may have this as well."""

    async def answer(self, call: Call, tool: AskedTool) -> Result:
        """Ask what a tool without code is to give: `tool.expects` says what kind, `tool.answered` makes the result."""
        ...


Answer = Callable[[Call, ToolSpec], Any]
"""A function of the application that answers in the place of a tool: a text or a value, or something to await."""


class Answering:
    """A tool without code, and who answers it in a run."""

    def __init__(self, tool: AskedTool, answers: Answers) -> None:
        self._tool = tool
        self._answers = answers
        self.spec: ToolSpec = tool.spec

    @property
    def asked(self) -> AskedTool:
        """The tool without code."""
        return self._tool

    def check(self, arguments: dict[str, Any]) -> str:
        """As `AskedTool.check`."""
        return self._tool.check(arguments)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Ask, and wait for the answer."""
        return await self._answers.answer(Call(self.spec.name, arguments), self._tool)


class AnswerCallback:
    """Asks a function of the application."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def answer(self, call: Call, tool: AskedTool) -> Result:
        """Ask the function."""
        said = self._answer(call, tool.spec)
        if inspect.isawaitable(said):
            said = await said
        return tool.answered(said)


def answers_of(answer: object, people: People | None) -> Answers | None:
    """Whom to ask in the place of a tool: a function of (call, tool), an object with `answer`, or whoever approves.

    Raises:
        UsageError: it is something else
    """
    if answer is None:
        return cast("Answers", people) if callable(getattr(people, "answer", None)) else None
    if callable(getattr(answer, "answer", None)):
        return cast("Answers", answer)
    if not callable(answer):
        raise UsageError(f"answer is {answer!r}; pass a function of (call, tool) that returns the answer")
    return AnswerCallback(cast("Answer", answer))


def answering(tool: Tool, answers: Answers | None) -> Tool:
    """The tool as a run has it: one without code is answered by whoever is there."""
    return Answering(tool, answers) if isinstance(tool, AskedTool) and answers is not None else tool


def asked_of(tool: Tool) -> AskedTool | None:
    """The tool without code that this one is, for whoever answers it by letter; None where it has code."""
    if isinstance(tool, Answering):
        return tool.asked
    return tool if isinstance(tool, AskedTool) else None


def approval_of(said: object) -> Approval:
    """What was said, where it is a clear yes or no; nothing else lets a call run, and nothing else denies it.

    Raises:
        UsageError: it is neither a bool nor an `Approval` of one; the text names it
    """
    if isinstance(said, bool):
        return Approval(said, by="application")
    if not isinstance(said, Approval):
        raise UsageError(f"the approval returned {_named(said)}; it must be True, False or an Approval")
    for name, value, kind in (("allowed", said.allowed, bool), ("by", said.by, str), ("reason", said.reason, str)):
        if not isinstance(cast("object", value), kind):
            raise UsageError(
                f"the approval returned an Approval whose {name} is {_named(value)}, not a {kind.__name__}"
            )
    if said.scope not in get_args(Scope):
        raise UsageError(f"the approval returned the scope {_named(said.scope)}; it must be once, call or tool")
    if not isinstance(cast("object", said.arguments), dict | None):
        raise UsageError(f"the approval returned an Approval whose arguments are {_named(said.arguments)}, not a dict")
    return said


def _named(value: object) -> str:
    return "None" if value is None else f"{ascii(value)[:60]} ({type(value).__name__})"
