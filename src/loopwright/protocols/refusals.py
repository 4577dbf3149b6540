"""Tells from a provider's words that it takes no tools, whether it says so with a status or inside a reply.

Owns these wordings, as data. What follows from a refusal is decided by those who ask.
"""

import re

_TOOLS_REFUSED = re.compile(
    r"(does|do) not support (the )?(use of )?"
    r"(tools?|functions?|function[ _-]call(ing|s)?|tool[ _-](use|call(ing|s)?|choice))\b"
    r"|(tools?|functions?|tool[ _-](choice|use|call(ing|s)?)|function[ _-]call(ing|s)?)['\"`]* "
    r"((is|are|has|have) )?(currently )?(not|un)[ -]?(been )?(supported|enabled|available|allowed)"
    r"|support tool use|requires --enable-auto-tool-choice|(tools|tool_choice) param requires --jinja"
    r"|(unsupported|unrecognized|unknown|unexpected) (request )?(parameter|argument|field|property)s?( supplied)?:? *"
    r"['\"`]?(tools|tool_choice|functions)\b"
    r"|body\.(tools|tool_choice): extra inputs"
    r"|no (tool|function)[ _-]call(ing)? support",
    re.IGNORECASE,
)
"""An endpoint that takes no tools, as Ollama, OpenRouter, vLLM, llama.cpp, Groq, Mistral and others put it."""


def refuses_tools(message: str) -> bool:
    """Whether an error message says that a model or an endpoint takes no tools."""
    return _TOOLS_REFUSED.search(message) is not None
