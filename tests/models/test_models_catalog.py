"""How a spec becomes a model, and which one is taken when none is named."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loopwright.core.errors import UsageError
from loopwright.core.messages import Price, Settings
from loopwright.models import catalog, environment
from loopwright.models.catalog import default_spec, known, normalised, resolve
from loopwright.models.local import INSTALL_LIBRARY
from loopwright.models.openai_compatible import OpenAICompatible
from loopwright.models.prices import price_of
from loopwright.models.providers import PROVIDERS, Endpoint
from loopwright.protocols.speech import Options

KEY = "sk-test-0123456789abcdef"


def endpoint_of(spec: str, *, base_url: str | None = None, api_key: str | None = None, **environ: str) -> Endpoint:
    transport = resolve(spec, base_url=base_url, api_key=api_key, environ=environ).transport
    assert isinstance(transport, OpenAICompatible)
    return transport.endpoint


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_can_be_named(name: str) -> None:
    provider = PROVIDERS[name]
    endpoint = endpoint_of(f"{name}:some:model", api_key=KEY)
    assert endpoint.url == provider.base_url + provider.route.path.replace("{model}", "some%3Amodel")
    assert endpoint.model == "some:model"
    assert endpoint.key_variable == provider.key_variables[0]


def test_a_provider_alone_takes_its_default_model() -> None:
    assert endpoint_of("openai", OPENAI_API_KEY=KEY).model == PROVIDERS["openai"].default_model


def test_a_provider_without_a_default_model_wants_a_name() -> None:
    with pytest.raises(UsageError, match=r"ollama:NAME.*ollama list"):
        resolve("ollama", environ={})


def test_the_spec_stays_as_it_was_written() -> None:
    assert resolve("Ollama:llama3.2:1b", environ={}).spec == "Ollama:llama3.2:1b"


@pytest.mark.parametrize(
    ("spec", "meant"), [("opnai:gpt-4.1", "'openai'"), ("olama:x", "'ollama'"), ("lokal", "'local'")]
)
def test_a_misspelt_provider_is_guessed_in_the_error(spec: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"Did you mean {meant}"):
        resolve(spec, environ={})


@pytest.mark.parametrize("spec", ["nope:abc", "gpt-4.1", "claude", "model"])
def test_a_name_that_is_like_none_is_not_guessed(spec: str) -> None:
    with pytest.raises(UsageError, match="names no known provider") as refused:
        resolve(spec, environ={})
    assert "Did you mean" not in str(refused.value)


def test_llama_cpp_is_known_to_refuse_two_messages_of_the_assistant() -> None:
    names = {model.name for model in known({}) if not model.capabilities.assistant_twice}
    assert names == {"local", "llamacpp"}


def test_what_to_install_names_packages_of_an_index_only(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (library,) = project["optional-dependencies"]["local"]
    assert f"pip install '{library}'" == INSTALL_LIBRARY
    for name in ("README.md", "docs/guide.md"):
        text = (Path(__file__).parents[2] / name).read_text()
        assert "pip install loopwright" not in text
        assert "'loopwright[local]'" not in text

    def nowhere(name: str) -> None:
        del name

    monkeypatch.setattr(catalog, "find_spec", nowhere)
    assert known({})[0].hint == f"install it with: {INSTALL_LIBRARY}"


def test_a_missing_key_names_the_variable() -> None:
    with pytest.raises(UsageError, match="MISTRAL_API_KEY"):
        resolve("mistral:mistral-small-latest", environ={"MISTRAL_API_KEY": "  "})


def test_an_endpoint_of_ones_own_needs_no_key_and_no_provider() -> None:
    assert endpoint_of("my-model:7b", base_url="http://localhost:9/v1").model == "my-model:7b"
    assert (
        endpoint_of("openai:gpt-4.1", base_url="http://localhost:9/v1").url == "http://localhost:9/v1/chat/completions"
    )


def test_the_address_may_come_from_the_environment() -> None:
    assert endpoint_of("ollama:a", OLLAMA_BASE_URL="http://box:11434/v1/").base_url == "http://box:11434/v1"


@pytest.mark.parametrize(
    "written",
    [
        "http://localhost:8000/v1",
        "http://localhost:8000/v1/",
        "http://localhost:8000/v1/chat/completions",
        " http://localhost:8000/v1/chat/completions/ ",
    ],
)
def test_a_base_url_is_taken_in_all_its_forms(written: str) -> None:
    assert normalised(written) == "http://localhost:8000/v1"


def test_a_query_of_the_base_url_stays_behind_the_path() -> None:
    endpoint = endpoint_of("m", base_url="https://host/v1?api-version=1")
    assert endpoint.url == "https://host/v1/chat/completions?api-version=1"


@pytest.mark.parametrize(
    "written",
    [
        "https://user:hunter2@host/v1",
        "https://hunter2@host/v1",
        "user:hunter2@host/v1",
        "https://host/v1?api_key=hunter2",
        "https://host/v1?Token=hunter2",
    ],
)
def test_credentials_in_a_base_url_are_refused_and_not_shown(written: str) -> None:
    with pytest.raises(UsageError, match="the base URL holds") as caught:
        normalised(written)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "written", ["localhost:8000", "ftp://host/v1", "http://", "", "http://host:99999/v1", "http://[::1"]
)
def test_what_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="http"):
        normalised(written)


def test_a_file_must_not_send_the_users_key_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://elsewhere.example/v1\n")
    found = environment.read(tmp_path, {"OPENAI_API_KEY": KEY})
    with pytest.raises(UsageError, match="would send the key") as caught:
        resolve("openai:gpt-4.1", environ=found)
    assert KEY not in str(caught.value)


def test_a_file_may_name_an_address_with_its_own_key(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://elsewhere.example/v1\nOPENAI_API_KEY=other\n")
    model = resolve("openai:gpt-4.1", environ=environment.read(tmp_path, {}))
    assert "elsewhere.example" in repr(model)


def test_a_local_model_has_no_base_url() -> None:
    with pytest.raises(UsageError, match="no base URL"):
        resolve("local", base_url="http://localhost:1/v1", environ={})


@pytest.mark.parametrize(
    ("spec", "stop"),
    [
        ("openai:gpt-4.1-mini", True),
        ("openai:o4-mini", False),
        ("openai:GPT-5-mini", False),
        ("openai:gpt-5-chat-latest", True),
        ("groq:openai/gpt-oss-20b", True),
    ],
)
def test_reasoning_models_of_openai_take_no_stop_sequence(spec: str, stop: bool) -> None:
    assert resolve(spec, api_key=KEY, environ={}).capabilities.stop is stop


def test_llama_cpp_takes_a_grammar() -> None:
    assert resolve("llamacpp", environ={}).capabilities.constraint == "grammar"


@pytest.mark.parametrize(
    ("spec", "base_url", "field"),
    [
        ("openai:gpt-4.1-mini", None, b'"max_completion_tokens":7'),
        ("openai:o3", "http://localhost:1/v1", b'"max_completion_tokens":7'),
        ("openai:gpt-4.1-mini", "http://localhost:1/v1", b'"max_tokens":7'),
        ("groq:llama", None, b'"max_tokens":7'),
    ],
)
def test_the_token_limit_goes_into_the_field_that_the_endpoint_knows(
    spec: str, base_url: str | None, field: bytes
) -> None:
    model = resolve(spec, base_url=base_url, api_key=KEY, environ={})
    assert field in model.dialect.body(model.name, [], Options(Settings(), max_tokens=7), stream=False)


@pytest.mark.parametrize(
    ("environ", "configured", "spec", "why"),
    [
        ({}, None, "local", "no model is named"),
        ({"GROQ_API_KEY": KEY}, None, "groq:", "GROQ_API_KEY is set"),
        ({"GROQ_API_KEY": KEY, "OPENAI_API_KEY": KEY}, None, "openai:", "OPENAI_API_KEY is set"),
        ({"OPENAI_API_KEY": ""}, None, "local", "no model is named"),
        ({"OLLAMA_API_KEY": KEY}, None, "local", "no model is named"),
        ({"OPENAI_API_KEY": KEY, "LOOPWRIGHT_MODEL": "ollama:a"}, None, "ollama:a", "LOOPWRIGHT_MODEL is set"),
        ({"LOOPWRIGHT_MODEL": "ollama:a"}, "vllm:b", "vllm:b", "configured"),
    ],
)
def test_the_default_model(environ: dict[str, str], configured: str | None, spec: str, why: str) -> None:
    taken, reason = default_spec(environ, configured)
    assert taken.startswith(spec)
    assert why in reason
    assert KEY not in reason


def test_every_default_spec_can_be_resolved() -> None:
    for provider in PROVIDERS.values():
        spec, _ = default_spec({provider.key_variables[0]: KEY})
        if spec != "local":
            assert resolve(spec, environ={provider.key_variables[0]: KEY}).name == provider.default_model


def test_what_is_known_never_holds_a_key() -> None:
    environ = {"OPENAI_API_KEY": KEY, "VLLM_BASE_URL": f"http://user:{KEY}@host/v1"}
    found = {model.name: model for model in known(environ)}
    assert list(found) == ["local", *PROVIDERS]
    assert found["openai"].key_present
    assert found["openai"].ready
    assert not found["groq"].ready
    assert found["ollama"].ready
    assert KEY not in repr(found)


def test_prices_come_from_the_list_that_is_installed() -> None:
    price = price_of("openai", "gpt-4.1-mini")
    assert price is not None
    assert 0 < price.input < price.output < 1e-4
    assert price_of("openai", "no such model") is None
    assert price_of("", "gpt-4.1-mini") is None


def test_of_a_price_with_tiers_the_highest_counts() -> None:
    price = price_of("google", "gemini-2.5-pro")
    assert price is not None
    assert price.input == pytest.approx(2.5e-6)


def test_a_server_on_this_machine_costs_nothing_and_one_elsewhere_is_unknown() -> None:
    assert resolve("ollama:a", environ={}).price == Price(0.0, 0.0)
    assert resolve("ollama:a", base_url="http://box:11434/v1", environ={}).price is None


def test_importing_the_catalog_loads_nothing_heavy() -> None:
    program = (
        "import sys, loopwright.models.catalog as catalog; catalog.known({}); catalog.default_spec({});"
        "print([name for name in ('aiohttp', 'pydantic', 'genai_prices', 'xllamacpp') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
