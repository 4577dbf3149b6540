"""How a Python function becomes a tool: `@tool`.

Owns the declaration: name, description, effect and the schema from signature and docstring. A tool calls its function
and folds what happens into a `Result`; in which thread, for how long and how much of it is shown is the engine's part.
"""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload
from weakref import WeakKeyDictionary

from loopwright.core.errors import UsageError
from loopwright.core.messages import Effect, Result, ToolSpec
from loopwright.tools.docstring import documented
from loopwright.tools.result import failure, result_of
from loopwright.tools.signature import InvalidArguments, Parameters, parameters_of

P = ParamSpec("P")
R = TypeVar("R")

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class FunctionTool(Generic[P, R]):
    """A function as a tool. It can still be called as the plain function that it was.

    Satisfies `engine.ports.Tool`. On a class it works as a method: the tool of an instance is bound to it.
    """

    def __init__(
        self, function: Callable[P, R], spec: ToolSpec, parameters: Parameters, *, blocking: bool, method: bool
    ) -> None:
        self._function = function
        self._parameters = parameters
        self._method = method
        self.spec = spec
        self.blocking = blocking
        """Whether the function is not async, so that it must run in a thread: see `run_blocking`."""
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The plain function."""
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.spec.name}>"

    def __get__(self, instance: object, owner: type | None = None) -> "FunctionTool[..., R]":
        if instance is None or not self._method:
            return cast("FunctionTool[..., R]", self)
        bound: Callable[..., R] = cast("Any", self._function).__get__(instance, owner)
        return FunctionTool(bound, self.spec, self._parameters, blocking=self.blocking, method=False)

    async def run(self, arguments: dict[str, Any]) -> Result:
        """Validate, call, and fold whatever happens into a result; a function that is not async blocks meanwhile.

        Never raises an Exception; CancelledError and KeyboardInterrupt pass.
        """
        try:
            value = self._call(arguments)
            if inspect.isawaitable(value):
                value = await value
        except Exception as raised:  # noqa: BLE001 - whatever a tool raises is an observation
            return failure(raised)
        return result_of(value)

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `run`, in the calling thread, for a tool that is `blocking`."""
        try:
            value = self._call(arguments)
            if inspect.iscoroutine(value):
                value.close()
                raise TypeError("the function returned a coroutine but is not declared with `async def`")
        except Exception as raised:  # noqa: BLE001 - whatever a tool raises is an observation
            return failure(raised)
        return result_of(value)

    def check(self, arguments: dict[str, Any]) -> str:
        """What is wrong with the arguments, in words for the model; empty where they are fine. Calls nothing."""
        try:
            self._checked(arguments)
        except InvalidArguments as wrong:
            return str(wrong)
        return ""

    def _call(self, arguments: dict[str, Any]) -> Any:
        return cast("Callable[..., Any]", self._function)(**self._checked(arguments))

    def _checked(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if self._method:
            raise InvalidArguments(f"{self.spec.name} is a method; give the tool of an instance, not of the class")
        return self._parameters.check(arguments)


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    effect: Effect = "read",
    name: str = "",
    description: str = "",
    repeatable: bool | None = None,
    pollable: bool = False,
    timeout: float | None = None,
    max_chars: int = 20_000,
    accepts_repaired: bool = False,
    trusted_output: bool = True,
    open_world: bool = False,
    free_form: bool = False,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    effect: Effect = "read",
    name: str = "",
    description: str = "",
    repeatable: bool | None = None,
    pollable: bool = False,
    timeout: float | None = None,
    max_chars: int = 20_000,
    accepts_repaired: bool = False,
    trusted_output: bool = True,
    open_world: bool = False,
    free_form: bool = False,
) -> Any:
    """Make a tool of a function, sync or async, or of a bound method: ``@tool`` or ``@tool(effect="write")``.

    **A plain ``@tool`` declares that the function only reads, and such tools run without asking anybody.** A function
    that changes, sends, pays, deletes or executes something must say so with `effect`: then a person is asked first.

    The model sees the function's name, its docstring (Google, NumPy or Sphinx style) and a JSON Schema of its
    parameters; what it sends is validated against them, and the function gets Python values. Sync functions run in a
    thread. What the function returns becomes the result: text, numbers, lists, dicts, dataclasses, or a `Result`.

    Args:
        function: the function, where the decorator is used without parentheses
        effect: read, write, delete, send, pay or execute
        name: letters, digits, ``_`` and ``-``, at most 64; otherwise the function's name
        description: what the model is told; otherwise the docstring
        repeatable: whether a call may run again whose outcome is unknown; otherwise only where the effect is read
        pollable: whether asking the same thing again is normal
        timeout: seconds a call may take
        max_chars: characters of one result that the model is shown
        accepts_repaired: whether calls run whose arguments had to be repaired
        trusted_output: False where results hold text that others wrote: web pages, mail, files that were not made here
        open_world: whether the model chooses whom the arguments reach, as with the address of a page; behind text of
            others such a call asks too, although it only reads
        free_form: whether its one parameter is a command for an environment, such as ``go to desk 1``; in text form
            such a tool stands alone, and a whole reply is one command

    Raises:
        UsageError: the function cannot be a tool; the text says why and what to do
    """

    def declare(given: Callable[..., Any]) -> FunctionTool[..., Any]:
        read = _read(given)
        spec = ToolSpec(
            name=_valid_name(name or read.name, given),
            description=description.strip() or _described(read, given),
            parameters=read.parameters.schema,
            effect=_valid_effect(effect),
            repeatable=effect == "read" if repeatable is None else repeatable,
            pollable=pollable,
            accepts_repaired=accepts_repaired,
            trusted_output=trusted_output,
            open_world=open_world,
            free_form=free_form and _takes_a_line(read.parameters.schema, given),
            timeout=_positive(None if timeout is None else float(timeout), "timeout", given),
            max_chars=_positive(max_chars, "max_chars", given),
        )
        return FunctionTool(given, spec, read.parameters, blocking=read.blocking, method=read.method)

    return declare if function is None else declare(function)


