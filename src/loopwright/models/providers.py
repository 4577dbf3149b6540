"""Providers as data: short name, address, where the key is, what their models can do, and what to tell a user.

Owns facts only. Nothing here reads the environment, opens a connection or decides which model is taken.
"""

from typing import Literal
from urllib.parse import quote

from msgspec import Struct

from loopwright.protocols.speech import Capabilities

LimitField = Literal["max_tokens", "max_completion_tokens"]
"""The field of a request that limits the tokens of the reply."""


class Route(Struct, frozen=True):
    """How requests in one wire format are addressed below a base URL, and where the key goes."""

    dialect: Literal["openai-chat", "openai-responses", "anthropic", "gemini", "cohere-v2"]
    path: str
    """Where a request goes whose reply comes whole; ``{model}`` stands for the name of the model."""
    stream_path: str
    """Where a request goes whose reply is streamed."""
    key_header: str
    key_prefix: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    """Headers of every request, name and value."""
    base_end: str = ""
    """What base URLs of this format end in."""


CHAT = Route(
    dialect="openai-chat",
    path="/chat/completions",
    stream_path="/chat/completions",
    key_header="Authorization",
    key_prefix="Bearer ",
    base_end="/v1",
)
"""OpenAI's chat completions."""

RESPONSES = Route(
    dialect="openai-responses",
    path="/responses",
    stream_path="/responses",
    key_header="Authorization",
    key_prefix="Bearer ",
    base_end="/v1",
)
"""OpenAI's responses. Source: https://platform.openai.com/docs/api-reference/responses"""

COHERE_CHAT = Route(
    dialect="cohere-v2",
    path="/chat",
    stream_path="/chat",
    key_header="Authorization",
    key_prefix="Bearer ",
    base_end="/v2",
)
"""Cohere's chat, version 2. Source: https://docs.cohere.com/reference/chat"""

MESSAGES = Route(
    dialect="anthropic",
    path="/v1/messages",
    stream_path="/v1/messages",
    key_header="x-api-key",
    headers=(("anthropic-version", "2023-06-01"),),
)
"""Anthropic's messages. Source: https://docs.anthropic.com/en/api/overview"""

GENERATE_CONTENT = Route(
    dialect="gemini",
    path="/models/{model}:generateContent",
    stream_path="/models/{model}:streamGenerateContent?alt=sse",
    key_header="x-goog-api-key",
    base_end="/v1beta",
)
"""Gemini's generateContent. Source: https://ai.google.dev/api/generate-content"""


class ModelRule(Struct, frozen=True):
    """What models whose name matches a pattern can do; the first rule that matches counts."""

    pattern: str
    """Shell pattern, matched against the lower-case model name."""
    capabilities: Capabilities = Capabilities()
    limit_field: LimitField | None = None
    """None for what the provider says in general."""
    reasons: bool = False
    """Whether the model thinks before it answers and gives its thoughts out encrypted."""


def _rules(names: str, capabilities: Capabilities, limit_field: LimitField | None = None) -> tuple[ModelRule, ...]:
    """One rule for each of the patterns, which stand between spaces."""
    return tuple(ModelRule(name, capabilities, limit_field) for name in names.split())


def _tagged(names: str, capabilities: Capabilities) -> tuple[ModelRule, ...]:
    """Rules for models of Ollama by their names, with any tag or none."""
    return tuple(ModelRule(name + end, capabilities) for name in names.split() for end in ("", ":*"))


