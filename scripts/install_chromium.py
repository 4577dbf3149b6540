"""Installs Chromium, which the tests of pages look at them with, where the system's packages have it and we may.

Ends with status 0 where it is there. Where it is not, it says why and ends with status 1; the tests that need it then
say that they did not run.
"""

import shutil
import sys

from debian import install


def main() -> int:
    """Install it if it is missing, then look for it."""
    if shutil.which("chromium") is None:
        install("chromium", "the tests of pages")
    if shutil.which("chromium") is None:
        print("no Chromium: pages are parsed, but no browser looks at them", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
