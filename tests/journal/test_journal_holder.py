"""Who holds a lease: a process is told from those that have its id later, or elsewhere."""

import os
import subprocess
import sys

import pytest

from loopwright.journal.holder import is_dead, this_process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are known by their ids alone")


def test_this_process_lives_and_is_the_same_each_time() -> None:
    assert this_process() == this_process()
    assert not is_dead(this_process())


def test_a_process_that_began_at_another_time_has_only_its_id() -> None:
    place, _, begun = this_process().rpartition(":")
    assert is_dead(f"{place}:{int(begun) + 1}")


def test_a_process_of_another_boot_or_container_is_not_known_to_be_dead() -> None:
    system, boot, space, pid, begun = this_process().split(":")
    gone = str(_ended())
    assert is_dead(":".join((system, boot, space, gone, begun)))
    assert not is_dead(":".join((system, "another boot", space, gone, begun)))
    assert not is_dead(":".join((system, boot, "4", gone, begun)))
    assert not is_dead(":".join((system, boot, "4", pid, begun)))


def test_a_process_that_was_killed_is_dead_before_its_parent_asks_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        holder = process.stdout.readline().decode().strip()
        assert not is_dead(holder)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_dead(holder)
    assert is_dead(holder)


@pytest.mark.parametrize("holder", ["", "linux", "linux:a:b:c:d", "win32:host:12", "darwin:host:12", "x" * 50])
def test_what_cannot_be_looked_up_is_not_known_to_be_dead(holder: str) -> None:
    assert not is_dead(holder)


_HOLDER = "import sys; from loopwright.journal.holder import this_process; print(this_process(), flush=True); input()"


def _ended() -> int:
    """The id of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid
