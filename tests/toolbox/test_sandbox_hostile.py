"""Programs that mean harm: each is contained, reported and cleaned up, and the machine is as it was."""

import asyncio
import os
import socket
from pathlib import Path

import pytest
from sandbox_host import Project, needs_sandbox, unchanged

from loopwright.toolbox.sandbox import Bounds, Ending, Sandbox
from loopwright.toolbox.sandbox.python import bare_python

pytestmark = needs_sandbox

BOUNDS = Bounds(seconds=60, cpu_seconds=20, memory_mb=256, processes=32, disk_mb=16, files=2_000, output_mb=1)
ATTEMPT = """
import ctypes, os, resource, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def attempt(name, work):
    try:
        print(name, "DONE", work())
    except BaseException as error:
        print(name, "refused", type(error).__name__, error)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "yes"
def write(path, text="hostile"):
    with open(path, "w") as file:
        file.write(text)
    return path
def read(path):
    with open(path) as file:
        return file.read()
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


async def hostile(project: Project, code: str, *arguments: str, bounds: Bounds = BOUNDS) -> Ending:
    """How a program ends that may do its worst, once it was seen that it left nothing."""
    project.write("hostile.py", ATTEMPT + code)
    python = bare_python()
    with unchanged(project):
        return await Sandbox(project.folder, bounds).run(
            [python.program, "-I", "-S", "-u", str(project.folder / "hostile.py"), *arguments], shown=python.shown
        )


def ended_for(ending: Ending) -> list[str]:
    return [hit.limit for hit in ending.hits if hit.ended_it]


def refused(ending: Ending) -> list[str]:
    """The names of the attempts, if all of them were refused."""
    assert "DONE" not in ending.output, ending.output
    assert ending.exit_code == 0, ending
    return [line.split()[0] for line in ending.output.splitlines() if " refused " in line]


async def test_a_fork_bomb(project: Project, pace: float) -> None:
    code = """
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
"""
    ending = await hostile(project, code, bounds=Bounds(seconds=1.5 * pace, processes=32))
    assert ended_for(ending) == ["seconds"]
    assert "processes" in [hit.limit for hit in ending.hits]


async def test_threads_count_as_processes(project: Project) -> None:
    code = """
import threading
started = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        started += 1
except RuntimeError as error:
    print(started < 32, error, flush=True)
    os._exit(3)
"""
    ending = await hostile(project, code)
    assert ending.exit_code == 3
    assert ending.output.startswith("True can't start new thread")


async def test_sockets_lead_nowhere(project: Project, tmp_path: Path) -> None:
    named = str(tmp_path / "host.sock")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{project.marker}")
        local.listen()
        with socket.socket(socket.AF_UNIX) as file:
            file.bind(named)
            file.listen()
            code = """
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2))
attempt("internet", lambda: socket.create_connection(("192.0.2.1", 80), 2))
attempt("six", lambda: socket.create_connection(("2001:db8::1", 80), 2))
attempt("names", lambda: socket.getaddrinfo("example.com", 80))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + sys.argv[2]))
attempt("file", lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[3]))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, 3))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("bluetooth", lambda: socket.socket(31, socket.SOCK_RAW, 1))
"""
            ending = await hostile(project, code, str(server.getsockname()[1]), project.marker, named)
    assert len(refused(ending)) == 10


async def test_nothing_that_was_open_is_inherited(project: Project) -> None:
    secret = os.open(project.write("secret.txt", "secret"), os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        ending = await hostile(project, 'print(sorted(os.listdir("/proc/self/fd"))[:-1])')
    finally:
        os.close(secret)
    assert ending.output == "['0', '1', '2']\n"


async def test_a_server_of_its_own_can_be_reached(project: Project) -> None:
    code = """
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).sendall(b"hello")
print(server.accept()[0].recv(5))
"""
    assert (await hostile(project, code)).output == "b'hello'\n"


@pytest.mark.parametrize("place", [".", "/tmp", "/dev/shm", "/var/tmp", "/tmp/home"])
async def test_filling_the_disk(project: Project, place: str) -> None:
    code = """
def fill(path):
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while written < 1 << 30:
                written += file.write(bytes(1 << 20))
    except OSError as error:
        print("refused after", written >> 20, error.strerror, flush=True)
        return
    print("DONE")
