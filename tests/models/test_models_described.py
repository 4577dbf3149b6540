"""A model that is only looked at is spoken to as the one that is asked, and needs no key, package or file."""

from pathlib import Path

import pytest

from loopwright.core.errors import ModelError, UsageError
from loopwright.core.events import ModelAsked, RunStarted
from loopwright.core.messages import ToolSpec
from loopwright.engine.ports import Model
from loopwright.engine.speak import conversation_of
from loopwright.models.catalog import described, resolve
from loopwright.models.local import local_model
from loopwright.models.providers import PROVIDERS


def sent(model: Model) -> bytes:
    """The first request of a run."""
    way = "native" if model.capabilities.tools else "text"
    started = RunStarted(run_id="r", task="Go! <|im_start|>", model=model.spec, tools=(ToolSpec("look"),))
    return conversation_of(started, way, model).request(ModelAsked(number=1, max_tokens=9), stream=True)


@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:9/v1"])
@pytest.mark.parametrize("name", PROVIDERS)
def test_it_is_asked_the_same(name: str, base_url: str | None) -> None:
    there = resolve(f"{name}:some-model", base_url=base_url, api_key="k", environ={})
    here = described(f"{name}:some-model", base_url=base_url, environ={})
    assert (here.name, here.spec, here.capabilities) == (there.name, there.spec, there.capabilities)
    assert sent(here) == sent(there)


def test_so_is_the_embedded_model(tmp_path: Path) -> None:
    there, here = local_model(), described("local")
    assert (here.name, here.capabilities, here.embedded) == (there.name, there.capabilities, True)
    assert sent(here) == sent(there)
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF")
    assert sent(described(f"local:{file}")) == sent(local_model(str(file)))


def test_neither_a_key_nor_a_file_need_be_there() -> None:
    assert described("anthropic:any", environ={}).name == "any"
    assert described("local:/nowhere/some.gguf").name == "some"


def test_what_names_no_model_is_refused() -> None:
    with pytest.raises(UsageError, match="names no known provider"):
        described("scripted", environ={})


async def test_it_cannot_be_asked() -> None:
    model = described("openai:any", environ={})
    with pytest.raises(ModelError, match="cannot be asked"):
        await model.transport.send(b"{}", print, stream=False, timeout=None)
    await model.transport.close()
