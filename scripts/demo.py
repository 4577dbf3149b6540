"""Three questions to the embedded model, asked as a user would ask them: `make demo`.

Prints each command before it runs. Ends with 0 when every run came to an answer; without a network the answer to the
bet says that the weather could not be found out.
"""

import shlex
import subprocess
import sys
from pathlib import Path

QUESTIONS = (
    "How many USD are 250 EUR?",
    "I buy 3 books for 25 EUR each. How many USD is that?",
    "I bet my friend 100 EUR that it would rain in Athens today. If I won, how many USD is that?",
)


def ask(question: str) -> bool:
    """Show the command, run it, and say whether it ended with an answer."""
    options = [question, "--model", "local"]
    print(f"\n$ loopwright ask {shlex.join(options)}", flush=True)
    return subprocess.run([Path(sys.executable).parent / "loopwright", "ask", *options], check=False).returncode == 0


def main() -> int:
    """0 when all questions were answered, 1 otherwise."""
    unanswered = [question for question in QUESTIONS if not ask(question)]
    print()
    for question in unanswered:
        print(f"No answer: {question}")
    if not unanswered:
        print("All three runs are in the journal: loopwright runs")
    return 1 if unanswered else 0


if __name__ == "__main__":
    sys.exit(main())
