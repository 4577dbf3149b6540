"""Tools written for LangChain, as tools of loopwright: `from_langchain`.

Owns the way from such a tool to a `ToolSpec` and a `Result`. The package `langchain-core` is loaded when the first one
is taken over.
"""

from typing import TYPE_CHECKING, Any, cast, get_args

from loopwright.core.errors import MissingExtra, UsageError
from loopwright.core.messages import Effect, Result, ToolSpec
from loopwright.toolbox.foreign import Unfit, plain, plain_schema, tool_name
from loopwright.tools.artifact import artifact_of
from loopwright.tools.result import error, failure, ok, result_of
from loopwright.tools.shape import Schema, mended, misfit

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_CALL_ID = "call"
"""LangChain wants an id of the call; it comes back with the answer, and nobody looks at it."""


def from_langchain(
    tool: "BaseTool",
    *,
    effect: Effect = "execute",
    name: str = "",
    repeatable: bool | None = None,
    pollable: bool = False,
    timeout: float | None = None,
    max_chars: int = 20_000,
    trusted_output: bool = False,
) -> "LangChainTool":
    """Take over a tool of LangChain: a `BaseTool`, such as ``@tool`` and `StructuredTool` make.

    LangChain does not say what a tool does to the world, so it counts as one that executes anything, and asks, until
    `effect` says otherwise. Its results count as written by others until `trusted_output` says otherwise. A tool that
    is not async runs in a thread. What it raises is an error, also where the tool would answer with a text instead;
    bytes and figures among its artifacts are kept.

    Args:
        tool: of LangChain
        effect: read, write, delete, send, pay or execute
        name: letters, digits, ``_`` and ``-``, at most 64; otherwise the tool's own, as far as providers take it
        repeatable: whether a call may run again whose outcome is unknown; otherwise only where the effect is read
        pollable: whether asking the same thing again is normal
        timeout: seconds a call may take
        max_chars: characters of one result that the model is shown
        trusted_output: whether its results hold nothing that others wrote

    Raises:
        MissingExtra: the package `langchain-core` is not installed
        UsageError: it is no such tool, or one that no model can call
    """
    try:
        from langchain_core.tools import BaseTool
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "langchain_core":
            raise
        raise MissingExtra(
            "tools of LangChain need the package langchain-core: pip install 'loopwright[langchain]'"
        ) from None
    if not isinstance(cast("object", tool), BaseTool):
        raise UsageError(f"from_langchain takes a tool of LangChain, not {type(tool).__name__}")
    if effect not in get_args(Effect):
        raise UsageError(f"{effect!r} is no effect; it is one of {', '.join(get_args(Effect))}")
    try:
        parameters = plain_schema(_schema(tool))
    except Unfit as unfit:
        raise UsageError(f"the tool {tool.name} of LangChain cannot be offered to a model: {unfit}") from None
    spec = ToolSpec(
        name=tool_name("", name or tool.name),
        description=plain(tool.description) or tool.name,
        parameters=parameters,
        effect=effect,
        repeatable=effect == "read" if repeatable is None else repeatable,
        pollable=pollable,
        timeout=timeout,
        max_chars=max_chars,
        trusted_output=trusted_output,
    )
    raising = tool.model_copy(update={"handle_tool_error": False, "handle_validation_error": False})
    return LangChainTool(raising, spec)


class LangChainTool:
    """A tool of LangChain. Satisfies `engine.ports.Tool`."""

    def __init__(self, tool: "BaseTool", spec: ToolSpec) -> None:
        self._tool = tool
        self.spec = spec
        self.blocking = not _is_async(tool)
        """Whether it has no async form, so that it must run in a thread: see `run_blocking`."""

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine."""
        return misfit(mended(arguments, self.spec.parameters), self.spec.parameters)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Call it, and fold whatever happens into a result; one that is not async blocks meanwhile."""
        if self.blocking:
            return self.run_blocking(arguments)
        given = mended(arguments, self.spec.parameters)
        if wrong := misfit(given, self.spec.parameters):
            return error(f"InvalidArguments: {wrong}")
        try:
            return _folded(await self._tool.ainvoke(self._input(given)))
        except Exception as raised:  # noqa: BLE001 - whatever a tool raises is an observation
            return _failed(raised)

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `run`, in the calling thread."""
        given = mended(arguments, self.spec.parameters)
        if wrong := misfit(given, self.spec.parameters):
            return error(f"InvalidArguments: {wrong}")
        try:
            return _folded(self._tool.invoke(self._input(given)))
        except Exception as raised:  # noqa: BLE001 - whatever a tool raises is an observation
            return _failed(raised)

    def _input(self, arguments: dict[str, Any]) -> Any:
        """The arguments alone give the plain value; an artifact comes only with the answer to a call."""
        if self._tool.response_format == "content":
            return arguments
        return {"type": "tool_call", "name": self._tool.name, "args": arguments, "id": _CALL_ID}


def _schema(tool: "BaseTool") -> Schema:
    """What the model may give: injected arguments are not in it."""
    schema: Any = tool.tool_call_schema
    if isinstance(schema, dict):
        return cast("Schema", schema)
    describe = getattr(schema, "model_json_schema", None)
    if describe is None:
        raise Unfit("its args_schema is a model of pydantic 1; write it with pydantic 2")
    return cast("Schema", describe())


def _is_async(tool: "BaseTool") -> bool:
    from langchain_core.tools import BaseTool, StructuredTool, Tool

    if isinstance(tool, StructuredTool | Tool):
        return tool.coroutine is not None
    return type(tool)._arun is not BaseTool._arun  # noqa: SLF001 - what its subclasses are documented to override  # pyright: ignore[reportPrivateUsage]


def _folded(value: Any) -> Result:
    """What a tool returned, as a result."""
    from langchain_core.messages import ToolMessage

    if not isinstance(value, ToolMessage):
        return result_of(value)
    content: Any = value.content  # pyright: ignore[reportUnknownMemberType]
    if value.status == "error":
        return error(content if isinstance(content, str) else str(content))
    artifact: object = value.artifact
    if artifact is None:
        return result_of(content)
    if artifact_of(artifact) is not None:
        return result_of({"content": content, "artifact": artifact})
    return ok(content, note=f"the tool also gave its application something of type {type(artifact).__name__}")


def _failed(raised: Exception) -> Result:
    from pydantic import ValidationError

    if not isinstance(raised, ValidationError):
        return failure(raised)
    wrongs = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in raised.errors(include_url=False))
    return error(f"InvalidArguments: {'; '.join(wrongs)}")
