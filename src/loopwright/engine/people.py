"""A function as the person who is asked for approvals."""

import inspect
from collections.abc import Awaitable, Callable

from loopwright.core.messages import Call, ToolSpec
from loopwright.engine.ports import Approval

Approve = Callable[[Call, ToolSpec], bool | Approval | Awaitable[bool | Approval]]


class Callback:
    """Asks a function of the application; it says yes or no, or returns an `Approval` with a reason."""

    def __init__(self, approve: Approve) -> None:
        self._approve = approve

    async def approve(self, call: Call, tool: ToolSpec, about: str) -> Approval:
        """Ask the function; `about` is left to it to find out from the call."""
        said = self._approve(call, tool)
        if inspect.isawaitable(said):
            said = await said
        return said if isinstance(said, Approval) else Approval(said, by="application")
