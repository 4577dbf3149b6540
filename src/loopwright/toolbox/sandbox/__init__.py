"""Runs a command on a temporary copy of a folder, where it can harm nothing: bubblewrap and limits of the kernel.

Owns the sandbox: what goes in (`snapshot`), what it looks like inside (`bubblewrap`, `filter`, `launcher`), the watch
over it (`watch`) and how it ended (`bounds`). Whether a command may run at all is the policy's question, and what its
output means is the tool's.
"""

from loopwright.toolbox.sandbox.bounds import Bounds, Ending, Hit
from loopwright.toolbox.sandbox.bubblewrap import SandboxMissing
from loopwright.toolbox.sandbox.python import Python, project_python
from loopwright.toolbox.sandbox.run import Sandbox, SandboxFailed
from loopwright.toolbox.sandbox.snapshot import TooLarge

__all__ = [
    "Bounds",
    "Ending",
    "Hit",
    "Python",
    "Sandbox",
    "SandboxFailed",
    "SandboxMissing",
    "TooLarge",
    "project_python",
]
