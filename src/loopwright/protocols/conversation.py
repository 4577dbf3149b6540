"""A run's transcript as the model is told it, growing by what happens.

Owns the fold from events to encoded messages: each message is encoded once, when its event is added, and a request only
joins bytes, so two requests of a run have all but their ends in common. What the messages say belongs to the speech,
how they look to the dialect, and what happens to the loop.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import assert_never

from msgspec.structs import replace

from loopwright.core.events import (
    ApprovalAsked,
    ApprovalGiven,
    CallEnded,
    CallStarted,
    CancelAsked,
    ContextCondensed,
    ContextLost,
    Event,
    LetterRefused,
    ModelAsked,
    ModelFailed,
    ModelReplied,
    NoteAdded,
    PersonSaid,
    RunEnded,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    WaySwitched,
)
from loopwright.core.messages import Call, Example, Result, ToolSpec, Turn, Way
from loopwright.protocols.fence import Fence, acts, quotes, unfenced, words_of
from loopwright.protocols.images import illustrated, images_in
from loopwright.protocols.labels import labels_of
from loopwright.protocols.speech import Capabilities, Dialect, Image, Message, Reply, ReplyReader, Speech

OPEN = Fence()
DIGEST = 32
"""Hexadecimal digits of a request's digest."""
NONE: Mapping[str, bytes] = MappingProxyType({})
"""No contents."""


