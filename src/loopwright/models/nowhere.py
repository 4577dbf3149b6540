"""Where requests of a model go that is only looked at: nowhere."""

from loopwright.core.errors import ModelError
from loopwright.engine.ports import Feed


class Nowhere:
    """A transport that carries nothing, for models that are not asked."""

    async def send(self, body: bytes, feed: Feed, *, stream: bool, timeout: float | None) -> None:
        """Refuse.

        Raises:
            ModelError: always
        """
        raise ModelError("request", "this model was made without a way to reach it, and cannot be asked")

    async def close(self) -> None:
        """Nothing to release."""
