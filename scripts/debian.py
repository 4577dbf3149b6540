"""Installs a package of the system for the tests, where there is `apt-get` and we may."""

import os
import shutil
import subprocess
import sys


def install(package: str, purpose: str) -> None:
    """Install it, and say so; where that cannot be, say why."""
    become = as_root()
    if shutil.which("apt-get") is None or become is None:
        print(f"{package} is not installed, and this user cannot install it here", file=sys.stderr)
        return
    print(f"[test] {package}, for {purpose}")
    command = [*become, "apt-get", "install", "--yes", "--no-install-recommends", "-qq", package]
    if run(command):
        run([*become, "apt-get", "update", "-qq"])
        print(run(command), file=sys.stderr, end="")


def as_root() -> list[str] | None:
    """What goes before a command that only root may run; None where we cannot become root without a password."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None or subprocess.run([sudo, "--non-interactive", "true"], check=False, capture_output=True).returncode:
        return None
    return [sudo, "--non-interactive"]


def run(command: list[str]) -> str:
    """What a command said, if it failed; empty where it did not."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=300)
    return (done.stderr or f"{command[0]} ended with status {done.returncode}\n") if done.returncode else ""