class Provider(Struct, frozen=True):
    """An endpoint, in OpenAI's chat completions format where its route does not say otherwise."""

    name: str
    """Short name, the part of a spec before the colon."""
    label: str
    """Name in messages to people."""
    base_url: str
    key_variables: tuple[str, ...]
    """Environment variables that may hold the key; the first that is set counts, the first is named in errors."""
    base_url_variable: str
    """Environment variable that replaces `base_url`."""
    needs_key: bool = True
    """Whether the provider's own address refuses to work without a key."""
    default_model: str = ""
    """Model that is taken when only the provider is named; empty where the user must choose."""
    capabilities: Capabilities = Capabilities()
    rules: tuple[ModelRule, ...] = ()
    """Models that differ from what the provider says in general."""
    limit_field: LimitField = "max_tokens"
    """Only at the provider's own address; elsewhere it is ``max_tokens``, which every server knows."""
    listing: str = ""
    """How a person finds the names of the models."""
    starting: str = ""
    """How a person starts the server; only for servers on the user's own machine."""
    price_book: str = ""
    """Identifier of the provider in genai-prices; empty where no price is known."""
    route: Route = CHAT
    plain: bool = False
    """Whether its own endpoint takes all of a message as text, marks of chat templates too."""


class Endpoint(Struct, frozen=True):
    """One model at one address, with what error messages need to say about it. Never holds a key."""

    label: str
    base_url: str
    """Without a slash at the end and without the path of the route; a query is allowed."""
    model: str
    key_variable: str
    listing: str = ""
    starting: str = ""
    route: Route = CHAT

    @property
    def url(self) -> str:
        """The address that requests are posted to whose replies come whole."""
        return self.at(self._named(self.route.path))

    @property
    def stream_url(self) -> str:
        """The address that requests are posted to whose replies are streamed."""
        return self.at(self._named(self.route.stream_path))

    def at(self, path: str) -> str:
        """An address below the base URL; queries of both are joined."""
        base, _, query = self.base_url.partition("?")
        path, _, more = path.partition("?")
        queries = "&".join(part for part in (query, more) if part)
        return base + path + (f"?{queries}" if queries else "")

    def _named(self, path: str) -> str:
        return path.replace("{model}", quote(self.model.removeprefix("models/"), safe=""))


OPENAI = Provider(
    name="openai",
    label="OpenAI",
    base_url="https://api.openai.com/v1",
    key_variables=("OPENAI_API_KEY",),
    base_url_variable="OPENAI_BASE_URL",
    default_model="gpt-4.1-mini",
    limit_field="max_completion_tokens",
    capabilities=Capabilities(constraint="json_schema"),
    # Reasoning models refuse stop sequences and `max_tokens`, also behind a gateway:
    # https://platform.openai.com/docs/api-reference/chat/create (fields stop, max_tokens). JSON Schemas are taken since
    # gpt-4o-2024-08-06: https://platform.openai.com/docs/guides/structured-outputs
    rules=(
        *_rules("gpt-5*-chat*", Capabilities(images=True), "max_completion_tokens"),
        *_rules("o1-mini* o1-preview*", Capabilities(tools=False, stop=False), "max_completion_tokens"),
        *_rules("o3-mini*", Capabilities(stop=False, constraint="json_schema"), "max_completion_tokens"),
        *_rules(
            "gpt-5* o1* o3* o4* ft:o4*",
            Capabilities(stop=False, constraint="json_schema", images=True),
            "max_completion_tokens",
        ),
        *_rules("gpt-4o-audio* gpt-4o-2024-05-13", Capabilities()),
        *_rules("chatgpt-4o*", Capabilities(tools=False, images=True)),
        *_rules("gpt-4o* gpt-4.1*", Capabilities(constraint="json_schema", images=True)),
        *_rules("gpt-4-turbo-preview*", Capabilities()),
        *_rules("gpt-4-turbo*", Capabilities(images=True)),
        *_rules("gpt-4 gpt-4-* gpt-3.5*", Capabilities()),
    ),
    listing="https://platform.openai.com/docs/models lists the names",
    price_book="openai",
    plain=True,
)

