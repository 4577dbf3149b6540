"""What letters become: the fact that a letter is, given where its run stands, or the reason why it is none.

Owns the reading of letters. Fetching them is `post`'s, writing down what they become the driver's.
"""

from typing import Any

from msgspec.json import encode

from loopwright.core.commands import AskPerson
from loopwright.core.events import ApprovalGiven, CancelAsked, LetterRefused, PersonSaid
from loopwright.core.inbox import Answer, Approve, Cancel, Received, Say, Unreadable
from loopwright.core.messages import Call, unwritable
from loopwright.core.outside import unheard
from loopwright.core.state import State
from loopwright.engine.execute import fault
from loopwright.engine.ports import Tool
from loopwright.engine.post import Post
from loopwright.protocols.envelope import writable

ABOUT_TO_END = "the run was about to end"
"""Why a cancellation is refused that comes too late."""


def next_fact(post: Post, state: State) -> PersonSaid | CancelAsked | LetterRefused | None:
    """What the first letter that can be taken now becomes; it is taken out of those that wait."""
    for received in post.letters:
        fact = _fact(received, state)
        if fact is not None:
            post.letters.remove(received)
            return fact
    return None


def _fact(received: Received, state: State) -> PersonSaid | CancelAsked | LetterRefused | None:
    letter, number = received.letter, received.number
    match letter:
        case Unreadable():
            return LetterRefused(inbox=number, why=f"it cannot be read: {writable(letter.why)}")
        case Cancel():
            if state.outcome is None:
                return CancelAsked(by=writable(letter.by), reason=writable(letter.reason), inbox=number)
            return LetterRefused(inbox=number, why=ABOUT_TO_END)
        case Say():
            if state.phase != "ready":
                return None
            if why := unheard(state, writable(letter.text)):
                return LetterRefused(inbox=number, why=why)
            return PersonSaid(text=writable(letter.text), by=writable(letter.by), inbox=number)
        case Approve() | Answer():
            if letter.call_id in state.open:
                return None
            return LetterRefused(inbox=number, why=f"no call {writable(letter.call_id)} waits for it")


def approved(received: Received, command: AskPerson, tool: Tool | None) -> ApprovalGiven | LetterRefused:
    """The fact that a letter about a call is, which waits for an approval."""
    letter, number = received.letter, received.number
    if not isinstance(letter, Approve):
        return LetterRefused(inbox=number, why=f"call {command.call.id} waits for an approval, not for an answer")
    if why := _unfit(letter, command, tool):
        return LetterRefused(inbox=number, why=why)
    changed = letter.arguments if letter.allowed and not _same(letter.arguments, command.call.arguments) else None
    return ApprovalGiven(
        call_id=command.call.id,
        allowed=letter.allowed,
        by=writable(letter.by),
        reason=writable(letter.reason),
        scope=letter.scope if letter.allowed else "once",
        arguments=changed,
        digest=command.digest,
        inbox=number,
    )


def _unfit(letter: Approve, command: AskPerson, tool: Tool | None) -> str:
    """Why the letter is no answer to what is asked; empty where it is one."""
    if letter.digest and letter.digest != command.digest:
        return f"it is about another call than {command.call.id} is now"
    if not letter.allowed or letter.arguments is None:
        return ""
    if command.about == "doubt":
        return f"call {command.call.id} may have run already as it is: its arguments cannot be changed"
    wrong = unwritable(letter.arguments, "arguments")
    if not wrong and tool is not None:
        wrong = fault(tool, Call(command.call.tool, letter.arguments))
    return f"{command.call.tool} does not take these arguments: {wrong}" if wrong else ""


def _same(one: dict[str, Any] | None, other: dict[str, Any]) -> bool:
    """Whether these are the same in JSON, where true is not 1."""
    return one is None or encode(one, order="sorted") == encode(other, order="sorted")