fill(sys.argv[1] + "/hostile-1")
fill(sys.argv[1] + "/hostile-2")
time.sleep(0.3)
"""
    ending = await hostile(project, code, place)
    refused(ending)
    written = [int(line.split()[2]) for line in ending.output.splitlines()]
    assert sum(written) <= BOUNDS.disk_mb
    if place != "/dev/shm":
        assert [hit.limit for hit in ending.hits] == ["disk"]


async def test_places_outside_the_copy_take_no_file(project: Project) -> None:
    beside = project.folder.parent / "beside.txt"
    beside.write_text("mine")
    places = ["/", "/etc", "/usr", "/usr/lib", "/dev", "/run", "/var", "/proc", "/home", str(beside.parent)]
    code = """
for place in sys.argv[1:]:
    attempt(place, lambda: write(place + "/hostile"))
for name in ("/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/usr/bin/env", sys.executable, os.__file__):
    attempt(name, lambda: write(name))
    attempt(name, lambda: os.chmod(name, 0o777))
    attempt(name, lambda: os.unlink(name))
"""
    ending = await hostile(project, code, *places)
    assert len(refused(ending)) == len(places) + 18
    assert beside.read_text() == "mine"


async def test_very_many_files(project: Project) -> None:
    code = """
number = 0
while True:
    open(f"/tmp/{number}", "w").close()
    number += 1
"""
    ending = await hostile(project, code)
    assert ended_for(ending) == ["files"]


async def test_ten_gigabytes_at_once(project: Project) -> None:
    ending = await hostile(project, 'attempt("memory", lambda: len(bytearray(10 << 30)))')
    assert refused(ending) == ["memory"]


async def test_ten_gigabytes_by_many_processes(project: Project) -> None:
    code = """
for _ in range(25):
    if os.fork() == 0:
        held = bytearray(b"x") * (100 << 20)
        time.sleep(60)
time.sleep(60)
"""
    assert ended_for(await hostile(project, code)) == ["memory"]


async def test_ten_gigabytes_in_shared_memory(project: Project) -> None:
    code = """
import mmap
held = mmap.mmap(-1, 10 << 30)
for place in range(0, 10 << 30, 4096):
    held[place] = 1
print("DONE")
"""
    ending = await hostile(project, code)
    assert ended_for(ending) == ["memory"]


async def test_memory_that_belongs_to_no_process(project: Project) -> None:
    code = """
attempt("memfd", lambda: os.memfd_create("hostile"))
attempt("sysv", lambda: call(29 if os.uname().machine == "x86_64" else 194, 0, ctypes.c_size_t(1 << 30), 0o1666))
attempt("namespace", lambda: call(272 if os.uname().machine == "x86_64" else 97, 0x10000000 | 0x00020000))
attempt("ring", lambda: call(425, 8, ctypes.create_string_buffer(120)))
"""
    assert refused(await hostile(project, code)) == ["memfd", "sysv", "namespace", "ring"]


async def test_sleeping_for_ever_with_every_signal_ignored(project: Project, pace: float) -> None:
    code = """
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("asleep", flush=True)
while True:
    time.sleep(1000)
"""
    ending = await hostile(project, code, bounds=Bounds(seconds=pace))
    assert (ended_for(ending), ending.exit_code, ending.output) == (["seconds"], None, "asleep\n")


async def test_processor_time_of_all_processes_together(project: Project) -> None:
    code = """
for _ in range(3):
    os.fork()
while True:
    pass
"""
    assert ended_for(await hostile(project, code, bounds=Bounds(seconds=60, cpu_seconds=0.5))) == ["cpu_seconds"]


async def test_a_child_that_leaves_its_session(project: Project) -> None:
    code = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for number in (0, 1, 2):
            os.close(number)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
print("the parent is done")
"""
    ending = await hostile(project, code)
    assert (ending.exit_code, ending.output) == (0, "the parent is done\n")


async def test_killing_the_parent_and_everybody(project: Project) -> None:
    code = """
attempt("group", lambda: os.killpg(1, 9))
attempt("first", lambda: os.kill(1, signal.SIGKILL) or os.kill(1, signal.SIGSTOP) or time.sleep(0.1))
attempt("parent", lambda: os.kill(os.getppid(), signal.SIGKILL) or time.sleep(0.1))
attempt("memory", lambda: open("/proc/1/mem", "r+b") and "DONE")
attempt("us", lambda: os.kill(int(sys.argv[1]), signal.SIGKILL))
attempt("everybody", lambda: os.kill(-1, signal.SIGKILL))
print("still here")
"""
    ending = await hostile(project, code, str(os.getpid()))
    assert ending.output.endswith("still here\n"), ending
    assert "us refused ProcessLookupError" in ending.output
    assert "memory refused PermissionError" in ending.output