ANTHROPIC = Provider(
    name="anthropic",
    label="Anthropic",
    base_url="https://api.anthropic.com",
    key_variables=("ANTHROPIC_API_KEY",),
    base_url_variable="ANTHROPIC_BASE_URL",
    default_model="claude-sonnet-4-5",
    capabilities=Capabilities(images=True),
    rules=_rules("claude-2* claude-instant*", Capabilities(tools=False)),
    listing="https://docs.anthropic.com/en/docs/about-claude/models lists the names",
    price_book="anthropic",
    route=MESSAGES,
    plain=True,
)

GEMINI = Provider(
    name="gemini",
    label="Gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    base_url_variable="GEMINI_BASE_URL",
    default_model="gemini-2.5-flash",
    capabilities=Capabilities(images=True),
    # Function calling is not enabled for these, nor are instructions of the developer.
    rules=_rules("gemma-3*", Capabilities(tools=False)),
    listing="https://ai.google.dev/gemini-api/docs/models lists the names",
    price_book="google",
    route=GENERATE_CONTENT,
    plain=True,
)

OPENAI_RESPONSES = Provider(
    name="openai-responses",
    label="OpenAI",
    base_url="https://api.openai.com/v1",
    key_variables=("OPENAI_API_KEY",),
    base_url_variable="OPENAI_BASE_URL",
    default_model=OPENAI.default_model,
    capabilities=Capabilities(stop=False),  # the format has no stop sequences
    rules=(
        *_rules("gpt-5*-chat* gpt-4o* gpt-4.1*", Capabilities(stop=False, images=True)),
        # Others refuse to be asked for encrypted reasoning.
        *(ModelRule(name, Capabilities(stop=False), reasons=True) for name in ("o3-mini*", "codex*")),
        *(
            ModelRule(name, Capabilities(stop=False, images=True), reasons=True)
            for name in ("gpt-5*", "o1*", "o3*", "o4*")
        ),
    ),
    listing="https://platform.openai.com/docs/models lists the names",
    price_book="openai",
    route=RESPONSES,
    plain=True,
)

COHERE = Provider(
    name="cohere",
    label="Cohere",
    base_url="https://api.cohere.com/v2",
    key_variables=("COHERE_API_KEY", "CO_API_KEY"),
    base_url_variable="COHERE_BASE_URL",
    default_model="command-a-03-2025",
    rules=_rules("command-a-vision* c4ai-aya-vision*", Capabilities(images=True)),
    listing="https://docs.cohere.com/docs/models lists the names",
    price_book="cohere",
    route=COHERE_CHAT,
    plain=True,
)

DEEPSEEK = Provider(
    name="deepseek",
    label="DeepSeek",
    base_url="https://api.deepseek.com/v1",
    key_variables=("DEEPSEEK_API_KEY",),
    base_url_variable="DEEPSEEK_BASE_URL",
    default_model="deepseek-chat",
    listing="https://api-docs.deepseek.com/quick_start/pricing lists the names",
    price_book="deepseek",
)

GROQ = Provider(
    name="groq",
    label="Groq",
    base_url="https://api.groq.com/openai/v1",
    key_variables=("GROQ_API_KEY",),
    base_url_variable="GROQ_BASE_URL",
    default_model="llama-3.3-70b-versatile",
    # No constraint: JSON Schemas are taken from few models, and not together with a stream
    # (https://console.groq.com/docs/structured-outputs).
    rules=(
        *_rules("groq/compound*", Capabilities(tools=False)),
        *_rules("meta-llama/llama-4-*", Capabilities(images=True)),
    ),
    listing="https://console.groq.com/docs/models lists the names",
    price_book="groq",
)

MISTRAL = Provider(
    name="mistral",
    label="Mistral",
    base_url="https://api.mistral.ai/v1",
    key_variables=("MISTRAL_API_KEY",),
    base_url_variable="MISTRAL_BASE_URL",
    default_model="mistral-small-latest",
    # https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/
    capabilities=Capabilities(constraint="json_schema"),
    rules=(
        *_rules("codestral-mamba*", Capabilities()),
        *_rules(
            "pixtral-* mistral-small-latest mistral-medium-latest", Capabilities(constraint="json_schema", images=True)
        ),
    ),
    listing="https://docs.mistral.ai/getting-started/models lists the names",
    price_book="mistral",
)

