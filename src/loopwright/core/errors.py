"""Exceptions: for the caller's mistakes and for bugs. What goes wrong inside a run is an event, not an exception."""

from loopwright.core.events import Failure


class LoopwrightError(Exception):
    """Base of everything raised here."""


class UsageError(LoopwrightError):
    """The caller asked for something that cannot be; the text says what to do instead."""


class MissingExtra(UsageError):
    """An optional package is not installed; the text names the command that installs it."""


class IllegalEvent(LoopwrightError):
    """An event that cannot follow the history was offered. A bug of the driver or a damaged journal."""


class Conflict(LoopwrightError):
    """Another writer holds the run: its next number is taken. This writer must stop; nothing was written."""


class UnknownRun(UsageError):
    """The journal holds no run of this id."""


class JournalError(LoopwrightError):
    """The journal cannot be read or written; the text says why. Nothing was written."""


class ModelError(LoopwrightError):
    """A model call failed. Raised by transports, caught by the driver, which writes it down as an event.

    `failure` is its class; `lost` says whether the provider may have done the work all the same.
    """

    def __init__(self, failure: Failure, message: str, *, lost: bool = False) -> None:
        super().__init__(message)
        self.failure: Failure = failure
        self.message = message
        self.lost = lost


class WaitsForPerson(LoopwrightError):
    """The run was paused, because it cannot go on before somebody said yes or no, or gave an answer.

    Send that to the inbox of the run (`Agent.send`, ``loopwright approve``) and resume it.
    """

    def __init__(self, run_id: str, calls: tuple[str, ...]) -> None:
        super().__init__(f"run {run_id} waits for a person: {', '.join(calls)}")
        self.run_id = run_id
        self.calls = calls
        """Ids of the calls that wait."""
