"""The network switched off for tests. Owns no socket: the door of the models checks the switch."""

import os
from collections.abc import Generator
from contextlib import contextmanager

from loopwright.models.door import SWITCH


@contextmanager
def forbid_network() -> Generator[None]:
    """Refuse every model that is not on this machine, in this process and those it starts, until the end of the block.

    A model elsewhere fails with a `ModelError` that names the switch. Servers on the loopback interface work.
    """
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = before
