"""Installs bubblewrap, which the tests of the sandbox need, where the system's packages have it and we may.

Ends with status 0 where a sandbox can be made. Where it cannot, it says why and ends with status 1; the tests that need
one then say that they did not run.
"""

import shutil
import sys

from debian import install

from loopwright.toolbox.sandbox.bubblewrap import SandboxMissing, this_machine


def main() -> int:
    """Install it if it is missing, then try it."""
    if shutil.which("bwrap") is None:
        install("bubblewrap", "the tests of the sandbox")
    try:
        this_machine()
    except SandboxMissing as missing:
        print(f"no sandbox: {missing}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
