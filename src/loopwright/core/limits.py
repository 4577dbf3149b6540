"""The ledger of a run: what is spent, what is set aside, and what the next question may cost.

Before every question the worst case is set aside, and beside it the closing answer, so that no limit is ever passed and
the closing answer can always be paid. The one fact behind the arithmetic: a text has no more tokens than bytes.
No clock here: time comes with the events.
"""

from math import inf

from msgspec import Struct, field

from loopwright.core.messages import Limits, Price, Result, Turn, Usage

CLOSING_TOKENS = 1024
"""Output tokens set aside for the closing answer."""
REPLY_TOKENS = 4096
"""Output tokens of an ordinary reply when a budget is set and the settings name none."""
LEAST_TOKENS = 64
"""An ordinary reply with less room than this is not worth asking for."""
TELLING_BYTES = 800
"""What a reminder or the request for the closing answer adds to a request, at most, beside the words it repeats."""
TELLINGS = 2 * TELLING_BYTES
"""Set aside with the closing answer: the request for it, and one reminder before that."""
MESSAGE_BYTES = 64
"""What a message adds beside its text, at most."""
FENCE_BYTES = 200
"""What the fence around a result of an untrusted tool adds, at most."""
REFUSAL_BYTES = 280
"""What the answer to a call that does not run adds at most, when money is short."""
SHOWN_BYTES = 60
"""What such an answer then repeats of the words of the model or a person."""
REMARK_BYTES = 2000
"""The same when money is not short."""
OFFER_BYTES = 1024
"""What the tool that reads on in cut results adds to a request at most, once it is offered."""
IMAGE_TOKENS = 50_000
"""No model counts one image as more than this (OpenAI counts most, up to 48,169 with gpt-4o-mini)."""
CALL_TOKENS = 8
"""A call takes at least this many output tokens."""
CLOSING_SHARE, CLOSING_SECONDS = 0.2, 30.0
"""Time set aside for the closing answer: this share of the limit, at most this many seconds."""
LEAST_SHARE = 0.1
"""A question is not worth asking when less than this share of the time for work is left; a fifth of it for the last."""
PLENTY = 1 << 40


class Grant(Struct, frozen=True):
    """Leave to ask the model once."""

    closing: str
    max_tokens: int | None
    worst: Usage
    until: float | None


class Budget(Struct, frozen=True):
    """What is left of one limit, in its own unit, and what a token costs in it."""

    name: str
    left: float
    input: float
    output: float


