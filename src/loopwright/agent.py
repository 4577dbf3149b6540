"""The front door: an agent is a model, tools and rules; a task given to it becomes a run.

Puts the parts together and hands them to the driver. Holds no state of a run: one agent may run many tasks at once.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Self, cast

from msgspec.structs import replace

from loopwright.core.errors import UsageError
from loopwright.core.events import Event, RunEnded, RunStarted
from loopwright.core.inbox import Cancel, Letter
from loopwright.core.messages import Example, Limits, ObservationRole, Result, Settings, ToolSpec, Turn, Way
from loopwright.engine import given
from loopwright.engine.clock import SystemClock
from loopwright.engine.drive import Driver
from loopwright.engine.fork import Change, change_of, place_of
from loopwright.engine.fork import fork as forked
from loopwright.engine.history import RunResult, fold, result_of, rules_of
from loopwright.engine.lease import RHYTHM, Rhythm
from loopwright.engine.people import Answer, Answers, Approve, answering, answers_of, asked_of, people_of
from loopwright.engine.ports import Clock, Gate, Model, Observer, People, RecallingObserver, TextArrived, Tool
from loopwright.engine.reading_on import reader_of
from loopwright.engine.replay import Replay, replay
from loopwright.engine.results import shown_in
from loopwright.engine.sending import cancel, send
from loopwright.engine.waiting import Waiting, waiting
from loopwright.journal.base import NONE, Journal
from loopwright.models.constraint import constrained
from loopwright.protocols.labels import LANGUAGES, base_of, detect
from loopwright.tools.policy import Policy

Protocol = Literal["auto", "native", "text"]


class Agent:
    """Runs a model in a loop with tools until it can answer.

    >>> agent = Agent("openai:gpt-4.1-mini", tools=[get_current_weather, convert_currency])
    >>> result = agent.run_sync("What is the weather in Helsinki?")
    >>> result.answer

    Args:
        model: ``provider:name``, ``local``, ``local:PATH``, or a `Model`; without one, what LOOPWRIGHT_MODEL names,
            else a provider whose key is in the environment, else ``local``
        tools: functions marked with `@tool`, plain annotated functions with a docstring, or anything like a `Tool`
        instructions: what the model is told before the task
        base_url: address of an OpenAI-compatible endpoint, in place of the provider's own
        api_key: key for it; by default from the environment or ``.env``. Never written down
        protocol: ``native`` tool calling, ``text`` (Thought / Action / Observation), or ``auto``: native where the
            model can, going on in text form when the endpoint refuses tools, when calls keep arriving inside the text,
            or when replies keep missing the format
        switch_back: with ``auto``, whether a run in text form goes on natively when replies keep missing the format
            and the model has tool calling
        constrain: whether replies in text form are kept to their form by a grammar or a JSON Schema; by default where
            the endpoint is known to take one. True asks any endpoint in OpenAI's chat format for a JSON Schema
        require_action: whether an answer that comes before any tool was used is sent back, once
        examples: trajectories that show the model how to go about a task, before the task: plain ones as dicts
            (``{"task", "steps": [{"thought", "tool", "arguments", "observation"}], "answer"}``), runs by
            `engine.history.example_of`, or prompts of the ReAct paper by `protocols.paper.read_paper_prompt`
        observation_role: who says the observations in text form: ``user``, ``assistant``, ``system`` or ``tool``.
            All but ``user`` need a model in OpenAI's chat format, and ``tool`` one with tool calling, and protocol text
        limits: what a run may use
        settings: temperature, max_tokens, seed, stop and further fields of the request
        journal: where runs are written down: a `Journal`, a path to an SQLite file, ``"postgresql://…"``, or
            ``":memory:"``; by default the one that the command line uses too
        policy: which tools run without asking; by default those that only read
        approve: who is asked about the others: a function of (call, tool) that returns or awaits a bool or an
            `Approval`; without one they are denied. ``"inbox"``: the run waits for a letter to it (`send`,
            ``loopwright approve``); ``"pause"``: it is paused instead (`WaitsForPerson`), until `resume`
        answer: who answers tools that have no code (`person_tool`): a function of (call, tool) that returns or awaits
            the answer, a text or a value; without one, `approve` where it can, else nobody
        observers: functions of (run id, event), called after each event is durable
        language: the language in which the loop speaks to the model, by its code: ``de``, ``en``, ``es``, ``fi``,
            ``fr``, ``he``, ``ja`` or ``zh``; by default the one that the task is written in
        stream: whether replies are streamed, so that observers see the text as it arrives
        recipe: how to put this agent together again, kept in the run's first event
        gate: stops runs before and after each ask and call, for debuggers; see `engine.ports.Gate`
        rhythm: how long a run is held between two signs of life, and how often letters are looked for

    Raises:
        UsageError: something does not fit together; the text says what to do
    """

    def __init__(
        self,
        model: str | Model | None = None,
        *,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        instructions: str = "",
        base_url: str | None = None,
        api_key: str | None = None,
        protocol: Protocol = "auto",
        switch_back: bool = False,
        constrain: bool | None = None,
        require_action: bool = False,
        examples: Iterable[Example | dict[str, Any]] = (),
        observation_role: ObservationRole = "user",
        limits: Limits | None = None,
        settings: Settings | None = None,
        journal: Journal | Path | str | None = None,
        policy: Policy | None = None,
        approve: Approve | People | Literal["inbox", "pause"] | None = None,
        answer: Answer | Answers | None = None,
        observers: Sequence[Observer] = (),
        stream: bool = True,
        language: str | None = None,
        clock: Clock | None = None,
        recipe: dict[str, Any] | None = None,
        gate: Gate | None = None,
        rhythm: Rhythm | None = None,
    ) -> None:
        self.limits = given.limits_of(limits)
        self.settings = given.settings_of(settings)
        given.check_options(
            {
                "model": (model, (str, Model, NoneType), "a text like 'openai:gpt-4.1-mini', or a Model"),
                "base_url": (base_url, (str, NoneType), "a text"),
                "api_key": (api_key, (str, NoneType), "a text"),
                "switch_back": (switch_back, bool, "True or False"),
                "constrain": (constrain, (bool, NoneType), "True, False or None"),
                "require_action": (require_action, bool, "True or False"),
                "policy": (policy, (Policy, NoneType), "Policy(…)"),
                "language": (language, (str, NoneType), "the code of a language, like 'en'"),
                "observers": (observers, (list, tuple), "a list of functions of (run id, event)"),
            }
        )
        found = model if isinstance(model, Model) else _resolved(model, base_url, api_key)
        self.model = constrained(found, self.settings, wanted=constrain)
        self.instructions = given.text_of(instructions, "instructions")
        self.journal = _journal(journal)
        self._tools = _tools(tools)
        self.examples = _examples(examples, [tool.spec for tool in self._tools])
        """The examples, fitted to the tools."""
        self._observation_role: ObservationRole = _role(observation_role, self.model, protocol)
        self._policy = policy or Policy()
        self._people = people_of(approve)
        self._answers = answers_of(answer, self._people)
        self._observers = tuple(observers)
        self._stream = stream
        self._gate = gate
        self._rhythm = rhythm or RHYTHM
        self._clock = clock or SystemClock()
        self._recipe = given.recipe_of(recipe)
        self._language = _language(language)
        self._way: Way = _way(protocol, self.model)
        self._may_switch = protocol == "auto"
        self._may_return = switch_back and self.model.capabilities.tools
        self._require_action = require_action
        if switch_back and protocol != "auto":
            raise UsageError(f"switch_back needs protocol auto; with {protocol} a run is never spoken in another way")
        if constrain and protocol == "native":
            raise UsageError("constrain keeps replies in text form to their form: use protocol text or auto")
        self._active = 0
        self._entered = False
        if self.limits.cost is not None and self.model.price is None:
            raise UsageError(
                f"a limit of cost needs a price, and none is known for {self.model.spec}: "
                "use a model whose price is known, or limit tokens instead (--budget-tokens, or Limits(tokens=…))"
            )

    async def run(self, task: str, *, run_id: str | None = None) -> RunResult:
        """Run a task to its end. Reaching a limit is an outcome, not an exception.

        Args:
            task: what is asked for
            run_id: a name for the run, unique in the journal, of at most 200 characters; by default one is made from
                the time

        Raises:
            UsageError: the task is no text or an empty one, the name cannot be one, what an approval returned is
                neither a bool nor an `Approval`, or the request cannot be made
            Conflict: the journal has a run of this name already, or another process took it over
            JournalError: the journal refused; what is durable can be resumed
            CancelledError: the task that awaits this was cancelled
            Exception: whatever an observer or an approval raised

        After each of these but the refusal of the task and the name, the run is paused where the journal allows, and
        `resume` goes on with it.
        """
        return await self._run(task, run_id, self._observers)

    def run_sync(self, task: str, *, run_id: str | None = None) -> RunResult:
        """`run` for code without an event loop."""
        return _without_loop(lambda: self.run(task, run_id=run_id), "run")

    async def stream(self, task: str, *, run_id: str | None = None) -> AsyncGenerator[Event | TextArrived, None]:
        """Run a task and yield its events as they happen, and the text of replies as it arrives (`TextArrived`).

        The last event is `RunEnded`. Leaving the iteration early stops the run; it can be resumed.
        """
        happened = asyncio.Queue[Event | TextArrived | None]()

        def watch(_run_id: str, event: Event | TextArrived) -> None:
            happened.put_nowait(event)

        running = asyncio.create_task(self._run(task, run_id, (*self._observers, watch)))
        running.add_done_callback(lambda _: happened.put_nowait(None))
        try:
            while (event := await happened.get()) is not None:
                yield event
            await running
        finally:
            running.cancel()
            await asyncio.wait([running])

    async def resume(self, run_id: str) -> RunResult:
        """Go on with a run that was interrupted or failed; a finished one just gives its result.

        No call that ended runs again. A call that was running when the work stopped runs again only if its tool is
        declared repeatable; otherwise the person is asked, or the model is told that the outcome is unknown.

        Raises:
            UnknownRun: the journal holds no such run
            UsageError: the run needs tools that this agent does not have, or has tools that can do more than those
                that it was begun with; or as for `run`
            Conflict: another process or task works on the run, or took it over
            JournalError: the journal refused, or the run in it is damaged
        """
        history = await self.journal.read(given.text_of(run_id, "run_id"))
        if isinstance(end := history[-1], RunEnded) and end.outcome.status != "failed":
            return result_of(fold(history))
        started = rules_of(history)
        given.check_same(started, [tool.spec for tool in self._tools])
        for observer in self._observers:
            if isinstance(observer, RecallingObserver):
                observer.recall(run_id, history)
        driver = self._driver(started, self._observers)
        changed = given.changes(started, self._rules(run_id, started.task))
        return await self._finish(driver.resume(history, changed))

    async def fork(
        self,
        run_id: str,
        *,
        at: int | None = None,
        observation: Result | str | None = None,
        reply: Turn | None = None,
        arguments: Mapping[str, dict[str, Any]] | None = None,
        say: str = "",
        by: str = "a person",
        new_id: str | None = None,
    ) -> RunResult:
        """Try a run again from one of its events on, with something changed; the run itself stays as it is.

        The new run shares the events before `at` and goes on with this agent: with its model, tools, policy and limits,
        and with the instructions and examples of the run where this agent has none. What was running there is in
        doubt, as after a crash, and never runs again by itself; approvals are asked for anew.

        Args:
            run_id: the run to fork
            at: number of the event that goes differently, from 2 on; None with `say`, for behind its end
            observation: what a call is answered with instead; `at` is its `CallEnded`. A text is shown as it is.
                Calls beside it keep the results that they have
            reply: what the model said instead; `at` is a `ModelReplied`. Its calls are numbered anew
            arguments: other arguments for calls of a reply, by their ids, such as ``{"2.1": {"city": "Oslo"}}``; `at`
                is the `ModelReplied` that made them
            say: what a person says to the model there; only where no call is open
            by: who changes it, for the journal
            new_id: a name for the new run; by default one is made from the time

        Raises:
            UsageError: it cannot go so differently there; the text names the numbers where it could. Or as for `run`
            UnknownRun: the journal holds no such run
            Conflict: the journal has a run of the new name already
            JournalError: the journal refused, or the run in it is damaged
        """
        said, who = given.text_of(say, "say"), given.text_of(by, "by")
        return await self._fork(run_id, at, change_of(observation, reply, arguments, said, who), new_id)

    async def follow_up(self, run_id: str, task: str, *, new_id: str | None = None) -> RunResult:
        """The next turn of a conversation: a run of its own that knows all that was said in the finished one.

        Limits count anew for each turn.

        Args:
            run_id: the turn before
            task: what is said now
            new_id: a name for the new run; by default one is made from the time

        Raises:
            UsageError: the run is not over, or as for `run`
            UnknownRun: the journal holds no such run
            JournalError: the journal refused, or the run in it is damaged
        """
        return await self._fork(run_id, None, Change(say=given.task_of(task), fresh=True), new_id)

    async def replay(self, run_id: str, *, model_replies: bool = False) -> Replay:
        """Go through a run again without network, and see whether this version of loopwright would have done the same.

        Every decision of the loop and every request is derived again; what came from outside (replies, results, words
        of people) is taken as it is written down.

        Args:
            run_id: the run
            model_replies: read the stored replies of the model again as well, and list what is read differently now

        Raises:
            UnknownRun: the journal holds no such run
            JournalError: the journal refused, or the run in it is damaged
        """
        history = await self.journal.read(given.text_of(run_id, "run_id"))
        images = await shown_in(history, self.journal) if self.model.capabilities.images else NONE
        return replay(history, self.model, replies=model_replies, images=images)

    async def send(self, run_id: str, letter: Letter) -> int:
        """Send a letter to a run, from any process that has its journal; gives its number in the inbox.

        `Approve` and `Answer` are about a call that waits (see `pending`), `Say` is told to the model at the next
        settled place, `Cancel` ends the run at once, whether somebody works on it or not. Whoever works on the run
        finds the letter within half a second; a run that was paused finds it when it is resumed. What does not fit is
        written down as `LetterRefused`.

        Raises:
            UnknownRun: the journal holds no such run
            UsageError: the run is over, or the journal takes no letters
            JournalError: the journal refused, or the letter holds what JSON cannot carry
        """
        if isinstance(letter, Cancel):
            return (await cancel(self.journal, self._clock, given.text_of(run_id, "run_id"), letter)).number
        return await send(self.journal, given.text_of(run_id, "run_id"), letter)

    async def pending(self, run_id: str) -> tuple[Waiting, ...]:
        """The calls of a run that wait for a person: what they are, why they wait, and what an approval is bound to.

        Raises:
            UnknownRun: the journal holds no such run
            JournalError: the journal refused, or the run in it is damaged
        """
        people = [tool.spec.name for tool in self._tools if asked_of(tool) is not None]
        return waiting(await self.journal.read(given.text_of(run_id, "run_id")), people)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools as a run has them: each with whether it runs without asking."""
        return tuple(self._permitted(tool.spec) for tool in self._tools)

    def observe(self, observer: Observer) -> None:
        """Tell this observer, too, of what happens in runs that begin from now on."""
        self._observers = (*self._observers, observer)

    def resume_sync(self, run_id: str) -> RunResult:
        """`resume` for code without an event loop."""
        return _without_loop(lambda: self.resume(run_id), "resume")

    async def close(self) -> None:
        """Release connections and the journal. Only needed when the agent was entered with ``async with``."""
        await self.model.transport.close()
        await self.journal.close()

    async def __aenter__(self) -> Self:
        self._entered = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, task: str, run_id: str | None, observers: Sequence[Observer]) -> RunResult:
        task = given.task_of(task)
        started = self._rules(run_id, task)
        given.check_readable(started)
        return await self._finish(self._driver(started, observers).start())

    def _rules(self, run_id: str | None, task: str) -> RunStarted:
        """The rules of a run with this agent, under this name or a new one."""
        return RunStarted(
            run_id=self._new_id() if run_id is None else given.run_id_of(run_id),
            task=task,
            model=self.model.spec,
            rules=self._policy.rules,
            way=self._way,
            may_switch=self._may_switch,
            may_return=self._may_return,
            require_action=self._require_action,
            examples=self.examples,
            observation_role=self._observation_role,
            instructions=self.instructions,
            language=self._language or detect(task),
            tools=self.tools,
            limits=self.limits,
            settings=self.settings,
            price=self.model.price,
            attended=self._people is not None,
            recipe=self._recipe,
            reader=self._reader(),
        )

    async def _fork(self, run_id: str, at: int | None, change: Change, new_id: str | None) -> RunResult:
        history = await self.journal.read(given.text_of(run_id, "run_id"))
        if change.fresh and fold(history).phase != "over":
            raise UsageError(f"run {run_id} is not over: resume it, or cancel it first")
        after = place_of(history, at, change)
        shared = history[:after]
        rules = self._rules_on(shared, change, new_id)
        given.check_readable(rules)
        images = await shown_in(shared, self.journal) if self.model.capabilities.images else NONE
        begun = forked(history, after, rules, run_id, change, model=self.model, images=images)
        now, elapsed = self._clock.now(), 0.0 if change.fresh else shared[-1].elapsed
        events = [replace(event, at=now, elapsed=max(elapsed, event.elapsed)) for event in begun.events]
        await self.journal.append(rules.run_id, after + 1, events, begun.contents)
        for recalling in self._observers:
            if isinstance(recalling, RecallingObserver):
                recalling.recall(rules.run_id, shared)
        for event in events:
            for observer in self._observers:
                observer(rules.run_id, event)
        driver = self._driver(rules_of(events), self._observers)
        return await self._finish(driver.resume([*shared, *events]))

    def _rules_on(self, shared: Sequence[Event], change: Change, new_id: str | None) -> RunStarted:
        """The rules of a fork: this agent's, and where it says nothing, those that held before."""
        before, state = rules_of(shared), fold(shared)
        mine = self._rules(new_id, change.say if change.fresh else before.task)
        keeps_way = self._may_switch and before.model == self.model.spec
        return replace(
            mine,
            way=state.way if keeps_way else mine.way,
            examples=mine.examples or before.examples,
            instructions=mine.instructions or before.instructions,
            language=self._language or before.language,
        )

    def _driver(self, started: RunStarted, observers: Sequence[Observer]) -> Driver:
        return Driver(
            started,
            model=self.model,
            tools=[answering(_fresh(tool), self._answers) for tool in self._tools],
            journal=self.journal,
            clock=self._clock,
            people=self._people,
            observers=observers,
            stream=self._stream,
            gate=self._gate,
            rhythm=self._rhythm,
        )

    async def _finish(self, driving: Coroutine[Any, Any, Any]) -> RunResult:
        """Drive, and release the connections with the last run, unless the agent's owner does that."""
        self._active += 1
        try:
            return result_of(await driving)
        finally:
            self._active -= 1
            if not self._active and not self._entered:
                await self.model.transport.close()

    def _reader(self) -> ToolSpec | None:
        """The tool that reads on in results that were cut. The embedded model does not know it, nor does a game."""
        tools = self.tools
        alone = len(tools) == 1 and tools[0].free_form
        return None if not tools or alone or self.model.embedded else reader_of(tools)

    def _permitted(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, permission=self._policy.permission(spec))

    def _new_id(self) -> str:
        from time import gmtime, strftime

        return f"{strftime('%y%m%d-%H%M%S', gmtime(self._clock.now()))}-{secrets.token_hex(3)}"