class _Read:
    """What is read off a function, once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        _refuse_what_is_no_function(function)
        self.name: str = getattr(function, "__name__", "") or type(function).__name__
        self.method = _is_method(function)
        self.blocking = not _is_async(function)
        docs = documented(_docstring(function))
        self.description = docs.text
        self.parameters = parameters_of(function, docs.parameters, method=self.method)


_known: "WeakKeyDictionary[Any, _Read]" = WeakKeyDictionary()
"""Functions that were read already, so that giving one to several agents costs nothing."""


def _read(function: Callable[..., Any]) -> _Read:
    if not inspect.isfunction(function):
        return _Read(function)
    read = _known.get(function)
    if read is None:
        read = _known[function] = _Read(function)
    return read


def _refuse_what_is_no_function(function: Any) -> None:
    if isinstance(function, FunctionTool):
        raise UsageError(f"{function!r} is a tool already; leave out the second `tool`")
    if isinstance(function, classmethod | staticmethod):
        raise UsageError(f"put `@tool` below `@{type(function).__name__}`, next to the function")  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(function, type) or not callable(function):
        raise UsageError(f"`tool` takes a function, not {function!r}; write `@tool` above a `def`")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(f"tool {function.__qualname__} yields; return a list instead")


def _is_async(function: Any) -> bool:
    while isinstance(function, functools.partial):
        function = function.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _is_method(function: Any) -> bool:
    """Whether the function stands in a class body, where its first parameter is the instance."""
    if not inspect.isfunction(function):
        return False
    holder = function.__qualname__.rpartition(".")[0]
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return bool(holder) and not holder.endswith("<locals>") and first is not None and first.name == "self"


def _docstring(function: Any) -> str | None:
    if isinstance(function, functools.partial):
        return _docstring(function.func)  # pyright: ignore[reportUnknownMemberType]
    if inspect.isroutine(function):
        return function.__doc__
    return type(function).__call__.__doc__ or type(function).__doc__


def _described(read: _Read, function: Any) -> str:
    if not read.description:
        raise UsageError(
            f"tool {getattr(function, '__qualname__', read.name)} has no docstring; write one that tells the model "
            "what it does and when to use it, or pass `description=`"
        )
    return read.description


def _valid_name(name: str, function: Any) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a tool: providers take letters, digits, _ and -, at most 64; pass "
            f"`name=` for {getattr(function, '__qualname__', repr(function))}"
        )
    return name


def _valid_effect(effect: Effect) -> Effect:
    known = ("read", "write", "delete", "send", "pay", "execute")
    if effect not in known:
        raise UsageError(f"{effect!r} is no effect; it is one of {', '.join(known)}")
    return effect


def _takes_a_line(schema: dict[str, Any], function: Any) -> bool:
    parts: dict[str, Any] = schema.get("properties") or {}
    if [part.get("type") for part in parts.values()] != ["string"] or schema.get("required") != list(parts):
        raise UsageError(
            f"tool {getattr(function, '__qualname__', function)} is free_form but does not take one command: give it "
            "exactly one parameter, of type str and without a default"
        )
    return True


Number = TypeVar("Number", float, int, float | None)


def _positive(value: Number, what: str, function: Any) -> Number:
    if value is not None and not value > 0:
        raise UsageError(
            f"{what} of tool {getattr(function, '__qualname__', function)!r} is {value}; it must be above 0"
        )
    return value
