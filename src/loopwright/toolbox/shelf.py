"""Tools that read in the same place during a run, such as a search and a lookup.

Owns that the tools of one run share what they opened, and those of different runs nothing.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from loopwright.core.messages import Result, ToolSpec
from loopwright.tools.declare import FunctionTool

Reader = TypeVar("Reader")


class Shelf(Generic[Reader]):
    """Gives the tools of one run the same reader: it is a new one as soon as a tool comes for the second time.

    The tools are methods of the reader and named as these are.
    """

    def __init__(self, make: Callable[[], Reader]) -> None:
        self._make = make
        self._reader = make()
        self._served: set[str] = set()

    def tools(self, *names: str) -> "list[ShelfTool[Reader]]":
        """The tools of these names, for runs to come."""
        return [ShelfTool(self, getattr(self._reader, name)) for name in names]

    def served(self, name: str) -> "ShelfTool[Reader]":
        """A tool of the run that is about to begin."""
        if name in self._served or not self._served:
            self._reader, self._served = self._make(), set()
        self._served.add(name)
        return ShelfTool(self, getattr(self._reader, name))


class ShelfTool(Generic[Reader]):
    """A tool bound to one reader. Satisfies `engine.ports.Tool`."""

    def __init__(self, shelf: Shelf[Reader], bound: FunctionTool[..., Any]) -> None:
        self._shelf = shelf
        self._bound = bound
        self.spec: ToolSpec = bound.spec
        self.blocking: bool = bound.blocking

    async def run(self, arguments: dict[str, Any]) -> Result:
        """As `FunctionTool.run`."""
        return await self._bound.run(arguments)

    def run_blocking(self, arguments: dict[str, Any]) -> Result:
        """As `FunctionTool.run_blocking`."""
        return self._bound.run_blocking(arguments)

    def check(self, arguments: dict[str, Any]) -> str:
        """As `FunctionTool.check`."""
        return self._bound.check(arguments)

    def fresh(self) -> "ShelfTool[Reader]":
        """The tool with nothing open, for a new run. The tools of one run, one after the other, share a reader.

        Agents that offer different ones of them need tools each for itself.
        """
        return self._shelf.served(self.spec.name)