def _resolved(spec: str | None, base_url: str | None, api_key: str | None) -> Model:
    from loopwright.models import environment
    from loopwright.models.catalog import default_spec, resolve

    return resolve(spec or default_spec(environment.read())[0], base_url=base_url, api_key=api_key)


def _journal(journal: Journal | Path | str | None) -> Journal:
    if journal is None or isinstance(journal, str | Path):
        from loopwright.journal.opened import journal_at

        return journal_at(journal)
    if not callable(getattr(journal, "append", None)):
        raise UsageError(
            f"journal is {journal!r}; pass a path, 'postgresql://…', ':memory:', or a journal like SqliteJournal(path)"
        )
    return journal


def _tools(tools: Iterable[Tool | Callable[..., Any]]) -> tuple[Tool, ...]:
    from loopwright.tools.declare import tool as declared

    found = dict[str, Tool]()
    for item in given.check_tools(tools):
        ready = cast("Tool", item if hasattr(item, "spec") else declared(cast("Callable[..., Any]", item)))
        if ready.spec.name in found:
            raise UsageError(f"two tools are called {ready.spec.name}: give one of them another name")
        found[ready.spec.name] = ready
    return tuple(found.values())


def _examples(examples: Iterable[Example | dict[str, Any]], tools: Sequence[ToolSpec]) -> tuple[Example, ...]:
    if examples == ():
        return ()
    from loopwright.engine.examples import examples_of

    return examples_of(examples, tools)


