"""A question over a folder of documents, with `search` and `lookup` as in the ReAct paper.

python examples/folder.py
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
