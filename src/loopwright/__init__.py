"""Runs any language model in a ReAct loop that does not lose work, money or control."""
