"""Hypothesis strategies for the words and the events of a run.

Owns random *values*, each legal by itself. Whether events may follow one another is not decided here.
Texts hold anything but halves of surrogate pairs, numbers anything but NaN and infinity, as in JSON.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import Raw

from loopwright.core import events as ev
from loopwright.core import inbox as post
from loopwright.core import messages as words
from loopwright.core.rules import Match, Rule

_MOST = 2**53


def texts(max_size: int = 20) -> st.SearchStrategy[str]:
    """Any text that UTF-8 can carry."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=max_size)


def numbers() -> st.SearchStrategy[float]:
    """Finite numbers that are not negative."""
    return st.floats(min_value=0, allow_nan=False, allow_infinity=False)


def counts() -> st.SearchStrategy[int]:
    """Whole numbers from 0."""
    return st.integers(0, _MOST)


def names() -> st.SearchStrategy[str]:
    """Names that a tool or an argument may have."""
    return st.from_regex(r"[a-z][a-z0-9_]{0,11}", fullmatch=True)


def json_values() -> st.SearchStrategy[Any]:
    """Anything that JSON text decodes to."""
    leaves = st.none() | st.booleans() | st.integers() | texts() | st.floats(allow_nan=False, allow_infinity=False)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(8), inner, max_size=3), max_leaves=6
    )


