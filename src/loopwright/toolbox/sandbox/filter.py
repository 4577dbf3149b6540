"""The system calls that are refused in the sandbox, as a program for the kernel's filter.

Owns the list and how it is written down. Refused are those that would get round a limit (memory that belongs to no
process, namespaces with unlimited file systems of their own) or that reach parts of the kernel that tests have no use
for. A refused call gives EPERM; `clone3`, whose arguments a filter cannot see, gives ENOSYS, and libraries then use
`clone`.

Source: Linux, Documentation/userspace-api/seccomp_filter.rst; classic BPF as in include/uapi/linux/filter.h.
"""

import struct
from collections.abc import Mapping

from msgspec import Struct

_LOAD, _EQUAL, _ABOVE_OR_EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_X32_BIT = 0x40000000

NEW_NAMESPACES = 0x7E020000
"""CLONE_NEW* of cgroup, uts, ipc, user, pid, net and mount; that of time cannot be asked of `clone`."""
FAMILIES = (1, 2, 10, 16)
"""Sockets: unix, IPv4, IPv6, netlink. Others, such as those from a virtual machine to its host, know no namespace."""

# Names of system calls with their numbers on x86_64 and on aarch64.
_REFUSED: Mapping[str, tuple[int, int]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


class _Machine(Struct, frozen=True):
    """How one kind of processor names what the filter asks about."""

    audit: int
    column: int
    clone: int
    socket: int


_CLONE3 = 435
_MACHINES = {
    "x86_64": _Machine(audit=0xC000003E, column=0, clone=56, socket=41),
    "aarch64": _Machine(audit=0xC00000B7, column=1, clone=220, socket=198),
}


def filter_of(machine: str) -> bytes | None:
    """The program for a kind of processor, as `platform.machine` names it; None where its numbers are not known."""
    known = _MACHINES.get(machine)
    if known is None:
        return None
    program = [
        *_unless(_ARCHITECTURE, known.audit, _KILL),
        _step(_LOAD, _NUMBER),
        *(_below_x32() if machine == "x86_64" else []),
        *_where(_CLONE3, [_step(_RETURN, _FAIL | _ENOSYS)]),
        *_where(known.clone, _refusing_namespaces()),
        *_where(known.socket, _refusing_families()),
    ]
    for numbers in _REFUSED.values():
        program += _where(numbers[known.column], [_step(_RETURN, _FAIL | _EPERM)])
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _unless(place: int, value: int, verdict: int) -> list[bytes]:
    return [_step(_LOAD, place), _step(_EQUAL, value, 1, 0), _step(_RETURN, verdict)]


def _below_x32() -> list[bytes]:
    """The second set of numbers that x86_64 has for the same calls is refused as a whole."""
    return [_step(_ABOVE_OR_EQUAL, _X32_BIT, 0, 1), _step(_RETURN, _FAIL | _ENOSYS)]


def _where(number: int, steps: list[bytes]) -> list[bytes]:
    return [_step(_EQUAL, number, 0, len(steps)), *steps]


def _refusing_namespaces() -> list[bytes]:
    return [
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_ANY_BIT, NEW_NAMESPACES, 0, 1),
        _step(_RETURN, _FAIL | _EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _refusing_families() -> list[bytes]:
    last = len(FAMILIES)
    allowed = [_step(_EQUAL, family, last - place, 0) for place, family in enumerate(FAMILIES)]
    return [
        _step(_LOAD, _FIRST_ARGUMENT),
        *allowed,
        _step(_RETURN, _FAIL | _EAFNOSUPPORT),
        _step(_RETURN, _ALLOW),
    ]
