"""What a person is asked about a call, and the fact that an answer becomes.

Owns what is shown with the question, and which arguments a person may change. Who is asked is `people`'s.
"""

import asyncio
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from loopwright.core.commands import AskPerson
from loopwright.core.errors import UsageError
from loopwright.core.events import ApprovalGiven
from loopwright.core.limits import REMARK_BYTES, shortened
from loopwright.core.messages import Call, Result, unwritable
from loopwright.engine.execute import fault
from loopwright.engine.people import approval_of
from loopwright.engine.ports import Approval, Look, People, PreviewingTool, Question, Tool
from loopwright.protocols.envelope import writable
from loopwright.tools.result import failure


async def consult(people: People, command: AskPerson, tool: Tool | None) -> ApprovalGiven:
    """Ask, and give what was said as the fact that it is.

    Args:
        people: whom to ask
        command: about which call, and why
        tool: of the call; None where it is not here any more

    Raises:
        UsageError: what was said is neither a clear yes nor a clear no, or changes the arguments to wrong ones
        Exception: whatever was raised instead of an answer
    """
    question = await _question(command, tool)
    said = approval_of(await people.approve(question))
    return ApprovalGiven(
        call_id=command.call.id,
        allowed=said.allowed,
        by=writable(said.by),
        reason=writable(said.reason),
        scope=said.scope if said.allowed else "once",
        arguments=await _changed(said, question),
        digest=command.digest,
    )


def with_change(result: Result, call: Call) -> Result:
    """The result of a call whose arguments a person changed, with a note that says so to the model."""
    arguments = shortened(encode(call.arguments).decode(), REMARK_BYTES)
    note = f"a person changed the arguments to {arguments}"
    return replace(result, note=f"{note}; {result.note}" if result.note else note)


async def _question(command: AskPerson, tool: Tool | None) -> Question:
    call = command.call

    async def look(arguments: dict[str, Any]) -> Look:
        if tool is None:
            return Look()
        wrong = unwritable(arguments, "arguments") or fault(tool, Call(call.tool, arguments))
        return Look(wrong, "" if wrong else await _preview(tool, arguments))

    preview = (await look(call.arguments)).preview
    return Question(call, command.tool, command.about, command.why, preview, look)


async def _preview(tool: Tool, arguments: dict[str, Any]) -> str:
    """What the tool says that a call would change: it may read files for that, so in a thread."""
    if not isinstance(tool, PreviewingTool):
        return ""
    try:
        return str(await asyncio.to_thread(tool.preview, arguments))
    except Exception as raised:  # noqa: BLE001 - the person is asked all the same
        return f"what would change cannot be shown: {failure(raised).error}"


async def _changed(said: Approval, question: Question) -> dict[str, Any] | None:
    """The arguments that a person changed; None where they stay as they are."""
    if not said.allowed or said.arguments is None or said.arguments == question.call.arguments:
        return None
    if question.about == "doubt":
        raise UsageError("the approval returned other arguments for a call that may have run already; say yes or no")
    if wrong := (await question.look(said.arguments)).wrong:
        raise UsageError(f"the approval returned arguments that {question.call.tool} does not take: {wrong}")
    return said.arguments