def arguments() -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a call."""
    return st.dictionaries(texts(8), json_values(), max_size=3)


def data() -> st.SearchStrategy[Raw]:
    """Data of a result as JSON text, small or of several thousand bytes."""
    large = texts(8).map(lambda text: [text, "=" * 4000])
    return st.one_of(json_values(), large).map(lambda value: Raw(msgspec.json.encode(value)))


def usages() -> st.SearchStrategy[words.Usage]:
    """Tokens and money."""
    return st.builds(words.Usage, counts(), counts(), counts(), numbers(), st.booleans())


def tool_specs() -> st.SearchStrategy[words.ToolSpec]:
    """Tools, some with long descriptions."""
    return st.builds(
        words.ToolSpec,
        name=names(),
        description=texts() | st.just("What it does. " * 100),
        parameters=st.just(_schema()) | names().map(_schema),
        effect=st.sampled_from(["read", "write", "delete", "send", "pay", "execute"]),
        permission=st.sampled_from(["allow", "ask", "deny"]),
        repeatable=st.booleans(),
        pollable=st.booleans(),
        accepts_repaired=st.booleans(),
        timeout=st.none() | numbers(),
        max_chars=counts(),
        trusted_output=st.booleans(),
        open_world=st.booleans(),
        trusted_description=st.booleans(),
        free_form=st.booleans(),
    )


def calls() -> st.SearchStrategy[words.Call]:
    """Calls in each of their states."""
    rejected = st.builds(
        words.Call,
        tool=names(),
        id=texts(),
        text=texts(),
        state=st.just("rejected"),
        reason=texts(),
        provider_id=texts(),
    )
    accepted = st.builds(
        words.Call,
        tool=names(),
        arguments=arguments(),
        id=texts(),
        text=texts(),
        state=st.sampled_from(["strict", "repaired"]),
        reason=texts(),
        provider_id=texts(),
    )
    return accepted | rejected


def turns() -> st.SearchStrategy[words.Turn]:
    """Replies, understood or not."""
    return st.builds(
        words.Turn,
        thought=texts(),
        calls=st.lists(calls(), max_size=3).map(tuple),
        answer=st.none() | texts(),
        problem=texts(),
        text=texts(),
        reasoning=texts(),
        finish=st.sampled_from(["", "stop", "tool_calls", "length"]),
        opaque=st.binary(max_size=8) | st.just(b"\x00sealed\xff" * 300),
        leaked=st.booleans(),
    )


CONTENTS: Mapping[str, bytes] = {sha256(content).hexdigest(): content for content in (b"", b"\x89PNG\r\n", b"-" * 5000)}
"""What the events refer to, by hash: a store is given these when it takes them."""


def results() -> st.SearchStrategy[words.Result]:
    """Results of calls."""
    return st.builds(
        words.Result,
        status=st.sampled_from(["ok", "not_found", "error"]),
        data=data(),
        error=texts(),
        note=texts(),
        artifacts=st.lists(artifacts(), max_size=2).map(tuple),
    )


def artifacts() -> st.SearchStrategy[words.Content]:
    """Artifacts whose content is one of `CONTENTS`."""
    return st.builds(
        words.Content,
        digest=st.sampled_from(sorted(CONTENTS)),
        size=counts(),
        media_type=st.sampled_from(["application/octet-stream", "image/png"]),
        name=texts(),
        caption=texts(),
        shown=st.booleans(),
    )


def wholes() -> st.SearchStrategy[words.Whole]:
    """Results before they were cut, whose content is one of `CONTENTS`."""
    return st.builds(
        words.Whole,
        digest=st.sampled_from(sorted(CONTENTS)),
        size=counts(),
        part=st.sampled_from(["rows", "text", "member_rows", "member_text", "json", "error"]),
        member=texts(),
        readable=st.booleans(),
    )


def examples() -> st.SearchStrategy[words.Example]:
    """Trajectories of other tasks."""
    exchange = st.builds(words.Exchange, turn=turns(), results=st.lists(results(), max_size=2).map(tuple))
    return st.builds(words.Example, task=texts(), exchanges=st.lists(exchange, max_size=2).map(tuple))


def limits() -> st.SearchStrategy[words.Limits]:
    """What a run may use."""
    positive = st.integers(1, _MOST)
    some = st.floats(min_value=1e-6, max_value=1e6)
    return st.builds(
        words.Limits,
        steps=st.none() | counts(),
        model_calls=st.none() | positive,
        tool_calls=st.none() | counts(),
        tokens=st.none() | positive,
        cost=st.none() | some,
        seconds=st.none() | some,
        calls_per_turn=positive,
        unreadable=positive,
        context=st.none() | positive,
    )


def model_settings() -> st.SearchStrategy[words.Settings]:
    """How a model is asked."""
    return st.builds(
        words.Settings,
        temperature=st.none() | numbers(),
        top_p=st.none() | st.floats(0, 1),
        max_tokens=st.none() | st.integers(1, _MOST),
        seed=st.none() | counts(),
        stop=st.lists(texts(), max_size=2).map(tuple),
        extra=arguments(),
    )


def rules() -> st.SearchStrategy[Rule]:
    """Rules of a policy."""
    pattern = st.builds(Match, glob=texts(), least=st.none() | numbers())
    return st.builds(
        Rule,
        permission=st.sampled_from(["allow", "ask", "deny"]),
        tool=st.none() | names() | st.just("send_*"),
        effect=st.none() | st.sampled_from(["read", "write", "delete", "send", "pay", "execute"]),
        arguments=st.dictionaries(texts(8), texts() | pattern, max_size=2),
        reason=texts(),
        source=texts(),
    ) | st.builds(Rule, st.just("allow"), tainted=st.sampled_from(["", "ask", "allow"]))


def outcomes() -> st.SearchStrategy[words.Outcome]:
    """How a run ended."""
    return st.builds(
        words.Outcome,
        status=st.sampled_from(["answered", "partial", "stopped", "failed", "cancelled"]),
        answer=st.none() | texts(),
        reason=texts(),
    )


def starts(run_id: str = "run") -> st.SearchStrategy[ev.RunStarted]:
    """Starts of the run `run_id`."""
    return st.builds(
        ev.RunStarted,
        at=numbers(),
        elapsed=numbers(),
        run_id=st.just(run_id),
        task=texts(),
        model=texts(),
        way=_ways(),
        may_switch=st.booleans(),
        may_return=st.booleans(),
        require_action=st.booleans(),
        examples=st.lists(examples(), max_size=2).map(tuple),
        observation_role=st.sampled_from(["user", "assistant", "system", "tool"]),
        instructions=texts(),
        language=st.sampled_from(["en", "de", "fi", "he", "zh"]),
        tools=st.lists(tool_specs(), max_size=3).map(tuple),
        limits=limits(),
        settings=model_settings(),
        price=st.none() | st.builds(words.Price, numbers(), numbers()),
        opening_bytes=counts(),
        attended=st.booleans(),
        recipe=arguments(),
        rules=st.lists(rules(), max_size=2).map(tuple),
        reader=st.none() | tool_specs(),
    )


def asks() -> st.SearchStrategy[ev.ModelAsked]:
    """Requests that are about to leave."""
    return st.builds(
        ev.ModelAsked,
        at=numbers(),
        elapsed=numbers(),
        number=counts(),
        closing=texts(),
        max_tokens=st.none() | counts(),
        worst=usages(),
        request=texts(),
    )


def replies() -> st.SearchStrategy[ev.ModelReplied]:
    """Replies that arrived, with the provider's bytes."""
    return st.builds(
        ev.ModelReplied,
        at=numbers(),
        elapsed=numbers(),
        turn=turns(),
        usage=usages(),
        seconds=numbers(),
        raw=st.binary(max_size=30) | st.just(b"data: {}\r\n\r\n" * 300),
        by=texts(),
    )


def failures() -> st.SearchStrategy[ev.ModelFailed]:
    """Model calls that failed."""
    return st.builds(
        ev.ModelFailed,
        at=numbers(),
        elapsed=numbers(),
        failure=st.sampled_from(
            ["auth", "model", "context", "tools_refused", "request", "network", "timeout", "overloaded", "reply"]
        ),
        message=texts(),
        lost=st.booleans(),
    )