class Conversation:
    """One run in one way of speaking over one dialect. For another way, build another from the same events."""

    def __init__(
        self,
        started: RunStarted,
        dialect: Dialect,
        speech: Speech,
        capabilities: Capabilities,
        *,
        model: str = "",
        fence: Fence = OPEN,
        condensed: Collection[str] = (),
    ) -> None:
        """Begin the transcript.

        Args:
            started: the rules of the run
            dialect: how messages are encoded
            speech: what they say
            capabilities: what the endpoint can do
            model: the name in the request body; without one it is what follows the provider in the run's model
            fence: how results are shown that hold what others wrote
            condensed: calls whose results are left out
        """
        self._started = started
        self._dialect = dialect
        self._speech = speech
        self._fence = fence
        self._condensed = frozenset(condensed)
        self._told: list[Result] = []
        """What tools returned since it was last looked into."""
        self._words: list[str] = []
        """The words of what they returned before."""
        self._model = model or started.model.partition(":")[2] or started.model
        self._tools = dialect.tools(started.tools) if capabilities.tools else b""
        self._messages: list[bytes] = []
        self._digest = sha256()
        """Of the messages in their order."""
        self._strange = False
        """Whether another model than that of the run said what is added now, before a fork."""
        self._way: Way = started.way
        self._calls: tuple[Call, ...] = ()
        self._results: dict[str, Result] = {}
        self._images: dict[str, tuple[Image, ...]] = {}  # of the turn at hand, by call
        self._shows, self._closing = capabilities.images, False
        self._open(speech, fence)
        self._opening_bytes = self.request_bytes

    def _open(self, speech: Speech, fence: Fence) -> None:
        *before, task = speech.opening(self._started)
        self._say(*fence.told(before))
        for number, example in enumerate(self._started.examples, 1):
            self._say(*_shown(example, f"e{number}", speech, fence))
        self._say(task)

    @property
    def request_bytes(self) -> int:
        """The size of a request body of all that was added so far."""
        return len(self.request(ModelAsked(number=1), stream=True))

    @property
    def opening_bytes(self) -> int:
        """The size of the first request body."""
        return self._opening_bytes

    @property
    def messages(self) -> Sequence[bytes]:
        """The messages so far, each as it is sent."""
        return self._messages

    def add(self, event: Event, contents: Mapping[str, bytes] = NONE) -> None:
        """Fold one event. The results of a turn are told together, in the order asked, when the last one is there.

        Args:
            event: what happened
            contents: the images that the event shows, by the digests of its artifacts
        """
        match event:
            case ModelReplied():
                self._replied(event.turn)
            case CallEnded():
                self._ended(event, contents)
            case NoteAdded():
                self._say(self._speech.note(event))
            case ModelAsked():
                self._asked(event)
            case WaySwitched():
                self._way = event.way
            case PersonSaid():
                self._say(self._speech.task(event.text))
            case RunStarted():
                self._way, self._strange = event.way, event.model != self._started.model
            case RunForked():
                self._forked(event)
            case ContextCondensed():
                self._offer()
            case RunResumed() | RunPaused() | RunEnded() | CancelAsked() | LetterRefused():
                pass
            case ModelFailed() | CallStarted() | ApprovalAsked() | ApprovalGiven() | ContextLost():
                pass
            case _:
                assert_never(event)

    def request(self, asked: ModelAsked, *, stream: bool) -> bytes:
        """The request body for this question, of everything added so far."""
        options = self._speech.options(self._started, asked, self._tools)
        messages = [*self._messages, *pending] if (pending := self._pending(asked)) else self._messages
        return self._dialect.body(self._model, messages, options, stream=stream)

    def _pending(self, asked: ModelAsked) -> list[bytes]:
        """What is said with this question and was not added yet: the request for the closing answer."""
        if not asked.closing or self._closing:
            return []
        return [self._dialect.message(self._speech.closing(asked))]

    def digest(self, asked: ModelAsked) -> str:
        """What tells this request from every other: of its messages, and of all that is asked beside them."""
        digest = self._digest.copy()
        for message in self._pending(asked):
            digest.update(_framed(message))
        options = self._speech.options(self._started, asked, self._tools)
        digest.update(self._dialect.body(self._model, [], options, stream=True))
        return digest.hexdigest()[:DIGEST]

    def reader(self, *, stream: bool) -> ReplyReader:
        """A reader for the reply."""
        return self._dialect.reader(stream=stream)

    def read(self, reply: Reply, *, closing: bool) -> Turn:
        """What the reply means. What it only repeats of what tools returned makes no call."""
        turn = self._speech.read(reply, self._started.tools, closing=closing)
        if reply.calls or not (turn.calls or turn.answer):
            return turn
        bare = unfenced(reply.text)
        if bare != reply.text:
            turn = self._beside(turn, replace(reply, text=bare), closing=closing)
        if self._unlabelled(turn) and self._quoted(turn):
            return replace(turn, calls=(), leaked=False, problem=labels_of(self._started.language).problems.quoted)
        return turn

    def _quoted(self, turn: Turn) -> bool:
        """Whether one of the calls stands word for word in what tools returned. Each result is taken apart once."""
        self._words += map(words_of, self._told)
        self._told.clear()
        return any(quotes(self._words, call) for call in turn.calls)

    def _unlabelled(self, turn: Turn) -> bool:
        """Whether the calls stand in a text without the label that says that they are meant."""
        if self._speech.way == "native":
            return turn.leaked
        return not acts(turn.text) and not any(tool.free_form for tool in self._started.tools)

    def _beside(self, turn: Turn, bare: Reply, *, closing: bool) -> Turn:
        """The turn that a reply is without what it repeats inside of a fence, unless it is an answer all the same."""
        other = self._speech.read(bare, self._started.tools, closing=closing)
        kept = not turn.calls and (other.answer is not None or self._speech.way == "native")
        return turn if kept else other

    def _say(self, *messages: Message) -> None:
        for message in messages:
            encoded = self._dialect.message(message)
            self._messages.append(encoded)
            self._digest.update(_framed(encoded))

    def _replied(self, turn: Turn) -> None:
        """Add what the model said; where it could not be used, only its text, and where it said nothing, nothing."""
        own = _unsealed(turn) if self._strange else turn
        own = own if self._way == self._speech.way else _foreign(turn)
        if turn.problem and not turn.calls:
            if turn.text:
                self._say(Message("assistant", turn.text))
        elif turn.calls or turn.text or turn.answer or turn.thought:
            self._say(self._speech.turn(own))
        self._calls, self._results, self._images = own.calls, {}, {}

    def _forked(self, event: RunForked) -> None:
        """Another run goes on, perhaps with another model, or with what a person says to it."""
        self._way, self._strange = event.started.way, event.started.model != self._started.model
        self._closing = False
        if event.say:
            self._say(self._speech.task(event.say))

    def _asked(self, event: ModelAsked) -> None:
        """Add the request for the closing answer, once: it is not said again when the question was lost."""
        if event.closing and not self._closing:
            self._say(self._speech.closing(event))
        self._closing = bool(event.closing)

    def _ended(self, event: CallEnded, contents: Mapping[str, bytes]) -> None:
        result, call = event.result, next((call for call in self._calls if call.id == event.call_id), None)
        left_out = event.call_id in self._condensed
        if left_out:
            result = Result(result.status, error=result.error)
        if call is not None and event.how in ("ran", "given"):
            self._told.append(event.result)
            if result.error or not left_out:
                result = self._fence.around(call, result)
        if left_out:
            note = _left_out(event.call_id, event.result, self._started.reader)
            result = replace(result, note=f"{result.note}; {note}" if result.note else note)
        self._results[event.call_id] = result
        if event.result.artifacts and self._shows and not left_out:
            self._images[event.call_id] = images_in(event.result, contents)
        if event.whole is not None and event.whole.readable:
            self._offer()
        if self._calls and len(self._results) == len(self._calls):
            told = self._speech.results([(call, self._results[call.id]) for call in self._calls])
            images = [image for call in self._calls for image in self._images.get(call.id, ())]
            self._say(*illustrated(told, images))
            self._calls = ()

    def _offer(self) -> None:
        """From now on the tool that reads on is one of the run's. It comes last, so that the others stay a prefix."""
        reader, tools = self._started.reader, self._started.tools
        if reader is None or reader in tools:
            return
        self._started = replace(self._started, tools=(*tools, reader))
        if self._tools:
            self._tools = self._dialect.tools(self._started.tools)


