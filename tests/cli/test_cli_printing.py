"""How a result is written in a terminal."""

from msgspec import Raw
from msgspec.json import encode

from loopwright.core.messages import Result
from loopwright.engine.telling import observed, visible
from loopwright.protocols.envelope import observation


def result(data: object, note: str = "") -> Result:
    return Result(data=Raw(encode(data)), note=note)


def test_what_a_command_printed_is_shown_as_lines_behind_the_rest() -> None:
    told = observed(result({"exit_code": 1, "output": "one\ntwo \x1b[2J", "seconds": 0.5}, "thrown away"))
    assert told == '{"exit_code":1,"seconds":0.5}\n(note: thrown away)\noutput:\none\ntwo \x1b[2J'
    assert "\x1b" not in visible(told)
    assert observed(result({"output": "one\ntwo"})) == "output:\none\ntwo"


def test_every_other_result_is_shown_as_the_model_sees_it() -> None:
    for each in (
        result({"output": "one"}),
        result({"names": ["a\nb"]}),
        result({"path": "a\\new"}),
        result(["one\ntwo"]),
        result("one\ntwo", "cut"),
        Result("error", error="ToolError: {\n}"),
    ):
        assert observed(each) == observation(each)
