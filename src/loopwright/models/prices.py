"""What a token costs, from the price list that the package genai-prices carries. Never asks the network.

The list is loaded when a price is first asked for, because it takes a good part of a second to load.
"""

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

from loopwright.core.messages import Price

MILLION = 1_000_000


@cache
def price_of(price_book: str, model: str) -> Price | None:
    """US dollars a token for a model, or None where the list does not know it.

    Where a price depends on the length of the input, the highest counts: a price is used to keep a run below a limit,
    and a limit must never be passed.

    Args:
        price_book: the provider's identifier in genai-prices, such as ``openai``; empty for no provider
        model: the model as the provider calls it
    """
    if not price_book:
        return None
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, known = get_snapshot().find_provider_model(model, None, price_book, None)
    except LookupError:
        return None
    listed = known.get_prices(datetime.now(UTC))
    taken = _per_token(listed.input_mtok)
    given = _per_token(listed.output_mtok)
    if taken is None or given is None:
        return None
    return Price(input=taken, output=given)


def _per_token(per_million: object) -> float | None:
    from genai_prices.types import TieredPrices

    if isinstance(per_million, TieredPrices):
        return float(max(per_million.base, *(tier.price for tier in per_million.tiers))) / MILLION
    return float(per_million) / MILLION if isinstance(per_million, Decimal) else None
