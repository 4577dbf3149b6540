"""The tool that asks the person who gave the task."""

from typing import Annotated

from pydantic import Field

from loopwright.tools.asked import person_tool

Question = Annotated[
    str, Field(min_length=1, max_length=2_000, description="one question, with all that is needed to answer it")
]


@person_tool
def ask_person(question: Question) -> str:  # pyright: ignore[reportReturnType]
    """Ask the person who gave the task; only for what the task leaves open and no other tool can find out."""
