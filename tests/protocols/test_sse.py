"""Events come out the same however their bytes were split and their lines ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.protocols.sse import EventSplitter, ServerEvent


def split(data: bytes, cuts: list[int] | None = None) -> list[ServerEvent]:
    splitter, events, position = EventSplitter(), list[ServerEvent](), 0
    for cut in [*sorted(cuts or []), len(data)]:
        events += splitter.feed(data[position:cut])
        position = max(position, cut)
    return [*events, *splitter.close()]


CASES: list[tuple[bytes, list[ServerEvent]]] = [
    (b"data: a\n\n", [ServerEvent(b"a")]),
    (b"data:a\n\ndata:  b\n\n", [ServerEvent(b"a"), ServerEvent(b" b")]),
    (b"data: a\ndata: b\n\n", [ServerEvent(b"a\nb")]),
    (b": keep-alive\n\ndata: a\n: more\n\n", [ServerEvent(b"a")]),
    (b"event: error\nid: 7\nretry: 9\ndata: a\n\ndata: b\n\n", [ServerEvent(b"a", "error"), ServerEvent(b"b")]),
    (b"event: ping\n\ndata: a\n\n", [ServerEvent(b"a")]),
    (b"data\n\n", [ServerEvent(b"")]),
    (b"\n\n\n", []),
    (b"", []),
    (b"\xef\xbb\xbfdata: a\n\n", [ServerEvent(b"a")]),
    (b"data: no line end", [ServerEvent(b"no line end")]),
    (b"data: one line end\n", [ServerEvent(b"one line end")]),
    (b'error: {"code":500}\n\n', [ServerEvent(b'{"code":500}', "error")]),
    (b'data: a\n\n{"error":1}\n', [ServerEvent(b"a"), ServerEvent(b'{"error":1}')]),
]


@pytest.mark.parametrize(("data", "events"), CASES)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_fields_and_borders(data: bytes, events: list[ServerEvent], end: bytes) -> None:
    data = data.replace(b"\n", end)
    assert split(data) == events
    assert split(data, list(range(len(data)))) == events


lines = st.sampled_from([b"data: x", b"data", b"event: e", b": c", b"", b"id: 1", b"{}", b"data: \xc3\xa9"])
ends = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(lines), ends, st.data())
def test_no_split_changes_the_events(parts: list[bytes], end: bytes, data: st.DataObject) -> None:
    plain, stream = b"\n".join(parts), end.join(parts)
    cuts = data.draw(st.lists(st.integers(0, len(stream))))
    assert split(stream, cuts) == split(plain)


@given(st.binary(), st.data())
def test_arbitrary_bytes_are_split_the_same_everywhere(stream: bytes, data: st.DataObject) -> None:
    assert split(stream, data.draw(st.lists(st.integers(0, len(stream))))) == split(stream)