def _fresh(tool: Tool) -> Tool:
    """A copy with state of its own, for tools that keep some during a run."""
    fresh = getattr(tool, "fresh", None)
    return fresh() if fresh else tool


def _language(code: str | None) -> str:
    """The language that was asked for, without its region; empty where none was."""
    if code is None:
        return ""
    if base_of(code) not in LANGUAGES:
        raise UsageError(f"the language {code!r} is not known: use one of {', '.join(sorted(LANGUAGES))}")
    return base_of(code)


def _way(protocol: Protocol, model: Model) -> Way:
    match protocol:
        case "auto":
            return "native" if model.capabilities.tools else "text"
        case "native":
            if not model.capabilities.tools:
                raise UsageError(f"{model.spec} has no tool calling: use protocol text or auto")
            return "native"
        case "text":
            return "text"
        case _:
            raise UsageError(f"unknown protocol {protocol!r}: use auto, native or text")


def _role(role: ObservationRole, model: Model, protocol: Protocol) -> ObservationRole:
    """Who says the observations; only roles whose messages the model's provider takes in any order."""
    if role not in ("user", "assistant", "system", "tool"):
        raise UsageError(f"unknown observation_role {role!r}: use user, assistant, system or tool")
    if role != "user" and model.dialect.name != "openai-chat":
        raise UsageError(
            f"{model.spec} is not asked in OpenAI's chat format, where alone the {role} can say an observation: "
            "leave observation_role out"
        )
    if role == "assistant" and not model.capabilities.assistant_twice:
        raise UsageError(
            f"{model.spec} refuses two messages of the assistant in a row, so the assistant cannot say an observation: "
            "leave observation_role out"
        )
    if role == "tool" and (protocol != "text" or not model.capabilities.tools):
        raise UsageError(
            "observation_role tool needs protocol text and a model with tool calling: an endpoint that refuses tools "
            "refuses their answers too"
        )
    return role


def _without_loop(start: Callable[[], Coroutine[Any, Any, RunResult]], name: str) -> RunResult:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    raise UsageError(f"{name}_sync was called inside a running event loop: use 'await agent.{name}(…)' there")
