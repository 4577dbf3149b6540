"""What every test stands on: no model beyond this machine can be reached."""

from collections.abc import Iterator

import pytest

from loopwright.testing.network import forbid_network


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    with forbid_network():
        yield
