"""What it costs to send a parcel."""

BANDS = ((1, 490), (2, 690), (5, 1_090), (10, 1_590))
"""Kilograms up to which a parcel may weigh, and cents."""
EXPRESS = 350


def postage(kilograms: float, *, express: bool = False) -> int:
    """Cents for a parcel of this weight.

    Raises:
        ValueError: nobody carries a parcel of this weight
    """
    for heaviest, cents in BANDS:
        if 0 < kilograms < heaviest:
            return cents + (EXPRESS if express else 0)
    raise ValueError(f"a parcel of {kilograms} kg cannot be sent")
