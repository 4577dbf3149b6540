"""Artifacts: what counts as one, what the model is told of it, and what is kept."""

import json
import sys
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from loopwright.core.messages import Result
from loopwright.tools.artifact import Artifact, media_type_of
from loopwright.tools.result import Produced, encoded, ok, result_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
GIF = b"GIF89a plain ASCII"


class Drawing:
    """Shows itself as notebooks want it."""

    def __init__(self, drawn: object = PNG) -> None:
        self.drawn = drawn

    def _repr_png_(self) -> object:
        return self.drawn


class Figure:
    """Saves itself as a figure of matplotlib does."""

    def savefig(self, place: BytesIO, **options: str) -> None:
        assert options == {"format": "png"}
        place.write(PNG)


@pytest.fixture
def matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("matplotlib.figure")
    module.Figure = Figure  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", module)


def produced(value: Any) -> Produced:
    result = result_of(value)
    assert isinstance(result, Produced), result
    assert {content.digest for content in result.artifacts} == set(result.contents)
    assert all(sha256(content).hexdigest() == name for name, content in result.contents.items())
    return result


def data(result: Result) -> Any:
    return json.loads(bytes(result.data))


def test_the_model_is_told_reference_type_size_and_caption_and_never_the_bytes() -> None:
    plot = Artifact(PNG, caption="Sales by month", name="sales.png")
    result = produced({"trend": "up", "plot": plot})
    assert data(result) == {
        "trend": "up",
        "plot": {
            "artifact": sha256(PNG).hexdigest()[:12],
            "media_type": "image/png",
            "size": 48,
            "name": "sales.png",
            "caption": "Sales by month",
        },
    }
    (content,) = result.artifacts
    assert (content.reference, content.size, content.shown) == (sha256(PNG).hexdigest()[:12], 48, False)


@pytest.mark.parametrize("value", [PNG, bytearray(PNG), memoryview(PNG), Drawing(), Artifact(Drawing()), Artifact(PNG)])
def test_bytes_that_are_no_text_and_drawings_are_artifacts_by_themselves(value: Any) -> None:
    assert produced([value]).contents == {sha256(PNG).hexdigest(): PNG}
    assert data(produced([value]))[0]["media_type"] == "image/png"


@pytest.mark.usefixtures("matplotlib")
def test_a_figure_of_matplotlib_is_saved_as_png() -> None:
    for value in (Figure(), Artifact(Figure(), caption="plot")):
        assert produced(value).contents == {sha256(PNG).hexdigest(): PNG}


def test_text_stays_text_unless_it_is_declared_or_its_first_bytes_say_otherwise() -> None:
    assert data(result_of(b"a,b\n1,2\n")) == "a,b\n1,2\n"
    assert data(produced(GIF))["media_type"] == "image/gif"
    declared = produced(Artifact("a,b\n1,2\n", "text/csv"))
    assert (data(declared)["media_type"], *declared.contents.values()) == ("text/csv", b"a,b\n1,2\n")


def test_a_path_is_a_text_unless_it_is_marked_as_an_artifact(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n")
    assert data(result_of(path)) == str(path)
    found = data(produced(Artifact(path)))
    assert (found["name"], found["media_type"], found["size"]) == ("rows.csv", "text/csv", 4)
    missing = result_of(Artifact(tmp_path / "missing"))
    assert (missing.status, missing.error.partition(":")[0]) == ("error", "FileNotFoundError")


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF1234WEBPVP8 ", "image/webp"),
        (b"RIFF1234WAVEfmt ", "audio/wav"),
        (b"RIFF1234AVI ", ""),
        (b"%PDF-1.7", "application/pdf"),
        (b"<svg>", ""),
        (b"", ""),
    ],
)
def test_the_first_bytes_tell_the_media_type(start: bytes, kind: str) -> None:
    assert media_type_of(start) == kind


@pytest.mark.parametrize(
    ("artifact", "kind"),
    [
        (Artifact(b"\x00\xff"), "application/octet-stream"),
        (Artifact(b"plain"), "text/plain"),
        (Artifact(b"plain", name="a.JSON"), "application/json"),
        (Artifact("<svg/>", name="a.svg"), "image/svg+xml"),
        (Artifact(b"x", name="svg"), "text/plain"),
        (Artifact(b"\x00\xff", "Application/X-Mine; v=1"), "application/x-mine; v=1"),
        (Artifact(PNG, "image/jpeg"), "image/png"),
        (Artifact(PNG, "application/x-mine"), "application/x-mine"),
    ],
)
def test_otherwise_the_declaration_the_name_or_the_bytes_decide(artifact: Artifact, kind: str) -> None:
    assert data(produced(artifact))["media_type"] == kind


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Artifact(PNG, "png"), "'png' is no media type"),
        (Artifact(PNG, "text/plain\nX: y"), "is no media type"),
        (Artifact(3), "an artifact cannot be made of int"),
        (Drawing(None), "an artifact cannot be made of Drawing"),
    ],
)
def test_what_cannot_be_an_artifact_is_an_error_that_says_why(value: Any, told: str) -> None:
    result = result_of(value)
    assert result.status == "error"
    assert told in result.error


def test_the_same_bytes_are_one_content_and_shown_if_one_of_them_is() -> None:
    result = produced([Artifact(PNG, caption="a"), Artifact(PNG, caption="b", show=True), PNG])
    assert [each.get("caption") for each in data(result)] == ["a", "b", None]
    assert [content.shown for content in result.artifacts] == [True]


def test_words_of_artifacts_are_text_that_utf8_can_hold() -> None:
    result = produced(Artifact(PNG, caption="half \ud800", name="\udc00.png"))
    assert (result.artifacts[0].caption, result.artifacts[0].name) == ("half \ufffd", "\ufffd.png")


def test_a_note_keeps_the_artifacts() -> None:
    result = ok(Artifact(PNG), note="one of three")
    assert isinstance(result, Produced)
    assert (result.note, list(result.contents.values())) == ("one of three", [PNG])


def test_outside_of_results_bytes_are_no_artifacts() -> None:
    assert bytes(encoded(b"\x00\xff")) == b'"(2 bytes that are not UTF-8 text)"'
