"""The real clock. Nothing else in the engine asks what time it is."""

import time


class SystemClock:
    """Time as the machine has it."""

    def now(self) -> float:
        """Unix time in seconds."""
        return time.time()

    def elapsed(self) -> float:
        """Seconds on a clock that never jumps."""
        return time.monotonic()