OPENROUTER = Provider(
    name="openrouter",
    label="OpenRouter",
    base_url="https://openrouter.ai/api/v1",
    key_variables=("OPENROUTER_API_KEY",),
    base_url_variable="OPENROUTER_BASE_URL",
    default_model="openrouter/auto",
    listing="https://openrouter.ai/models lists the names",
    price_book="openrouter",
)

OLLAMA = Provider(
    name="ollama",
    label="Ollama",
    base_url="http://localhost:11434/v1",
    key_variables=("OLLAMA_API_KEY",),
    base_url_variable="OLLAMA_BASE_URL",
    needs_key=False,
    # https://ollama.com/blog/structured-outputs; models without tools are those that are not listed at
    # https://ollama.com/search?c=tools and whose templates have no place for them.
    capabilities=Capabilities(constraint="json_schema"),
    rules=(
        *_tagged(
            "gemma gemma2 codegemma phi phi3 phi3.5 phi4 llama2 llama2-uncensored llama3 codellama tinyllama vicuna "
            "orca-mini zephyr starcoder starcoder2 stable-code deepseek-coder falcon",
            Capabilities(tools=False, constraint="json_schema"),
        ),
        *_rules("gemma3:1b* gemma3:270m*", Capabilities(tools=False, constraint="json_schema")),
        *_tagged(
            "gemma3 llava llava-llama3 llava-phi3 bakllava moondream llama3.2-vision minicpm-v",
            Capabilities(tools=False, constraint="json_schema", images=True),
        ),
    ),
    listing="`ollama list` shows what is installed, `ollama pull NAME` installs a model",
    starting="start it with `ollama serve`",
)

LM_STUDIO = Provider(
    name="lmstudio",
    label="LM Studio",
    base_url="http://localhost:1234/v1",
    key_variables=("LMSTUDIO_API_KEY",),
    base_url_variable="LMSTUDIO_BASE_URL",
    needs_key=False,
    # https://lmstudio.ai/docs/developer/openai-compat/structured-output
    capabilities=Capabilities(constraint="json_schema"),
    listing="`lms ls` shows what is installed",
    starting="start it with `lms server start`",
)

VLLM = Provider(
    name="vllm",
    label="vLLM",
    base_url="http://localhost:8000/v1",
    key_variables=("VLLM_API_KEY",),
    base_url_variable="VLLM_BASE_URL",
    needs_key=False,
    # https://docs.vllm.ai/en/latest/features/structured_outputs/
    capabilities=Capabilities(constraint="structured_outputs"),
    starting="start it with `vllm serve MODEL`",
)

LLAMA_CPP = Provider(
    name="llamacpp",
    label="llama.cpp",
    base_url="http://localhost:8080/v1",
    key_variables=("LLAMA_API_KEY",),
    base_url_variable="LLAMACPP_BASE_URL",
    needs_key=False,
    # llama-server answers with the model that it was started with, whatever name is asked for.
    default_model="default",
    # It takes a last message of the assistant for the beginning of the reply, and refuses two.
    capabilities=Capabilities(constraint="grammar", assistant_twice=False),
    starting="start it with `llama-server --model FILE.gguf --jinja`",
)

COMPATIBLE = Provider(
    name="compatible",
    label="the endpoint",
    base_url="",
    key_variables=("LOOPWRIGHT_API_KEY",),
    base_url_variable="",
    needs_key=False,
)
"""Any other endpoint, named by its base URL alone."""

PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        *(OPENAI, ANTHROPIC, GEMINI, DEEPSEEK, GROQ, MISTRAL, OPENROUTER),
        *(OPENAI_RESPONSES, COHERE),
        *(OLLAMA, LM_STUDIO, VLLM, LLAMA_CPP),
    )
}
"""By short name, in the order in which a key in the environment decides the default model."""
