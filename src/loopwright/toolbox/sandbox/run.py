"""One command in a sandbox, from its start to its end.

Owns the order of things: start bubblewrap, hand over the copy, read what is printed, watch, and end everything,
whatever happens to whoever waits. All of it happens in threads of its own, which a busy event loop does not hold up.
"""

import asyncio
import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from weakref import WeakKeyDictionary

from loopwright.core.errors import LoopwrightError, UsageError
from loopwright.toolbox.sandbox.bounds import MEGABYTE, Bounds, Ending
from loopwright.toolbox.sandbox.bubblewrap import Prepared, prepare, refused_workspace, this_machine
from loopwright.toolbox.sandbox.output import Output
from loopwright.toolbox.sandbox.snapshot import Snapshot
from loopwright.toolbox.sandbox.watch import Watch

AT_A_TIME = 2
"""Commands that run at the same time in one event loop; further ones wait."""
ENVIRONMENT = {
    "COLUMNS": "80",
    "HOME": "/tmp/home",  # noqa: S108 - inside the sandbox
    "LANG": "C.UTF-8",
    "LOGNAME": "sandbox",
    "NO_COLOR": "1",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TERM": "dumb",
    "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
    "USER": "sandbox",
}
"""What a command has in its environment; nothing of our own is passed."""
_PIECE = 65_536


class SandboxFailed(LoopwrightError):
    """The sandbox could not start the command; the text says why. Nothing of it is left."""


class Sandbox:
    """Runs commands on copies of one folder.

    Args:
        folder: what is copied, afresh for each command; nothing that a command writes comes back
        bounds: what a command may use

    Raises:
        UsageError: the folder cannot be worked on
    """

    def __init__(self, folder: Path, bounds: Bounds | None = None) -> None:
        self.folder = folder.resolve()
        if not self.folder.is_dir():
            raise UsageError(f"{folder} is no folder")
        if refusal := refused_workspace(self.folder):
            raise UsageError(refusal)
        self.bounds = bounds or Bounds()

    async def run(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, shown: Sequence[Path] = ()
    ) -> Ending:
        """Run a command, program first; it is not read by a shell. Returns when nothing of it is left.

        Args:
            command: program and arguments; it starts in the copy of the folder, which has the folder's own path
            environment: variables beside those of `ENVIRONMENT`
            shown: files and folders of this machine that the command may read, such as an installation of Python

        Raises:
            SandboxMissing: no sandbox can be made on this machine
            SandboxFailed: the command could not be started
            TooLarge: the folder is too large to be copied
        """
        async with _turn():
            prepared = prepare(
                await asyncio.to_thread(this_machine),
                self.folder,
                command,
                environment={**ENVIRONMENT, **(environment or {})},
                shown=shown,
                bounds=self.bounds,
            )
            return await _awaited(_Running(self.folder, prepared, self.bounds))


class _Running:
    """A sandbox from its start to its end, in the thread that calls `run`."""

    def __init__(self, folder: Path, prepared: Prepared, bounds: Bounds) -> None:
        self.watch = Watch(bounds, prepared.report, prepared.information)
        self._prepared = prepared
        self._bounds = bounds
        self._output = Output(bounds.output_chars)
        self._snapshot = Snapshot(folder, most_bytes=bounds.disk_mb * MEGABYTE, most_files=bounds.copied_files)
        self._fault: Exception | None = None

    def run(self) -> Ending:
        """Start it, and return when nothing of it is left. Raises as `Sandbox.run`."""
        began = time.monotonic()
        try:
            exit_code = self._watched()
        finally:
            self._prepared.close()
        if self._fault is not None:
            raise self._fault
        if not self.watch.started and not self.watch.hits:
            said = self.watch.refusal or self._output.text().strip() or f"bubblewrap ended with {exit_code}"
            raise SandboxFailed(f"the command could not be started in the sandbox: {said}")
        return Ending(
            exit_code=None if any(hit.ended_it for hit in self.watch.hits) else exit_code,
            hits=tuple(self.watch.hits),
            output=self._output.text(),
            printed=self._output.printed,
            seconds=round(time.monotonic() - began, 2),
            left_out=self._snapshot.left_out,
        )

    def _watched(self) -> int:
        """Run bubblewrap, and return its exit status."""
        with subprocess.Popen(  # noqa: S603 - the command line is ours
            self._prepared.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=self._prepared.inherited,
            env={},
            cwd="/",
        ) as process:
            self._prepared.started()
            outer = os.pidfd_open(process.pid)
            threads = [
                threading.Thread(target=self._hand_over, args=(process.stdin,)),
                threading.Thread(target=self._read, args=(process.stdout,)),
            ]
            try:
                for thread in threads:
                    thread.start()
                self.watch.run(outer)
            finally:
                os.close(outer)
                process.kill()
                for thread in threads:
                    thread.join()
        return process.returncode

    def _hand_over(self, out: BinaryIO) -> None:
        try:
            self._snapshot.write(out)
        except BrokenPipeError:
            pass  # the sandbox ended before its copy was complete, and says why itself
        except Exception as error:  # noqa: BLE001 - told in the thread that waits
            self._fault = error
            self.watch.stop()
        finally:
            with contextlib.suppress(BrokenPipeError):
                out.close()

    def _read(self, printed: BinaryIO) -> None:
        most = self._bounds.output_mb * MEGABYTE
        while piece := os.read(printed.fileno(), _PIECE):
            self._output.add(piece)
            if self._output.printed > most:
                self.watch.exceeded("output", f"{self._bounds.output_mb} MB of output")
                return


async def _awaited(running: _Running) -> Ending:
    """What comes of it; when the waiting is cancelled, the sandbox is ended first."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Ending] = loop.create_future()

    def work() -> None:
        ending, fault = None, None
        try:
            ending = running.run()
        except BaseException as raised:  # noqa: BLE001 - raised where it is awaited
            fault = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, done, ending, fault)

    threading.Thread(target=work, name="loopwright sandbox", daemon=True).start()
    try:
        return await asyncio.shield(done)
    finally:
        running.watch.stop()
        while not done.done():
            with contextlib.suppress(asyncio.CancelledError):  # ended first, then cancelled, however often
                await asyncio.wait([done])


def _settle(done: "asyncio.Future[Ending]", ending: Ending | None, fault: BaseException | None) -> None:
    if fault is not None:
        done.set_exception(fault)
        done.exception()  # else it is reported as lost where the waiting was cancelled
    elif ending is not None:
        done.set_result(ending)


_turns: "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]" = WeakKeyDictionary()


def _turn() -> asyncio.Semaphore:
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_A_TIME))
