"""The person at the terminal, asked for approvals, and for answers in the place of tools."""

import asyncio
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from loopwright.cli.printing import Printer, exact
from loopwright.cli.typing_in import edited, line_of, raw_line
from loopwright.core.messages import Call, Result, Scope, ToolSpec
from loopwright.engine.ports import Approval, Look, Question
from loopwright.engine.telling import visible, written
from loopwright.tools.asked import AskedTool
from loopwright.tools.result import error

TRIES = 3
"""Answers that cannot be used before the model is told that there is none."""
SCOPES: dict[str, Scope] = {"y": "once", "yes": "once", "c": "call", "t": "tool"}
"""What may be answered for a yes, and how far it goes."""

READ = "read text of others"
"""What the reason for a question says once the run has done so; *always this tool* then holds for good."""


class Standing(Struct, frozen=True):
    """An answer that holds also for questions that waited behind it."""

    tool: str
    scope: Scope
    arguments: dict[str, Any]

    def covers(self, call: Call) -> bool:
        """Whether it answers the question about this call."""
        return self.tool == call.tool and (self.scope == "tool" or self.arguments == call.arguments)


class AtTheTerminal:
    """Asks on standard error and reads from standard input, one question at a time.

    What was typed before the question was there answers nothing: it is thrown away.
    """

    def __init__(self, printers: Iterable[Printer]) -> None:
        self._printers = tuple(printers)
        for printer in self._printers:
            printer.asked_elsewhere = True
        self._turn = asyncio.Lock()
        self._standing = list[Standing]()

    async def approve(self, question: Question) -> Approval:
        """Show exactly what would run and why it is asked about, and ask until there is an answer."""
        before = len(self._standing)
        async with self._turn:
            if question.about == "approval" and _covered(question.call, self._standing[before:]):
                return Approval(allowed=True, by="terminal", reason="as answered to the question before")
            for printer in self._printers:
                printer.rest()
            return await self._asked(question)

    async def _asked(self, question: Question) -> Approval:
        arguments = question.call.arguments
        _say("\n" + shown(question))
        while True:
            answer = await line_of(_choices(question))
            if question.about == "approval" and answer.lower() == "e":
                arguments = await self._edited(question, arguments)
                continue
            said = said_by(answer, question)
            if said.allowed and said.scope != "once":
                self._standing.append(Standing(question.call.tool, said.scope, arguments))
            changed = arguments if said.allowed and arguments != question.call.arguments else None
            return replace(said, arguments=changed)

    async def _edited(self, question: Question, before: dict[str, Any]) -> dict[str, Any]:
        """Other arguments that the tool takes; those from before where there are none."""
        arguments, wrong = arguments_in(await edited(before))
        look = Look(wrong) if wrong else await question.look(arguments)
        if look.wrong:
            _say(f"Nothing is changed: {visible(look.wrong)}")
            return before
        call = replace(question.call, arguments=arguments, state="strict")
        _say("\n" + shown(replace(question, call=call, preview=look.preview)))
        return arguments

    async def answer(self, call: Call, tool: AskedTool) -> Result:
        """Show what is asked, and read the answer; ask again where it is of another kind than the tool wants."""
        async with self._turn:
            for printer in self._printers:
                printer.rest()
            print(f"\n{visible(_wanted(call, tool.spec))}", file=sys.stderr)
            for _ in range(TRIES):
                typed = await raw_line(f"Your answer ({visible(tool.expects)}): ")
                if not typed:
                    print(file=sys.stderr)
                    return error("NobodyThere: the person closed the input and gave no answer")
                result = tool.answered(_answer(typed))
                if result.status == "ok":
                    return result
                print(visible(result.error.partition(": ")[2]), file=sys.stderr)
            return error("NobodyAnswered: the person gave no answer of the kind that is asked for")


def shown(question: Question) -> str:
    """What would happen, and why it is asked about; nothing is left out or hidden, and no sign commands the screen."""
    call = question.call
    lines = [f"The model wants to {question.tool.effect}: {written(call)}"]
    if len(call.arguments) > 1:
        lines += [f"  {name}: {encode(value).decode()}" for name, value in call.arguments.items()]
    lines += [f"  | {line}" for line in question.preview.splitlines()]
    lines += [f"Asked because {question.why}"] if question.why else []
    return exact("\n".join(lines))


def said_by(answer: str, question: Question) -> Approval:
    """What an answer means; all that is no clear yes is a no, and what is said besides goes to the model."""
    word = answer.lower()
    scope = SCOPES.get(word) if question.about == "approval" or word in ("y", "yes") else None
    if scope is not None:
        return Approval(allowed=True, by="terminal", scope=scope)
    head, _, why = answer.partition(" ")
    return Approval(allowed=False, by="terminal", reason=why if head.lower() in ("n", "no") else answer)


def arguments_in(text: str) -> tuple[dict[str, Any], str]:
    """The arguments that a text in JSON gives, and what is wrong with it."""
    if not text.strip():
        return {}, "nothing was given"
    try:
        return decode(text.encode(), type=dict[str, Any]), ""
    except (DecodeError, UnicodeError) as error:
        return {}, f"it is no JSON object: {error}"


def _covered(call: Call, standing: Sequence[Standing]) -> bool:
    return any(answer.covers(call) for answer in standing)


def _choices(question: Question) -> str:
    if question.about == "doubt":
        return "It may have run already before the interruption. Run it again? [y/N, or n REASON] "
    name = visible(question.call.tool)
    ends = "" if READ in question.why else " until it reads text of others"
    tool = f"[t] {name} always in this run{ends}"
    more = f"[y]es, [c] this exact call always, {tool}, [e]dit the arguments, [N]o; with why: n REASON"
    return f"{more}\nRun it? [y/c/t/e/N] "


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _wanted(call: Call, tool: ToolSpec) -> str:
    """What the model asks of a person: its question, or the call and what the tool is for."""
    match call.arguments:
        case {"question": str() as question} if len(call.arguments) == 1:
            return f"The model asks you: {question}"
        case _:
            return f"The model asks you for {written(call)}\n{tool.description}"


def _answer(typed: bytes) -> str:
    return typed.decode("utf-8", "replace").strip()
