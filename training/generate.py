"""Writes the training data: chats as the runtime speaks them, from a seed.

    python -m training.generate --count 30000 --seed 7 --out trajectories.jsonl [--recorded react_trajectories.jsonl]

Owns the mixture. Needs nothing but loopwright. Every line is ``{"family": …, "messages": [{"role", "content"}, …]}``.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from training import invented
from training.documents import DOCUMENTS, recorded
from training.drills import DRILLS
from training.handbooks import HANDBOOKS
from training.held_out import touches
from training.pairs import TWOS
from training.shelves import SHELVES
from training.things import THINGS
from training.toolbox_money import MONEY
from training.toolbox_plans import PLANS
from training.toolbox_sums import SUMS
from training.toolbox_tasks import SINGLE
from training.trajectories import Episode, faults, messages
from training.trouble import TROUBLE

T = TypeVar("T")
Maker = Callable[[random.Random], Episode]
LONGEST = 300
"""Characters of a thought or an answer."""
SHARES: tuple[tuple[float, tuple[tuple[float, Maker], ...]], ...] = (
    (0.12, SINGLE),
    (0.06, SUMS),
    (0.18, MONEY),
    (0.13, PLANS),
    (0.06, TROUBLE),
    (0.07, DRILLS),
    (0.015, DOCUMENTS),
    (0.03, HANDBOOKS),
    (0.08, SHELVES),
    (0.13, THINGS),
    (0.06, TWOS),
    (0.06, ((1.0, invented.episode),)),
)
STRANGERS = 0.12
"""How often a tool that is not needed and was never seen lies among the others."""
REPEATS = 3
"""How often each recorded episode is taken."""


def episodes(count: int, seed: int) -> Iterator[Episode]:
    """So many different episodes, none of which has anything of the evaluation in it.

    Raises:
        ValueError: one is not well formed; the text says what is wrong
    """
    chance = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        _, group = pick_by_share(chance, SHARES)
        _, maker = pick_by_share(chance, group)
        one = maker(chance)
        if one.family not in ("invented", "things") and one.tools and chance.random() < STRANGERS:
            one = with_strangers(chance, one)
        wrong = faults(one, LONGEST)
        if wrong:
            raise ValueError(f"{one.task}: {'; '.join(wrong)}")
        if touches(one):
            continue
        key = f"{one.task}|{','.join(tool.name for tool in one.tools)}"
        if key not in seen:
            seen.add(key)
            yield one


def pick_by_share(chance: random.Random, parts: Sequence[tuple[float, T]]) -> tuple[float, T]:
    """One of them, by the shares."""
    return chance.choices(parts, weights=[share for share, _ in parts])[0]


def with_strangers(chance: random.Random, one: Episode) -> Episode:
    """The same with one or two invented tools that are of no use here."""
    names = {tool.name for tool in one.tools}
    others = [tool for tool in invented.distractors(chance, chance.randrange(1, 3)) if tool.name not in names]
    tools = [*one.tools, *others]
    chance.shuffle(tools)
    return replace(one, tools=tuple(tools))


def main() -> None:
    """Write the file and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recorded", type=Path, default=None, help="trajectories of real models, JSON lines")
    arguments = parser.parse_args()
    chosen = list(episodes(arguments.count, arguments.seed))
    if arguments.recorded is not None:
        chosen += [one for one in recorded(arguments.recorded) if not faults(one, LONGEST)] * REPEATS
    random.Random(arguments.seed).shuffle(chosen)
    with arguments.out.open("w") as file:
        for one in chosen:
            chat = [{"role": said.role, "content": said.content} for said in messages(one)]
            file.write(json.dumps({"family": one.family, "messages": chat}, ensure_ascii=False) + "\n")
    for family, count in Counter(one.family for one in chosen).most_common():
        sys.stderr.write(f"{count:6} {family}\n")


if __name__ == "__main__":
    main()
