"""Public test doubles and conformance suites."""

from loopwright.testing.network import forbid_network

__all__ = ["forbid_network"]
