"""Installs bubblewrap, which the tests of the sandbox need, where the system's packages have it and we may.

Ends with status 0 where a sandbox can be made. Where it cannot, it says why and ends with status 1; the tests that need
one then say that they did not run.
"""

import os
import shutil
import subprocess
import sys

from loopwright.toolbox.sandbox.bubblewrap import SandboxMissing, this_machine

PACKAGE = "bubblewrap"


def main() -> int:
    """Install it if it is missing, then try it."""
    if shutil.which("bwrap") is None:
        _install()
    try:
        this_machine()
    except SandboxMissing as missing:
        print(f"no sandbox: {missing}", file=sys.stderr)
        return 1
    return 0


def _install() -> None:
    become = _as_root()
    if shutil.which("apt-get") is None or become is None:
        print(f"{PACKAGE} is not installed, and this user cannot install it here", file=sys.stderr)
        return
    print(f"[test] {PACKAGE}, for the tests of the sandbox")
    install = [*become, "apt-get", "install", "--yes", "--no-install-recommends", "-qq", PACKAGE]
    if _run(install):
        _run([*become, "apt-get", "update", "-qq"])
        print(_run(install), file=sys.stderr, end="")


def _as_root() -> list[str] | None:
    """What goes before a command that only root may run; None where we cannot become root without a password."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None or subprocess.run([sudo, "--non-interactive", "true"], check=False, capture_output=True).returncode:
        return None
    return [sudo, "--non-interactive"]


def _run(command: list[str]) -> str:
    """What a command said, if it failed; empty where it did not."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=300)
    return (done.stderr or f"{command[0]} ended with status {done.returncode}\n") if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