class Ledger(Struct):
    """Spending of one run. Changed in place, by `loop.apply` only."""

    limits: Limits
    price: Price | None
    max_tokens: int | None
    """Output tokens of one reply, as the settings say."""
    context: int
    """Upper bound of the input tokens of the next request."""
    grown: int = 0
    """Bytes of results since the last reply."""
    spent: Usage = field(default_factory=Usage)
    reserved: Usage = field(default_factory=Usage)
    elapsed: float = 0.0
    asks: int = 0
    steps: int = 0
    admitted: int = 0
    """Calls that were allowed to run."""
    ran: int = 0
    """Calls that did run and ended."""
    offer: int = 0
    """Bytes set aside for a tool that may be offered later."""
    first: int = 0
    """Questions of the turns of a conversation before this one."""

    @property
    def number(self) -> int:
        """The number of the last question, counted through all turns of a conversation."""
        return self.first + self.asks

    def ask(self, worst: Usage) -> None:
        """A request leaves: set its worst case aside."""
        self.asks += 1
        self.reserved = worst

    def settle(self, usage: Usage, turn: Turn) -> None:
        """The reply is here: what was set aside becomes what was used."""
        if usage.estimated:
            written = MESSAGE_BYTES + size(turn.text) + sum(size(call.text) + MESSAGE_BYTES for call in turn.calls)
            self.context += min(written, self.reserved.output_tokens or written)
        else:
            self.context = usage.tokens
        self.grown = 0
        self.reserved = Usage()
        self.spent = self.spent + usage

    def forfeit(self) -> None:
        """No reply came, but the provider may have worked: count the worst case as spent."""
        self.spent = self.spent + self.reserved
        self.reserved = Usage()

    def release(self) -> None:
        """No reply came and no work was done."""
        self.reserved = Usage()

    def observe(self, result: Result, *, fenced: bool = False) -> None:
        """A result will be part of every later request."""
        written = len(memoryview(result.data)) + size(result.error) + size(result.note)
        self.grown += written
        self.context += MESSAGE_BYTES + written + (FENCE_BYTES if fenced else 0)
        if result.artifacts:
            self.context += IMAGE_TOKENS * sum(content.shown for content in result.artifacts)

    def offered(self) -> None:
        """The tool that something was set aside for is part of every later request."""
        self.context += self.offer
        self.offer = 0

    def tell(self, text: str) -> None:
        """So will a reminder."""
        self.context += TELLING_BYTES + size(text)

    def exhausted(self) -> str:
        """The limit for which no further call may run; empty while there is none."""
        limits = self.limits
        if limits.tool_calls is not None and self.admitted >= limits.tool_calls:
            return "tool_calls"
        return "steps" if limits.steps is not None and self.steps >= limits.steps else ""

    def grant(self, closing: str) -> Grant | str:
        """Leave for the next question: ordinary while it and a closing answer fit, else closing.

        When not even that fits, the name of the limit.
        """
        if not closing:
            ordinary = self._ordinary()
            if isinstance(ordinary, Grant):
                return ordinary
            closing = ordinary
        return self._closing(closing) or closing

    def least_tokens(self) -> int:
        """The limit of tokens that pays for an ordinary question, and for the closing answer after it."""
        many = 2 * LEAST_TOKENS + self.limits.calls_per_turn * REFUSAL_BYTES
        few = 2 * LEAST_TOKENS + LEAST_TOKENS // CALL_TOKENS * REFUSAL_BYTES + REFUSAL_BYTES
        return 2 * self.context + TELLINGS + self._closing_tokens() + min(many, few)

    def room(self, calls: int, *, fenced: bool = False) -> int:
        """Bytes of result that each of `calls` calls may show to the model, so that the closing answer still fits."""
        rest = PLENTY
        for budget in self._budgets():
            sent = self.context + TELLINGS + self.offer
            free = budget.left - self._closing_tokens() * budget.output - sent * budget.input
            rest = min(rest, int(free / budget.input) if budget.input else PLENTY)
        return max(0, rest // calls - MESSAGE_BYTES - (FENCE_BYTES if fenced else 0))

    def remark(self) -> int:
        """Bytes that a refusal or a reminder may repeat of what the model or a person wrote."""
        return max(SHOWN_BYTES, min(REMARK_BYTES, self.room(self.limits.calls_per_turn) - REFUSAL_BYTES))

    def work_until(self) -> float | None:
        """Elapsed seconds at which all but the closing answer must be done."""
        seconds = self.limits.seconds
        return None if seconds is None else seconds - min(seconds * CLOSING_SHARE, CLOSING_SECONDS)

    def _ordinary(self) -> Grant | str:
        limits = self.limits
        if limits.model_calls is not None and self.asks + 2 > limits.model_calls:
            return "model_calls"
        until = self.work_until()
        if until is not None and self.elapsed >= until * (1 - LEAST_SHARE):
            return "seconds"
        most = self.max_tokens
        for budget in self._budgets():
            fits = self._reply_tokens(budget)
            if fits < LEAST_TOKENS:
                return budget.name
            most = min(most or REPLY_TOKENS, int(min(fits, PLENTY)))
        return self._granted("", most, until)

    def _closing(self, closing: str) -> Grant | None:
        limits = self.limits
        if limits.model_calls is not None and self.asks + 1 > limits.model_calls:
            return None
        if limits.seconds is not None and self.elapsed >= limits.seconds * (1 - LEAST_SHARE / 5):
            return None
        most = self.max_tokens
        for budget in self._budgets():
            free = budget.left - (self.context + TELLING_BYTES) * budget.input
            most = min(most or CLOSING_TOKENS, CLOSING_TOKENS, int(free / budget.output) if budget.output else PLENTY)
            if free < 0 or most < 1:
                return None
        return self._granted(closing, most, limits.seconds)

    def _granted(self, closing: str, most: int | None, until: float | None) -> Grant:
        worst = Usage()
        if most is not None and self._budgets():
            asked = self.context + (TELLING_BYTES if closing else 0)
            cost = asked * self.price.input + most * self.price.output if self.price else 0.0
            worst = Usage(asked, most, 0, cost)
        return Grant(closing, most, worst, until)

    def _reply_tokens(self, budget: Budget) -> float:
        """Output tokens that an ordinary reply may have, so that its calls can be refused and the run closed after it.

        The reply is paid as output, and again as input of the closing request, together with a reminder and the answers
        to its calls: at most `calls_per_turn` of them, and at most one for every `CALL_TOKENS` tokens.
        """
        twice = (2 * self.context + TELLINGS) * budget.input
        free = budget.left - twice - self._closing_tokens() * budget.output
        per_token = budget.output + budget.input
        if not per_token:
            return inf
        many = (free - self.limits.calls_per_turn * REFUSAL_BYTES * budget.input) / per_token
        few = (free - REFUSAL_BYTES * budget.input) / (per_token + REFUSAL_BYTES / CALL_TOKENS * budget.input)
        return max(many, few)

    def _closing_tokens(self) -> int:
        return min(self.max_tokens or CLOSING_TOKENS, CLOSING_TOKENS)

    def _budgets(self) -> list[Budget]:
        limits, price, found = self.limits, self.price, list[Budget]()
        if limits.tokens is not None:
            found.append(Budget("tokens", limits.tokens - self.spent.tokens, 1, 1))
        if limits.cost is not None and price is not None:
            found.append(Budget("cost", limits.cost - self.spent.cost, price.input, price.output))
        return found


def size(text: str) -> int:
    """Bytes of a text in UTF-8; half of a surrogate pair counts as the mark that replaces it."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and a mark that it goes on, in at most `most` bytes."""
    if size(text) <= most:
        return text
    return text.encode("utf-8", "surrogatepass")[: most - 3].decode("utf-8", "ignore") + "…"
