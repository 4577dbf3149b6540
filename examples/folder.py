"""A question over a folder of documents, with `search` and `lookup` as in the ReAct paper.

    .venv/bin/python examples/folder.py

It wants a bigger model than the embedded one: name it in LOOPWRIGHT_MODEL, or set a provider's key.
"""

from pathlib import Path

from loopwright import Agent
from loopwright.toolbox import documents

FOLDER = Path(__file__).parent / "documents"
TASK = "When was the Hartwell lighthouse built?"


def main() -> None:
    """Ask, and print the answer."""
    agent = Agent(tools=documents(FOLDER), instructions="Answer from the documents only.")
    result = agent.run_sync(TASK)
    print(result.answer or result.reason)


if __name__ == "__main__":
    main()
