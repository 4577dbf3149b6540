"""Decides what keeps replies in text form to their form: what is known of the endpoint, and what is wanted.

Owns that decision only. Which endpoint takes what is data of `providers`; the form itself belongs to the protocols.
"""

from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Settings
from loopwright.engine.ports import Model
from loopwright.protocols.speech import Constraint

OWN = ("grammar", "response_format", "json_schema", "structured_outputs", "guided_json", "guided_grammar")
"""Fields by which users keep replies to a form of their own; endpoints take no second one beside it."""


def constrained(model: Model, settings: Settings, *, wanted: bool | None = None) -> Model:
    """The model, with the constraint that its replies in text form are kept to.

    Args:
        model: with what is known of its endpoint
        settings: a form that is asked for in `extra` takes the place of ours
        wanted: False for none; True to ask for a JSON Schema where nothing is known; None for what is known

    Raises:
        UsageError: one is wanted and the format of the endpoint has none, or the settings ask for another
    """
    own = [name for name in OWN if name in settings.extra]
    if wanted and own:
        raise UsageError(
            f"settings.extra holds {', '.join(own)}, which is a form of your own: leave it out, or leave constrain out"
        )
    constraint: Constraint = "" if wanted is False or own else model.capabilities.constraint
    if wanted and not constraint:
        if model.dialect.name != "openai-chat":
            raise UsageError(
                f"{model.spec} is spoken to in a format without constraints ({model.dialect.name}): leave constrain out"
            )
        constraint = "json_schema"
    return replace(model, capabilities=replace(model.capabilities, constraint=constraint))
