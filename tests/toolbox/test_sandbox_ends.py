"""That a sandbox ends with whoever made it, and works for an ordinary user as for root."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox_host import Project, needs_sandbox, unchanged

from loopwright.toolbox.sandbox import Bounds, Sandbox, SandboxFailed, SandboxMissing, TooLarge, bubblewrap, run
from loopwright.toolbox.sandbox.snapshot import Snapshot

SOURCE = Path(run.__file__).parents[3]
NOBODY = 65534

SCRIPT = """
import asyncio, sys
from pathlib import Path
from loopwright.toolbox.sandbox import Bounds, Sandbox
from loopwright.toolbox.sandbox.python import bare_python
python = bare_python()
ending = asyncio.run(Sandbox(Path(sys.argv[1]), Bounds(seconds=30, processes=16)).run(
    [python.program, "-I", "-S", "-u", sys.argv[1] + "/program.py"], shown=python.shown))
print(ending.exit_code, ending.hits)
print(ending.output, end="")
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@needs_sandbox
@pytest.mark.parametrize("when", ["at once", "once its parts are there", "while it runs"])
def test_it_ends_when_we_are_killed(project: Project, when: str) -> None:
    project.write("program.py", "import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(300)")
    with unchanged(project), subprocess.Popen([sys.executable, "-c", SCRIPT, str(project.folder)]) as ours:
        most = {"at once": 2, "once its parts are there": 4, "while it runs": 5}[when]
        _wait_for(lambda: len(project.processes()) >= most)
        ours.send_signal(signal.SIGKILL)
        ours.wait()
        _wait_for(lambda: project.processes() == [])


@needs_sandbox
async def test_it_ends_when_a_second_cancellation_comes(project: Project) -> None:
    with unchanged(project):
        waiting = asyncio.create_task(Sandbox(project.folder).run(["sleep", "50000"]))
        for _ in range(3):
            await asyncio.sleep(0.1)
            waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


@needs_sandbox
async def test_several_at_a_time_know_nothing_of_each_other(project: Project) -> None:
    project.write("a.txt", "a")
    command = ["sh", "-c", "ls; ls /tmp; touch mine /tmp/mine"]
    endings = await asyncio.gather(*(Sandbox(project.folder).run(command) for _ in range(3)))
    assert {ending.output.splitlines()[:2] == ["a.txt", "home"] for ending in endings} == {True}
    assert {ending.exit_code for ending in endings} == {0}


@needs_sandbox
@pytest.mark.parametrize(
    ("command", "exit_code"),
    [(["true"], 0), (["false"], 1), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -SEGV $$"], 139)],
)
async def test_the_exit_code_is_the_commands_own(project: Project, command: list[str], exit_code: int) -> None:
    assert (await Sandbox(project.folder).run(command)).exit_code == exit_code


@needs_sandbox
async def test_both_streams_come_in_the_order_they_were_written(project: Project) -> None:
    ending = await Sandbox(project.folder).run(["sh", "-c", "echo one; echo two >&2; echo three; cat"])
    assert ending.output == "one\ntwo\nthree\n"


@needs_sandbox
async def test_what_there_is_no_program_for_is_told(project: Project) -> None:
    with pytest.raises(SandboxFailed, match="no-such-program: No such file or directory"):
        await Sandbox(project.folder).run(["no-such-program"])


@needs_sandbox
async def test_a_copy_that_has_no_room_is_told(project: Project) -> None:
    for number in range(3):
        (project.folder / f"{number}.bin").write_bytes(os.urandom(400_000))
    with pytest.raises(TooLarge, match="holds more than 1 MB, so it is not copied"):
        await Sandbox(project.folder, Bounds(disk_mb=1)).run(["true"])
    with pytest.raises(TooLarge, match="holds more than 2 files and folders"):
        await Sandbox(project.folder, Bounds(copied_files=2)).run(["true"])


@needs_sandbox
async def test_time_runs_while_the_copy_is_made(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Snapshot, "write", lambda _self, _out: time.sleep(0.6))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    ending = await Sandbox(project.folder, Bounds(seconds=0.2)).run(["true"])
    assert [hit.limit for hit in ending.hits] == ["seconds"]


@needs_sandbox
def test_an_ordinary_user_is_as_well_protected(project: Project) -> None:
    python = _python_of_nobody()
    project.write("program.py", _AS_NOBODY)
    for folder in (project.folder, *project.folder.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/tmp") and folder != Path("/"):
            folder.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(SOURCE), *sys.path])}
    done = subprocess.run(
        [python, "-c", SCRIPT, str(project.folder)],
        user=NOBODY, group=NOBODY, extra_groups=[], env=environment, cwd="/",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("0 "), done.stdout
    assert "DONE" not in done.stdout
    assert len([line for line in lines if line.startswith("refused")]) == 12
    assert lines[-1] == "1000 fewer than 16"
    assert project.processes() == []


_AS_NOBODY = """
import ctypes, os, socket, time
def attempt(work):
    try:
        print("DONE", work())
    except BaseException as error:
        print("refused", type(error).__name__, error)
attempt(lambda: open("/etc/shadow").read())
attempt(lambda: open("/proc/sys/kernel/hostname", "w").write("x"))
for place in ("/usr", "/", "/dev", "/etc", "/run", "/var"):
    attempt(lambda: open(place + "/hostile", "w"))
attempt(lambda: open("/proc/1/mem", "r+b"))
attempt(lambda: socket.create_connection(("192.0.2.1", 80), 2))
attempt(lambda: os.memfd_create("hostile"))
attempt(lambda: bytearray(10 << 30))
started = 1
try:
    for _ in range(40):
        if os.fork() == 0:
            time.sleep(60)
        started += 1
except OSError:
    pass
print(os.getuid(), "fewer than 16" if started < 16 else started)
"""


def _python_of_nobody() -> str:
    """A Python of our version whose libraries everybody may read; skips where only ours is there."""
    if os.geteuid() != 0:
        return sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (os.path.realpath(sys.executable), f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        known = f"import sys; sys.path += {[str(SOURCE), *sys.path]!r}; import msgspec, loopwright.toolbox.sandbox"
        if Path(python).exists() and _nobody_can_run([python, "-c", known]):
            return python
    pytest.skip("no Python here that an ordinary user may read, so only root's sandbox was tested")


def _nobody_can_run(command: list[str]) -> bool:
    try:
        done = subprocess.run(
            command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


async def test_without_bubblewrap_it_is_said_what_to_install(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.folder))
    with pytest.raises(SandboxMissing, match=r"bubblewrap is not installed.*apt-get install bubblewrap"):
        await Sandbox(project.folder).run(["true"])


async def test_a_bubblewrap_that_cannot_run_is_told_with_its_own_words(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = project.write("bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(project.folder))
    with pytest.raises(SandboxMissing, match=r"cannot make a sandbox here: bwrap: No permissions.*install bubblewrap"):
        await Sandbox(project.folder).run(["true"])


@pytest.mark.parametrize("folder", ["/", "/usr", "/usr/lib/..", "/proc/self", "/dev/shm"])
def test_folders_of_the_system_are_refused(folder: str) -> None:
    assert bubblewrap.refused_workspace(Path(folder).resolve())


def _wait_for(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 15
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.03)
