"""One driver a run at a time: a run is claimed before anything is asked or done, and let go at the end.

Owns how a journal is asked for it. How a claim is kept is the journal's matter; one that keeps none is guarded by the
numbers of its events alone, so that the slower of two drivers stops at its next append.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

from loopwright.journal.base import Journal


@runtime_checkable
class Claiming(Protocol):
    """A journal that lets only one driver work on a run."""

    def claim(self, run_id: str) -> AbstractContextManager[None]:
        """Hold the run for as long as the context lasts, or the process.

        Raises:
            Conflict: somebody holds it
            JournalError: the claim cannot be written down
        """
        ...


def claimed(journal: Journal, run_id: str) -> AbstractContextManager[None]:
    """The claim on a run, where the journal keeps claims.

    Raises:
        Conflict: on entering, when another driver works on the run
    """
    return journal.claim(run_id) if isinstance(journal, Claiming) else nullcontext()