def _shown(example: Example, name: str, speech: Speech, fence: Fence) -> list[Message]:
    """An example as it would have been spoken: its task, its turns, and the answers to its calls."""
    found = [speech.task(example.task)]
    for number, exchange in enumerate(example.exchanges, 1):
        turn = _foreign(exchange.turn)
        calls = tuple(replace(call, id=f"{name}-{number}.{n}") for n, call in enumerate(turn.calls, 1))
        found.append(speech.turn(replace(turn, calls=calls)))
        answered = [(call, fence.around(call, result)) for call, result in zip(calls, exchange.results, strict=True)]
        found += speech.results(answered) if calls else []
    return found


def _foreign(turn: Turn) -> Turn:
    """A turn that was spoken in the other way: its text and opaque part mean nothing in this one.

    The speech puts it together from thought, calls and answer.
    """
    return replace(turn, text="", opaque=b"", calls=tuple(replace(call, provider_id="") for call in turn.calls))


def _unsealed(turn: Turn) -> Turn:
    """A turn of another model: what that sealed for itself, or named by ids of its own, means nothing to this one."""
    return replace(turn, opaque=b"", calls=tuple(replace(call, provider_id="") for call in turn.calls))


def _left_out(call_id: str, result: Result, reader: ToolSpec | None) -> str:
    """What is said of a result that was left out to save room: its size, and how to have it again."""
    note = f"{len(memoryview(result.data)):,} bytes left out to save room"
    if reader is not None:
        note = f'{note}; {reader.name} {{"result": "{call_id}", "offset": 0}} gives them again'
    return note


def _framed(message: bytes) -> bytes:
    """A message as a digest takes it, so that no two lists of messages are the same to it."""
    return b"%d:" % len(message) + message
