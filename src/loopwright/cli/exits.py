"""Exit codes: they say how a run ended, so that scripts need not read."""

from loopwright.core.messages import OutcomeStatus

ANSWERED, FAILED, USAGE, CUT_SHORT, WAITS, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 130, 143

CODES: dict[OutcomeStatus, int] = {
    "answered": ANSWERED,
    "partial": CUT_SHORT,
    "stopped": CUT_SHORT,
    "cancelled": CUT_SHORT,
    "failed": FAILED,
}