async def test_keys_and_passwords_are_not_there(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-secret")
    secret = tmp_path / "id_ed25519"
    secret.write_text("the-secret")
    for name in (".env", ".git/config", "server.pem", "id_rsa", "credentials.json", "deep/.ssh/key"):
        project.write(name, "the-secret")
    (project.folder / "link").symlink_to(secret)
    (project.folder / "system").symlink_to("/etc/shadow")
    code = """
places = ["/etc/shadow", "/etc/gshadow", "/etc/ssh", "/home", "/proc/1/environ"]
for name in [*places, *sys.argv[1:]]:
    attempt(name, lambda: read(name) if not os.path.isdir(name) else os.listdir(name)[0])
print(sorted(os.listdir(".")), "sk-" in str(dict(os.environ)))
"""
    inside = (".env", ".git/config", "server.pem", "id_rsa", "credentials.json", "deep/.ssh/key", "link", "system")
    own = [str(Path.home() / name) for name in (".netrc", ".ssh", ".bashrc")]
    ending = await hostile(project, code, *inside, str(secret), *own)
    assert "the-secret" not in ending.output
    assert len(refused(ending)) == 17
    assert ending.output.endswith("['deep', 'hostile.py', 'link', 'system'] False\n")
    assert ending.left_out[0] == ".env (hidden)"
    assert "server.pem (may hold keys)" in ending.left_out


async def test_a_flood_of_output(project: Project) -> None:
    ending = await hostile(project, 'while True: os.write(1, b"flood " * 10_000)')
    assert ended_for(ending) == ["output"]
    assert len(ending.output) <= BOUNDS.output_chars + 200
    assert "the middle is left out" in ending.output


async def test_settings_of_the_machine(project: Project) -> None:
    code = """
x86 = os.uname().machine == "x86_64"
for name in ("kernel/hostname", "kernel/core_pattern", "vm/overcommit_memory", "kernel/pid_max", "fs/file-max"):
    attempt(name, lambda: write("/proc/sys/" + name, read("/proc/sys/" + name)))
attempt("trigger", lambda: write("/proc/sysrq-trigger", "x"))
attempt("resolver", lambda: write("/etc/resolv.conf", "nameserver 192.0.2.1"))
attempt("name", lambda: call(170 if x86 else 161, b"hostile", 7))
attempt("mount", lambda: call(165 if x86 else 40, b"none", b"/tmp", b"tmpfs", 0, None))
attempt("remount", lambda: call(165 if x86 else 40, b"none", b"/usr", b"none", 32, None))
attempt("module", lambda: call(175 if x86 else 105, b"", 0, b""))
attempt("reboot", lambda: call(169 if x86 else 142, 0, 0, 0, 0))
attempt("keyring", lambda: call(250 if x86 else 219, 0, -3, 1))
attempt("root", lambda: os.setuid(0) or "root" if os.getuid() else 1 / 0)
attempt("device", lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)))
attempt("priority", lambda: os.nice(-5))
attempt("limit", lambda: resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999)))
attempt("terminal", lambda: open("/dev/tty"))
attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
"""
    assert len(refused(await hostile(project, code))) == 19


async def test_programs_that_become_root(project: Project) -> None:
    code = """
for program in ("su", "mount", "passwd", "sudo", "bwrap"):
    found = [f"/usr/bin/{program}", *(["-c", "id"] if program == "su" else ["--version"])]
    attempt(program, lambda: b"uid=0" in subprocess.run(found, capture_output=True).stdout or 1 / 0)
"""
    assert len(refused(await hostile(project, code))) == 5


async def test_output_cannot_move_the_cursor(project: Project) -> None:
    code = r"""
os.write(1, b"\x1b[2J\x1b]0;title\x07a\x1b[31mred\x1b[0m\x00\x08\xff\r\nover\rwritten \xe2\x80\xae\n")
"""
    assert (await hostile(project, code)).output == "ared\ufffd\noverwritten \n"


async def test_waiting_that_is_cancelled_leaves_nothing(project: Project) -> None:
    project.write("hostile.py", "import os, time\nos.fork()\nos.setsid()\ntime.sleep(60)")
    python = bare_python()
    with unchanged(project):
        sandbox = Sandbox(project.folder)
        waiting = asyncio.create_task(
            sandbox.run([python.program, "-I", str(project.folder / "hostile.py")], shown=python.shown)
        )
        while len(project.processes()) < 4:  # noqa: ASYNC110 - there is nobody who could tell
            await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
