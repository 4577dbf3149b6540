"""A Postgres server of one's own, in a temporary folder, for tests: started, killed, started again.

Owns the server's process and its folder, and no other server of the machine. It stores as a real one does, with fsync.
Nothing of PostgreSQL may be run by the system's user, so that one starts it as another.
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwright.journal.postgres import PostgresJournal

VARIABLE = "LOOPWRIGHT_TEST_POSTGRES"
"""The address of the server that `journal_in` uses; other processes inherit it."""
USER = "loopwright"
_ORDINARY = ("postgres", "nobody")
_PATIENCE = 60.0
_SETTINGS = ("shared_buffers=16MB", "max_connections=60", "logging_collector=off", "lc_messages=C", "timezone=UTC")


class NoPostgres(Exception):
    """There is no server here that could be started; the text says why."""


def programs() -> Path:
    """The folder with `initdb` and `postgres`.

    Raises:
        NoPostgres: they are not installed
    """
    found = shutil.which("initdb")
    if found is not None and (beside := Path(found).resolve().parent) and (beside / "postgres").is_file():
        return beside
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not debian:
        raise NoPostgres("postgresql is not installed (Debian: apt-get install postgresql)")
    return debian[-1].parent


def journal_in(place: Path) -> "PostgresJournal":
    """A journal in the server that the environment names, in a schema of its own for each place."""
    from loopwright.journal.postgres import PostgresJournal

    return PostgresJournal(os.environ[VARIABLE], schema=schema_of(place))


def schema_of(place: Path) -> str:
    """The schema of a place."""
    return f"at {sha256(os.fsencode(place.absolute())).hexdigest()[:16]}"


class PostgresServer:
    """A server, running from the start; use it as a context, or call `end`.

    Raises:
        NoPostgres: it is not installed, or there is nobody who may run it
    """

    def __init__(self) -> None:
        self._programs = programs()
        self._user = _ordinary_user()
        self.password = secrets.token_hex(16)
        """Of the user `USER`; asked for over the network only."""
        self._folder = Path(tempfile.mkdtemp(prefix="loopwright-pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if self._user is not None:
                os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
            self._make()
            self.port = _free_port()
            self.start()
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> "PostgresServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def address(self) -> str:
        """Of its socket in the file system, where nobody is asked for a password."""
        return f"postgresql://{USER}@/postgres?host={self._folder}&port={self.port}"

    @property
    def network_address(self) -> str:
        """On loopback, with the password."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it takes connections.

        A server that was killed leaves processes behind for a moment, and refuses to start while they live.
        """
        give_up = time.monotonic() + _PATIENCE
        while True:
            command = [str(self._programs / "postgres"), "-D", str(self._data), "-k", str(self._folder)]
            command += ["-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
            command += [word for setting in _SETTINGS for word in ("-c", setting)]
            with self._log.open("ab") as log:
                self._process = self._popen(command, log.fileno())
            while self._process.poll() is None:
                if self._answers():
                    return
                if time.monotonic() > give_up:
                    raise NoPostgres(f"the server does not answer; it said:\n{self._log.read_text()[-2000:]}")
                time.sleep(0.05)
            if time.monotonic() > give_up:
                raise NoPostgres(f"the server does not start; it said:\n{self._log.read_text()[-2000:]}")
            time.sleep(0.2)

    def kill(self) -> None:
        """End it as a power cut would: nothing is written any more, and nobody is told."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """End it at once, but in order: who is connected is sent away."""
        self._signal(signal.SIGINT)

    def freeze(self) -> None:
        """Let it answer nobody, the connections that are there included, until `thaw`."""
        for pid in self._all():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        for pid in self._all():
            os.kill(pid, signal.SIGCONT)

    def end(self) -> None:
        """End it, and remove all that it wrote."""
        if self._process is not None and self._process.poll() is None:
            self.thaw()
            self._signal(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _make(self) -> None:
        secret = self._folder / "secret"
        secret.write_text(self.password)
        secret.chmod(0o644)
        command = [str(self._programs / "initdb"), "-D", str(self._data), "-U", USER, "-E", "UTF8", "--locale=C"]
        command += ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
        self._log.touch()
        with self._log.open("ab") as log:
            if self._popen(command, log.fileno()).wait(timeout=_PATIENCE):
                raise NoPostgres(f"initdb failed; it said:\n{self._log.read_text()[-2000:]}")
        secret.unlink()

    def _popen(self, command: list[str], out: int) -> subprocess.Popen[bytes]:
        user, group = (self._user.pw_uid, self._user.pw_gid) if self._user is not None else (None, None)
        return subprocess.Popen(  # noqa: S603  programs of PostgreSQL
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._folder), "LC_ALL": "C"},
        )

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.address, connect_timeout=5).close()
        except psycopg.Error:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(timeout=_PATIENCE)

    def _all(self) -> list[int]:
        """The server's process and those that it started."""
        assert self._process is not None  # noqa: S101
        main = self._process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return [main, *map(int, children)]


def _ordinary_user() -> pwd.struct_passwd | None:
    """Who runs the server: None for whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    for name in _ORDINARY:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres(f"the system's user may not run PostgreSQL, and none of {', '.join(_ORDINARY)} is here")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
