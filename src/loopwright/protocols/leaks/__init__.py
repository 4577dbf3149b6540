"""Calls that arrive inside the text of a reply instead of in the fields that a provider has for them.

One file a family of forms; `find` walks through the text. No call is made up, closed or emptied here: what is not
complete is rejected with the reason.
"""

from loopwright.protocols.leaks.find import Leaks, find_leaks

__all__ = ["Leaks", "find_leaks"]
