"""Keys never come back: whatever a server says, and however it cuts it into pieces."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright import Agent, MemoryJournal, SqliteJournal
from loopwright.core.events import Event, ModelFailed, ModelReplied
from loopwright.engine.ports import TextArrived
from loopwright.models.mask import Mask
from loopwright.protocols.keys import without_keys
from loopwright.testing.chat_server import ChatServer, Refusing, Response
from loopwright.testing.scripted import ScriptedModel, answers, fails

KEY = "tok/0123456789+abcdef"
SAID = f"Incorrect API key provided: {KEY}"
EVENT = f'data: {{"error":{{"message":"{SAID}","code":"invalid_api_key"}}}}\n\n'


def masked(pieces: list[bytes], key: str = KEY) -> bytes:
    fed = list[bytes]()
    mask = Mask(key, fed.append)
    for piece in pieces:
        mask(piece)
    mask.close()
    assert all(fed)
    return b"".join(fed)


@given(st.lists(st.sampled_from([KEY, KEY[:5], KEY[3:], "x", "\n\n", 'data: {"a":1}']), max_size=6), st.data())
def test_a_key_is_masked_however_it_is_cut(parts: list[str], data: st.DataObject) -> None:
    whole = "".join(parts).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=5)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    found = masked(pieces)
    assert KEY.encode() not in found
    if KEY.encode() not in whole:
        assert found == whole


@pytest.mark.parametrize("form", [KEY, KEY.replace("/", r"\/"), "tok%2F0123456789%2Babcdef"])
def test_a_key_is_masked_as_json_and_addresses_write_it(form: str) -> None:
    assert masked([b"a ", form.encode(), b" b"]) == b"a [key] b"


@pytest.mark.parametrize("key", ["", "EMPTY", "lm-studio", "not-needed"])
def test_a_placeholder_is_a_word_and_stays(key: str) -> None:
    assert masked([b"start lm-studio; not-needed; EMPTY"], key) == b"start lm-studio; not-needed; EMPTY"


def test_what_cannot_be_the_key_is_not_held_back() -> None:
    fed = list[bytes]()
    mask = Mask(KEY, fed.append)
    mask(b"data: one\n\n")
    assert fed == [b"data: one\n\n"]
    mask(b"data: t")
    assert fed[1:] == [b"data: "]


def written(folder: Path) -> bytes:
    """All that a journal has on disk."""
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


CARELESS: dict[str, Response] = {
    "json with status 200": Refusing(200, f'{{"error":{{"message":"{SAID}"}}}}'.encode()),
    "an event with status 200": Refusing(200, EVENT.encode(), content_type="text/event-stream"),
    "plain text": Refusing(200, SAID.encode(), content_type="text/plain"),
    "a web page": Refusing(200, f"<title>{SAID}</title>".encode(), content_type="text/html"),
    "a web page that is called text": Refusing(200, f"<html>{SAID}</html>".encode(), content_type="text/plain"),
    "a refusal": Refusing(401, f'{{"error":{{"message":"{SAID}"}}}}'.encode()),
    "a redirect": Refusing(307, b"", {"Location": f"https://elsewhere/{KEY}"}),
    "a reply": answers(f"your key is {KEY}, so it is"),
}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("response", CARELESS.values(), ids=CARELESS.keys())
async def test_no_server_can_bring_the_key_into_the_journal(
    response: Response, tmp_path: Path, *, stream: bool
) -> None:
    seen = list[Event | TextArrived]()
    async with ChatServer(lambda _request, _number: response, piece=7) as server:
        agent = Agent(
            "openai:any",
            base_url=server.base_url,
            api_key=KEY,
            journal=SqliteJournal(tmp_path / "journal.db"),
            observers=[lambda _run_id, event: seen.append(event)],
            stream=stream,
        )
        await agent.run("hi")
    assert KEY not in str(seen)
    assert KEY.encode() not in written(tmp_path)
    assert any(isinstance(event, ModelFailed | ModelReplied) for event in seen)


async def test_what_looks_like_a_key_is_masked_whoever_says_so() -> None:
    journal = MemoryJournal()
    result = await Agent(ScriptedModel(replies=[fails("auth", "sk-abcdef012345 is wrong")]), journal=journal).run("hi")
    assert result.reason == "[key] is wrong"
    failed = next(event for event in await journal.read(result.run_id) if isinstance(event, ModelFailed))
    assert failed.message == "[key] is wrong"


@pytest.mark.parametrize("text", ["Bearer abc.def", "sk-proj-12345", "AIzaSyA12345678", "abcd****wxyz"])
def test_shapes_of_keys(text: str) -> None:
    assert "[key]" in without_keys(f"see {text} here")
    assert without_keys("model gpt-4.1-mini is busy") == "model gpt-4.1-mini is busy"
