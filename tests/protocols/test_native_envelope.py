"""One shape for every result, in native form and in text form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core.messages import Result
from loopwright.protocols.envelope import envelope, observation, writable

ENVELOPES = [
    (Result(data=Raw(b'{"a":1}')), '{"status":"ok","data":{"a":1}}'),
    (Result(), '{"status":"ok","data":null}'),
    (Result(data=Raw(b"[]"), note="50 of 1204"), '{"status":"ok","data":[],"note":"50 of 1204"}'),
    (Result("error", error="ValueError: no"), '{"status":"error","error":"ValueError: no"}'),
    (
        Result("not_found", data=Raw(b"1"), error="LookupError: none", note="try another"),
        '{"status":"not_found","data":1,"error":"LookupError: none","note":"try another"}',
    ),
    (Result(data=Raw('"Zürich"'.encode())), '{"status":"ok","data":"Zürich"}'),
    (Result("error", error="E: \ud800\ud83d\ude00"), '{"status":"error","error":"E: �😀"}'),
]


@pytest.mark.parametrize(("result", "text"), ENVELOPES)
def test_envelope_has_status_data_error_and_note_in_this_order(result: Result, text: str) -> None:
    assert envelope(result) == text


OBSERVATIONS = [
    (Result(data=Raw(b'{"a": 1}')), '{"a": 1}'),
    (Result(data=Raw(b'"two\\nlines"')), "two\nlines"),
    (Result(data=Raw(b"null")), "null"),
    (Result(data=Raw(b'"rows"'), note="50 of 1204"), "rows\n(note: 50 of 1204)"),
    (Result(data=Raw(b'"\\ud800"')), '"\\ud800"'),
    (Result("error", error="ValueError: no"), '{"status":"error","error":"ValueError: no"}'),
]


@pytest.mark.parametrize(("result", "text"), OBSERVATIONS)
def test_observation_is_the_data_alone_unless_something_went_wrong(result: Result, text: str) -> None:
    assert observation(result) == text


@given(st.text(st.characters()))
def test_writable_text_is_utf8_and_the_same_where_it_was(text: str) -> None:
    written = writable(text)
    written.encode()
    if all(not 0xD800 <= ord(character) < 0xE000 for character in text):
        assert written == text


@given(st.text(), st.text())
def test_envelope_is_json_for_any_text(error: str, note: str) -> None:
    found = json.loads(envelope(Result("error", error=error, note=note)))
    assert (found.get("error", ""), found.get("note", "")) == (error, note)
