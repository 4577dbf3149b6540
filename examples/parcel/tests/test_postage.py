"""The price list, as it hangs on the wall of the post office."""

import pytest
from postage import postage


@pytest.mark.parametrize(("kilograms", "cents"), [(0.2, 490), (1.5, 690), (3, 1_090), (10, 1_590)])
def test_the_price_list(kilograms: float, cents: int) -> None:
    assert postage(kilograms) == cents


def test_express_costs_more() -> None:
    assert postage(0.2, express=True) == 840


@pytest.mark.parametrize("kilograms", [0, 10.01])
def test_what_is_not_carried(kilograms: float) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        postage(kilograms)