def ended_calls() -> st.SearchStrategy[ev.CallEnded]:
    """Calls that are answered."""
    return st.builds(
        ev.CallEnded,
        at=numbers(),
        elapsed=numbers(),
        call_id=texts(),
        result=results(),
        how=st.sampled_from(["ran", "refused", "denied", "withheld", "unknown", "cancelled", "given"]),
        seconds=numbers(),
        whole=st.none() | wholes(),
        by=texts(),
        inbox=counts(),
    )


def approvals() -> st.SearchStrategy[ev.ApprovalGiven]:
    """Answers of a person."""
    return st.builds(
        ev.ApprovalGiven,
        at=numbers(),
        elapsed=numbers(),
        call_id=texts(),
        allowed=st.booleans(),
        by=texts(),
        reason=texts(),
        scope=st.sampled_from(["once", "call", "tool"]),
        arguments=st.none() | arguments(),
        digest=texts(),
        inbox=counts(),
    )


def letters() -> st.SearchStrategy[post.Letter]:
    """What comes from outside."""
    return st.one_of(
        st.builds(
            post.Approve,
            call_id=texts(),
            allowed=st.booleans(),
            by=texts(),
            reason=texts(),
            scope=st.sampled_from(["once", "call", "tool"]),
            arguments=st.none() | arguments(),
            digest=texts(),
        ),
        st.builds(post.Say, text=texts(), by=texts()),
        st.builds(post.Answer, call_id=texts(), value=json_values(), by=texts()),
        st.builds(post.Cancel, by=texts(), reason=texts()),
    )


def forks(run_id: str = "fork", parent: str = "run", after: int = 1) -> st.SearchStrategy[ev.RunForked]:
    """Beginnings of the run `run_id` that share so many events of `parent`."""
    return st.builds(
        ev.RunForked,
        at=numbers(),
        elapsed=numbers(),
        started=starts(run_id),
        parent=st.just(parent),
        after=st.just(after),
        say=texts(),
        fresh=st.booleans(),
        context_bytes=counts(),
    )


def notes() -> st.SearchStrategy[ev.NoteAdded]:
    """Notes to the model."""
    return st.builds(
        ev.NoteAdded,
        at=numbers(),
        elapsed=numbers(),
        kind=st.sampled_from(["unreadable", "empty", "thinking", "repeating", "failing", "act_first"]),
        detail=texts(),
    )


def later_events() -> st.SearchStrategy[ev.Event]:
    """Every type of event but those that begin a run."""
    return st.one_of(
        st.builds(
            ev.RunResumed,
            at=numbers(),
            elapsed=numbers(),
            attended=st.booleans(),
            changed=st.lists(texts(), max_size=2).map(tuple),
        ),
        st.builds(ev.RunPaused, at=numbers(), elapsed=numbers(), reason=texts()),
        asks(),
        replies(),
        failures(),
        st.builds(ev.CallStarted, at=numbers(), elapsed=numbers(), call_id=texts(), by=texts()),
        ended_calls(),
        st.builds(
            ev.ApprovalAsked,
            at=numbers(),
            elapsed=numbers(),
            call_id=texts(),
            why=texts(),
            digest=texts(),
            after=counts(),
        ),
        approvals(),
        notes(),
        st.builds(ev.PersonSaid, at=numbers(), elapsed=numbers(), text=texts(), by=texts(), inbox=counts()),
        st.builds(ev.CancelAsked, at=numbers(), elapsed=numbers(), by=texts(), reason=texts(), inbox=counts()),
        st.builds(ev.LetterRefused, at=numbers(), elapsed=numbers(), inbox=counts(), why=texts()),
        st.builds(ev.WaySwitched, at=numbers(), elapsed=numbers(), way=_ways(), reason=texts()),
        st.builds(ev.ContextLost, at=numbers(), elapsed=numbers(), expected=counts(), counted=counts()),
        st.builds(
            ev.ContextCondensed,
            at=numbers(),
            elapsed=numbers(),
            covers=st.lists(texts(), max_size=2).map(tuple),
            tokens=counts(),
            left=counts(),
        ),
        st.builds(ev.RunEnded, at=numbers(), elapsed=numbers(), outcome=outcomes()),
    )


def events() -> st.SearchStrategy[ev.Event]:
    """Every type of event."""
    return st.one_of(starts(), forks(), later_events())


def event_lists(run_id: str = "run", max_size: int = 6) -> st.SearchStrategy[list[ev.Event]]:
    """Lists that a store must take: the start of the run, then anything."""
    return st.tuples(starts(run_id), st.lists(later_events(), max_size=max_size)).map(lambda pair: [pair[0], *pair[1]])


def _ways() -> st.SearchStrategy[words.Way]:
    return st.sampled_from(["native", "text"])


def _schema(*arguments: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {name: {"type": "string"} for name in arguments}}
    return schema | {"required": list(arguments)} if arguments else schema
